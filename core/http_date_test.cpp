// SPDX-License-Identifier: MIT
#include "core/http_date.hpp"

#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include <date/date.h>
#include <gtest/gtest.h>

#include "core/random.hpp"

namespace squall::core {
namespace {

using std::chrono::seconds;
using namespace std::chrono_literals;

WallInstant at_unix_second(std::int64_t second) {
  return WallInstant{seconds{second}};
}

// 2026-03-01T00:00:00Z.
const WallInstant kNow = at_unix_second(1'772'323'200);

// The example of RFC 9110, section 5.6.7, in all its forms.
constexpr std::int64_t kExampleSecond = 784'111'777;

std::optional<WallInstant> parse(std::string_view text) {
  return parse_http_date(text, kNow);
}

/// The same instant, by Howard Hinnant's date library.
WallInstant model_instant(const date::sys_seconds& time) {
  return at_unix_second(time.time_since_epoch().count());
}

TEST(HttpDate, ReadsTheThreeFormsOfTheRfcExample) {
  EXPECT_EQ(parse("Sun, 06 Nov 1994 08:49:37 GMT"), at_unix_second(kExampleSecond));
  EXPECT_EQ(parse("Sunday, 06-Nov-94 08:49:37 GMT"), at_unix_second(kExampleSecond));
  EXPECT_EQ(parse("Sun Nov  6 08:49:37 1994"), at_unix_second(kExampleSecond));
  EXPECT_EQ(parse("Sun Nov 06 08:49:37 1994"), at_unix_second(kExampleSecond));
}

TEST(HttpDate, WritesTheThreeFormsOfTheRfcExample) {
  const WallInstant instant = at_unix_second(kExampleSecond);
  EXPECT_EQ(format_http_date(instant, HttpDateForm::kImfFixdate), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(format_http_date(instant, HttpDateForm::kRfc850), "Sunday, 06-Nov-94 08:49:37 GMT");
  EXPECT_EQ(format_http_date(instant, HttpDateForm::kAsctime), "Sun Nov  6 08:49:37 1994");
}

TEST(HttpDate, BlanksAroundTheDateAreSkipped) {
  EXPECT_EQ(parse(" \t Sun, 06 Nov 1994 08:49:37 GMT\t "), at_unix_second(kExampleSecond));
  EXPECT_EQ(parse("\t Sun Nov  6 08:49:37 1994 "), at_unix_second(kExampleSecond));
}

TEST(HttpDate, RefusesEveryOtherShape) {
  for (const std::string_view text : {
           "",
           " ",
           "Sun",
           "0",
           "Sun, 06 Nov 1994 08:49:37",
           // Zone and case: only "GMT", only the RFC's capitals.
           "Sun, 06 Nov 1994 08:49:37 UTC",
           "Sun, 06 Nov 1994 08:49:37 gmt",
           "Sun, 06 Nov 1994 08:49:37 +0000",
           "sun, 06 Nov 1994 08:49:37 GMT",
           "Sun, 06 NOV 1994 08:49:37 GMT",
           // Names.
           "Xyz, 06 Nov 1994 08:49:37 GMT",
           "Sun, 06 Nox 1994 08:49:37 GMT",
           "Sunday, 06 Nov 1994 08:49:37 GMT",
           "Sun, 06-Nov-94 08:49:37 GMT",
           "Sun, 06 November 1994 08:49:37 GMT",
           // Widths and separators.
           "Sun, 6 Nov 1994 08:49:37 GMT",
           "Sun,06 Nov 1994 08:49:37 GMT",
           "Sun, 06  Nov 1994 08:49:37 GMT",
           "Sun, 06 Nov 94 08:49:37 GMT",
           "Sun, 06 Nov 1994 8:49:37 GMT",
           "Sun, 06 Nov 1994 08:49 GMT",
           "Sun, 06 Nov 1994 08-49-37 GMT",
           "Sunday, 06-Nov-1994 08:49:37 GMT",
           "Sunday, 6-Nov-94 08:49:37 GMT",
           "Sun Nov 6 08:49:37 1994",
           "Sun Nov   6 08:49:37 1994",
           "Sun Nov  6 08:49:37 94",
           "Sun Nov  6 08:49:37 1994 GMT",
           "Sun, 06 Nov 1994 08:4a:37 GMT",
           "Sun, +6 Nov 1994 08:49:37 GMT",
           "Sun, 06 Nov -994 08:49:37 GMT",
           // Something left over.
           "Sun, 06 Nov 1994 08:49:37 GMT.",
           "\nSun, 06 Nov 1994 08:49:37 GMT",
       }) {
    EXPECT_EQ(parse(text), std::nullopt) << '"' << text << '"';
  }
  EXPECT_EQ(parse(std::string_view("Sun, 06 Nov 1994 08:49:37 GMT\0", 30)), std::nullopt);
}

TEST(HttpDate, EveryShorterPrefixIsRefused) {
  const std::string_view text = "Sun, 06 Nov 1994 08:49:37 GMT";
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_EQ(parse(text.substr(0, size)), std::nullopt) << size;
  }
}

TEST(HttpDate, AWrongButValidWeekdayIsIgnored) {
  for (const std::string_view name : {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"}) {
    EXPECT_EQ(parse(std::string(name) + ", 06 Nov 1994 08:49:37 GMT"),
              at_unix_second(kExampleSecond));
  }
  EXPECT_EQ(parse("Wednesday, 06-Nov-94 08:49:37 GMT"), at_unix_second(kExampleSecond));
}

TEST(HttpDate, RefusesDaysThatNoCalendarHas) {
  for (const std::string_view text : {
           "Sun, 00 Nov 1994 00:00:00 GMT",
           "Sun, 31 Nov 1994 00:00:00 GMT",
           "Sun, 32 Dec 1994 00:00:00 GMT",
           "Sun, 29 Feb 2026 00:00:00 GMT",
           "Sun, 29 Feb 1900 00:00:00 GMT",
           "Sun, 29 Feb 2100 00:00:00 GMT",
           "Sun, 30 Feb 2024 00:00:00 GMT",
           "Sun Feb 29 00:00:00 2023",
           "Sun Nov  0 00:00:00 1994",
           "Sunday, 31-Apr-20 00:00:00 GMT",
       }) {
    EXPECT_EQ(parse(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse("Tue, 29 Feb 2000 00:00:00 GMT"), at_unix_second(951'782'400));
}

TEST(HttpDate, RefusesTimesThatNoClockShows) {
  EXPECT_EQ(parse("Sun, 06 Nov 1994 24:00:00 GMT"), std::nullopt);
  EXPECT_EQ(parse("Sun, 06 Nov 1994 23:60:00 GMT"), std::nullopt);
  EXPECT_EQ(parse("Sun, 06 Nov 1994 23:59:61 GMT"), std::nullopt);
}

TEST(HttpDate, ALeapSecondIsTheSecondAfter59) {
  // 2016-12-31T23:59:60Z was one; POSIX time gives it the number of the midnight that follows.
  EXPECT_EQ(parse("Sat, 31 Dec 2016 23:59:60 GMT"), at_unix_second(1'483'228'800));
  EXPECT_EQ(parse("Sun, 01 Jan 2017 00:00:00 GMT"), at_unix_second(1'483'228'800));
}

TEST(HttpDate, TwoDigitYearsReachExactly50YearsAhead) {
  const auto year_read = [](std::string_view text, WallInstant now) {
    const auto instant = parse_http_date(text, now);
    return instant ? format_http_date(*instant, HttpDateForm::kImfFixdate) : "refused";
  };
  // 2026-03-01T00:00:00Z plus 50 years, and one second more.
  EXPECT_EQ(year_read("Sunday, 01-Mar-76 00:00:00 GMT", kNow), "Sun, 01 Mar 2076 00:00:00 GMT");
  EXPECT_EQ(year_read("Monday, 01-Mar-76 00:00:01 GMT", kNow), "Mon, 01 Mar 1976 00:00:01 GMT");
  // The fraction of `now` counts.
  EXPECT_EQ(year_read("Sunday, 01-Mar-76 00:00:00 GMT", kNow - 1ns),
            "Mon, 01 Mar 1976 00:00:00 GMT");
  EXPECT_EQ(year_read("Friday, 31-Dec-99 23:59:59 GMT", kNow), "Fri, 31 Dec 1999 23:59:59 GMT");
  EXPECT_EQ(year_read("Saturday, 01-Jan-00 00:00:00 GMT", kNow), "Sat, 01 Jan 2000 00:00:00 GMT");
  // Across the turn of a century, both ways.
  const WallInstant in_1999 = at_unix_second(915'148'800);
  EXPECT_EQ(year_read("Monday, 01-Jan-01 00:00:00 GMT", in_1999), "Mon, 01 Jan 2001 00:00:00 GMT");
  const WallInstant in_2099 = at_unix_second(4'070'908'800);
  EXPECT_EQ(year_read("Friday, 01-Jan-01 00:00:00 GMT", in_2099), "Sat, 01 Jan 2101 00:00:00 GMT");
  EXPECT_EQ(year_read("Friday, 01-Jan-98 00:00:00 GMT", in_2099), "Wed, 01 Jan 2098 00:00:00 GMT");
}

TEST(HttpDate, TwoDigitLeapDaysFollowTheYearTheyBelongTo) {
  // From 2026, year 00 is 2000, which has a 29 February; from 2060 it is 2100, which has none.
  EXPECT_EQ(parse("Tuesday, 29-Feb-00 00:00:00 GMT"), at_unix_second(951'782'400));
  const WallInstant in_2060 = at_unix_second(2'840'140'800);
  EXPECT_EQ(parse_http_date("Tuesday, 29-Feb-00 00:00:00 GMT", in_2060), std::nullopt);
  // On a 29 February the limit is the 29 February 50 years on, which does not exist: 28 February
  // is inside, 1 March outside.
  const WallInstant leap_day_2024 = at_unix_second(1'709'164'800);
  EXPECT_EQ(parse_http_date("Friday, 28-Feb-74 23:59:59 GMT", leap_day_2024),
            model_instant(date::sys_days{date::year{2074} / 2 / 28} + 86'399s));
  EXPECT_EQ(parse_http_date("Friday, 01-Mar-74 00:00:00 GMT", leap_day_2024),
            model_instant(date::sys_days{date::year{1974} / 3 / 1} + 0s));
}

TEST(HttpDate, TwoDigitYearsWorkAtBothEndsOfTime) {
  EXPECT_EQ(parse_http_date("Friday, 11-Apr-62 00:00:00 GMT", WallInstant::max()),
            model_instant(date::sys_days{date::year{2262} / 4 / 11} + 0s));
  EXPECT_EQ(parse_http_date("Tuesday, 21-Sep-77 23:59:59 GMT", WallInstant::min()),
            model_instant(date::sys_days{date::year{1677} / 9 / 21} + 86'399s));
}

TEST(HttpDate, DatesOutsideTheRangeSaturate) {
  EXPECT_EQ(parse("Fri, 31 Dec 9999 23:59:59 GMT"), WallInstant::max());
  EXPECT_EQ(parse("Sat, 01 Jan 0000 00:00:00 GMT"), WallInstant::min());
  // The last and first whole seconds that fit in 63 bits of nanoseconds, and their neighbours.
  EXPECT_EQ(parse("Fri, 11 Apr 2262 23:47:16 GMT"), at_unix_second(9'223'372'036));
  EXPECT_EQ(parse("Fri, 11 Apr 2262 23:47:17 GMT"), WallInstant::max());
  EXPECT_EQ(parse("Tue, 21 Sep 1677 00:12:44 GMT"), at_unix_second(-9'223'372'036));
  EXPECT_EQ(parse("Tue, 21 Sep 1677 00:12:43 GMT"), WallInstant::min());
}

TEST(HttpDate, FormattingDropsTheFractionTowardThePast) {
  const auto imf = [](WallInstant instant) {
    return format_http_date(instant, HttpDateForm::kImfFixdate);
  };
  EXPECT_EQ(imf(WallInstant{999'999'999ns}), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(imf(WallInstant{-1ns}), "Wed, 31 Dec 1969 23:59:59 GMT");
  EXPECT_EQ(imf(WallInstant::max()), "Fri, 11 Apr 2262 23:47:16 GMT");
  EXPECT_EQ(imf(WallInstant::min()), "Tue, 21 Sep 1677 00:12:43 GMT");
}

TEST(HttpDate, EveryRepresentableDayAgreesWithTheDateLibrary) {
  const date::sys_days first{date::year{1677} / 9 / 22};
  const date::sys_days last{date::year{2262} / 4 / 10};
  RandomStream random(1);
  for (date::sys_days day = first; day <= last; day += date::days{1}) {
    const date::sys_seconds time =
        day + seconds{static_cast<std::int64_t>(random.next_below(86'400))};
    const date::year_month_day calendar{day};
    const unsigned weekday = date::weekday{day}.c_encoding();
    const date::hh_mm_ss clock{time - day};
    const WallInstant expected = model_instant(time);

    const std::string imf = format_http_date(expected, HttpDateForm::kImfFixdate);
    const std::string rfc850 = format_http_date(expected, HttpDateForm::kRfc850);
    const std::string asctime = format_http_date(expected, HttpDateForm::kAsctime);

    // A model of the text that shares nothing with the code but the C library.
    static constexpr const char* kWeekdays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                "Thursday", "Friday", "Saturday"};
    static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                              "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const char* const month = kMonths[static_cast<unsigned>(calendar.month()) - 1];
    const unsigned day_number = static_cast<unsigned>(calendar.day());
    const int year = static_cast<int>(calendar.year());
    const auto hour = static_cast<int>(clock.hours().count());
    const auto minute = static_cast<int>(clock.minutes().count());
    const auto second = static_cast<int>(clock.seconds().count());
    char text[64];
    std::snprintf(text, sizeof text, "%.3s, %02u %s %04d %02d:%02d:%02d GMT", kWeekdays[weekday],
                  day_number, month, year, hour, minute, second);
    ASSERT_EQ(imf, text);
    std::snprintf(text, sizeof text, "%s, %02u-%s-%02d %02d:%02d:%02d GMT", kWeekdays[weekday],
                  day_number, month, year % 100, hour, minute, second);
    ASSERT_EQ(rfc850, text);
    std::snprintf(text, sizeof text, "%.3s %s %2u %02d:%02d:%02d %04d", kWeekdays[weekday], month,
                  day_number, hour, minute, second, year);
    ASSERT_EQ(asctime, text);

    ASSERT_EQ(parse(imf), expected) << imf;
    ASSERT_EQ(parse(asctime), expected) << asctime;
    // Read on its own day, a two-digit year means that day's century.
    ASSERT_EQ(parse_http_date(rfc850, expected), expected) << rfc850;
  }
}

TEST(HttpDate, TheTurnsOfEveryFourDigitYearAgreeWithTheDateLibrary) {
  for (int year = 0; year <= 9999; ++year) {
    for (const auto& [month, day] :
         {std::pair{1U, 1U}, {2U, 28U}, {2U, 29U}, {3U, 1U}, {12U, 31U}}) {
      const date::year_month_day calendar{date::year{year}, date::month{month}, date::day{day}};
      char text[64];
      std::snprintf(text, sizeof text, "Mon, %02u %s %04d 12:00:00 GMT", day,
                    month == 1   ? "Jan"
                    : month == 2 ? "Feb"
                    : month == 3 ? "Mar"
                                 : "Dec",
                    year);
      if (!calendar.ok()) {
        ASSERT_EQ(parse(text), std::nullopt) << text;
        continue;
      }
      const date::sys_seconds time = date::sys_days{calendar} + 12h;
      const auto expected = time > date::sys_days{date::year{2262} / 4 / 12} ? WallInstant::max()
                            : time < date::sys_days{date::year{1677} / 9 / 21}
                                ? WallInstant::min()
                                : model_instant(time);
      ASSERT_EQ(parse(text), expected) << text;
    }
  }
}

}  // namespace
}  // namespace squall::core
