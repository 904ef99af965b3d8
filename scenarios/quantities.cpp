// SPDX-License-Identifier: MIT
#include "scenarios/quantities.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <limits>
#include <optional>
#include <utility>

#include "core/check.hpp"
#include "scenarios/wording.hpp"

namespace squall::scenarios {
namespace {

// Sums are formed in 128 bits: seven terms of a 64-bit number times at most a day in nanoseconds
// stay below 2^114, so that only the final value needs a range check.
__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kNanosecondsMax =
    static_cast<std::uint64_t>(std::numeric_limits<core::Duration::rep>::max());
constexpr std::uint64_t kNanosecondsPerMillisecond = 1'000'000;

struct Unit {
  std::string_view name;
  std::uint64_t size;
};
constexpr std::array<Unit, 7> kTimeUnits{{{"d", 86'400'000'000'000},
                                          {"h", 3'600'000'000'000},
                                          {"m", 60'000'000'000},
                                          {"s", 1'000'000'000},
                                          {"ms", kNanosecondsPerMillisecond},
                                          {"us", 1'000},
                                          {"ns", 1}}};
constexpr std::array<Unit, 4> kSizeUnits{
    {{"GiB", 1U << 30U}, {"MiB", 1U << 20U}, {"KiB", 1U << 10U}, {"B", 1}}};

constexpr std::string_view kDurationAllowed =
    R"(a duration such as "250ms" or "1m30s": whole numbers with units d, h, m, s, ms, us, ns, largest first)";
constexpr std::string_view kSignedDurationAllowed =
    R"(a duration with an optional sign, such as "+30s" or "-1m")";
constexpr std::string_view kBytesAllowed =
    R"(a size such as "37B" or "4KiB", in B, KiB, MiB or GiB)";
constexpr std::string_view kSignedBytesAllowed =
    R"(a size with an optional sign, such as "37B" or "-1B", in B, KiB, MiB or GiB)";
constexpr std::string_view kShareAllowed =
    R"(a share from "0%" to "100%" with at most four decimals, such as "99.9%")";
constexpr std::string_view kRatioAllowed =
    R"(a positive whole number or ratio such as "3/2", each part below 2^32)";
constexpr std::string_view kFractionAllowed = R"(a fraction "1/n" with n from 1 to 2^32-1)";
constexpr std::string_view kWordAllowed = R"(a whole number below 2^64, such as "29999")";
constexpr std::string_view kInstantAllowed =
    R"(an instant in UTC such as "2026-01-15T08:00:00Z", years 1678 to 2261)";

core::Unexpected<core::Error> refuse(std::string_view text, std::string_view allowed) {
  return core::Unexpected<core::Error>(error_of(found_allowed(in_quotes(text), allowed)));
}

/// Takes decimal digits off the front of `text`. Nothing when there are none or too many for T.
template <class T>
std::optional<T> take_number(std::string_view& text) {
  T value{};
  if (text.empty() || text[0] < '0' || text[0] > '9') {
    return std::nullopt;  // from_chars would take a sign.
  }
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc()) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) {
    return false;
  }
  text.remove_prefix(prefix.size());
  return true;
}

std::string_view take_letters(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && ((text[count] >= 'a' && text[count] <= 'z') ||
                                 (text[count] >= 'A' && text[count] <= 'Z'))) {
    ++count;
  }
  const std::string_view letters = text.substr(0, count);
  text.remove_prefix(count);
  return letters;
}

bool take_sign(std::string_view& text) {
  const bool negative = take(text, "-");
  if (!negative) {
    take(text, "+");
  }
  return negative;
}

/// The sum of all parts, in nanoseconds; nothing when `text` is no duration. Digits beyond 64 bits
/// count as the largest number, which every range refuses.
std::optional<Wide> read_nanoseconds(std::string_view text) {
  constexpr Wide kTooLarge = Wide{1} << 120U;
  if (text.empty()) {
    return std::nullopt;
  }
  Wide sum = 0;
  std::size_t next_unit = 0;
  while (!text.empty()) {
    std::size_t digits = 0;
    while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') {
      ++digits;
    }
    if (digits == 0) {
      return std::nullopt;
    }
    std::string_view number = text.substr(0, digits);
    text.remove_prefix(digits);
    const std::string_view name = take_letters(text);
    while (next_unit < kTimeUnits.size() && kTimeUnits[next_unit].name != name) {
      ++next_unit;
    }
    if (next_unit == kTimeUnits.size()) {
      return std::nullopt;  // Unknown, repeated, or larger than the one before.
    }
    const auto value = take_number<std::uint64_t>(number);
    sum += value ? Wide{*value} * kTimeUnits[next_unit].size : kTooLarge;
    ++next_unit;
  }
  return sum;
}

std::string spell_time(std::uint64_t nanoseconds) {
  if (nanoseconds == 0) {
    return "0s";
  }
  std::string text;
  for (const Unit& unit : kTimeUnits) {
    const std::uint64_t count = nanoseconds / unit.size;
    nanoseconds %= unit.size;
    if (count > 0) {
      text += std::to_string(count);
      text += unit.name;
    }
  }
  return text;
}

std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
}

