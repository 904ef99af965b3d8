// SPDX-License-Identifier: MIT
#include "scenarios/document.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "scenarios/files.hpp"
#include "scenarios/json_locator.hpp"
#include "scenarios/wording.hpp"

namespace squall::scenarios {
namespace {

struct TextDefect {
  std::size_t offset = 0;
  std::string message;
};

/// Length of the well-formed UTF-8 character at the front of `text` (Unicode standard, table 3-7);
/// 0 when there is none.
std::size_t character_length(std::string_view text) {
  const auto byte = [text](std::size_t i) {
    return i < text.size() ? static_cast<std::uint8_t>(text[i]) : std::uint8_t{0};
  };
  const auto continues = [&byte](std::size_t i) { return (byte(i) & 0xc0U) == 0x80U; };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) {
    return 1;
  }
  if (lead >= 0xc2 && lead <= 0xdf) {
    return continues(1) ? 2 : 0;
  }
  if (lead >= 0xe0 && lead <= 0xef) {
    const bool shortest = lead != 0xe0 || byte(1) >= 0xa0;
    const bool surrogate = lead == 0xed && byte(1) >= 0xa0;
    return shortest && !surrogate && continues(1) && continues(2) ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const bool in_range = (lead != 0xf0 || byte(1) >= 0x90) && (lead != 0xf4 || byte(1) < 0x90);
    return in_range && continues(1) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

/// What no JSON file may hold anywhere, comments included.
std::optional<TextDefect> find_text_defect(std::string_view text) {
  if (text.size() > kFileBytesMax) {
    return TextDefect{
        .offset = 0,
        .message = "too large, allowed: at most " + std::to_string(kFileBytesMax) + " bytes"};
  }
  if (text.starts_with("\xef\xbb\xbf")) {
    return TextDefect{.offset = 0,
                      .message = "begins with a byte order mark, allowed: UTF-8 without one"};
  }
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return TextDefect{.offset = 0, .message = "is empty, allowed: one JSON object"};
  }
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text.substr(i));
    if (length == 0) {
      return TextDefect{.offset = i, .message = "not valid UTF-8"};
    }
    // The JSON library would take a zero byte for the end of the file.
    const auto byte = static_cast<std::uint8_t>(text[i]);
    if ((byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7f) {
      return TextDefect{.offset = i,
                        .message = "a control character (" + on_one_line(text.substr(i, 1)) +
                                   "), allowed: tabs and line breaks; in strings write the escape"};
    }
    i += length;
  }
  return std::nullopt;
}

std::string between(std::string_view text, std::string_view from, std::string_view to) {
  const std::size_t begin = text.find(from);
  if (begin == std::string_view::npos) {
    return {};
  }
  const std::string_view rest = text.substr(begin + from.size());
  return std::string(rest.substr(0, rest.find(to)));
}

bool is_word(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
         (character >= '0' && character <= '9') || character == '_';
}

/// The library's complaint about the character at `offset`, or about the token that ends there, in
/// plain words and at the place where the trouble begins. `what` reads "... syntax error while
/// parsing <context> - <reason>; last read: '<token>'; expected <expected>".
TextDefect in_plain_words(std::string_view what, std::string_view text, std::size_t offset,
                          std::size_t token_size) {
  const std::string context = between(what, "while parsing ", " - ");
  const std::string reason = between(what, " - ", "; ");
  const auto at = [](std::size_t place, std::string message) {
    return TextDefect{.offset = place, .message = std::move(message)};
  };
  if (reason.starts_with("invalid literal")) {
    std::size_t begin = offset;
    while (begin > 0 && is_word(text[begin - 1])) {
      --begin;
    }
    std::size_t end = begin + 1;
    while (end < text.size() && is_word(text[end])) {
      ++end;
    }
    return at(begin, "not a JSON value: " + in_quotes(text.substr(begin, end - begin)) +
                         " (text needs double quotes)");
  }
  if (reason.starts_with("invalid string: control character")) {
    return at(offset, "a string does not end on its line");
  }
  if (reason.starts_with("invalid string: missing closing quote")) {
    return at(offset, "a string does not end");
  }
  if (reason.starts_with("invalid comment")) {
    return at(offset, what.find("missing closing") == std::string_view::npos
                          ? "a comment begins with // or /*"
                          : "a comment does not end");
  }
  if (!reason.starts_with("unexpected")) {
    return at(offset, reason);  // "invalid number" and the like are plain enough.
  }

  std::string found = "the end of the file";
  if (offset < text.size()) {
    const std::size_t size =
        reason.ends_with("string literal") || reason.ends_with("number literal") ? token_size
        : reason.ends_with("false literal")                                      ? 5
        : reason.ends_with(" literal")                                           ? 4
                                                                                 : 1;
    const std::size_t begin = offset + 1 - std::min(size, offset + 1);
    const std::string_view token = text.substr(begin, offset + 1 - begin);
    found = token.starts_with('"') && token.size() > 1
                ? in_quotes(token.substr(1, token.size() - 2))
                : in_quotes(token);
    offset = begin;
  }
  if (context == "object key") {
    return at(offset, found == "\"}\"" ? "a comma too many before }"
                                       : found_allowed(found, "a key in double quotes"));
  }
  if (context == "object separator") {
    return at(offset, found_allowed(found, "a colon after the key"));
  }
  if (context == "object" || context == "array") {
    return at(offset, found_allowed(found, context == "object" ? "a comma or }" : "a comma or ]"));
  }
  if (what.find("expected end of input") != std::string_view::npos) {
    return at(offset, found_allowed(found, "nothing after the end of the document"));
  }
  return at(offset, found == "\"]\"" ? "a comma too many before ], or a value is missing"
                                     : found_allowed(found, "a value"));
}

/// Builds the value while watching what the library would let pass.
class Builder {
 public:
  Builder(std::string_view text, const char* const* reached) : text_(text), reached_(reached) {}

