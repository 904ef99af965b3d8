// SPDX-License-Identifier: MIT
//
// Every witness of every shipped policy, played: it reaches its figure to the nanosecond, whatever
// the seed, breaks no invariant, and survives being written to a file and read back.
#include "analysis/witness.hpp"

#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/shipped_policies.hpp"
#include "playback/expectations.hpp"
#include "scenarios/loader.hpp"
#include "scenarios/writer.hpp"
#include "simulator/simulation.hpp"

namespace squall::analysis {
namespace {

using core::Duration;
using core::RetryPolicy;
using scenarios::OperationKind;
using scenarios::Scenario;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

/// What a run came to.
struct Ran {
  std::uint32_t calls = 0;
  Duration elapsed{0};
  Duration slept{0};
};

Ran play(const Scenario& scenario, std::uint64_t seed) {
  const playback::PreparedScenario prepared(scenario);
  simulator::Simulation simulation(prepared);
  const playback::RunResult& result = simulation.run(seed, 0);
  EXPECT_TRUE(result.sound()) << scenario.name << ": "
                              << (result.violations->empty() ? result.internal_error.value_or("")
                                                             : result.violations->front().message);
  EXPECT_THAT(playback::unmet_expectations(scenario.expect, result), IsEmpty()) << scenario.name;
  return {.calls = result.attempts, .elapsed = result.elapsed, .slept = result.sleep_total};
}

std::map<std::string, Scenario> witnesses_of(const WorstCase& worst, const RetryPolicy& policy,
                                             std::string_view policy_name = "inline") {
  std::map<std::string, Scenario> scenarios;
  for (Witness& witness : witnesses(worst, policy, policy_name, "a")) {
    EXPECT_EQ(witness.scenario.name, "a-" + witness.figure);
    EXPECT_TRUE(scenarios.emplace(witness.figure, std::move(witness.scenario)).second);
  }
  return scenarios;
}

/// Plays every witness and holds it against the figure it stands for.
void expect_reached(const RetryPolicy& policy, OperationKind kind,
                    std::string_view policy_name = "inline") {
  constexpr std::uint32_t kBodyWaits = 6;
  const auto worst = worst_case(policy, kind, kBodyWaits);
  ASSERT_TRUE(worst.has_value());
  const std::map<std::string, Scenario> all = witnesses_of(*worst, policy, policy_name);
  for (const auto& [figure, scenario] : all) {
    const auto back = scenarios::load_scenario(scenarios::write_scenario(scenario), scenario.name);
    ASSERT_TRUE(back.has_value()) << core::to_string(back.error());
    EXPECT_EQ(*back, scenario) << figure;
    for (const std::uint64_t seed : {1U, 2U}) {
      SCOPED_TRACE(scenario.name + " " + std::string(label(kind)));
      const Ran ran = play(*back, seed);
      if (figure == "fewest-calls") {
        EXPECT_EQ(ran.calls, worst->calls_min);
      } else if (figure == "most-calls") {
        EXPECT_EQ(ran.calls, worst->calls_max);
      } else if (figure == "longest-sleep") {
        EXPECT_EQ(ran.slept, worst->sleep.total);
      } else if (figure == "no-body-wait") {
        EXPECT_EQ(ran.elapsed, worst->longest[0].operation);
      } else if (figure == "silent-body") {
        EXPECT_EQ(ran.elapsed, worst->longest[1].operation);
      } else if (figure == "trickling-body") {
        EXPECT_EQ(ran.elapsed, worst->longest[2].operation);
      } else if (figure == "endless-trickle") {
        EXPECT_EQ(ran.calls, 1U);
        EXPECT_EQ(ran.elapsed, scenario.horizon);
      } else if (figure == "outage-fewest-calls") {
        EXPECT_EQ(ran.calls, worst->outage.calls_min);
      } else if (figure == "outage-most-calls") {
        EXPECT_EQ(ran.calls, worst->outage.calls_max);
      } else {
        EXPECT_EQ(figure, "outage");
      }
    }
  }
}

TEST(Witness, EveryFigureOfTheShippedPoliciesIsReached) {
  expect_reached(core::default_policy(), OperationKind::kAgentChat, "default");
  expect_reached(core::default_policy(), OperationKind::kExtraction, "default");
  expect_reached(core::comment_policy(), OperationKind::kComment, "comment");
  expect_reached(core::synthesis_policy(), OperationKind::kSynthesis, "synthesis");
  expect_reached(core::synthesis_policy(), OperationKind::kResearchSynthesis, "synthesis");
  expect_reached(core::continuation_policy(), OperationKind::kContinuation, "continuation");
  expect_reached(core::connector::connector_policy(), OperationKind::kToolCall, "connector");
}

TEST(Witness, DefaultPolicyHasAWitnessForEveryFigure) {
  const RetryPolicy policy = core::default_policy();
  const auto worst = worst_case(policy, OperationKind::kAgentChat, 6);
  std::vector<std::string> figures;
  for (const Witness& witness : witnesses(*worst, policy, "default", "default")) {
    figures.push_back(witness.figure);
  }
  EXPECT_THAT(figures, ElementsAre("fewest-calls", "most-calls", "longest-sleep", "no-body-wait",
                                   "silent-body", "trickling-body", "endless-trickle", "outage"));
}

TEST(Witness, LongestSleepIsFourRateLimitsAndThenJitter) {
  const RetryPolicy policy = core::default_policy();
  const auto worst = worst_case(policy, OperationKind::kAgentChat);
  const Scenario scenario = witnesses_of(*worst, policy).at("longest-sleep");
  const auto& sequence = scenario.server.phases.at(0).sequence;
  ASSERT_EQ(sequence.size(), 2U);
  EXPECT_EQ(sequence[0].times, 4U);
  const auto& limit = std::get<scenarios::HttpAnswer>(sequence[0].mix[0].respond.what);
  EXPECT_EQ(limit.status, 429);
  EXPECT_EQ(limit.headers, (std::vector<scenarios::Header>{{"retry-after-ms", "60000"}}));
  // 45000 + 29999 ms, eight times; a Retry-After draws nothing.
  EXPECT_EQ(scenario.client.jitter_words, std::vector<std::uint64_t>(8, 29'999));
}

TEST(Witness, OtherWaysOfBeingRetriedAreReachedToo) {
  for (int without = 0; without < 16; ++without) {
    RetryPolicy policy = core::default_policy();
    policy.budgets.attempts_max = 4;
    if ((without & 1) != 0) {
      policy.retry_on.statuses = {};
    }
    policy.retry_on.connection_failures = (without & 2) == 0;
    policy.retry_on.cut_bodies = (without & 4) == 0;
    policy.retry_on.unusable_answers = (without & 8) == 0;
    SCOPED_TRACE(without);
    for (const OperationKind kind :
         {OperationKind::kAgentChat, OperationKind::kExtraction, OperationKind::kComment,
          OperationKind::kSynthesis, OperationKind::kResearchSynthesis,
          OperationKind::kContinuation}) {
      expect_reached(policy, kind);
    }
    RetryPolicy connector = core::connector::connector_policy();
    connector.retry_on = policy.retry_on;
    expect_reached(connector, OperationKind::kToolCall);
  }
}

TEST(Witness, EveryKindOfJitterScheduleAndRetryAfter) {
  for (const core::Jitter& jitter :
       {core::Jitter(core::NoJitter{}), core::Jitter(core::EqualJitter{}),
        core::Jitter(core::FullJitter{}),
        core::Jitter(core::ProportionalJitter{.below = 3, .width = 5})}) {
    for (const core::Backoff& backoff : {core::Backoff(core::ConstantBackoff{.delay_ms = 0}),
                                         core::Backoff(core::ConstantBackoff{.delay_ms = 7'777}),
                                         core::Backoff(core::ExponentialBackoff{.base_ms = 1'001,
                                         .cap_ms = 9'999,
                                         .multiplier = {.numerator = 3, .denominator = 2}})}) {
      RetryPolicy policy = core::default_policy();
      policy.budgets.attempts_max = 6;
      policy.jitter = jitter;
      policy.backoff = backoff;
      expect_reached(policy, OperationKind::kAgentChat);
      policy.retry_after.milliseconds = false;
      policy.retry_after.ignore_above_ms = 6'543;
      expect_reached(policy, OperationKind::kAgentChat);
      policy.retry_after.ignore_above_ms.reset();
      policy.retry_after.seconds = false;
      expect_reached(policy, OperationKind::kAgentChat);
      policy.retry_after.http_date = false;
      expect_reached(policy, OperationKind::kSynthesis);
    }
  }
}

TEST(Witness, TimeBudgetsAndTimeouts) {
  for (const Duration budget :
       {Duration(0), Duration(seconds(5)), milliseconds(66'249) + nanoseconds(1),
        Duration(seconds(100)), Duration(std::chrono::hours(3))}) {
    for (const std::optional<Duration> attempt :
         {std::optional<Duration>(), std::optional<Duration>(seconds(700)),
          std::optional<Duration>(milliseconds(1))}) {
      RetryPolicy policy = core::default_policy();
      policy.budgets.time = budget;
      policy.timeouts.attempt = attempt;
      SCOPED_TRACE(budget.count());
      expect_reached(policy, OperationKind::kAgentChat);
      expect_reached(policy, OperationKind::kResearchSynthesis);
      expect_reached(policy, OperationKind::kContinuation);
      policy.timeouts.idle.reset();
      expect_reached(policy, OperationKind::kExtraction);
    }
  }
}

TEST(Witness, CallsOfAnyNumber) {
  for (const std::uint32_t attempts : {0U, 1U, 2U, 1'000U}) {
    RetryPolicy policy = core::default_policy();
    policy.budgets.attempts_max = attempts;
    expect_reached(policy, OperationKind::kAgentChat);
  }
}

TEST(Witness, TimeoutsOfAFewNanoseconds) {
  for (const int idle : {0, 1, 2, 3}) {
    for (const int attempt : {-1, 0, 1, 2, 5}) {
      RetryPolicy policy = core::default_policy();
      policy.budgets.attempts_max = 3;
      policy.timeouts.idle = nanoseconds(idle);
      if (attempt >= 0) {
        policy.timeouts.attempt = nanoseconds(attempt);
      }
      SCOPED_TRACE(testing::Message() << idle << " " << attempt);
      expect_reached(policy, OperationKind::kAgentChat);
      policy.retry_on.cut_bodies = false;
      expect_reached(policy, OperationKind::kExtraction);
    }
  }
}

/// The average of many runs of the outage lies where the mean says.
void expect_mean(const RetryPolicy& policy, OperationKind kind, Duration tolerance) {
  const auto worst = worst_case(policy, kind);
  ASSERT_TRUE(worst && worst->outage.mean);
  const playback::PreparedScenario prepared(witnesses_of(*worst, policy).at("outage"));
  simulator::Simulation simulation(prepared);
  constexpr std::uint32_t kRuns = 4'000;
  Duration sum{0};
  for (std::uint32_t run = 0; run < kRuns; ++run) {
    sum += simulation.run(1, run).elapsed;
  }
  EXPECT_LT(std::chrono::abs(sum / kRuns - *worst->outage.mean), tolerance);
}

TEST(Witness, OutagesTakeTheirMeanOnAverage) {
  // Eight uniform sleeps of 30 s width, four narrower: a run spreads by 27 s, the average of 4000
  // by 0.43 s. Six times that is out of reach of chance.
  expect_mean(core::default_policy(), OperationKind::kAgentChat, milliseconds(2'600));
  // Within 2 s a run spreads by less than 0.2 s, the average by 3.2 ms.
  expect_mean(core::connector::connector_policy(), OperationKind::kToolCall, milliseconds(19));
}

}  // namespace
}  // namespace squall::analysis
