// SPDX-License-Identifier: MIT
//
// The small parts of which error lines are made, so that all of them read alike.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace squall::scenarios {

/// `text` in double quotes on one line: control characters escaped, the rest of a long text left
/// out.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// `text` without line breaks or other control characters, which become JSON escapes.
[[nodiscard]] std::string on_one_line(std::string_view text);

/// "a, b, c".
[[nodiscard]] std::string join(const std::vector<std::string>& words);
/// "a, b and c" (or another last word).
[[nodiscard]] std::string enumerate(const std::vector<std::string>& words, std::string_view last);

/// ` (did you mean "status"?)` when a candidate is a plausible misspelling, else nothing.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string>& candidates);

/// `found <found>, allowed: <allowed>`.
[[nodiscard]] std::string found_allowed(std::string_view found, std::string_view allowed);

/// An error that knows no place yet.
[[nodiscard]] inline core::Error error_of(std::string message) {
  return core::Error{.file = {}, .line = 0, .pointer = {}, .message = std::move(message)};
}

}  // namespace squall::scenarios
