// SPDX-License-Identifier: MIT
#include "core/connector/policy.hpp"

#include <limits>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "core/vectors_test_support.hpp"

namespace squall::core::connector {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

TEST(ConnectorPolicy, BackoffMatchesTheVectors) {
  const nlohmann::json vectors = load_vectors("connector.json");
  ASSERT_FALSE(vectors.at("backoff").empty());
  const RetryPolicy policy = connector_policy();
  for (const nlohmann::json& row : vectors.at("backoff")) {
    const auto slot = static_cast<std::uint32_t>(unsigned_at(row, "retry"));
    const std::uint64_t min_ms = unsigned_at(row, "min_ms");
    const std::uint64_t max_ms = unsigned_at(row, "max_ms");
    EXPECT_EQ(sleep_interval(policy, slot), (SleepInterval{min_ms, max_ms})) << slot;
    // Both ends are drawn: the words 0 and d/2 leave the remainders 0 and d/2.
    EXPECT_EQ(sleep_ms(policy, slot, std::nullopt, 0), min_ms) << slot;
    EXPECT_EQ(sleep_ms(policy, slot, std::nullopt, max_ms / 2), max_ms) << slot;
  }
}

/// How many attempts failures at once can give: every total of whole-millisecond sleeps that can be
/// reached, followed to the sleep that would exceed the budget. Written from the rule alone.
std::set<int> attempts_possible(int budget_ms, int base_ms, int cap_ms) {
  std::set<int> attempts;
  std::set<int> totals{0};
  for (int n = 0; !totals.empty(); ++n) {
    const int d = std::min(cap_ms, base_ms << n);
    std::set<int> next;
    for (const int total : totals) {
      for (int sleep = d / 2; sleep <= d; ++sleep) {
        if (total + sleep > budget_ms) {
          attempts.insert(n + 1);
        } else {
          next.insert(total + sleep);
        }
      }
    }
    totals = std::move(next);
  }
  return attempts;
}

TEST(ConnectorPolicy, FailuresAtOnceGiveSixToTenAttempts) {
  // 100+200+400+500+500 = 1700, one more 500 exceeds 2000: five sleeps, six attempts.
  // 50+100+200+6x250 = 1850, one more 250 exceeds 2000: nine sleeps, ten attempts.
  EXPECT_EQ(attempts_possible(2'000, 100, 500), (std::set<int>{6, 7, 8, 9, 10}));
  const nlohmann::json stated = load_vectors("connector.json").at("instant_failures_attempts");
  EXPECT_EQ(unsigned_at(stated, "min"), 6U);
  EXPECT_EQ(unsigned_at(stated, "max"), 10U);
}

TEST(ConnectorPolicy, TheAttemptLimitNeverActsBeforeTheBudget) {
  // The longest budget allowed with the shipped schedule: 350 ms for three sleeps, then 250 ms.
  EXPECT_EQ(1 + 3 + (60'000 - 350) / 250, 242);
  EXPECT_GT(kAttemptsBackstop, 242U);
  EXPECT_EQ(connector_policy().budgets.attempts_max, kAttemptsBackstop);
}

TEST(ConnectorPolicy, TheCapAloneEndsTheGrowth) {
  RetryPolicy policy = connector_policy();
  auto& backoff = std::get<ExponentialBackoff>(policy.backoff);
  backoff.base_ms = 1;
  backoff.cap_ms = 60'000;
  EXPECT_EQ(scheduled_ms(policy, 15), 32'768U);
  EXPECT_EQ(scheduled_ms(policy, 16), 60'000U);
  EXPECT_EQ(scheduled_ms(policy, std::numeric_limits<std::uint32_t>::max()), 60'000U);
}

TEST(ConnectorPolicy, StatesTheDefaultsAndIgnoresRetryAfter) {
  const RetryPolicy policy = connector_policy();
  EXPECT_EQ(policy.budgets.time, Duration(seconds(2)));
  EXPECT_EQ(policy.timeouts.attempt, Duration(seconds(30)));
  EXPECT_EQ(policy.timeouts.idle, std::nullopt);
  EXPECT_FALSE(policy.retry_after.is_honoured());
  EXPECT_TRUE(policy.retry_on.connection_failures && policy.retry_on.cut_bodies &&
              policy.retry_on.unusable_answers);
  for (const int retried : {100, 302, 400, 404, 429, 500, 503, 999}) {
    EXPECT_TRUE(policy.retry_on.statuses.contains(retried)) << retried;
  }
  for (const int final_status : {200, 202, 299, 401, 403}) {
    EXPECT_FALSE(policy.retry_on.statuses.contains(final_status)) << final_status;
  }
}

RetryPolicy with(std::uint64_t base_ms, std::uint64_t cap_ms, Duration budget,
                 Duration call_timeout) {
  RetryPolicy policy = connector_policy();
  policy.backoff = ExponentialBackoff{.base_ms = base_ms, .cap_ms = cap_ms};
  policy.budgets.time = budget;
  policy.timeouts.attempt = call_timeout;
  return policy;
}

std::string verdict(const RetryPolicy& policy) {
  const Expected<void, Error> checked = validate_connector_policy(policy);
  return checked ? "fine" : to_string(checked.error());
}

TEST(ConnectorPolicy, LimitsAreInclusive) {
  EXPECT_EQ(verdict(connector_policy()), "fine");
  EXPECT_EQ(verdict(with(0, 0, seconds(0), seconds(10))), "fine");
  EXPECT_EQ(verdict(with(60'000, 60'000, seconds(60), seconds(60))), "fine");
}

TEST(ConnectorPolicy, EveryLimitBites) {
  const nanoseconds bit{1};
  EXPECT_EQ(verdict(with(501, 500, seconds(2), seconds(30))),
            "connector policy: the base 0.501 s exceeds the cap of 0.5 s");
  EXPECT_EQ(verdict(with(100, 2'000, seconds(2) - bit, seconds(30))),
            "connector policy: the cap 2 s exceeds the time budget of 1.999999999 s");
  EXPECT_EQ(verdict(with(100, 500, seconds(60) + bit, seconds(30))),
            "connector policy: the time budget 60.000000001 s exceeds 60 s");
  EXPECT_EQ(verdict(with(100, 500, seconds(2), seconds(10) - bit)),
            "connector policy: the timeout of an attempt 9.999999999 s is below 10 s");
  EXPECT_EQ(verdict(with(100, 500, seconds(2), seconds(60) + bit)),
            "connector policy: the timeout of an attempt 60.000000001 s exceeds 60 s");
}

TEST(ConnectorPolicy, BudgetAndTimeoutMustBeThere) {
  RetryPolicy policy = connector_policy();
  policy.budgets.time.reset();
  EXPECT_EQ(verdict(policy), "connector policy: a time budget is required");
  policy = connector_policy();
  policy.timeouts.attempt.reset();
  EXPECT_EQ(verdict(policy), "connector policy: a timeout for a whole attempt is required");
}

TEST(ConnectorPolicy, AConstantScheduleIsItsOwnCap) {
  RetryPolicy policy = connector_policy();
  policy.backoff = ConstantBackoff{.delay_ms = 2'000};
  EXPECT_EQ(verdict(policy), "fine");
  policy.backoff = ConstantBackoff{.delay_ms = 2'001};
  EXPECT_EQ(verdict(policy), "connector policy: the cap 2.001 s exceeds the time budget of 2 s");
}

}  // namespace
}  // namespace squall::core::connector
