// SPDX-License-Identifier: MIT
#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/check.hpp"
#include "reports/json_report.hpp"
#include "reports/reliability_report.hpp"
#include "scenarios/wording.hpp"

namespace squall::reports::reliability {
namespace {

using core::Error;
using core::Expected;

// ---- members, each named once for both directions --------------------------------------------

template <class T, class Wanted>
concept Is = std::same_as<std::remove_const_t<T>, Wanted>;

void describe(auto& members, Is<State> auto& it) {
  members("state", it.state);
  members("sentence", it.sentence);
  members("reasons", it.reasons);
}
void describe(auto& members, Is<Rate> auto& it) {
  members("count", it.count);
  members("of", it.of);
  members("low", it.low);
  members("high", it.high);
}
void describe(auto& members, Is<Elapsed> auto& it) {
  members("p50_ns", it.p50_ns);
  members("p90_ns", it.p90_ns);
  members("p99_ns", it.p99_ns);
  members("max_ns", it.max_ns);
}
void describe(auto& members, Is<BoundPart> auto& it) {
  members("label", it.label);
  members("kind", it.kind);
  members("count", it.count);
  members("ns", it.ns);
}
void describe(auto& members, Is<Bound> auto& it) {
  members("operation", it.operation);
  members("longest_ns", it.longest_ns);
  members("unbounded", it.unbounded);
  members("trickle_unbounded", it.trickle_unbounded);
  members("sentence", it.sentence);
  members("calls_max", it.calls_max);
  members("calls_min", it.calls_min);
  members("parts", it.parts);
  members("command", it.command);
}
void describe(auto& members, Is<SlotSleeps> auto& it) {
  members("slot", it.slot);
  members("source", it.source);
  members("low_ns", it.low_ns);
  members("high_ns", it.high_ns);
  members("count", it.count);
  members("beyond", it.beyond);
  members("every", it.every);
  members("kept_ns", it.kept_ns);
}
void describe(auto& members, Is<ClassCounts> auto& it) {
  members("class", it.failure_class);
  members("counts", it.counts);
  members("later", it.later);
}
void describe(auto& members, Is<FailuresOverTime> auto& it) {
  members("bin_ns", it.bin_ns);
  members("classes", it.classes);
}
void describe(auto& members, Is<Policy> auto& it) {
  members("name", it.name);
  members("summary", it.summary);
  members("worst_case", it.worst_case);
  members("operations", it.operations);
  members("success", it.success);
  members("calls", it.calls);
  members("calls_per_operation", it.calls_per_operation);
  members("elapsed", it.elapsed);
  members("attempts", it.attempts);
  members("sleeps", it.sleeps);
  members("failures_over_time", it.failures_over_time);
  members("elapsed_cdf", it.elapsed_cdf);
  members("command", it.command);
}
void describe(auto& members, Is<ChangeSentence> auto& it) {
  members("kind", it.kind);
  members("policy", it.policy);
  members("scenario", it.scenario);
  members("metric", it.metric);
  members("text", it.text);
}
void describe(auto& members, Is<Changes> auto& it) {
  members("baseline", it.baseline);
  members("regressions", it.regressions);
  members("improvements", it.improvements);
  members("within", it.within);
  members("unchanged", it.unchanged);
  members("sentence", it.sentence);
  members("sentences", it.sentences);
  members("command", it.command);
}
void describe(auto& members, Is<ScenarioLine> auto& it) {
  members("name", it.name);
  members("summary", it.summary);
  members("kind", it.kind);
  members("tags", it.tags);
}
void describe(auto& members, Is<Cell> auto& it) {
  members("policy", it.policy);
  members("scenario", it.scenario);
  members("operations", it.operations);
  members("success", it.success);
  members("expectations", it.expectations);
  members("findings", it.findings);
  members("outcome", it.outcome);
  members("attempts", it.attempts);
  members("elapsed", it.elapsed);
  members("elapsed_cdf", it.elapsed_cdf);
  members("failures", it.failures);
  members("command", it.command);
}
void describe(auto& members, Is<TimelineAttempt> auto& it) {
  members("number", it.number);
  members("begins_ns", it.begins_ns);
  members("headers_ns", it.headers_ns);
  members("ends_ns", it.ends_ns);
  members("status", it.status);
  members("class", it.failure_class);
  members("body_bytes", it.body_bytes);
  members("retry_after_ns", it.retry_after_ns);
  members("text", it.text);
}
void describe(auto& members, Is<TimelineSleep> auto& it) {
  members("slot", it.slot);
  members("source", it.source);
  members("begins_ns", it.begins_ns);
  members("ends_ns", it.ends_ns);
  members("ns", it.ns);
  members("low_ns", it.low_ns);
  members("high_ns", it.high_ns);
}
void describe(auto& members, Is<Timeline> auto& it) {
  members("policy", it.policy);
  members("scenario", it.scenario);
  members("run", it.run);
  members("why", it.why);
  members("outcome", it.outcome);
  members("elapsed_ns", it.elapsed_ns);
  members("shutdown_ns", it.shutdown_ns);
  members("attempts", it.attempts);
  members("sleeps", it.sleeps);
  members("command", it.command);
}
void describe(auto& members, Is<InvariantLine> auto& it) {
  members("number", it.number);
  members("name", it.name);
  members("promise", it.promise);
  members("checked", it.checked);
  members("broken", it.broken);
}
void describe(auto& members, Is<Thinned> auto& it) {
  members("what", it.what);
  members("shown", it.shown);
  members("of", it.of);
}
/// All but the format, which comes first.
void describe(auto& members, Is<Document> auto& it) {
  members("squall", it.squall);
  members("seed", it.seed);
  members("runs", it.runs);
  members("verdict", it.verdict);
  members("command", it.command);
  members("notes", it.notes);
  members("policies", it.policies);
  members("changes", it.changes);
  members("scenarios", it.scenarios);
  members("cells", it.cells);
  members("timelines", it.timelines);
  members("invariants", it.invariants);
  members("thinned", it.thinned);
}

// ---- writing ---------------------------------------------------------------------------------

constexpr double kMillion = 1'000'000;

template <class T>
concept Plain = std::integral<T> || std::same_as<T, std::string>;

struct Writer {
  Json object = Json::object();

