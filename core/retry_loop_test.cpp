// SPDX-License-Identifier: MIT
#include "core/retry_loop.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include <gtest/gtest.h>

// The failure index saturates at 2^32-1. Reaching that takes 2^32 records and 100 GB of trail, so
// no test here does.
namespace squall::core {

/// A taxonomy of its own: the loop knows nothing of LLM classes.
enum class Weather : std::uint8_t { kSun, kRain };
constexpr std::string_view label(Weather weather) {
  return weather == Weather::kSun ? "sun" : "rain";
}
constexpr bool is_retryable(Weather) {
  return true;
}

namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

using Loop = RetryLoop<Weather>;
using Record = FailureRecord<Weather>;

constexpr std::uint64_t kMax64 = std::numeric_limits<std::uint64_t>::max();

Instant at(Duration since_start) {
  return Instant{since_start};
}

Record rain(std::optional<std::uint64_t> retry_after_ms = std::nullopt) {
  return {Weather::kRain, "it rains", std::nullopt, retry_after_ms};
}

RetryPolicy policy_with(std::uint32_t attempts_max) {
  RetryPolicy policy = default_policy();
  policy.budgets.attempts_max = attempts_max;
  return policy;
}

Duration jittered(std::uint64_t base_ms, std::uint64_t word) {
  return milliseconds(jittered_ms(ProportionalJitter{}, base_ms, word));
}

TEST(RetryLoop, ZeroAndOneAttemptsGiveNoSleep) {
  for (const std::uint32_t attempts_max : {0U, 1U}) {
    Loop loop(policy_with(attempts_max), RandomStream(1));
    loop.begin_operation(at(seconds(0)));
    (void)loop.record(rain(7'000), at(seconds(1)));
    for (const std::uint32_t attempt : {1U, 2U, 100U}) {
      EXPECT_EQ(loop.sleep_after(attempt, at(seconds(1))), std::nullopt) << attempts_max;
    }
  }
}

TEST(RetryLoop, NoSleepFollowsTheLastAttempt) {
  Loop loop(policy_with(3), RandomStream(1));
  EXPECT_TRUE(loop.sleep_after(1, at(seconds(0))).has_value());
  EXPECT_TRUE(loop.sleep_after(2, at(seconds(0))).has_value());
  EXPECT_EQ(loop.sleep_after(3, at(seconds(0))), std::nullopt);
  EXPECT_EQ(loop.sleep_after(4, at(seconds(0))), std::nullopt);
  EXPECT_EQ(loop.sleep_after(std::numeric_limits<std::uint32_t>::max(), at(seconds(0))),
            std::nullopt);
}

TEST(RetryLoop, AttemptZeroIsABrokenCheck) {
  Loop loop(policy_with(13), RandomStream(1));
  EXPECT_THROW((void)loop.sleep_after(0, at(seconds(0))), CheckFailed);
}

TEST(RetryLoop, EachSleepDrawsOneWordForTheScheduleOfItsSlot) {
  RandomStream words(42);
  Loop loop(policy_with(13), RandomStream(42));
  std::uint32_t attempt = 0;
  for (const std::uint64_t base_ms : {5'000U, 10'000U, 20'000U, 40'000U, 60'000U, 60'000U, 60'000U,
                                      60'000U, 60'000U, 60'000U, 60'000U, 60'000U}) {
    (void)loop.record(rain(), at(seconds(0)));
    EXPECT_EQ(loop.sleep_after(++attempt, at(seconds(0))), jittered(base_ms, words.next()))
        << attempt;
  }
}

// A caller may count something other than rounds: the slot follows the number it passes.
TEST(RetryLoop, TheSlotIsTheOneOfTheAttemptPassedIn) {
  RandomStream words(5);
  Loop loop(policy_with(13), RandomStream(5));
  EXPECT_EQ(loop.sleep_after(4, at(seconds(0))), jittered(40'000, words.next()));
  EXPECT_EQ(loop.sleep_after(1, at(seconds(0))), jittered(5'000, words.next()));
}

TEST(RetryLoop, ARetryAfterSleepIsExactAndDrawsNoWord) {
  RandomStream words(9);
  Loop loop(policy_with(13), RandomStream(9));
  (void)loop.record(rain(7'000), at(seconds(0)));
  EXPECT_EQ(loop.sleep_after(1, at(seconds(0))), milliseconds(7'000));
  (void)loop.record(rain(0), at(seconds(0)));
  EXPECT_EQ(loop.sleep_after(2, at(seconds(0))), milliseconds(5'000));
  (void)loop.record(rain(kMax64), at(seconds(0)));
  EXPECT_EQ(loop.sleep_after(3, at(seconds(0))), milliseconds(60'000));
  (void)loop.record(rain(), at(seconds(0)));
  EXPECT_EQ(loop.sleep_after(4, at(seconds(0))), jittered(40'000, words.next()));
}

TEST(RetryLoop, EveryRecordReplacesTheRetryAfterAbsentIncluded) {
  RandomStream words(3);
  Loop loop(policy_with(13), RandomStream(3));
  (void)loop.record(rain(60'000), at(seconds(0)));
  (void)loop.record(rain(8'000), at(seconds(0)));
  EXPECT_EQ(loop.sleep_after(2, at(seconds(0))), milliseconds(8'000));
  (void)loop.record(rain(), at(seconds(0)));
  EXPECT_EQ(loop.sleep_after(3, at(seconds(0))), jittered(20'000, words.next()));
}

TEST(RetryLoop, ATrailOnlyRecordReplacesTheRetryAfterToo) {
  RandomStream words(3);
  Loop loop(policy_with(13), RandomStream(3));
  (void)loop.record(rain(60'000), at(seconds(0)));
  loop.record_trail_only(rain());
  EXPECT_EQ(loop.sleep_after(1, at(seconds(0))), jittered(5'000, words.next()));
  loop.record_trail_only(rain(9'000));
  EXPECT_EQ(loop.sleep_after(2, at(seconds(0))), milliseconds(9'000));
}

TEST(RetryLoop, ATrailOnlyRecordDoesNotCountAsAnAttempt) {
  Loop loop(policy_with(13), RandomStream(1));
  loop.begin_operation(at(seconds(0)));
  loop.begin_attempt(at(seconds(1)));
  loop.record_trail_only({Weather::kSun, "no call stands behind it", std::nullopt, std::nullopt});
  EXPECT_EQ(loop.failures(), 0U);
  ASSERT_EQ(loop.trail().size(), 1U);
  EXPECT_EQ(loop.final_class(Weather::kRain), Weather::kSun);

  // The row of the next real failure: behind it in the trail, first in number, with the duration
  // of the attempt that the trail-only record left alone.
  const RecordFailure row = loop.record(rain(), at(seconds(3)));
  EXPECT_EQ(row.trail_index, 1U);
  EXPECT_EQ(row.failure_index, 1U);
  EXPECT_EQ(row.attempt_duration, std::optional<Duration>(seconds(2)));
  EXPECT_EQ(loop.failures(), 1U);
}

TEST(RetryLoop, RowsAreNumberedFromOneAlongTheTrail) {
  Loop loop(policy_with(13), RandomStream(1));
  for (std::uint32_t i = 0; i < 20; ++i) {
    const RecordFailure row = loop.record(rain(i), at(seconds(i)));
    EXPECT_EQ(row.trail_index, i);
    EXPECT_EQ(row.failure_index, i + 1);
    EXPECT_EQ(loop.trail().at(row.trail_index).retry_after_ms, i);
  }
}

TEST(RetryLoop, ADurationNeedsAStartOfItsOwn) {
  Loop loop(policy_with(13), RandomStream(1));
  loop.begin_operation(at(seconds(0)));
  EXPECT_EQ(loop.record(rain(), at(seconds(1))).attempt_duration, std::nullopt);
  loop.begin_attempt(at(seconds(2)));
  EXPECT_EQ(loop.record(rain(), at(seconds(2))).attempt_duration,
            std::optional<Duration>(seconds(0)));
  EXPECT_EQ(loop.record(rain(), at(seconds(9))).attempt_duration, std::nullopt)
      << "a start serves one record";
  loop.begin_attempt(at(seconds(10)));
  loop.begin_attempt(at(seconds(12)));
  EXPECT_EQ(loop.record(rain(), at(seconds(15))).attempt_duration,
            std::optional<Duration>(seconds(3)));
}

TEST(RetryLoop, OrderingAnAttemptForgetsTheStartOfTheOneBeforeIt) {
  Loop loop(policy_with(13), RandomStream(1));
  loop.begin_operation(at(seconds(0)));
  loop.order_attempt();
  loop.begin_attempt(at(seconds(1)));
  loop.order_attempt();
  EXPECT_EQ(loop.record(rain(), at(seconds(4))).attempt_duration, std::nullopt);
}

TEST(RetryLoop, TimeBudgetAllowsASleepThatEndsExactlyWithIt) {
  RetryPolicy policy = policy_with(13);
  policy.budgets.time = seconds(100);
  Loop loop(policy, RandomStream(1));
  loop.begin_operation(at(seconds(1'000)));
  (void)loop.record(rain(7'000), at(seconds(1'093)));
  EXPECT_EQ(loop.sleep_after(1, at(seconds(1'093))), seconds(7));
  EXPECT_EQ(loop.sleep_after(1, at(seconds(1'093) + nanoseconds(1))), std::nullopt);
  EXPECT_EQ(loop.sleep_after(1, at(seconds(5'000))), std::nullopt);
}

TEST(RetryLoop, TimeBudgetSurvivesSleepsBeyondTheEndOfTime) {
  RetryPolicy policy = policy_with(13);
  policy.backoff = ConstantBackoff{kMax64};
  policy.jitter = NoJitter{};
  policy.budgets.time = seconds(100);
  Loop bounded(policy, RandomStream(1));
  bounded.begin_operation(at(seconds(5)));
  EXPECT_EQ(bounded.sleep_after(1, at(seconds(6))), std::nullopt);

  policy.budgets.time.reset();
  Loop unbounded(policy, RandomStream(1));
  unbounded.begin_operation(at(seconds(5)));
  EXPECT_EQ(unbounded.sleep_after(1, at(seconds(6))), Duration::max());
}

TEST(RetryLoop, FinalClassIsThatOfTheLastRecordOrTheFallback) {
  Loop loop(policy_with(13), RandomStream(1));
  EXPECT_EQ(loop.final_class(Weather::kSun), Weather::kSun);
  (void)loop.record(rain(), at(seconds(0)));
  EXPECT_EQ(loop.final_class(Weather::kSun), Weather::kRain);
}

TEST(RetryLoop, ThePolicyIsCopiedAtTheStart) {
  RetryPolicy policy = policy_with(2);
  Loop loop(policy, RandomStream(1));
  policy.budgets.attempts_max = 0;
  policy.backoff = ConstantBackoff{0};
  RandomStream words(1);
  EXPECT_EQ(loop.sleep_after(1, at(seconds(0))), jittered(5'000, words.next()));
}

TEST(RetryLoop, ACopyDrawsTheSameSleepsAndKeepsItsOwnTrail) {
  Loop loop(policy_with(13), RandomStream(77));
  (void)loop.record(rain(), at(seconds(0)));
  (void)loop.sleep_after(1, at(seconds(0)));
  Loop copy = loop;
  EXPECT_EQ(loop.sleep_after(2, at(seconds(0))), copy.sleep_after(2, at(seconds(0))));
  (void)copy.record(rain(), at(seconds(0)));
  EXPECT_EQ(loop.trail().size(), 1U);
  EXPECT_EQ(copy.take_trail().size(), 2U);
}

TEST(RetryExhausted, DetailCountsTheTrailAndQuotesItsLastChain) {
  const RetryExhausted<Weather> exhausted(
      {rain(), {Weather::kSun, "too hot: 40 degrees", std::nullopt, std::nullopt}}, Weather::kRain);
  EXPECT_EQ(exhausted.detail, "2 attempt(s) failed (last: rain): too hot: 40 degrees");
  EXPECT_EQ(exhausted.last_raw, std::nullopt);

  const RetryExhausted<Weather> one({rain()}, Weather::kRain, "");
  EXPECT_EQ(one.detail, "1 attempt(s) failed (last: rain): it rains");
  EXPECT_EQ(one.last_raw, "");
}

TEST(RetryExhausted, AnEmptyTrailLeavesOnlyTheLabel) {
  EXPECT_EQ(RetryExhausted<Weather>({}, Weather::kSun).detail, "operation failed: sun");
}

}  // namespace
}  // namespace squall::core
