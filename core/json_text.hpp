// SPDX-License-Identifier: MIT
//
// JSON from a stranger, read so that no input can crash the reader or whoever walks the value by
// recursion: everything that is not one well-formed value of bounded depth is simply not JSON.
// Everything in the core that reads foreign JSON reads it here or under the same bound.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace squall::core {

/// A value whose objects keep their members in the order received.
using Json = nlohmann::ordered_json;
/// A value whose objects hold their members by name, sorted by bytes.
using SortedJson = nlohmann::json;

/// Deepest nesting of arrays and objects that is read; writing a value out takes stack in
/// proportion. @source chosen: the limit of the widely used serde_json reader.
inline constexpr int kJsonDepthMax = 128;

/// Whether arrays and objects in `text` nest deeper than kJsonDepthMax. Brackets in strings do not
/// count. `text` need not be JSON: then the answer is about its brackets.
/// @cost linear in the text; neither stack nor heap.
[[nodiscard]] bool is_nested_too_deeply(std::string_view text);

/// The value of `text`, or nothing when it is not exactly one JSON value of allowed depth. Of equal
/// names in one object the last counts. `Value` is Json or SortedJson.
template <class Value = Json>
[[nodiscard]] std::optional<Value> parse_json(std::string_view text);

extern template std::optional<Json> parse_json<Json>(std::string_view text);
extern template std::optional<SortedJson> parse_json<SortedJson>(std::string_view text);

/// The value on one line. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string to_text(const Json& value);

/// The member `key`; null when `object` is no object, has no such member, or the member is null.
template <class Value>
[[nodiscard]] const Value* member(const Value& object, const char* key) {
  if (!object.is_object()) {
    return nullptr;
  }
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

}  // namespace squall::core