  template <class T>
  void operator()(const char* name, const T& value) {
    object[name] = write(value);
  }

  static Json write(const Plain auto& value) { return value; }
  static Json write(const Millionths& value) { return static_cast<double>(value.value) / kMillion; }
  template <class T>
  static Json write(const std::optional<T>& value) {
    return value ? write(*value) : Json(nullptr);
  }
  template <class A, class B>
  static Json write(const std::pair<A, B>& value) {
    Json pair = Json::array();
    pair.push_back(value.first);
    pair.push_back(value.second);
    return pair;
  }
  template <class T>
  static Json write(const std::vector<T>& values) {
    Json list = Json::array();
    for (const T& value : values) {
      list.push_back(write(value));
    }
    return list;
  }
  template <class T>
  static Json write(const T& value) {
    Writer writer;
    describe(writer, value);
    return std::move(writer.object);
  }
};

Json document_json(const Document& document) {
  Writer writer;
  writer.object["format"] = kFormat;
  describe(writer, document);
  return std::move(writer.object);
}

std::string compact(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// ---- reading ---------------------------------------------------------------------------------

/// Reads members one after the other and keeps the first defect.
class Reader {
 public:
  Reader(const Json& object, std::string pointer, std::optional<Error>& error)
      : object_(object), pointer_(std::move(pointer)), error_(error) {}

  template <class T>
  void operator()(const char* name, T& value) {
    if (error_) {
      return;
    }
    const auto found = object_.find(name);
    if (found == object_.end()) {
      refuse(pointer_, fmt::format("missing key \"{}\"", name));
      return;
    }
    read(*found, fmt::format("{}/{}", pointer_, name), value);
  }

  template <class T>
  requires std::is_class_v<T>
  void read(const Json& json, const std::string& at, T& value) {
    if (!json.is_object()) {
      expected(json, at, "an object");
      return;
    }
    Reader reader(json, at, error_);
    describe(reader, value);
  }

 private:
  void refuse(const std::string& at, std::string message) {
    if (!error_) {
      error_ = Error{.file = {}, .line = 0, .pointer = at, .message = std::move(message)};
    }
  }
  void expected(const Json& json, const std::string& at, std::string_view wanted) {
    refuse(at, scenarios::found_allowed(
                   json.is_number() ? compact(json) : std::string(json.type_name()), wanted));
  }

  void read(const Json& json, const std::string& at, std::string& value) {
    json.is_string() ? void(value = json.get_ref<const std::string&>())
                     : expected(json, at, "a string");
  }
  void read(const Json& json, const std::string& at, bool& value) {
    json.is_boolean() ? void(value = json.get<bool>()) : expected(json, at, "true or false");
  }
  /// All there are: none is negative.
  template <std::integral T>
  void read(const Json& json, const std::string& at, T& value) {
    if (json.is_number_unsigned() && std::in_range<T>(json.get<std::uint64_t>())) {
      value = static_cast<T>(json.get<std::uint64_t>());
    } else {
      expected(json, at, "a whole number that is not negative");
    }
  }
  void read(const Json& json, const std::string& at, Millionths& value) {
    const double number = json.is_number() ? json.get<double>() : -1;
    // Beyond it a double has no millionths left.
    constexpr double kMax = 4e9;
    if (number >= 0 && number <= kMax) {
      value.value = static_cast<std::uint64_t>(std::llround(number * kMillion));
    } else {
      expected(json, at, "a number that is not negative");
    }
  }
  template <class T>
  void read(const Json& json, const std::string& at, std::optional<T>& value) {
    value.reset();
    if (!json.is_null()) {
      read(json, at, value.emplace());
    }
  }
  template <class A, class B>
  void read(const Json& json, const std::string& at, std::pair<A, B>& value) {
    if (!json.is_array() || json.size() != 2) {
      expected(json, at, "a list of two");
      return;
    }
    read(json[0], at + "/0", value.first);
    read(json[1], at + "/1", value.second);
  }
  template <class T>
  void read(const Json& json, const std::string& at, std::vector<T>& values) {
    if (!json.is_array()) {
      expected(json, at, "a list");
      return;
    }
    values.clear();
    for (std::size_t i = 0; i < json.size() && !error_; ++i) {
      read(json[i], fmt::format("{}/{}", at, i), values.emplace_back());
    }
  }

  const Json& object_;
  std::string pointer_;
  std::optional<Error>& error_;
};

/// A reference that leads nowhere, by its pointer.
std::optional<Error> lost_index(const Document& document) {
  const auto check = [&document](const auto& entries,
                                 std::string_view list) -> std::optional<Error> {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].policy >= document.policies.size() ||
          entries[i].scenario >= document.scenarios.size()) {
        return Error{.file = {},
                     .line = 0,
                     .pointer = fmt::format("/{}/{}", list, i),
                     .message = "there is no such policy or scenario in this report"};
      }
    }
    return std::nullopt;
  };
  auto error = check(document.cells, "cells");
  return error ? error : check(document.timelines, "timelines");
}

