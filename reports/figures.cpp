// SPDX-License-Identifier: MIT
#include "reports/figures.hpp"

#include <fmt/format.h>

#include "core/check.hpp"
#include "scenarios/golden.hpp"
#include "scenarios/quantities.hpp"

namespace squall::reports {
namespace {

using core::Duration;

constexpr std::int64_t kMicrosecond = 1'000;
constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

__extension__ using Wide = unsigned __int128;

/// "5" or "3.750": milliseconds as seconds.
std::string seconds_number(std::uint64_t milliseconds) {
  return milliseconds % 1'000 == 0
             ? fmt::format("{}", milliseconds / 1'000)
             : fmt::format("{}.{:03}", milliseconds / 1'000, milliseconds % 1'000);
}

/// Below a second: the unit in which the time is at least one, with a decimal unless that is 0.
std::string small_text(std::int64_t ns, std::int64_t unit, std::string_view name) {
  const std::int64_t tenths = ns % unit * 10 / unit;
  return tenths == 0 ? fmt::format("{} {}", ns / unit, name)
                     : fmt::format("{}.{} {}", ns / unit, tenths, name);
}

std::string two_units(std::int64_t ns, std::int64_t big, std::string_view big_name,
                      std::int64_t small, std::string_view small_name) {
  const std::int64_t rest = ns % big / small;
  return rest == 0 ? fmt::format("{} {}", ns / big, big_name)
                   : fmt::format("{} {} {} {}", ns / big, big_name, rest, small_name);
}

}  // namespace

std::string count_text(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ' ');
  }
  return digits;
}

std::string count_of(std::uint64_t count, std::string_view singular) {
  return fmt::format("{} {}{}", count_text(count), singular, count == 1 ? "" : "s");
}

std::string seconds_text(Duration duration) {
  const std::int64_t ns = duration.count();
  if (ns == 0) {
    return "0 s";
  }
  if (ns >= kSecond) {
    return seconds_number(static_cast<std::uint64_t>(ns / kMillisecond)) + " s";
  }
  if (ns >= kMillisecond) {
    return small_text(ns, kMillisecond, "ms");
  }
  return ns >= kMicrosecond ? small_text(ns, kMicrosecond, "us") : fmt::format("{} ns", ns);
}

std::string long_text(Duration duration) {
  const std::int64_t ns = duration.count();
  if (ns < kMinute) {
    return seconds_text(duration);
  }
  if (ns < kHour) {
    const Duration rest{ns % kMinute / kMillisecond * kMillisecond};
    return rest == Duration{0}
               ? fmt::format("{} min", ns / kMinute)
               : fmt::format(
                     "{} min {} s", ns / kMinute,
                     seconds_number(static_cast<std::uint64_t>(rest.count() / kMillisecond)));
  }
  return ns < kDay ? two_units(ns, kHour, "h", kMinute, "min")
                   : two_units(ns, kDay, "d", kHour, "h");
}

std::string clock_text(Duration since_start) {
  const std::int64_t ns = since_start.count();
  return fmt::format("{}:{:02}:{:02}.{:03}", ns / kHour, ns % kHour / kMinute,
                     ns % kMinute / kSecond, ns % kSecond / kMillisecond);
}

std::string exact_clock_text(Duration since_start) {
  const std::int64_t ns = since_start.count();
  return fmt::format("{}:{:02}:{:02}.{:09}", ns / kHour, ns % kHour / kMinute,
                     ns % kMinute / kSecond, ns % kSecond);
}

std::string interval_text(core::SleepInterval interval) {
  if (interval.min_ms == interval.max_ms) {
    return milliseconds_text(interval.min_ms);
  }
  if (interval.max_ms < 1'000) {
    return fmt::format("{} to {} ms", interval.min_ms, interval.max_ms);
  }
  return fmt::format("{} to {} s", seconds_number(interval.min_ms),
                     seconds_number(interval.max_ms));
}

std::string milliseconds_text(std::uint64_t milliseconds) {
  const Duration duration = core::from_milliseconds(milliseconds);
  return duration == Duration::max() ? fmt::format("{} ms", milliseconds) : seconds_text(duration);
}

std::uint32_t share_ppm(std::uint64_t part, std::uint64_t whole) {
  SQUALL_CHECK(whole > 0 && part <= whole, part, whole);
  return static_cast<std::uint32_t>(static_cast<Wide>(part) * 1'000'000U / whole);
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  // Two decimals will do, but not where they would say all or none.
  constexpr std::uint32_t kHundredthOfPercent = 100;
  constexpr std::uint32_t kNearlyAll = 1'000'000 - kHundredthOfPercent;
  const std::uint32_t ppm = share_ppm(part, whole);
  if (part != 0 && ppm == 0) {
    return "<0.0001%";
  }
  const bool plain = ppm >= kHundredthOfPercent && ppm <= kNearlyAll;
  return scenarios::format_share(plain ? ppm - ppm % kHundredthOfPercent : ppm);
}

std::string average_text(std::uint64_t sum, std::uint64_t count) {
  SQUALL_CHECK(count > 0);
  const auto hundredths = static_cast<std::uint64_t>(static_cast<Wide>(sum) * 100U / count);
  return fmt::format("{}.{:02}", hundredths / 100, hundredths % 100);
}

std::string digest_text(std::uint64_t digest) {
  return scenarios::format_digest(digest);
}

}  // namespace squall::reports