/// `value` or `-value`; nothing when that does not fit.
std::optional<std::int64_t> with_sign(Wide value, bool negative) {
  if (value > Wide{kNanosecondsMax} + (negative ? 1 : 0)) {
    return std::nullopt;
  }
  const auto bits = static_cast<std::uint64_t>(value);
  return static_cast<std::int64_t>(negative ? ~bits + 1 : bits);
}

std::optional<Wide> read_size(std::string_view text) {
  const auto number = take_number<std::uint64_t>(text);
  if (!number) {
    return std::nullopt;
  }
  for (const Unit& unit : kSizeUnits) {
    if (text == unit.name) {
      return Wide{*number} * unit.size;
    }
  }
  return std::nullopt;
}

}  // namespace

Parsed<core::Duration> parse_duration(std::string_view text) {
  const std::optional<Wide> sum = read_nanoseconds(text);
  if (!sum) {
    return refuse(text, kDurationAllowed);
  }
  if (*sum > kNanosecondsMax) {
    return refuse(text, "at most 2^63-1 ns (about 292 years)");
  }
  return core::Duration{static_cast<core::Duration::rep>(*sum)};
}

Parsed<core::Duration> parse_signed_duration(std::string_view text) {
  std::string_view rest = text;
  const bool negative = take_sign(rest);
  const std::optional<Wide> sum = read_nanoseconds(rest);
  if (!sum) {
    return refuse(text, kSignedDurationAllowed);
  }
  const std::optional<std::int64_t> value = with_sign(*sum, negative);
  if (!value) {
    return refuse(text, "at most 2^63-1 ns (about 292 years) either way");
  }
  return core::Duration{*value};
}

std::string format_duration(core::Duration duration) {
  return (duration.count() < 0 ? "-" : "") + spell_time(magnitude(duration.count()));
}

std::string format_signed_duration(core::Duration duration) {
  return (duration.count() < 0 ? "-" : "+") + spell_time(magnitude(duration.count()));
}

Parsed<std::uint64_t> parse_milliseconds(std::string_view text) {
  const std::optional<Wide> sum = read_nanoseconds(text);
  if (!sum) {
    return refuse(text, kDurationAllowed);
  }
  if (*sum / kNanosecondsPerMillisecond > std::numeric_limits<std::uint64_t>::max()) {
    return refuse(text, "at most 2^64-1 ms");
  }
  if (*sum % kNanosecondsPerMillisecond != 0) {
    return refuse(text, "whole milliseconds");
  }
  return static_cast<std::uint64_t>(*sum / kNanosecondsPerMillisecond);
}

