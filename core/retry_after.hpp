// SPDX-License-Identifier: MIT
//
// What a server says about when to come back: `Retry-After` (seconds or a date) and the
// `retry-after-ms` that some providers add. Reading yields the value as observed, in milliseconds;
// clamping it is a separate step, so that a trail can show what the server really said.
//
//   const auto observed = read_retry_after({.retry_after = "2.5"}, rule, now);   // 2500
//   const auto sleep_ms = clamp_retry_after(rule, *observed);                    // 5000
//
// A value that makes no sense counts as absent, it is never an error: the server is the world.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/time.hpp"

namespace squall::core {

/// The Retry-After headers of one answer, as received. Views: valid only as long as the answer is.
struct RetryAfterHeaders {
  /// `Retry-After`: decimal seconds or an HTTP date.
  std::optional<std::string_view> retry_after;
  /// `retry-after-ms`: decimal milliseconds.
  std::optional<std::string_view> retry_after_ms;
};

/// Where a policy looks and what it does with the value found.
struct RetryAfterRule {
  /// Whether `Retry-After` is read as decimal seconds.
  bool seconds = true;
  /// Whether `Retry-After` is read as an HTTP date.
  bool http_date = true;
  /// Whether `retry-after-ms` is read.
  bool milliseconds = true;
  /// Shortest and longest sleep a server can ask for, in milliseconds. Require
  /// clamp_min_ms <= clamp_max_ms. Source of the defaults: the built-in LLM retry policy.
  std::uint64_t clamp_min_ms = 5'000;
  std::uint64_t clamp_max_ms = 60'000;
  /// A longer wait than this, in milliseconds, counts as absent, as in clients that would rather
  /// follow their own schedule than wait so long (60 s and 120 s are in use). Unset: no limit.
  std::optional<std::uint64_t> ignore_above_ms;

  /// Whether any header is looked at.
  [[nodiscard]] constexpr bool is_honoured() const { return seconds || http_date || milliseconds; }

  friend bool operator==(const RetryAfterRule&, const RetryAfterRule&) = default;
};

/// Reads decimal seconds as milliseconds.
///
/// Accepted, spaces and tabs around it aside: an optional sign, digits with at most one decimal
/// point before, among or after them, an optional exponent ("5", "2.5", ".5", "5.", "+5", "1e3").
/// The arithmetic is exact decimal, of any length: 0.069 s are 69 ms. A fraction of a millisecond
/// is rounded up, so that nobody comes back before the server said.
///
/// @return  Milliseconds, saturating at 2^64-1. Nothing when the text is empty, has any other shape
///          ("7s", "0x10", "NaN", "inf") or is less than zero; "-0" is zero.
/// @cost    Linear in the text, no allocation.
[[nodiscard]] std::optional<std::uint64_t> parse_retry_after_seconds(std::string_view text);

/// Reads decimal milliseconds, by the rules of parse_retry_after_seconds.
[[nodiscard]] std::optional<std::uint64_t> parse_retry_after_milliseconds(std::string_view text);

/// The wait an answer asks for, in milliseconds, as observed: not clamped.
///
/// `retry-after-ms` comes first; `Retry-After` is read when the former is absent, not looked at or
/// does not parse. A date is its distance from `now`, rounded up to whole milliseconds; a date that
/// is not after `now` gives 0.
///
/// @return  Nothing when no header looked at has a sensible value, or when the value found exceeds
///          `rule.ignore_above_ms` (the other header is not consulted then).
[[nodiscard]] std::optional<std::uint64_t> read_retry_after(const RetryAfterHeaders& headers,
                                                            const RetryAfterRule& rule,
                                                            WallInstant now);

/// The sleep that `observed_ms` leads to, in milliseconds: clamped to the rule's limits, exact, no
/// jitter. A rule with clamp_min_ms > clamp_max_ms is a broken check.
[[nodiscard]] std::uint64_t clamp_retry_after(const RetryAfterRule& rule,
                                              std::uint64_t observed_ms);

}  // namespace squall::core
