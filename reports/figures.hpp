// SPDX-License-Identifier: MIT
//
// Numbers and times in the words of reports. Every one of these is for people and may round (always
// towards zero); exact values are in the JSON output. For the canonical spelling of quantities in
// files see scenarios/quantities.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/jitter.hpp"
#include "core/time.hpp"

namespace squall::reports {

/// "12 345": digits in groups of three.
[[nodiscard]] std::string count_text(std::uint64_t count);
/// "1 call", "13 calls".
[[nodiscard]] std::string count_of(std::uint64_t count, std::string_view singular);

/// A time in one unit: "0 s", "250 us", "120 ms", "4.512 s", "600 s". Whole milliseconds from 1 s
/// on, always with three decimals when there are any.
[[nodiscard]] std::string seconds_text(core::Duration duration);
/// A time in the units a person would say: "4.512 s", "9 min 12.345 s", "3 h 2 min", "41 d 3 h".
[[nodiscard]] std::string long_text(core::Duration duration);
/// A position in virtual time: "0:09:12.345".
[[nodiscard]] std::string clock_text(core::Duration since_start);
/// The same to the nanosecond: "0:09:12.345000000".
[[nodiscard]] std::string exact_clock_text(core::Duration since_start);

/// "5 s", "3.750 to 6.249 s".
[[nodiscard]] std::string interval_text(core::SleepInterval interval);
/// Milliseconds of a policy: "5 s", "250 ms"; beyond the range of durations plain milliseconds.
[[nodiscard]] std::string milliseconds_text(std::uint64_t milliseconds);

/// Share `part` of `whole` in millionths, rounded down. Requires part <= whole and whole > 0.
[[nodiscard]] std::uint32_t share_ppm(std::uint64_t part, std::uint64_t whole);
/// "99.82%": `part` of `whole`; never "100%" unless it is all, never "0%" unless it is none.
[[nodiscard]] std::string share_text(std::uint64_t part, std::uint64_t whole);
/// "12.31": an average with two decimals. Requires count > 0.
[[nodiscard]] std::string average_text(std::uint64_t sum, std::uint64_t count);

/// 16 lower-case hex digits.
[[nodiscard]] std::string digest_text(std::uint64_t digest);

}  // namespace squall::reports
