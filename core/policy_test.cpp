// SPDX-License-Identifier: MIT
#include "core/policy.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "core/vectors_test_support.hpp"

namespace squall::core {
namespace {

constexpr std::uint64_t kMax64 = std::numeric_limits<std::uint64_t>::max();

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
