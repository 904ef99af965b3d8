// SPDX-License-Identifier: MIT
#include "core/llm/proposal.hpp"

#include <initializer_list>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/llm/json_answer.hpp"
#include "core/quote.hpp"

namespace squall::core::llm {
namespace {

using Json = nlohmann::json;

/// Bytes of a foreign field name that a message quotes. @source chosen: longer than any real name.
constexpr std::size_t kQuotedNameBytesMax = 64;

/// Reads one document; remembers the first defect and where it is.
class Reader {
 public:
  [[nodiscard]] const std::optional<Error>& defect() const { return defect_; }

  void read(const Json& document, ProposalForm form, Proposal& out) {
    if (!expect(document.is_object(), "", "expected an object")) {
      return;
    }
    if (form == ProposalForm::kFirst) {
      allow(document, "", {"summary", "groups", "ungrouped"});
    } else {
      allow(document, "", {"summary", "groups", "ungrouped", "references"});
    }
    if (const auto summary = document.find("summary");
        summary != document.end() && !summary->is_null()) {
      out.summary = text(*summary, "/summary");
    }
    each(document, "", "groups",
         [&](const Json& value, const std::string& at) { out.groups.push_back(group(value, at)); });
    each(document, "", "ungrouped", [&](const Json& value, const std::string& at) {
      out.ungrouped.push_back(item(value, at));
    });
    each(document, "", "references", [&](const Json& value, const std::string& at) {
      out.references.push_back(reference(value, at));
    });
  }

 private:
  bool expect(bool holds, const std::string& at, std::string message) {
    if (!holds && !defect_) {
      defect_ = Error{.file = {}, .line = 0, .pointer = at, .message = std::move(message)};
    }
    return holds;
  }

  void allow(const Json& object, const std::string& at,
             std::initializer_list<std::string_view> names) {
    for (const auto& field : object.items()) {
      bool known = false;
      for (const std::string_view name : names) {
        known = known || field.key() == name;
      }
      if (!known) {
        std::string message = "unknown field \"";
        append_quoted(message, field.key(), kQuotedNameBytesMax);
        expect(false, at, message + "\"");
      }
    }
  }

  /// The field `name` of `object`; null, and a defect, when it is missing.
  const Json* required(const Json& object, const std::string& at, const char* name) {
    const auto found = object.find(name);
    const bool present = found != object.end();
    expect(present, at, std::string("missing field \"") + name + "\"");
    return present ? &*found : nullptr;
  }

  template <class Visit>
  void each(const Json& object, const std::string& at, const char* name, Visit visit) {
    const auto list = object.find(name);
    const std::string list_at = at + "/" + name;
    if (list == object.end() || !expect(list->is_array(), list_at, "expected an array")) {
      return;
    }
    for (std::size_t i = 0; i < list->size() && !defect_; ++i) {
      visit((*list)[i], list_at + "/" + std::to_string(i));
    }
  }

  std::string text(const Json& value, const std::string& at) {
    return expect(value.is_string(), at, "expected text") ? value.get<std::string>() : "";
  }

  std::int64_t integer(const Json& value, const std::string& at) {
    if (!expect(value.is_number_integer(), at, "expected an integer")) {
      return 0;
    }
    constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
    const bool too_large =
        value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(kMax);
    return too_large ? kMax : value.get<std::int64_t>();
  }

  ProposedId item(const Json& value, const std::string& at) {
    if (!expect(value.is_object(), at, "expected an object with an id")) {
      return 0;
    }
    allow(value, at, {"id"});
    const Json* id = required(value, at, "id");
    return id != nullptr ? integer(*id, at + "/id") : 0;
  }

  ProposedGroup group(const Json& value, const std::string& at) {
    ProposedGroup read;
    if (!expect(value.is_object(), at, "expected an object")) {
      return read;
    }
    allow(value, at, {"heading", "contradiction", "members"});
    if (const Json* heading = required(value, at, "heading")) {
      read.heading = text(*heading, at + "/heading");
    }
    if (const auto flag = value.find("contradiction"); flag != value.end()) {
      if (expect(flag->is_boolean(), at + "/contradiction", "expected true or false")) {
        read.contradiction = flag->get<bool>();
      }
    }
    if (required(value, at, "members") != nullptr) {
      each(value, at, "members", [&](const Json& member, const std::string& member_at) {
        read.members.push_back(item(member, member_at));
      });
    }
    return read;
  }

  ProposedReference reference(const Json& value, const std::string& at) {
    ProposedReference read;
    if (!expect(value.is_object(), at, "expected an object")) {
      return read;
    }
    allow(value, at, {"group", "member"});
    if (const Json* target = required(value, at, "group")) {
      read.group = integer(*target, at + "/group");
    }
    if (const Json* member = required(value, at, "member")) {
      const std::string member_at = at + "/member";
      read.member = member->is_object() ? item(*member, member_at) : integer(*member, member_at);
    }
    return read;
  }

  std::optional<Error> defect_;
};

}  // namespace

Expected<Proposal, Error> parse_proposal(std::string_view text, ProposalForm form) {
  const Expected<Json, std::string> document = parse_json_answer(text);
  if (!document) {
    return Unexpected<Error>(
        Error{.file = {}, .line = 0, .pointer = {}, .message = document.error()});
  }
  Proposal proposal;
  Reader reader;
  reader.read(*document, form, proposal);
  if (reader.defect()) {
    return Unexpected<Error>(*reader.defect());
  }
  return proposal;
}

}  // namespace squall::core::llm