std::string format_milliseconds(std::uint64_t milliseconds) {
  if (milliseconds > kNanosecondsMax / kNanosecondsPerMillisecond) {
    return std::to_string(milliseconds) + "ms";
  }
  return spell_time(milliseconds * kNanosecondsPerMillisecond);
}

Parsed<std::uint64_t> parse_bytes(std::string_view text) {
  const std::optional<Wide> size = read_size(text);
  if (!size) {
    return refuse(text, kBytesAllowed);
  }
  if (*size > kNanosecondsMax) {
    return refuse(text, "at most 2^63-1 bytes");
  }
  return static_cast<std::uint64_t>(*size);
}

Parsed<std::int64_t> parse_signed_bytes(std::string_view text) {
  std::string_view rest = text;
  const bool negative = take_sign(rest);
  const std::optional<Wide> size = read_size(rest);
  if (!size) {
    return refuse(text, kSignedBytesAllowed);
  }
  const std::optional<std::int64_t> value = with_sign(*size, negative);
  if (!value) {
    return refuse(text, "at most 2^63-1 bytes either way");
  }
  return *value;
}

std::string format_bytes(std::uint64_t bytes) {
  for (const Unit& unit : kSizeUnits) {
    if (bytes != 0 && bytes % unit.size == 0) {
      return std::to_string(bytes / unit.size) + std::string(unit.name);
    }
  }
  return "0B";
}

std::string format_signed_bytes(std::int64_t bytes, bool plus) {
  return (bytes < 0 ? "-" : plus ? "+" : "") + format_bytes(magnitude(bytes));
}

Parsed<std::uint32_t> parse_share(std::string_view text) {
  constexpr std::uint32_t kPpmPerPercent = 10'000;
  std::string_view rest = text;
  const auto percent = take_number<std::uint32_t>(rest);
  std::uint32_t decimals = 0;
  bool well_formed = percent.has_value() && *percent <= 100;
  if (well_formed && take(rest, ".")) {
    std::uint32_t place = kPpmPerPercent;
    while (!rest.empty() && rest[0] >= '0' && rest[0] <= '9' && place > 1) {
      place /= 10;
      decimals += static_cast<std::uint32_t>(rest[0] - '0') * place;
      rest.remove_prefix(1);
    }
    well_formed = place < kPpmPerPercent;
  }
  if (!well_formed || rest != "%" || *percent * kPpmPerPercent + decimals > 1'000'000) {
    return refuse(text, kShareAllowed);
  }
  return *percent * kPpmPerPercent + decimals;
}

