// SPDX-License-Identifier: MIT
//
// JSON from a stranger, read so that no input can crash the reader: everything that is not one
// well-formed value of bounded depth is simply not JSON. Members keep their order.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace squall::core::connector {

using Json = nlohmann::ordered_json;

/// Deepest nesting of arrays and objects that is read; writing a value out takes stack in
/// proportion. @source chosen: the limit of the widely used serde_json reader.
inline constexpr int kJsonDepthMax = 128;

/// The value of `text`, or nothing when it is not exactly one JSON value of allowed depth.
[[nodiscard]] std::optional<Json> parse_json(std::string_view text);

/// The value on one line. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string to_text(const Json& value);

/// The member `key`; null when `object` is no object, has no such member, or the member is null.
[[nodiscard]] const Json* member(const Json& object, const char* key);

}  // namespace squall::core::connector
