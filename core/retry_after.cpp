// SPDX-License-Identifier: MIT
#include "core/retry_after.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "core/check.hpp"
#include "core/http_blanks.hpp"
#include "core/http_date.hpp"

namespace squall::core {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

// Far above the length of any text, far below an overflow of the sums it appears in.
constexpr std::int64_t kExponentLimit = 1'000'000'000'000'000;

constexpr bool is_digit(char character) {
  return character >= '0' && character <= '9';
}

/// Takes the digits at the front of `text`.
std::string_view take_digits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

/// Takes one of two characters off the front of `text`; says whether one was there.
bool take_either(std::string_view& text, char first, char second) {
  if (text.starts_with(first) || text.starts_with(second)) {
    text.remove_prefix(1);
    return true;
  }
  return false;
}

/// Takes a sign, if any; says whether the number is negative.
bool take_sign(std::string_view& text) {
  const bool negative = text.starts_with('-');
  take_either(text, '+', '-');
  return negative;
}

/// A decimal number taken apart: 0.<whole><fraction> times ten to the power of `point`.
struct Decimal {
  bool negative = false;
  std::string_view whole;
  std::string_view fraction;
  std::int64_t point = 0;

  [[nodiscard]] bool is_zero() const {
    const auto is_zero_digit = [](char digit) { return digit == '0'; };
    return std::all_of(whole.begin(), whole.end(), is_zero_digit) &&
           std::all_of(fraction.begin(), fraction.end(), is_zero_digit);
  }
};

std::optional<Decimal> scan_decimal(std::string_view text) {
  text = without_blanks_around(text);
  Decimal decimal;
  decimal.negative = take_sign(text);
  decimal.whole = take_digits(text);
  if (take_either(text, '.', '.')) {
    decimal.fraction = take_digits(text);
  }
  if (decimal.whole.empty() && decimal.fraction.empty()) {
    return std::nullopt;
  }
  decimal.point = static_cast<std::int64_t>(decimal.whole.size());
  if (take_either(text, 'e', 'E')) {
    const bool negative = take_sign(text);
    const std::string_view digits = take_digits(text);
    if (digits.empty()) {
      return std::nullopt;
    }
    std::int64_t exponent = 0;
    for (const char digit : digits) {
      exponent = std::min(exponent * 10 + (digit - '0'), kExponentLimit);
    }
    decimal.point += negative ? -exponent : exponent;
  }
  return text.empty() ? std::optional(decimal) : std::nullopt;
}

std::uint64_t saturating_append(std::uint64_t value, std::uint64_t digit) {
  return value > (kMax - digit) / 10 ? kMax : value * 10 + digit;
}

/// The decimal rounded up to an integer, saturating. Requires a decimal that is not negative.
std::uint64_t round_up(const Decimal& decimal) {
  std::uint64_t value = 0;
  bool has_rest = false;
  std::int64_t position = 0;
  for (const std::string_view digits : {decimal.whole, decimal.fraction}) {
    for (const char digit : digits) {
      if (position < decimal.point) {
        value = saturating_append(value, static_cast<std::uint64_t>(digit - '0'));
      } else {
        has_rest = has_rest || digit != '0';
      }
      ++position;
    }
  }
  // Zeros that the exponent adds behind the last digit: 20 of them saturate whatever is there.
  for (; position < decimal.point && value != 0 && value != kMax; ++position) {
    value = saturating_append(value, 0);
  }
  return has_rest && value != kMax ? value + 1 : value;
}

/// Reads a decimal times ten to the power of `scale`.
std::optional<std::uint64_t> parse_scaled(std::string_view text, std::int64_t scale) {
  std::optional<Decimal> decimal = scan_decimal(text);
  if (!decimal) {
    return std::nullopt;
  }
  if (decimal->is_zero()) {
    return 0;
  }
  if (decimal->negative) {
    return std::nullopt;
  }
  decimal->point += scale;
  return round_up(*decimal);
}

/// From `now` until `date`, rounded up to milliseconds; 0 when `date` is not later.
std::uint64_t milliseconds_until(WallInstant date, WallInstant now) {
  if (date <= now) {
    return 0;
  }
  // The distance between two 63-bit instants needs 64 bits.
  const std::uint64_t nanoseconds = static_cast<std::uint64_t>(date.time_since_epoch().count()) -
                                    static_cast<std::uint64_t>(now.time_since_epoch().count());
  constexpr std::uint64_t kNanosecondsPerMillisecond = 1'000'000;
  return (nanoseconds - 1) / kNanosecondsPerMillisecond + 1;
}

std::optional<std::uint64_t> read_any_length(const RetryAfterHeaders& headers,
                                             const RetryAfterRule& rule, WallInstant now) {
  if (rule.milliseconds && headers.retry_after_ms) {
    if (const auto wait = parse_retry_after_milliseconds(*headers.retry_after_ms)) {
      return wait;
    }
  }
  if (!headers.retry_after) {
    return std::nullopt;
  }
  if (rule.seconds) {
    if (const auto wait = parse_retry_after_seconds(*headers.retry_after)) {
      return wait;
    }
  }
  if (rule.http_date) {
    if (const auto date = parse_http_date(*headers.retry_after, now)) {
      return milliseconds_until(*date, now);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> parse_retry_after_seconds(std::string_view text) {
  return parse_scaled(text, 3);
}

std::optional<std::uint64_t> parse_retry_after_milliseconds(std::string_view text) {
  return parse_scaled(text, 0);
}

std::optional<std::uint64_t> read_retry_after(const RetryAfterHeaders& headers,
                                              const RetryAfterRule& rule, WallInstant now) {
  const auto wait = read_any_length(headers, rule, now);
  const bool is_ignored = wait && rule.ignore_above_ms && *wait > *rule.ignore_above_ms;
  return is_ignored ? std::nullopt : wait;
}

std::uint64_t clamp_retry_after(const RetryAfterRule& rule, std::uint64_t observed_ms) {
  SQUALL_CHECK(rule.clamp_min_ms <= rule.clamp_max_ms, rule.clamp_min_ms, rule.clamp_max_ms);
  return std::clamp(observed_ms, rule.clamp_min_ms, rule.clamp_max_ms);
}

}  // namespace squall::core
