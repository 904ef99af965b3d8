// SPDX-License-Identifier: MIT
#include "core/shipped_policies.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace squall::core {
namespace {

constexpr std::uint64_t kMax64 = std::numeric_limits<std::uint64_t>::max();

/// All but the last, which is for tool calls.
std::span<const NamedPolicy> llm_policies() {
  return std::span(kShippedPolicies).first(4);
}

std::vector<std::uint64_t> schedule_of(const RetryPolicy& policy) {
  std::vector<std::uint64_t> schedule;
  for (std::uint32_t slot = 0; slot < sleeps_max(policy); ++slot) {
    schedule.push_back(scheduled_ms(policy, slot));
  }
  return schedule;
}

TEST(ShippedPolicies, DefaultSleeps555SecondsOverTwelveSlots) {
  const std::vector<std::uint64_t> schedule = schedule_of(default_policy());
  EXPECT_EQ(schedule, (std::vector<std::uint64_t>{5'000, 10'000, 20'000, 40'000, 60'000, 60'000,
                                                  60'000, 60'000, 60'000, 60'000, 60'000, 60'000}));
  EXPECT_EQ(std::accumulate(schedule.begin(), schedule.end(), std::uint64_t{0}), 555'000U);
}

TEST(ShippedPolicies, OthersMakeThreeCalls) {
  EXPECT_EQ(schedule_of(synthesis_policy()), (std::vector<std::uint64_t>{30'000, 45'000}));
  EXPECT_EQ(schedule_of(comment_policy()), (std::vector<std::uint64_t>{5'000, 10'000}));
  EXPECT_EQ(schedule_of(continuation_policy()), (std::vector<std::uint64_t>{0, 0}));
}

TEST(ShippedPolicies, ContinuationNeverSleepsOfItsOwn) {
  for (const std::uint64_t word : {std::uint64_t{0}, std::uint64_t{1}, kMax64}) {
    EXPECT_EQ(sleep_ms(continuation_policy(), 0, std::nullopt, word), 0U);
    EXPECT_EQ(sleep_ms(continuation_policy(), 1, std::nullopt, word), 0U);
  }
}

TEST(ShippedPolicies, ThoseForChatsShareEverythingButAttemptsAndSchedule) {
  for (const NamedPolicy& named : llm_policies()) {
    const RetryPolicy policy = named.make();
    EXPECT_EQ(policy.jitter, Jitter(ProportionalJitter{.below = 4, .width = 2})) << named.name;
    EXPECT_EQ(policy.retry_after.clamp_min_ms, 5'000U) << named.name;
    EXPECT_EQ(policy.retry_after.clamp_max_ms, 60'000U) << named.name;
    EXPECT_EQ(policy.retry_after.ignore_above_ms, std::nullopt) << named.name;
    EXPECT_TRUE(policy.retry_after.seconds && policy.retry_after.http_date &&
                policy.retry_after.milliseconds)
        << named.name;
    EXPECT_EQ(policy.budgets.time, std::nullopt) << named.name;
    EXPECT_EQ(policy.timeouts.idle, std::optional<Duration>(std::chrono::minutes(10)))
        << named.name;
    EXPECT_EQ(policy.timeouts.attempt, std::nullopt) << named.name;
    EXPECT_EQ(policy.retry_on.statuses, StatusSet::llm_default()) << named.name;
    EXPECT_TRUE(policy.retry_on.connection_failures && policy.retry_on.cut_bodies &&
                policy.retry_on.unusable_answers)
        << named.name;
  }
}

TEST(ShippedPolicies, NamesLeadToTheirPolicies) {
  std::vector<std::string_view> names;
  std::vector<std::uint32_t> attempts;
  for (const NamedPolicy& named : kShippedPolicies) {
    names.push_back(named.name);
    attempts.push_back(named.make().budgets.attempts_max);
  }
  EXPECT_EQ(names, (std::vector<std::string_view>{"default", "synthesis", "comment", "continuation",
                                                  "connector"}));
  EXPECT_EQ(attempts, (std::vector<std::uint32_t>{13, 3, 3, 3, connector::kAttemptsBackstop}));
  EXPECT_EQ(kShippedPolicies[0].make(), default_policy());
  EXPECT_EQ(kShippedPolicies[1].make(), synthesis_policy());
  EXPECT_EQ(kShippedPolicies[2].make(), comment_policy());
  EXPECT_EQ(kShippedPolicies[3].make(), continuation_policy());
  EXPECT_EQ(kShippedPolicies[4].make(), connector::connector_policy());
}

}  // namespace
}  // namespace squall::core
