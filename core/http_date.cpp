// SPDX-License-Identifier: MIT
#include "core/http_date.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <limits>
#include <span>
#include <tuple>

#include "core/check.hpp"
#include "core/http_blanks.hpp"

namespace squall::core {
namespace {

using std::chrono::day;
using std::chrono::days;
using std::chrono::month;
using std::chrono::sys_days;
using std::chrono::weekday;
using std::chrono::year;
using std::chrono::year_month_day;

constexpr std::array<std::string_view, 7> kLongWeekdays = {
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 7> kShortWeekdays = {"Sun", "Mon", "Tue", "Wed",
                                                            "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

constexpr std::int64_t kSecondsPerDay = 86'400;
constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr std::int64_t kNanosecondsPerDay = kSecondsPerDay * kNanosecondsPerSecond;

constexpr std::int64_t floor_divide(std::int64_t value, std::int64_t divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

constexpr std::int64_t floor_remainder(std::int64_t value, std::int64_t divisor) {
  const std::int64_t remainder = value % divisor;
  return remainder < 0 ? remainder + divisor : remainder;
}

/// The calendar reading of an instant. Split by hand: std::chrono::floor would form the midnight
/// before WallInstant::min(), which does not exist.
struct CalendarReading {
  year_month_day date;
  weekday day_of_week;
  std::int64_t nanosecond_of_day;
};

CalendarReading read_calendar(WallInstant instant) {
  const std::int64_t count = instant.time_since_epoch().count();
  const sys_days midnight{days{floor_divide(count, kNanosecondsPerDay)}};
  return {year_month_day{midnight}, weekday{midnight}, floor_remainder(count, kNanosecondsPerDay)};
}

/// Takes fixed pieces off the front of a text. The first piece that does not match spoils the
/// whole.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  void literal(std::string_view expected) {
    if (rest_.starts_with(expected)) {
      rest_.remove_prefix(expected.size());
    } else {
      matches_ = false;
    }
  }

  int digits(std::size_t count) {
    if (rest_.size() < count) {
      matches_ = false;
      return 0;
    }
    int value = 0;
    for (const char character : rest_.substr(0, count)) {
      if (character < '0' || character > '9') {
        matches_ = false;
        return 0;
      }
      value = value * 10 + (character - '0');
    }
    rest_.remove_prefix(count);
    return value;
  }

  /// Two columns of a day, the first of which may be a space (asctime).
  int padded_day() {
    if (rest_.starts_with(' ')) {
      rest_.remove_prefix(1);
      return digits(1);
    }
    return digits(2);
  }

  std::size_t name(std::span<const std::string_view> names) {
    for (std::size_t index = 0; index < names.size(); ++index) {
      if (rest_.starts_with(names[index])) {
        rest_.remove_prefix(names[index].size());
        return index;
      }
    }
    matches_ = false;
    return 0;
  }

  [[nodiscard]] bool matched_everything() const { return matches_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool matches_ = true;
};

/// The numbers of a date as written, not yet known to be a real date.
struct Fields {
  int year = 0;
  std::size_t month_index = 0;
  int day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;

  [[nodiscard]] std::int64_t second_of_day() const {
    return hour * std::int64_t{3600} + minute * std::int64_t{60} + second;
  }
};

void scan_time_of_day(Scanner& scanner, Fields& fields) {
  fields.hour = scanner.digits(2);
  scanner.literal(":");
  fields.minute = scanner.digits(2);
  scanner.literal(":");
  fields.second = scanner.digits(2);
}

std::optional<Fields> scan_imf_fixdate(std::string_view text) {
  Scanner scanner(text);
  Fields fields;
  scanner.name(kShortWeekdays);
  scanner.literal(", ");
  fields.day = scanner.digits(2);
  scanner.literal(" ");
  fields.month_index = scanner.name(kMonths);
  scanner.literal(" ");
  fields.year = scanner.digits(4);
  scanner.literal(" ");
  scan_time_of_day(scanner, fields);
  scanner.literal(" GMT");
  return scanner.matched_everything() ? std::optional(fields) : std::nullopt;
}

/// Leaves the two digits of the year as they are.
std::optional<Fields> scan_rfc850(std::string_view text) {
  Scanner scanner(text);
  Fields fields;
  scanner.name(kLongWeekdays);
  scanner.literal(", ");
  fields.day = scanner.digits(2);
  scanner.literal("-");
  fields.month_index = scanner.name(kMonths);
  scanner.literal("-");
  fields.year = scanner.digits(2);
  scanner.literal(" ");
  scan_time_of_day(scanner, fields);
  scanner.literal(" GMT");
  return scanner.matched_everything() ? std::optional(fields) : std::nullopt;
}

std::optional<Fields> scan_asctime(std::string_view text) {
  Scanner scanner(text);
  Fields fields;
  scanner.name(kShortWeekdays);
  scanner.literal(" ");
  fields.month_index = scanner.name(kMonths);
  scanner.literal(" ");
  fields.day = scanner.padded_day();
  scanner.literal(" ");
  scan_time_of_day(scanner, fields);
  scanner.literal(" ");
  fields.year = scanner.digits(4);
  return scanner.matched_everything() ? std::optional(fields) : std::nullopt;
}

/// The full year meant by a two-digit one: see parse_http_date.
int full_year(const Fields& fields, WallInstant now) {
  const CalendarReading reading = read_calendar(now);
  const int this_year = static_cast<int>(reading.date.year());
  // Compared field by field, so that 29 February needs no counterpart 50 years on.
  const auto limit =
      std::tuple(this_year + 50, static_cast<unsigned>(reading.date.month()),
                 static_cast<unsigned>(reading.date.day()), reading.nanosecond_of_day);
  int candidate = (this_year + 50) / 100 * 100 + fields.year;
  const auto is_too_late = [&] {
    return std::tuple(candidate, static_cast<unsigned>(fields.month_index) + 1,
                      static_cast<unsigned>(fields.day),
                      fields.second_of_day() * kNanosecondsPerSecond) > limit;
  };
  if (is_too_late()) {
    candidate -= 100;
  }
  return candidate;
}

std::optional<WallInstant> to_instant(const Fields& fields) {
  const year_month_day date{year{fields.year}, month{static_cast<unsigned>(fields.month_index) + 1},
                            day{static_cast<unsigned>(fields.day)}};
  if (!date.ok() || fields.hour > 23 || fields.minute > 59 || fields.second > 60) {
    return std::nullopt;
  }
  const std::int64_t seconds =
      sys_days{date}.time_since_epoch().count() * kSecondsPerDay + fields.second_of_day();
  constexpr std::int64_t kLimit = std::numeric_limits<Duration::rep>::max() / kNanosecondsPerSecond;
  if (seconds > kLimit) {
    return WallInstant::max();
  }
  if (seconds < -kLimit) {
    return WallInstant::min();
  }
  return WallInstant{Duration{seconds * kNanosecondsPerSecond}};
}

void append_padded(std::string& text, std::int64_t value, std::size_t width, char padding) {
  const std::string digits = std::to_string(value);
  if (digits.size() < width) {
    text.append(width - digits.size(), padding);
  }
  text += digits;
}

void append_time_of_day(std::string& text, std::int64_t second_of_day) {
  append_padded(text, second_of_day / 3600, 2, '0');
  text += ':';
  append_padded(text, second_of_day / 60 % 60, 2, '0');
  text += ':';
  append_padded(text, second_of_day % 60, 2, '0');
}

}  // namespace

std::optional<WallInstant> parse_http_date(std::string_view text, WallInstant now) {
  const std::string_view date = without_blanks_around(text);
  if (const auto fields = scan_imf_fixdate(date)) {
    return to_instant(*fields);
  }
  if (auto fields = scan_rfc850(date)) {
    fields->year = full_year(*fields, now);
    return to_instant(*fields);
  }
  if (const auto fields = scan_asctime(date)) {
    return to_instant(*fields);
  }
  return std::nullopt;
}

std::string format_http_date(WallInstant instant, HttpDateForm form) {
  const CalendarReading reading = read_calendar(instant);
  const std::int64_t second_of_day = reading.nanosecond_of_day / kNanosecondsPerSecond;
  const int year_number = static_cast<int>(reading.date.year());
  const std::string_view month_name = kMonths[static_cast<unsigned>(reading.date.month()) - 1];
  const unsigned day_number = static_cast<unsigned>(reading.date.day());
  const std::string_view short_weekday = kShortWeekdays[reading.day_of_week.c_encoding()];

  std::string text;
  switch (form) {
    case HttpDateForm::kImfFixdate:
      text.append(short_weekday).append(", ");
      append_padded(text, day_number, 2, '0');
      text.append(" ").append(month_name).append(" ");
      append_padded(text, year_number, 4, '0');
      text += ' ';
      append_time_of_day(text, second_of_day);
      text += " GMT";
      return text;
    case HttpDateForm::kRfc850:
      text.append(kLongWeekdays[reading.day_of_week.c_encoding()]).append(", ");
      append_padded(text, day_number, 2, '0');
      text.append("-").append(month_name).append("-");
      append_padded(text, year_number % 100, 2, '0');
      text += ' ';
      append_time_of_day(text, second_of_day);
      text += " GMT";
      return text;
    case HttpDateForm::kAsctime:
      text.append(short_weekday).append(" ").append(month_name).append(" ");
      append_padded(text, day_number, 2, ' ');
      text += ' ';
      append_time_of_day(text, second_of_day);
      text += ' ';
      append_padded(text, year_number, 4, '0');
      return text;
  }
  SQUALL_CHECK(false, form);
  return text;
}

}  // namespace squall::core
