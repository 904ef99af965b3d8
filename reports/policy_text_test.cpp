// SPDX-License-Identifier: MIT
#include "reports/policy_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace squall::reports {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

const Style kAscii{.color = false, .unicode = false, .width = 100};

TEST(PolicyText, ShippedPoliciesInOneLine) {
  EXPECT_EQ(policy_line(core::default_policy()),
            "13 calls, 5 s doubling to 60 s, jitter 75% to 125%, Retry-After within 5 to 60 s, "
            "idle timeout 600 s");
  EXPECT_THAT(policy_line(core::continuation_policy()), testing::StartsWith("3 calls, no waits"));
}

TEST(PolicyText, ThePageTellsTheScheduleSlotBySlot) {
  const std::string page = policy_page(core::default_policy(), "default", "A summary.", kAscii);
  EXPECT_THAT(page, testing::StartsWith("default: A summary.\n"));
  // 5+10+20+40+8x60 = 555 s; lower ends 3.75+7.5+15+30+8x45 = 416.25 s; upper ends one
  // millisecond below 6.25+12.5+25+50+8x75 = 693.75 s each.
  // With Retry-After each slot may fall to 5 s and rise to 60 s: 3.75+11x5 = 58.75 s, and 4x60+8x75
  // = 840 s less a millisecond for each of the eight slots that jitter makes the longest.
  EXPECT_THAT(
      page,
      HasSubstr(
          "12 at most: 9 min 15 s in all, with jitter 6 min 56.250 s to 11 min 33.738 s, with\n"
          "               Retry-After 58.750 s to 13 min 59.992 s\n"));
  EXPECT_THAT(page, EndsWith(R"(
       slot          wait  with jitter
          1           5 s  3.750 to 6.249 s
          2          10 s  7.500 to 12.499 s
          3          20 s  15 to 24.999 s
          4          40 s  30 to 49.999 s
    5 to 12          60 s  45 to 74.999 s
)"));
}

TEST(PolicyText, WhatAServerCanMakeOfTheSleepsIsTold) {
  core::RetryPolicy policy;
  policy.budgets.attempts_max = 3;
  policy.backoff = core::ConstantBackoff{.delay_ms = 10'000};
  policy.jitter = core::NoJitter{};
  policy.retry_after.clamp_min_ms = 2'000;
  policy.retry_after.clamp_max_ms = 90'000;
  const auto sleeps = [&policy] { return policy_page(policy, "p", "", kAscii); };
  EXPECT_THAT(sleeps(), HasSubstr("with Retry-After 4 s to 3 min\n"));
  // What is ignored is asked for in vain; what is let through is held within the clamp.
  policy.retry_after.ignore_above_ms = 30'000;
  EXPECT_THAT(sleeps(), HasSubstr("with Retry-After 4 s to 1 min\n"));
  policy.retry_after.ignore_above_ms = 1'000;
  EXPECT_THAT(sleeps(), HasSubstr("with Retry-After 4 s to 20 s\n"));
  policy.retry_after.milliseconds = false;
  policy.retry_after.seconds = false;
  policy.retry_after.http_date = false;
  EXPECT_THAT(sleeps(), testing::Not(HasSubstr("with Retry-After")));
}

TEST(PolicyText, EveryKindOfPartHasWords) {
  core::RetryPolicy policy;
  policy.budgets = {.attempts_max = 2, .time = std::chrono::seconds(2)};
  policy.backoff = core::ConstantBackoff{.delay_ms = 250};
  policy.jitter = core::FullJitter{};
  policy.retry_after.seconds = false;
  policy.retry_after.http_date = false;
  policy.retry_after.milliseconds = false;
  policy.timeouts = {.idle = std::nullopt, .attempt = std::chrono::seconds(30)};
  EXPECT_EQ(policy_line(policy),
            "2 calls, 250 ms each, full jitter, Retry-After ignored, time budget 2 s, no idle "
            "timeout, attempt timeout 30 s");
  policy.jitter = core::ProportionalJitter{.below = 3, .width = 7};
  EXPECT_THAT(policy_line(policy), HasSubstr("jitter -1/3 then +1/7"));
}

TEST(PolicyText, StatusesFoldIntoClasses) {
  EXPECT_EQ(statuses_text(core::StatusSet::llm_default()),
            "1xx, 3xx, 408, 429, 5xx, 6xx, 7xx, 8xx, 9xx");
  EXPECT_EQ(statuses_text(core::StatusSet()), "no status");
}

// A million attempts of a schedule that grows slowly must not take a million lines.
TEST(PolicyText, LongSchedulesAreCut) {
  core::RetryPolicy policy;
  policy.budgets.attempts_max = 1'000'000;
  policy.backoff = core::ExponentialBackoff{.base_ms = 1'000,
                                            .cap_ms = 10'000'000,
                                            .multiplier = {.numerator = 101, .denominator = 100},
                                            .growth_steps_max = 200};
  EXPECT_THAT(policy_page(policy, "slow", "", kAscii), EndsWith("  ... and on to slot 999999\n"));
}

}  // namespace
}  // namespace squall::reports
