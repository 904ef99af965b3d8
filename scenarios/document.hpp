// SPDX-License-Identifier: MIT
//
// From the bytes of a file to a JSON value, or one plain line about why they are none. Stricter
// than the JSON library where that library would let a mistake pass in silence: duplicate keys,
// numbers that do not fit, control characters that end its input early. For documents of the
// project's own kinds only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/expected.hpp"
#include "scenarios/json.hpp"

namespace squall::scenarios {

/// Deepest nesting of objects and arrays. The language itself needs less than half of it; requests
/// carry JSON Schemas of tools.
inline constexpr std::size_t kNestingMax = 64;

/// Parses one JSON document; // and /* */ comments are fine, trailing commas are not.
///
/// @errors  larger than kFileBytesMax, empty, byte order mark, not UTF-8, control character,
/// syntax,
///          duplicate key, nesting, a number out of range; `Error::file` is `display_name`.
[[nodiscard]] core::Expected<Json, core::Error> parse_document(std::string_view text,
                                                               const std::string& display_name);

}  // namespace squall::scenarios
