// SPDX-License-Identifier: MIT
//
// Numbers on the command line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/expected.hpp"

namespace squall::cli {

/// Most runs of one scenario in one invocation.
inline constexpr std::uint64_t kRunsMax = 1'000'000'000;
/// Most worker threads.
inline constexpr unsigned kThreadsMax = 1'024;

/// Reads "250", "10k" (thousands) or "1M" (millions), 1 to kRunsMax. `option` is named in errors.
[[nodiscard]] core::Expected<std::uint64_t, core::Error> parse_run_count(std::string_view option,
                                                                         std::string_view text);
/// Reads a plain whole number within [min, max].
[[nodiscard]] core::Expected<std::uint64_t, core::Error> parse_number(std::string_view option,
                                                                      std::string_view text,
                                                                      std::uint64_t min,
                                                                      std::uint64_t max);

/// Whether a value was given: an empty one is a variable that was not set, and must not count as
/// "no option". @return the complaint, or nothing.
[[nodiscard]] std::string not_empty(const std::string& value);

}  // namespace squall::cli
