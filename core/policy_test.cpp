// SPDX-License-Identifier: MIT
#include "core/policy.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "core/shipped_policies.hpp"
#include "core/vectors_test_support.hpp"

namespace squall::core {
namespace {

constexpr std::uint64_t kMax64 = std::numeric_limits<std::uint64_t>::max();

std::vector<std::uint64_t> schedule_of(const RetryPolicy& policy) {
  std::vector<std::uint64_t> schedule;
  for (std::uint32_t slot = 0; slot < sleeps_max(policy); ++slot) {
    schedule.push_back(scheduled_ms(policy, slot));
  }
  return schedule;
}

TEST(PolicyVectors, SleepJson) {
  const nlohmann::json vectors = load_vectors("sleep.json");
  for (const nlohmann::json& vector : vectors) {
    RetryPolicy policy = default_policy();
    policy.backoff = ConstantBackoff{unsigned_at(vector, "schedule_ms")};
    std::optional<std::uint64_t> retry_after_ms;
    if (!vector.at("retry_after_ms").is_null()) {
      retry_after_ms = unsigned_at(vector, "retry_after_ms");
    }
    EXPECT_EQ(sleep_ms(policy, 0, retry_after_ms, unsigned_at(vector, "random")),
              unsigned_at(vector, "sleep_ms"))
        << vector;
  }
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

TEST(ShippedPolicies, OfLlmOperationsShareEverythingButAttemptsAndSchedule) {
  for (const NamedPolicy& named : kShippedPolicies) {
    if (named.name == "connector") {
      continue;
    }
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
  EXPECT_EQ(attempts, (std::vector<std::uint32_t>{13, 3, 3, 3, 1'024}));
  EXPECT_EQ(kShippedPolicies[0].make(), default_policy());
  EXPECT_EQ(kShippedPolicies[1].make(), synthesis_policy());
  EXPECT_EQ(kShippedPolicies[2].make(), comment_policy());
  EXPECT_EQ(kShippedPolicies[3].make(), continuation_policy());
  EXPECT_EQ(kShippedPolicies[4].make(), connector::connector_policy());
}

TEST(RetryPolicy, SleepsAreOneLessThanAttemptsAndNeverNegative) {
  RetryPolicy policy = default_policy();
  policy.budgets.attempts_max = 0;
  EXPECT_EQ(sleeps_max(policy), 0U);
  policy.budgets.attempts_max = 1;
  EXPECT_EQ(sleeps_max(policy), 0U);
  policy.budgets.attempts_max = std::numeric_limits<std::uint32_t>::max();
  EXPECT_EQ(sleeps_max(policy), std::numeric_limits<std::uint32_t>::max() - 1);
}

TEST(RetryPolicy, SleepIntervalFollowsTheSlot) {
  EXPECT_EQ(sleep_interval(default_policy(), 0), (SleepInterval{3'750, 6'249}));
  EXPECT_EQ(sleep_interval(default_policy(), 3), (SleepInterval{30'000, 49'999}));
  EXPECT_EQ(sleep_interval(default_policy(), 11), (SleepInterval{45'000, 74'999}));
}

TEST(RetryPolicy, RetryAfterReplacesScheduleAndJitterInEverySlot) {
  const RetryPolicy policy = default_policy();
  for (const std::uint32_t slot : {0U, 4U, 11U}) {
    for (const std::uint64_t word : {std::uint64_t{0}, std::uint64_t{12'345}, kMax64}) {
      EXPECT_EQ(sleep_ms(policy, slot, 0, word), 5'000U);
      EXPECT_EQ(sleep_ms(policy, slot, 4'999, word), 5'000U);
      EXPECT_EQ(sleep_ms(policy, slot, 5'001, word), 5'001U);
      EXPECT_EQ(sleep_ms(policy, slot, 7'000, word), 7'000U);
      EXPECT_EQ(sleep_ms(policy, slot, 60'001, word), 60'000U);
      EXPECT_EQ(sleep_ms(policy, slot, kMax64, word), 60'000U);
    }
  }
}

TEST(RetryPolicy, EqualityCoversEveryPart) {
  const RetryPolicy original = default_policy();
  std::vector<RetryPolicy> changed(6, original);
  changed[0].backoff = ConstantBackoff{};
  changed[1].jitter = FullJitter{};
  changed[2].retry_after.clamp_max_ms = 59'999;
  changed[3].budgets.time = Duration{1};
  changed[4].timeouts.attempt = Duration{1};
  changed[5].retry_on.cut_bodies = false;
  for (const RetryPolicy& policy : changed) {
    EXPECT_NE(policy, original);
  }
  EXPECT_EQ(RetryPolicy(original), original);
}

}  // namespace
}  // namespace squall::core
