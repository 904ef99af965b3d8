// SPDX-License-Identifier: MIT
#include "telemetry/timestamp.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace squall::telemetry {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr std::int64_t kNanosecondsPerDay = 86'400 * kNanosecondsPerSecond;

/// Writes `value` into the `digits` characters at `at`.
void put(std::string& text, std::size_t at, std::size_t digits, std::int64_t value) {
  for (std::size_t i = digits; i > 0; --i) {
    text[at + i - 1] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
}

}  // namespace

std::string timestamp_text(core::WallInstant instant) {
  // Split by hand: std::chrono::floor would form the midnight before WallInstant::min(), which does
  // not exist.
  const std::int64_t count = instant.time_since_epoch().count();
  std::int64_t day = count / kNanosecondsPerDay;
  std::int64_t rest = count % kNanosecondsPerDay;
  if (rest < 0) {
    rest += kNanosecondsPerDay;
    --day;
  }
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{day}}};
  const std::int64_t second = rest / kNanosecondsPerSecond;
  std::string text = "0000-00-00T00:00:00.000000000Z";
  put(text, 0, 4, static_cast<int>(date.year()));
  put(text, 5, 2, static_cast<unsigned>(date.month()));
  put(text, 8, 2, static_cast<unsigned>(date.day()));
  put(text, 11, 2, second / 3'600);
  put(text, 14, 2, second / 60 % 60);
  put(text, 17, 2, second % 60);
  put(text, 20, 9, rest % kNanosecondsPerSecond);
  return text;
}

}  // namespace squall::telemetry
