// SPDX-License-Identifier: MIT
//
// Golden digests: for every library scenario the digest of its trace, so that a change of behaviour
// cannot pass unseen. A JSON object of name -> 16 lower-case hex digits, sorted by name. Only a
// deliberate `squall run --bless` writes it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/expected.hpp"

namespace squall::scenarios {

/// Digest by scenario name.
using GoldenDigests = std::map<std::string, std::uint64_t, std::less<>>;

/// Reads golden digests from text; `display_name` is what errors call it.
[[nodiscard]] core::Expected<GoldenDigests, core::Error> parse_golden(
    std::string_view text, const std::string& display_name);
[[nodiscard]] core::Expected<GoldenDigests, core::Error> load_golden(const std::string& path);
/// Replaces the file atomically.
[[nodiscard]] core::Expected<void, core::Error> save_golden(const std::string& path,
                                                            const GoldenDigests& digests);

/// 16 lower-case hex digits.
[[nodiscard]] std::string format_digest(std::uint64_t digest);

}  // namespace squall::scenarios