std::string format_share(std::uint32_t ppm) {
  SQUALL_CHECK(ppm <= 1'000'000, ppm);
  std::string text = std::to_string(ppm / 10'000);
  if (std::uint32_t decimals = ppm % 10'000; decimals != 0) {
    std::string digits = std::to_string(10'000 + decimals).substr(1);
    digits.resize(digits.find_last_not_of('0') + 1);
    text += "." + digits;
  }
  return text + "%";
}

Parsed<core::Ratio> parse_ratio(std::string_view text) {
  std::string_view rest = text;
  const auto numerator = take_number<std::uint32_t>(rest);
  std::optional<std::uint32_t> denominator = 1;
  if (take(rest, "/")) {
    denominator = take_number<std::uint32_t>(rest);
  }
  if (numerator.value_or(0) == 0 || denominator.value_or(0) == 0 || !rest.empty()) {
    return refuse(text, kRatioAllowed);
  }
  return core::Ratio{.numerator = *numerator, .denominator = *denominator};
}

std::string format_ratio(core::Ratio ratio) {
  std::string text = std::to_string(ratio.numerator);
  if (ratio.denominator != 1) {
    text += "/" + std::to_string(ratio.denominator);
  }
  return text;
}

Parsed<std::uint32_t> parse_unit_fraction(std::string_view text) {
  std::string_view rest = text;
  const bool unit = take(rest, "1/");
  const auto divisor = take_number<std::uint32_t>(rest);
  if (!unit || divisor.value_or(0) == 0 || !rest.empty()) {
    return refuse(text, kFractionAllowed);
  }
  return *divisor;
}

std::string format_unit_fraction(std::uint32_t divisor) {
  return "1/" + std::to_string(divisor);
}

Parsed<std::uint64_t> parse_word(std::string_view text) {
  std::string_view rest = text;
  const std::optional<std::uint64_t> word = take_number<std::uint64_t>(rest);
  return word && rest.empty() ? Parsed<std::uint64_t>(*word) : refuse(text, kWordAllowed);
}

Parsed<core::WallInstant> parse_instant(std::string_view text) {
  using std::chrono::sys_days;
  std::string_view rest = text;
  // Every field has a fixed width, so that there is one spelling only.
  const auto field = [&rest](std::size_t width, std::string_view separator) -> std::optional<int> {
    std::string_view digits = rest.substr(0, width);
    const auto value = take_number<int>(digits);
    if (!value || !digits.empty() || rest.size() < width) {
      return std::nullopt;
    }
    rest.remove_prefix(width);
    return take(rest, separator) ? value : std::nullopt;
  };
  const auto year = field(4, "-");
  const auto month = year ? field(2, "-") : std::nullopt;
  const auto day = month ? field(2, "T") : std::nullopt;
  const auto hour = day ? field(2, ":") : std::nullopt;
  const auto minute = hour ? field(2, ":") : std::nullopt;
  const auto second = minute ? field(2, "") : std::nullopt;
  if (!second || *hour > 23 || *minute > 59 || *second > 59) {
    return refuse(text, kInstantAllowed);
  }
  std::int64_t fraction = 0;
  if (take(rest, ".")) {
    std::int64_t place = 1'000'000'000;
    while (!rest.empty() && rest[0] >= '0' && rest[0] <= '9' && place > 1) {
      place /= 10;
      fraction += (rest[0] - '0') * place;
      rest.remove_prefix(1);
    }
    if (place == 1'000'000'000) {
      return refuse(text, kInstantAllowed);
    }
  }
  const std::chrono::year_month_day date{std::chrono::year{*year},
                                         std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (rest != "Z" || !date.ok() || *year < 1678 || *year > 2261) {
    return refuse(text, kInstantAllowed);
  }
  const std::int64_t seconds = sys_days(date).time_since_epoch().count() * std::int64_t{86'400} +
                               *hour * std::int64_t{3'600} + *minute * std::int64_t{60} + *second;
  return core::WallInstant{core::Duration{seconds * 1'000'000'000 + fraction}};
}

std::string format_instant(core::WallInstant instant) {
  const auto since_epoch = instant.time_since_epoch();
  const auto day_count = std::chrono::floor<std::chrono::days>(since_epoch);
  const std::chrono::year_month_day date{std::chrono::sys_days{day_count}};
  const std::chrono::hh_mm_ss<core::Duration> time{since_epoch - day_count};
  const auto padded = [](std::int64_t value, std::size_t width) {
    std::string digits = std::to_string(value);
    return digits.size() < width ? std::string(width - digits.size(), '0') + digits : digits;
  };
  std::string text = padded(static_cast<int>(date.year()), 4) + "-" +
                     padded(static_cast<unsigned>(date.month()), 2) + "-" +
                     padded(static_cast<unsigned>(date.day()), 2) + "T" +
                     padded(time.hours().count(), 2) + ":" + padded(time.minutes().count(), 2) +
                     ":" + padded(time.seconds().count(), 2);
  if (const std::int64_t fraction = time.subseconds().count(); fraction != 0) {
    std::string digits = padded(fraction, 9);
    digits.resize(digits.find_last_not_of('0') + 1);
    text += "." + digits;
  }
  return text + "Z";
}

}  // namespace squall::scenarios
