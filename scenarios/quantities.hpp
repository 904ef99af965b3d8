// SPDX-License-Identifier: MIT
//
// Quantities as people write them in scenario files, policy files and command-line flags: times,
// sizes, shares, ratios, calendar instants. Everything is an exact integer: no decimals in times,
// nothing is rounded, and what does not fit is refused. Every `format_` gives the one canonical
// spelling, which its `parse_` reads back to the same value.
//
//   parse_duration("1m30s")      // 90 s
//   format_duration(90s)         // "1m30s"
//   parse_duration("90")         // error: found "90", allowed: a duration such as "250ms" ...
//
// Errors carry a message only; the caller knows file, line and pointer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/backoff.hpp"
#include "core/error.hpp"
#include "core/expected.hpp"
#include "core/time.hpp"

namespace squall::scenarios {

template <class T>
using Parsed = core::Expected<T, core::Error>;

/// Reads a time: whole numbers with units d, h, m, s, ms, us, ns, largest first, each at most once
/// ("1m30s", "0s"). Never negative; at most 2^63-1 ns (about 292 years).
[[nodiscard]] Parsed<core::Duration> parse_duration(std::string_view text);
/// The same with an optional sign in front ("-30s", "+30s").
[[nodiscard]] Parsed<core::Duration> parse_signed_duration(std::string_view text);
/// "1m30s", "-250ms", "0s". Zero parts are left out.
[[nodiscard]] std::string format_duration(core::Duration duration);
/// Like format_duration, but always with a sign ("+30s", "-1m", "+0s").
[[nodiscard]] std::string format_signed_duration(core::Duration duration);

/// Reads a time that is kept in whole milliseconds, up to 2^64-1 of them. Finer units are fine as
/// long as they add up ("1s500000us").
[[nodiscard]] Parsed<std::uint64_t> parse_milliseconds(std::string_view text);
/// Like format_duration; beyond its range plain milliseconds ("18446744073709551615ms").
[[nodiscard]] std::string format_milliseconds(std::uint64_t milliseconds);

/// Reads a size: one whole number with unit B, KiB, MiB or GiB. At most 2^63-1 bytes.
[[nodiscard]] Parsed<std::uint64_t> parse_bytes(std::string_view text);
/// The same with an optional sign in front ("-1B", "+10B").
[[nodiscard]] Parsed<std::int64_t> parse_signed_bytes(std::string_view text);
/// The largest unit that divides the size ("4KiB", "37B", "0B").
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);
/// With a "-" when negative and, when `plus` is set, a "+" when not.
[[nodiscard]] std::string format_signed_bytes(std::int64_t bytes, bool plus = false);

/// Reads a share "0%" to "100%" with up to four decimals, as millionths.
[[nodiscard]] Parsed<std::uint32_t> parse_share(std::string_view text);
/// "99.9%". Requires ppm <= 1'000'000.
[[nodiscard]] std::string format_share(std::uint32_t ppm);

/// Reads a positive ratio of two whole numbers below 2^32: "3/2", or "2" for 2/1. Not reduced.
[[nodiscard]] Parsed<core::Ratio> parse_ratio(std::string_view text);
/// "3/2"; "2" when the denominator is 1.
[[nodiscard]] std::string format_ratio(core::Ratio ratio);

/// Reads a unit fraction "1/n", n >= 1, as n.
[[nodiscard]] Parsed<std::uint32_t> parse_unit_fraction(std::string_view text);
/// "1/4".
[[nodiscard]] std::string format_unit_fraction(std::uint32_t divisor);

/// Reads a random word: a whole number below 2^64, digits only.
[[nodiscard]] Parsed<std::uint64_t> parse_word(std::string_view text);

/// Reads a calendar instant in UTC, "2026-01-15T08:00:00Z", with up to nine decimals of a second.
/// From 1678 to 2261, what nanoseconds since 1970 can hold.
[[nodiscard]] Parsed<core::WallInstant> parse_instant(std::string_view text);
/// Whole seconds when possible, else the decimals needed.
[[nodiscard]] std::string format_instant(core::WallInstant instant);

}  // namespace squall::scenarios
