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
  EXPECT_THAT(
      page,
      HasSubstr("12 at most: 9 min 15 s in all, with jitter 6 min 56.250 s to 11 min 33.738 s\n"));
  EXPECT_THAT(page, EndsWith(R"(
       slot          wait  with jitter
          1           5 s  3.750 to 6.249 s
          2          10 s  7.500 to 12.499 s
          3          20 s  15 to 24.999 s
          4          40 s  30 to 49.999 s
    5 to 12          60 s  45 to 74.999 s
)"));
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
            "0xx, 1xx, 3xx, 408, 429, 5xx, 6xx, 7xx, 8xx, 9xx");
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
