// SPDX-License-Identifier: MIT
#include "core/retry_after.hpp"

#include <chrono>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "core/check.hpp"
#include "core/random.hpp"
#include "core/vectors_test_support.hpp"

namespace squall::core {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

// 2026-03-01T00:00:00Z, "Sun, 01 Mar 2026 00:00:00 GMT".
const WallInstant kNow{std::chrono::seconds{1'772'323'200}};

TEST(RetryAfterVectors, RetryAfterJson) {
  const nlohmann::json vectors = load_vectors("retry_after.json");
  for (const nlohmann::json& vector : vectors) {
    const auto value = vector.at("value").get<std::string>();
    const std::optional<std::uint64_t> expected =
        vector.at("milliseconds").is_null() ? std::nullopt
                                            : std::optional(unsigned_at(vector, "milliseconds"));
    EXPECT_EQ(read_retry_after({.retry_after = value, .retry_after_ms = {}}, {}, kNow), expected)
        << vector;
  }
}

TEST(RetryAfterSeconds, AcceptsEveryWayToWriteADecimal) {
  EXPECT_EQ(parse_retry_after_seconds("5"), 5'000U);
  EXPECT_EQ(parse_retry_after_seconds("005"), 5'000U);
  EXPECT_EQ(parse_retry_after_seconds("+5"), 5'000U);
  EXPECT_EQ(parse_retry_after_seconds("5."), 5'000U);
  EXPECT_EQ(parse_retry_after_seconds(".5"), 500U);
  EXPECT_EQ(parse_retry_after_seconds("+.5e1"), 5'000U);
  EXPECT_EQ(parse_retry_after_seconds("1e3"), 1'000'000U);
  EXPECT_EQ(parse_retry_after_seconds("1E+3"), 1'000'000U);
  EXPECT_EQ(parse_retry_after_seconds("25e-1"), 2'500U);
  EXPECT_EQ(parse_retry_after_seconds("\t 2.5 \t"), 2'500U);
}

TEST(RetryAfterSeconds, EverythingElseIsAbsent) {
  for (const std::string_view text : {"",
                                      " ",
                                      "\t",
                                      ".",
                                      "+",
                                      "-",
                                      "e3",
                                      ".e3",
                                      "1e",
                                      "1e+",
                                      "1e1.5",
                                      "7s",
                                      "7 s",
                                      "1 2",
                                      "0x10",
                                      "1,5",
                                      "1.2.3",
                                      "1_0",
                                      "--1",
                                      "+-1",
                                      "abc",
                                      "NaN",
                                      "nan",
                                      "inf",
                                      "-inf",
                                      "Infinity",
                                      "1e3x",
                                      "5\n",
                                      "\v5",
                                      "5;",
                                      "Sun, 01 Mar 2026 00:00:05 GMT"}) {
    EXPECT_EQ(parse_retry_after_seconds(text), std::nullopt) << '"' << text << '"';
  }
  EXPECT_EQ(parse_retry_after_seconds(std::string_view("5\0", 2)), std::nullopt);
}

TEST(RetryAfterSeconds, NegativeIsAbsentButMinusZeroIsZero) {
  EXPECT_EQ(parse_retry_after_seconds("-1"), std::nullopt);
  EXPECT_EQ(parse_retry_after_seconds("-0.5"), std::nullopt);
  EXPECT_EQ(parse_retry_after_seconds("-0.0000000000000000000000000000001"), std::nullopt);
  EXPECT_EQ(parse_retry_after_seconds("-1e-999999999999999999999"), std::nullopt);
  EXPECT_EQ(parse_retry_after_seconds("-1e999999999999999999999"), std::nullopt);
  EXPECT_EQ(parse_retry_after_seconds("-0"), 0U);
  EXPECT_EQ(parse_retry_after_seconds("-0.00e7"), 0U);
}

TEST(RetryAfterSeconds, IsExactWhereBinaryFractionsAreNot) {
  // 0.069 * 1000 is 69.00000000000001 in double, whose ceiling is 70.
  EXPECT_EQ(parse_retry_after_seconds("0.069"), 69U);
  EXPECT_EQ(parse_retry_after_seconds("1.001"), 1'001U);
  // 2^53 + 1 seconds is not a double.
  EXPECT_EQ(parse_retry_after_seconds("9007199254740993.001"), 9'007'199'254'740'993'001U);
}

TEST(RetryAfterSeconds, FractionsOfAMillisecondRoundUp) {
  EXPECT_EQ(parse_retry_after_seconds("0.0001"), 1U);
  EXPECT_EQ(parse_retry_after_seconds("0.0010"), 1U);
  EXPECT_EQ(parse_retry_after_seconds("0.00100000000000000000000000001"), 2U);
  EXPECT_EQ(parse_retry_after_seconds("2.4999"), 2'500U);
  EXPECT_EQ(parse_retry_after_seconds("1e-999999999999999999999"), 1U);
  EXPECT_EQ(parse_retry_after_seconds("9.9999"), 10'000U);
}

TEST(RetryAfterSeconds, SaturatesAt64Bits) {
  EXPECT_EQ(parse_retry_after_seconds("18446744073709551.614"), kMax - 1);
  EXPECT_EQ(parse_retry_after_seconds("18446744073709551.6141"), kMax);
  EXPECT_EQ(parse_retry_after_seconds("18446744073709551.615"), kMax);
  EXPECT_EQ(parse_retry_after_seconds("18446744073709551.616"), kMax);
  EXPECT_EQ(parse_retry_after_seconds("18446744073709551.6151"), kMax);
  EXPECT_EQ(parse_retry_after_seconds("18446744073709552"), kMax);
  EXPECT_EQ(parse_retry_after_seconds("1e400"), kMax);
  EXPECT_EQ(parse_retry_after_seconds("1e999999999999999999999"), kMax);
  EXPECT_EQ(parse_retry_after_seconds("0e999999999999999999999"), 0U);
  EXPECT_EQ(parse_retry_after_seconds(std::string(100'000, '9')), kMax);
  EXPECT_EQ(parse_retry_after_seconds(std::string(100'000, '0') + "1"), 1'000U);
  EXPECT_EQ(parse_retry_after_seconds("1" + std::string(50, '0') + "e-50"), 1'000U);
}

TEST(RetryAfterSeconds, AgreesWithIntegerArithmeticOnNanoseconds) {
  RandomStream random(7);
  for (int trial = 0; trial < 20'000; ++trial) {
    // Up to about 292 years, over all magnitudes; the fraction cut at a random place.
    const std::uint64_t nanoseconds = random.next() >> (1 + random.next_below(62));
    std::string fraction = std::to_string(1'000'000'000 + nanoseconds % 1'000'000'000).substr(1);
    const auto kept = static_cast<std::size_t>(random.next_below(10));
    std::uint64_t unit = 1;
    for (std::size_t dropped = kept; dropped < 9; ++dropped) {
      unit *= 10;
    }
    fraction.resize(kept);
    const std::uint64_t written = nanoseconds / unit * unit;
    const std::string text = std::to_string(nanoseconds / 1'000'000'000) + "." + fraction;
    const std::uint64_t expected = written / 1'000'000 + (written % 1'000'000 != 0 ? 1 : 0);
    ASSERT_EQ(parse_retry_after_seconds(text), expected) << text;
    // The same number with its point moved.
    ASSERT_EQ(parse_retry_after_seconds(std::to_string(written) + "e-9"), expected) << written;
  }
}

TEST(RetryAfterMilliseconds, FollowsTheSameRulesInItsOwnUnit) {
  EXPECT_EQ(parse_retry_after_milliseconds("1500"), 1'500U);
  EXPECT_EQ(parse_retry_after_milliseconds(" 1.5e3 "), 1'500U);
  EXPECT_EQ(parse_retry_after_milliseconds("0.2"), 1U);
  EXPECT_EQ(parse_retry_after_milliseconds("18446744073709551615"), kMax);
  EXPECT_EQ(parse_retry_after_milliseconds("18446744073709551616"), kMax);
  EXPECT_EQ(parse_retry_after_milliseconds("-0"), 0U);
  EXPECT_EQ(parse_retry_after_milliseconds("-1"), std::nullopt);
  EXPECT_EQ(parse_retry_after_milliseconds("1500ms"), std::nullopt);
}

TEST(ReadRetryAfter, NoHeadersGiveNothing) {
  EXPECT_EQ(read_retry_after({}, {}, kNow), std::nullopt);
}

TEST(ReadRetryAfter, MillisecondsComeFirst) {
  EXPECT_EQ(read_retry_after({.retry_after = "5", .retry_after_ms = "1234"}, {}, kNow), 1'234U);
}

TEST(ReadRetryAfter, MillisecondsThatDoNotParseGiveWayToSeconds) {
  for (const std::string_view bad : {"", "soon", "-1", "NaN"}) {
    EXPECT_EQ(read_retry_after({.retry_after = "5", .retry_after_ms = bad}, {}, kNow), 5'000U)
        << bad;
  }
}

TEST(ReadRetryAfter, ADateIsItsDistanceFromNowRoundedUp) {
  const RetryAfterHeaders headers{.retry_after = "Sun, 01 Mar 2026 00:00:30 GMT",
                                  .retry_after_ms = {}};
  EXPECT_EQ(read_retry_after(headers, {}, kNow), 30'000U);
  EXPECT_EQ(read_retry_after(headers, {}, kNow + 1ns), 30'000U);
  EXPECT_EQ(read_retry_after(headers, {}, kNow + 999'999ns), 30'000U);
  EXPECT_EQ(read_retry_after(headers, {}, kNow + 1ms), 29'999U);
  EXPECT_EQ(read_retry_after(headers, {}, kNow + 30s - 1ns), 1U);
}

TEST(ReadRetryAfter, ADateThatIsNotInTheFutureIsZero) {
  const RetryAfterHeaders headers{.retry_after = "Sun, 01 Mar 2026 00:00:00 GMT",
                                  .retry_after_ms = {}};
  EXPECT_EQ(read_retry_after(headers, {}, kNow), 0U);
  EXPECT_EQ(read_retry_after(headers, {}, kNow + 1ns), 0U);
  EXPECT_EQ(read_retry_after(headers, {}, WallInstant::max()), 0U);
}

TEST(ReadRetryAfter, TheLongestDistanceBetweenDatesFits) {
  // All 2^64-1 nanoseconds there are: 18446744073709.551615 ms.
  EXPECT_EQ(read_retry_after({.retry_after = "Fri, 31 Dec 9999 23:59:59 GMT", .retry_after_ms = {}},
                             {}, WallInstant::min()),
            18'446'744'073'710U);
}

TEST(ReadRetryAfter, TheObsoleteDateFormsCountToo) {
  EXPECT_EQ(read_retry_after(
                {.retry_after = "Sunday, 01-Mar-26 00:00:30 GMT", .retry_after_ms = {}}, {}, kNow),
            30'000U);
  EXPECT_EQ(
      read_retry_after({.retry_after = "Sun Mar  1 00:00:30 2026", .retry_after_ms = {}}, {}, kNow),
      30'000U);
}

TEST(ReadRetryAfter, ASourceThatIsSwitchedOffIsNotRead) {
  const RetryAfterHeaders seconds{.retry_after = "5", .retry_after_ms = "1234"};
  const RetryAfterHeaders date{.retry_after = "Sun, 01 Mar 2026 00:00:30 GMT",
                               .retry_after_ms = "1234"};
  RetryAfterRule rule;
  rule.milliseconds = false;
  EXPECT_EQ(read_retry_after(seconds, rule, kNow), 5'000U);
  EXPECT_EQ(read_retry_after(date, rule, kNow), 30'000U);
  rule.seconds = false;
  EXPECT_EQ(read_retry_after(seconds, rule, kNow), std::nullopt);
  EXPECT_EQ(read_retry_after(date, rule, kNow), 30'000U);
  EXPECT_TRUE(rule.is_honoured());
  rule.http_date = false;
  EXPECT_EQ(read_retry_after(date, rule, kNow), std::nullopt);
  EXPECT_FALSE(rule.is_honoured());
  rule.seconds = true;
  EXPECT_EQ(read_retry_after(date, rule, kNow), std::nullopt);
  rule.seconds = false;
  rule.milliseconds = true;
  EXPECT_EQ(read_retry_after(date, rule, kNow), 1'234U);
}

TEST(ReadRetryAfter, LongerThanTheLimitCountsAsAbsent) {
  RetryAfterRule rule;
  rule.ignore_above_ms = 60'000;
  EXPECT_EQ(read_retry_after({.retry_after = "60", .retry_after_ms = {}}, rule, kNow), 60'000U);
  EXPECT_EQ(read_retry_after({.retry_after = "60.0001", .retry_after_ms = {}}, rule, kNow),
            std::nullopt);
  EXPECT_EQ(read_retry_after({.retry_after = "1", .retry_after_ms = "60001"}, rule, kNow),
            std::nullopt);
  EXPECT_EQ(read_retry_after({.retry_after = "Sun, 01 Mar 2026 00:01:01 GMT", .retry_after_ms = {}},
                             rule, kNow),
            std::nullopt);
}

TEST(ClampRetryAfter, HoldsTheDefaultLimits) {
  const RetryAfterRule rule;
  EXPECT_EQ(clamp_retry_after(rule, 0), 5'000U);
  EXPECT_EQ(clamp_retry_after(rule, 4'999), 5'000U);
  EXPECT_EQ(clamp_retry_after(rule, 5'001), 5'001U);
  EXPECT_EQ(clamp_retry_after(rule, 60'001), 60'000U);
  EXPECT_EQ(clamp_retry_after(rule, kMax), 60'000U);
}

TEST(ClampRetryAfter, LimitsInTheWrongOrderAreABug) {
  RetryAfterRule rule;
  rule.clamp_min_ms = rule.clamp_max_ms + 1;
  EXPECT_THROW((void)clamp_retry_after(rule, 1), CheckFailed);
}

TEST(RetryAfterRule, ComparesEveryField) {
  RetryAfterRule changed;
  EXPECT_EQ(changed, RetryAfterRule{});
  changed.ignore_above_ms = 0;
  EXPECT_NE(changed, RetryAfterRule{});
}

}  // namespace
}  // namespace squall::core
