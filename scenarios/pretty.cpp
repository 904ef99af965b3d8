// SPDX-License-Identifier: MIT
#include "scenarios/pretty.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace squall::scenarios {
namespace {

constexpr std::size_t kColumnsMax = 100;

/// Adds `value` in one line to `text`; false, with an unfinished text, when it grows beyond
/// `bytes_max`.
bool add_in_line(const Json& value, std::size_t bytes_max, std::string& text) {
  if (!value.is_structured() || value.empty()) {
    text += value.dump();
    return text.size() <= bytes_max;
  }
  const bool is_object = value.is_object();
  text += is_object ? "{ " : "[";
  std::string_view separator;
  for (const auto& member : value.items()) {
    text += separator;
    separator = ", ";
    if (is_object) {
      text += Json(member.key()).dump() + ": ";
    }
    if (!add_in_line(member.value(), bytes_max, text)) {
      return false;
    }
  }
  text += is_object ? " }" : "]";
  return text.size() <= bytes_max;
}

/// Adds `value` to `text`, whose last line already has `column` characters.
void add(const Json& value, std::size_t indent, std::size_t column, std::string& text) {
  const std::size_t room = kColumnsMax > column + 1 ? kColumnsMax - column - 1 : 0;
  std::string line;
  if (!value.is_structured() || (indent > 0 && add_in_line(value, room, line))) {
    text += line.empty() ? value.dump() : line;
    return;
  }
  const bool is_object = value.is_object();
  const std::string padding(indent + 2, ' ');
  text += is_object ? "{" : "[";
  std::string_view separator = "\n";
  for (const auto& member : value.items()) {
    const std::string key = is_object ? Json(member.key()).dump() + ": " : "";
    text += separator;
    text += padding + key;
    separator = ",\n";
    add(member.value(), indent + 2, indent + 2 + key.size(), text);
  }
  text += "\n" + std::string(indent, ' ') + (is_object ? "}" : "]");
}

}  // namespace

std::string pretty(const Json& value) {
  std::string text;
  add(value, 0, 0, text);
  return text;
}

}  // namespace squall::scenarios