  [[nodiscard]] const std::optional<TextDefect>& defect() const { return defect_; }
  [[nodiscard]] Json take() { return std::move(root_); }

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(Json::number_integer_t value) { return add(value); }
  bool number_unsigned(Json::number_unsigned_t value) { return add(value); }
  bool number_float(Json::number_float_t value, const Json::string_t& spelling) {
    // The library makes integers beyond 64 bits floating point numbers: another value.
    if (spelling.find_first_of(".eE") == Json::string_t::npos) {
      return refuse("number out of range: " + on_one_line(spelling.substr(0, 48)));
    }
    return add(value);
  }
  bool string(Json::string_t& value) { return add(std::move(value)); }
  bool binary(Json::binary_t&) { return false; }
  bool start_object(std::size_t) {
    keys_.emplace_back();
    return open(Json::object());
  }
  bool end_object() {
    keys_.pop_back();
    open_.pop_back();
    return true;
  }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_array() {
    open_.pop_back();
    return true;
  }
  bool key(Json::string_t& name) {
    if (!keys_.back().insert(name).second) {
      return refuse("duplicate key " + in_quotes(name) + ", allowed: each key once in an object");
    }
    key_ = std::move(name);
    return true;
  }
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& error) {
    const std::string_view what = error.what();
    if (what.find("number overflow") != std::string_view::npos) {
      return refuse("number out of range: " + on_one_line(token.substr(0, 48)));
    }
    const std::size_t last_read = position == 0 ? 0 : position - 1;
    defect_ = in_plain_words(what, text_, std::min(last_read, text_.size()), token.size());
    return false;
  }

 private:
  bool refuse(std::string message) {
    defect_ = TextDefect{.offset = static_cast<std::size_t>(*reached_ - text_.data()) - 1,
                         .message = std::move(message)};
    return false;
  }
  /// Adds a value to the innermost open container and returns it.
  Json& place(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return root_;
    }
    Json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return parent.back();
    }
    // Straight into the underlying vector: keys are known to differ, and looking each one up again
    // would take quadratic time.
    auto& members = parent.get_ref<Json::object_t&>();
    members.push_back(Json::object_t::value_type(key_, std::move(value)));
    return members.back().second;
  }
  bool add(Json value) {
    place(std::move(value));
    return true;
  }
  bool open(Json container) {
    if (open_.size() == kNestingMax) {
      return refuse("nested too deeply, allowed: at most " + std::to_string(kNestingMax) +
                    " levels");
    }
    open_.push_back(&place(std::move(container)));
    return true;
  }

  std::string_view text_;
  const char* const* reached_;
  Json root_;
  // A container grows only while it is the innermost open one, so that pointers to its ancestors
  // stay valid.
  std::vector<Json*> open_;
  std::vector<std::set<std::string>> keys_;
  std::string key_;
  std::optional<TextDefect> defect_;
};

core::Unexpected<core::Error> refuse(std::string_view text, const std::string& display_name,
                                     const TextDefect& defect, bool placed) {
  core::Error error{.file = display_name, .line = 0, .pointer = {}, .message = defect.message};
  if (placed) {
    const std::size_t line_start = text.substr(0, defect.offset).rfind('\n') + 1;
    std::size_t column = 1;
    for (std::size_t i = line_start; i < defect.offset && i < text.size(); ++i) {
      column += (static_cast<std::uint8_t>(text[i]) & 0xc0U) == 0x80U ? 0 : 1;
    }
    error.line = line_at(text, defect.offset);
    error.message = "column " + std::to_string(column) + ": " + defect.message;
  }
  return core::Unexpected<core::Error>(std::move(error));
}

}  // namespace

std::string member_pointer(std::string_view pointer, std::string_view key) {
  std::string longer(pointer);
  longer += '/';
  for (const char character : key) {
    if (character == '~') {
      longer += "~0";
    } else if (character == '/') {
      longer += "~1";
    } else {
      longer += character;
    }
  }
  return longer;
}

std::string element_pointer(std::string_view pointer, std::size_t index) {
  return std::string(pointer) + '/' + std::to_string(index);
}

core::Expected<Json, core::Error> parse_document(std::string_view text,
                                                 const std::string& display_name) {
  if (const auto defect = find_text_defect(text)) {
    return refuse(text, display_name, *defect, defect->offset > 0);
  }
  const char* reached = text.data();
  Builder builder(text, &reached);
  const bool complete = Json::sax_parse(
      TrackedIterator(text.data(), &reached), TrackedIterator(text.data() + text.size(), &reached),
      &builder, nlohmann::detail::input_format_t::json, true, true);
  if (builder.defect()) {
    return refuse(text, display_name, *builder.defect(), true);
  }
  if (!complete) {
    return refuse(text, display_name, TextDefect{.offset = 0, .message = "not JSON"}, false);
  }
  return builder.take();
}

}  // namespace squall::scenarios
