// SPDX-License-Identifier: MIT
#include "analysis/worst_case.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "core/connector/policy.hpp"

namespace squall::analysis {
namespace {

using core::Duration;
using core::RetryPolicy;
using scenarios::OperationKind;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

WorstCase of(const RetryPolicy& policy, OperationKind kind = OperationKind::kAgentChat,
             std::uint32_t body_waits = 1) {
  auto worst = worst_case(policy, kind, body_waits);
  EXPECT_TRUE(worst.has_value());
  return worst.value_or(WorstCase{});
}

/// Every plan must come to the figure it stands for.
void expect_plans_to_agree(const WorstCase& worst) {
  EXPECT_EQ(worst.fewest_calls.calls(), worst.calls_min);
  EXPECT_EQ(worst.most_calls.calls(), worst.calls_max);
  EXPECT_EQ(worst.sleep.plan.slept(), worst.sleep.total);
  for (const LongestOperation& longest : worst.longest) {
    if (longest.operation != kNoEnd) {
      EXPECT_EQ(longest.plan.elapsed(), longest.operation) << longest.body_waits;
    }
  }
  EXPECT_EQ(worst.outage.fewest_calls.calls(), worst.outage.calls_min);
  EXPECT_EQ(worst.outage.most_calls.calls(), worst.outage.calls_max);
}

TEST(WorstCase, DefaultPolicyMakesOneToThirteenCalls) {
  const WorstCase worst = of(core::default_policy());
  EXPECT_EQ(worst.calls_min, 1U);
  EXPECT_EQ(worst.calls_max, 13U);
  // Nothing ends it early but an answer: an outage always takes all calls.
  EXPECT_EQ(worst.outage.calls_min, 13U);
  EXPECT_EQ(worst.outage.calls_max, 13U);
  EXPECT_EQ(worst.last_chance, std::nullopt);
  expect_plans_to_agree(worst);
}

TEST(WorstCase, DefaultPolicySleepsTermByTerm) {
  // Jitter reaches floor(1.25 x slot) - 1 ms: 5 s -> 6.249, 10 -> 12.499, 20 -> 24.999,
  // 40 -> 49.999, 60 -> 74.999. A server can ask for 60 s: more in the first four slots, less in
  // the last eight. 4 x 60 s + 8 x 74.999 s = 240 s + 599.992 s = 839.992 s.
  const WorstCase worst = of(core::default_policy());
  EXPECT_EQ(worst.sleep.total, milliseconds(839'992));
  const auto term = [](std::uint32_t first, std::uint32_t count, std::uint64_t scheduled,
                       std::uint64_t least, std::uint64_t most, std::uint64_t chosen) {
    return SleepTerm{.first_slot = first,
                     .count = count,
                     .scheduled_ms = scheduled,
                     .jitter = {least, most},
                     .askable_ms = 60'000,
                     .chosen_ms = chosen,
                     .by_retry_after = chosen == 60'000};
  };
  EXPECT_EQ(worst.sleep.terms, (std::vector<SleepTerm>{
                                   term(0, 1, 5'000, 3'750, 6'249, 60'000),
                                   term(1, 1, 10'000, 7'500, 12'499, 60'000),
                                   term(2, 1, 20'000, 15'000, 24'999, 60'000),
                                   term(3, 1, 40'000, 30'000, 49'999, 60'000),
                                   term(4, 8, 60'000, 45'000, 74'999, 74'999),
                               }));
}

TEST(WorstCase, DefaultPolicyLongestAttemptAndOperation) {
  const WorstCase worst = of(core::default_policy(), OperationKind::kAgentChat, 6);
  ASSERT_EQ(worst.longest.size(), 3U);
  // Without a wait for a body an attempt is cut after 600 s of silence; an operation is longer with
  // error answers that come a nanosecond earlier and ask for 60 s:
  // 4 x (600 s - 1 ns + 60 s) + 8 x (600 s + 74.999 s) + 600 s
  // = 2640 s - 4 ns + 5399.992 s + 600 s = 8639.992 s - 4 ns.
  EXPECT_EQ(worst.longest[0].attempt, seconds(600));
  EXPECT_EQ(worst.longest[0].operation, milliseconds(8'639'992) - nanoseconds(4));
  // Headers at 600 s - 1 ns, then 600 s of silence: 1200 s - 1 ns, thirteen times, and 839.992 s of
  // sleep: 15600 s - 13 ns + 839.992 s = 16439.992 s - 13 ns.
  EXPECT_EQ(worst.longest[1].attempt, seconds(1'200) - nanoseconds(1));
  EXPECT_EQ(worst.longest[1].operation, milliseconds(16'439'992) - nanoseconds(13));
  // Six waits for the body: 600 s - 1 ns for headers and for each of five bytes, then 600 s:
  // 7 x 600 s - 6 ns = 4200 s - 6 ns; x 13 = 54600 s - 78 ns; + 839.992 s.
  EXPECT_EQ(worst.longest[2].body_waits, 6U);
  EXPECT_EQ(worst.longest[2].attempt, seconds(4'200) - nanoseconds(6));
  EXPECT_EQ(worst.longest[2].operation, milliseconds(55'439'992) - nanoseconds(78));
  expect_plans_to_agree(worst);
}

TEST(WorstCase, DefaultPolicyIsKeptAliveBySixBytesAnHour) {
  const WorstCase worst = of(core::default_policy());
  ASSERT_TRUE(worst.keepalive.has_value());
  EXPECT_EQ(worst.keepalive->gap, seconds(600) - nanoseconds(1));
  EXPECT_EQ(worst.keepalive->bytes_per_hour, 6U);
  // 64 MiB at 600 s a byte are 1276 years.
  EXPECT_EQ(worst.keepalive->cut_by_size, kNoEnd);
}

TEST(WorstCase, ASmallIdleTimeoutEndsATrickleByItsSize) {
  RetryPolicy policy = core::default_policy();
  policy.timeouts.idle = nanoseconds(1'001);
  // Headers after 1000 ns, 67'108'864 bytes 1000 ns apart, then 1001 ns.
  EXPECT_EQ(of(policy).keepalive->cut_by_size, nanoseconds(67'108'866'001));
}

TEST(WorstCase, RuleOfThumbOfTheDefaultPolicyMissesMoreThanTwoHours) {
  // The rule: 13 x 600 s + 555 s = 8355 s. Beyond it: thirteen more waits, of 600 s - 1 ns each,
  // 7800 s - 13 ns; and 839.992 s - 555 s = 284.992 s of sleep.
  const WorstCase worst = of(core::default_policy());
  ASSERT_TRUE(worst.rule_of_thumb.has_value());
  EXPECT_EQ(worst.rule_of_thumb->claim, seconds(8'355));
  EXPECT_EQ(worst.rule_of_thumb->excess_of_attempts, seconds(7'800) - nanoseconds(13));
  EXPECT_EQ(worst.rule_of_thumb->excess_of_sleeps, milliseconds(284'992));
  EXPECT_EQ(worst.rule_of_thumb->excess, milliseconds(8'084'992) - nanoseconds(13));
}

TEST(WorstCase, MeanOfAnOutageIsHalfAMillisecondASlotBelowTheSchedule) {
  // Slot means: (3750 + 6249) / 2 = 4999.5 ms, and so on: 555 s - 12 x 0.5 ms.
  EXPECT_EQ(of(core::default_policy()).outage.mean, milliseconds(554'994));
  // 30 s and 45 s less two halves.
  EXPECT_EQ(of(core::synthesis_policy(), OperationKind::kSynthesis).outage.mean,
            milliseconds(74'999));
}

TEST(WorstCase, OtherShippedPolicies) {
  // synthesis: slots 30 s (jitter to 37.499) and 45 s (to 56.249); 60 s asked for is more than
  // either. 3 x (1200 s - 1 ns) + 120 s.
  WorstCase worst = of(core::synthesis_policy(), OperationKind::kSynthesis);
  EXPECT_EQ(worst.calls_max, 3U);
  EXPECT_EQ(worst.sleep.total, seconds(120));
  EXPECT_EQ(worst.longest[1].operation, seconds(3'720) - nanoseconds(3));
  expect_plans_to_agree(worst);
  worst = of(core::comment_policy(), OperationKind::kComment);
  EXPECT_EQ(worst.sleep.total, seconds(120));
  EXPECT_EQ(worst.longest[1].operation, seconds(3'720) - nanoseconds(3));
  expect_plans_to_agree(worst);
  // A continuation never sleeps, whatever a server asks for.
  worst = of(core::continuation_policy(), OperationKind::kContinuation);
  EXPECT_EQ(worst.calls_max, 3U);
  EXPECT_EQ(worst.sleep.total, Duration(0));
  EXPECT_EQ(worst.longest[1].operation, seconds(3'600) - nanoseconds(3));
  EXPECT_EQ(worst.outage.mean, Duration(0));
  EXPECT_EQ(worst.rule_of_thumb->claim, seconds(1'800));
  expect_plans_to_agree(worst);
  // The same policy played by a chat sleeps as long as it is asked to.
  worst = of(core::continuation_policy(), OperationKind::kAgentChat);
  EXPECT_EQ(worst.sleep.total, seconds(120));
  expect_plans_to_agree(worst);
}

TEST(WorstCase, ConnectorSpendsItsBudgetToTheLastNanosecond) {
  const WorstCase worst = of(core::connector::connector_policy(), OperationKind::kToolCall);
  // Failures at once: sleeps of at least 50 + 100 + 200 = 350 ms, then 250 ms each; six of those
  // make 1850 ms, a seventh 2100 ms: nine sleeps, ten calls. At most 100 + 200 + 400 + 500 + 500 =
  // 1700 ms, and another 500 ms exceeds 2 s: five sleeps, six calls.
  EXPECT_EQ(worst.calls_min, 1U);
  EXPECT_EQ(worst.calls_max, 10U);
  EXPECT_EQ(worst.outage.calls_min, 6U);
  EXPECT_EQ(worst.outage.calls_max, 10U);
  // A sleep may end exactly with the budget, and attempts may last any time: the last attempt can
  // start at 2 s sharp, and takes 30 s. However many body bytes arrive: the whole is limited.
  for (const LongestOperation& longest : worst.longest) {
    EXPECT_EQ(longest.attempt, seconds(30));
    EXPECT_EQ(longest.operation, seconds(32));
  }
  EXPECT_EQ(worst.keepalive, std::nullopt);
  EXPECT_EQ(worst.rule_of_thumb, std::nullopt);
  // Sleeps alone can fill it too: 100 + 200 + 400 + 500 + 500 + 300 ms.
  EXPECT_EQ(worst.sleep.total, seconds(2));
  ASSERT_EQ(worst.sleep.terms.size(), 5U);
  EXPECT_EQ(worst.sleep.terms[3].count, 2U);
  EXPECT_EQ(worst.sleep.terms[3].chosen_ms, 500U);
  EXPECT_EQ(worst.sleep.terms[4].chosen_ms, 300U);
  // The shortest first sleep is 50 ms: an attempt of more than 1.95 s is the last.
  EXPECT_EQ(worst.last_chance, milliseconds(1'950));
  expect_plans_to_agree(worst);
}

/// A budget that few sleeps fit into, small enough to work out by hand.
RetryPolicy small_budget(core::Jitter jitter, std::uint64_t delay_ms, Duration budget) {
  RetryPolicy policy = core::connector::connector_policy();
  policy.backoff = core::ConstantBackoff{.delay_ms = delay_ms};
  policy.jitter = jitter;
  policy.budgets.time = budget;
  return policy;
}

TEST(WorstCase, MeanOfTheConnectorsOutage) {
  // Worked out with exact fractions by a program of its own:
  // 271843898452644153625000000 / 150785521034967603 ns = 1802851471.33 ns.
  EXPECT_EQ(of(core::connector::connector_policy(), OperationKind::kToolCall).outage.mean,
            nanoseconds(1'802'851'471));
}

TEST(WorstCase, MeanOfALongOutageIsWhatRenewalTheorySays) {
  // Many sleeps S into a budget, what is left of it has the mean (E[S^2] / E[S] - 1 ms) / 2. With S
  // uniform on 250 to 500 ms: E[S] = 375, E[S^2] = 375^2 + (251^2 - 1) / 12 = 145875, so 194 ms.
  RetryPolicy policy = core::connector::connector_policy();
  policy.backoff = core::ConstantBackoff{.delay_ms = 500};
  policy.budgets.time = seconds(60);
  EXPECT_EQ(of(policy, OperationKind::kToolCall).outage.mean, milliseconds(59'806));
}

TEST(WorstCase, MeanOfABudgetedOutageByHand) {
  // Sleeps of 0 or 1 ms with equal chance and a budget of 1 ms, three calls: the sleeps are two at
  // most. 00 -> 0; 01, 10 -> 1; 11 -> the second finds no room: 1. Mean 3/4 ms.
  RetryPolicy policy = small_budget(core::FullJitter{}, 1, milliseconds(1));
  policy.budgets.attempts_max = 3;
  EXPECT_EQ(of(policy, OperationKind::kToolCall).outage.mean, nanoseconds(750'000));
  // Sleeps of 2 or 3 ms (4/2 + [0, 2] would be three values: base 2 gives 1 + [0, 1]): 1 or 2 ms,
  // budget 3 ms, any number of calls. 1,1,1 -> 3; 1,1,2 -> 2; 1,2 -> 3; 2,1 -> 3; 2,2 -> 2.
  // After 3 ms nothing fits. Chances 1/8, 1/8, 1/4, 1/4, 1/4: 3/8 + 2/8 + 3/4 + 3/4 + 2/4 = 2.625.
  policy = small_budget(core::EqualJitter{}, 2, milliseconds(3));
  const WorstCase worst = of(policy, OperationKind::kToolCall);
  EXPECT_EQ(worst.outage.mean, nanoseconds(2'625'000));
  EXPECT_EQ(worst.outage.calls_min, 2U);
  EXPECT_EQ(worst.outage.calls_max, 4U);
  // Without chance: 400 ms five times within 2 s sharp.
  EXPECT_EQ(
      of(small_budget(core::NoJitter{}, 400, seconds(2)), OperationKind::kToolCall).outage.mean,
      seconds(2));
}

TEST(WorstCase, ABudgetBelowAMillisecondGrainIsSpentByAttempts) {
  // Sleeps are whole milliseconds, the budget is not: attempts fill the rest, sleeps cannot.
  const WorstCase worst =
      of(small_budget(core::NoJitter{}, 400, milliseconds(900) + nanoseconds(7)),
         OperationKind::kToolCall);
  EXPECT_EQ(worst.sleep.total, milliseconds(800));
  EXPECT_EQ(worst.longest[1].operation, milliseconds(900) + nanoseconds(7) + seconds(30));
  expect_plans_to_agree(worst);
}

TEST(WorstCase, ABudgetThatNoSleepFitsIntoLeavesOneCall) {
  const WorstCase worst =
      of(small_budget(core::NoJitter{}, 400, milliseconds(399)), OperationKind::kToolCall);
  EXPECT_EQ(worst.calls_max, 1U);
  EXPECT_EQ(worst.sleep.total, Duration(0));
  EXPECT_EQ(worst.longest[1].operation, seconds(30));
  EXPECT_EQ(worst.outage.mean, Duration(0));
  expect_plans_to_agree(worst);
}

TEST(WorstCase, ABudgetThatAttemptsCannotUseUpDoesNotBind) {
  // Two attempts of 1 s and a sleep of 400 ms, twice, come to 2.8 s of 100 s.
  RetryPolicy policy = small_budget(core::NoJitter{}, 400, seconds(100));
  policy.budgets.attempts_max = 3;
  policy.timeouts.attempt = seconds(1);
  const WorstCase worst = of(policy, OperationKind::kToolCall);
  EXPECT_EQ(worst.longest[1].operation, milliseconds(3'800));
  expect_plans_to_agree(worst);
}

TEST(WorstCase, BudgetOfAnLlmPolicyAllowsWholeAttemptBeyondIt) {
  RetryPolicy policy = core::default_policy();
  policy.budgets.time = seconds(100);
  const WorstCase worst = of(policy);
  EXPECT_EQ(worst.longest[1].operation, seconds(1'300) - nanoseconds(1));
  // 5 s is the shortest a server can ask for, 3.75 s what jitter gives: 3.75 + 11 x 5 = 58.75 s:
  // all 13 calls fit.
  EXPECT_EQ(worst.calls_max, 13U);
  EXPECT_EQ(worst.sleep.total, seconds(100));
  // 100 s less 3.75 s.
  EXPECT_EQ(worst.last_chance, milliseconds(96'250));
  expect_plans_to_agree(worst);
}

TEST(WorstCase, WhatIsNotRetriedBoundsNothing) {
  RetryPolicy policy = core::default_policy();
  policy.retry_on = {
      .statuses = {}, .connection_failures = false, .cut_bodies = false, .unusable_answers = false};
  WorstCase worst = of(policy);
  EXPECT_EQ(worst.calls_max, 1U);
  EXPECT_EQ(worst.longest[1].operation, seconds(1'200) - nanoseconds(1));
  EXPECT_EQ(worst.outage.calls_max, 1U);
  expect_plans_to_agree(worst);
  // An extraction turns answers down all the same, and sleeps after each; nobody asks for longer:
  // 6249 + 12499 + 24999 + 49999 + 8 x 74999 ms. Whole answers take a nanosecond less than cut
  // ones: 12 x (1200 s - 2 ns) + (1200 s - 1 ns).
  worst = of(policy, OperationKind::kExtraction);
  EXPECT_EQ(worst.calls_max, 13U);
  EXPECT_EQ(worst.sleep.total, milliseconds(693'738));
  EXPECT_EQ(worst.longest[1].operation, milliseconds(16'293'738) - nanoseconds(25));
  expect_plans_to_agree(worst);
  // A synthesis does not sleep after a rejected round.
  worst = of(policy, OperationKind::kSynthesis);
  EXPECT_EQ(worst.calls_max, 13U);
  EXPECT_EQ(worst.sleep.total, Duration(0));
  EXPECT_EQ(worst.longest[1].operation, seconds(15'600) - nanoseconds(25));
  expect_plans_to_agree(worst);
}

TEST(WorstCase, RetryAfterCountsOnlyWhereAnErrorCanBeRetried) {
  RetryPolicy policy = core::default_policy();
  policy.budgets.attempts_max = 3;
  policy.retry_on.statuses = {};
  // 6.249 s + 12.499 s by jitter alone.
  EXPECT_EQ(of(policy).sleep.total, milliseconds(18'748));
  EXPECT_EQ(of(policy).longest[1].operation, milliseconds(3'618'748) - nanoseconds(3));
}

TEST(WorstCase, CutBodiesThatAreFinalLeaveWholeErrors) {
  RetryPolicy policy = core::default_policy();
  policy.budgets.attempts_max = 2;
  policy.retry_on.cut_bodies = false;
  // An error whose body ends just in time (1200 s - 2 ns) and asks for 60 s, then 1200 s - 1 ns.
  EXPECT_EQ(of(policy).longest[1].operation, seconds(2'460) - nanoseconds(3));
  expect_plans_to_agree(of(policy));
}

TEST(WorstCase, IgnoredRetryAfterLimitsWhatCanBeAsked) {
  RetryPolicy policy = core::default_policy();
  policy.retry_after.ignore_above_ms = 8'000;
  // max(6.249, 8), then jitter.
  policy.budgets.attempts_max = 3;
  EXPECT_EQ(of(policy).sleep.total, milliseconds(8'000 + 12'499));
  // Everything below the clamp is lifted to it.
  policy.retry_after.ignore_above_ms = 0;
  EXPECT_EQ(of(policy).sleep.terms[0].askable_ms, 5'000U);
}

TEST(WorstCase, BothTimeoutsTogether) {
  RetryPolicy policy = core::default_policy();
  policy.budgets.attempts_max = 1;
  policy.timeouts = {.idle = seconds(10), .attempt = seconds(25)};
  const WorstCase worst = of(policy, OperationKind::kAgentChat, 5);
  EXPECT_EQ(worst.longest[0].attempt, seconds(10));
  EXPECT_EQ(worst.longest[1].attempt, seconds(20) - nanoseconds(1));
  EXPECT_EQ(worst.longest[2].attempt, seconds(25));
  EXPECT_EQ(worst.keepalive, std::nullopt);
}

TEST(WorstCase, WithoutTimeoutsNothingEnds) {
  RetryPolicy policy = core::default_policy();
  policy.timeouts = {};
  const WorstCase worst = of(policy);
  EXPECT_EQ(worst.longest[0].attempt, kNoEnd);
  EXPECT_EQ(worst.longest[0].operation, kNoEnd);
  EXPECT_TRUE(worst.longest[0].endless);
  EXPECT_TRUE(worst.longest[1].endless);
  ASSERT_TRUE(worst.keepalive.has_value());
  EXPECT_EQ(worst.keepalive->gap, std::nullopt);
  EXPECT_EQ(worst.calls_max, 13U);
}

TEST(WorstCase, TimeoutsOfNothing) {
  RetryPolicy policy = core::default_policy();
  policy.timeouts.idle = Duration(0);
  // Every attempt is over as it starts, without headers: nobody can ask for anything.
  const WorstCase worst = of(policy);
  EXPECT_EQ(worst.longest[1].attempt, Duration(0));
  EXPECT_EQ(worst.sleep.total, milliseconds(693'738));
  EXPECT_EQ(worst.longest[1].operation, milliseconds(693'738));
  EXPECT_EQ(worst.keepalive, std::nullopt);
  // Not even an answer ends it early.
  EXPECT_EQ(worst.calls_min, 13U);
}

TEST(WorstCase, NoCallAtAll) {
  RetryPolicy policy = core::default_policy();
  policy.budgets.attempts_max = 0;
  const WorstCase worst = of(policy);
  EXPECT_EQ(worst.calls_min, 0U);
  EXPECT_EQ(worst.calls_max, 0U);
  EXPECT_EQ(worst.longest[1].operation, Duration(0));
  EXPECT_EQ(worst.sleep.total, Duration(0));
  EXPECT_EQ(worst.outage.calls_max, 0U);
  expect_plans_to_agree(worst);
}

TEST(WorstCase, ASleepWithoutEndIsNoNumber) {
  RetryPolicy policy = core::default_policy();
  policy.backoff = core::ConstantBackoff{.delay_ms = std::numeric_limits<std::uint64_t>::max()};
  const WorstCase worst = of(policy);
  EXPECT_EQ(worst.sleep.total, kNoEnd);
  EXPECT_EQ(worst.longest[1].operation, kNoEnd);
  EXPECT_EQ(worst.outage.mean, kNoEnd);
  // It would end, after millions of years.
  EXPECT_FALSE(worst.longest[1].endless);
}

TEST(WorstCase, MillionsOfSlotsAreFew) {
  RetryPolicy policy = core::default_policy();
  policy.budgets.attempts_max = 1'000'000;
  const WorstCase worst = of(policy);
  // 4 x 60 s and 999'995 x 74.999 s.
  EXPECT_EQ(worst.sleep.total, seconds(240) + 999'995 * milliseconds(74'999));
  EXPECT_EQ(worst.sleep.terms.size(), 5U);
  EXPECT_LE(worst.longest[1].plan.steps.size(), 6U);
}

TEST(WorstCase, RefusesWhatItCannotBoundExactly) {
  RetryPolicy policy = core::default_policy();
  policy.retry_after.seconds = false;
  policy.retry_after.milliseconds = false;
  EXPECT_TRUE(worst_case(policy, OperationKind::kAgentChat).has_value());
  policy.retry_after.ignore_above_ms = 30'000;
  const auto refused = worst_case(policy, OperationKind::kAgentChat);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("dates"), std::string::npos);
  policy = core::default_policy();
  policy.budgets.time = seconds(1);
  policy.timeouts.idle = nanoseconds(999'999);
  EXPECT_FALSE(worst_case(policy, OperationKind::kAgentChat).has_value());
}

}  // namespace
}  // namespace squall::analysis