Expected<Document, Error> read(const Json& root) {
  const auto refuse = [](std::string pointer, std::string message) {
    return core::Unexpected<Error>(
        {.file = {}, .line = 0, .pointer = std::move(pointer), .message = std::move(message)});
  };
  if (root.is_discarded()) {
    return refuse("", "is no JSON document");
  }
  const auto format = root.is_object() ? root.find("format") : root.end();
  if (!root.is_object() || format == root.end() || !format->is_string()) {
    return refuse("", "is no report: squall report --json makes one");
  }
  if (*format != kFormat) {
    return refuse("/format",
                  scenarios::found_allowed(
                      scenarios::in_quotes(format->get_ref<const std::string&>()),
                      fmt::format("\"{}\"; make the report again with this squall", kFormat)));
  }
  std::optional<Error> error;
  Document document;
  Reader(root, "", error).read(root, "", document);
  if (!error && document.policies.empty()) {
    return refuse("/policies", "is empty: nothing to report");
  }
  if (!error) {
    error = lost_index(document);
  }
  return error ? Expected<Document, Error>(core::Unexpected<Error>(*std::move(error))) : document;
}

Json parsed(std::string_view text) {
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

}  // namespace

std::string to_json(const Document& document) {
  const Json root = document_json(document);
  std::string text;
  for (const auto& [name, value] : root.items()) {
    text += text.empty() ? "{\n" : ",\n";
    text += fmt::format("  \"{}\": ", name);
    if (!value.is_array() || value.empty()) {
      text += compact(value);
      continue;
    }
    std::string_view separator = "[\n";
    for (const Json& entry : value) {
      text += separator;
      text += "    " + compact(entry);
      separator = ",\n";
    }
    text += "\n  ]";
  }
  return text + "\n}\n";
}

bool is_report(std::string_view text) {
  const Json root = parsed(text);
  if (!root.is_object()) {
    return false;
  }
  const auto format = root.find("format");
  return format != root.end() && format->is_string() &&
         format->get_ref<const std::string&>().starts_with(kFormatFamily);
}

Expected<Document, Error> from_json(std::string_view text, const std::string& display_name) {
  auto document = read(parsed(text));
  if (!document) {
    document.error().file = display_name;
  }
  return document;
}

std::string to_html(const Document& document, std::string_view page_template) {
  std::string data;
  for (const char character : compact(document_json(document))) {
    // Inside a string of JSON the escape means the same; elsewhere there is no "<".
    data += character == '<' ? std::string("\\u003c") : std::string(1, character);
  }
  std::string page(page_template);
  const std::size_t at = page.find(kPlaceholder);
  SQUALL_CHECK(at != std::string::npos);
  return page.replace(at, kPlaceholder.size(), data);
}

}  // namespace squall::reports::reliability
