// SPDX-License-Identifier: MIT
#include "core/json_text.hpp"

namespace squall::core {

bool is_nested_too_deeply(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char character = text[i];
    if (in_string) {
      if (character == '\\') {
        ++i;
      } else if (character == '"') {
        in_string = false;
      }
    } else if (character == '"') {
      in_string = true;
    } else if (character == '[' || character == '{') {
      if (++depth > kJsonDepthMax) {
        return true;
      }
    } else if (character == ']' || character == '}') {
      --depth;
    }
  }
  return false;
}

template <class Value>
std::optional<Value> parse_json(std::string_view text) {
  // The parser takes a NUL byte for the end of its input and would not look at what follows; JSON
  // has no place for one.
  if (text.find('\0') != std::string_view::npos || is_nested_too_deeply(text)) {
    return std::nullopt;
  }
  Value value = Value::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) {
    return std::nullopt;
  }
  return value;
}

template std::optional<Json> parse_json<Json>(std::string_view text);
template std::optional<SortedJson> parse_json<SortedJson>(std::string_view text);

std::string to_text(const Json& value) {
  return value.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

}  // namespace squall::core
