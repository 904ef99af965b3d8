// SPDX-License-Identifier: MIT
#include "simulator/batch.hpp"

#include <atomic>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "playback/scenarios_test_support.hpp"
#include "simulator/saboteurs_test_support.hpp"
#include "simulator/simulation.hpp"

namespace squall::simulator {
namespace {

using core::Duration;
using playback::good;
using playback::overloaded;
using playback::scenario;
using playback::sequence;
using playback::step;
using scenarios::Outcome;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using namespace std::chrono_literals;

/// Half of the calls fail, so that runs differ in everything that is summed up.
scenarios::Scenario coin() {
  auto made = scenario(sequence({step(1, good())}));
  made.server.phases[0].sequence[0].mix = {{.weight = 1, .respond = overloaded()},
                                           {.weight = 1, .respond = good(3s)}};
  return made;
}

BatchSummary batch(const scenarios::Scenario& source, std::uint64_t runs, unsigned threads) {
  const playback::PreparedScenario prepared(source);
  BatchOptions options;
  options.seed = 11;
  options.runs = runs;
  options.threads = threads;
  return run_batch(prepared, options);
}

TEST(Batch, SumsEqualTheRunsOneByOne) {
  const playback::PreparedScenario prepared(coin());
  Simulation simulation(prepared);
  std::uint64_t calls = 0;
  std::uint64_t wasted = 0;
  Duration longest{0};
  for (std::uint64_t run = 0; run < 500; ++run) {
    const playback::RunResult& result = simulation.run(11, run);
    calls += result.attempts;
    wasted += result.attempts - 1;  // Every run succeeds: 13 heads in a row do not occur here.
    longest = std::max(longest, result.elapsed);
    ASSERT_EQ(result.outcome, Outcome::kSuccess);
  }
  const BatchSummary summary = batch(coin(), 500, 1);
  EXPECT_EQ(summary.runs, 500U);
  EXPECT_EQ(summary.successes(), 500U);
  EXPECT_EQ(summary.calls, calls);
  EXPECT_EQ(summary.calls_wasted, wasted);
  EXPECT_EQ(summary.elapsed.max(), longest);
  EXPECT_EQ(summary.runs_unsound, 0U);
}

TEST(Batch, SummaryDoesNotDependOnTheNumberOfThreads) {
  const BatchSummary one = batch(coin(), 5'000, 1);
  for (const unsigned threads : {2U, 3U, 8U}) {
    const BatchSummary many = batch(coin(), 5'000, threads);
    EXPECT_EQ(many.digest, one.digest);
    EXPECT_EQ(many.attempts, one.attempts);
    EXPECT_EQ(many.outcomes, one.outcomes);
    EXPECT_EQ(many.checks, one.checks);
    EXPECT_EQ(many.failures, one.failures);
    for (const auto& [numerator, denominator] : {std::pair{1, 2}, {9, 10}, {99, 100}}) {
      EXPECT_EQ(many.elapsed.quantile(static_cast<std::uint64_t>(numerator),
                                      static_cast<std::uint64_t>(denominator)),
                one.elapsed.quantile(static_cast<std::uint64_t>(numerator),
                                     static_cast<std::uint64_t>(denominator)));
    }
  }
}

TEST(Batch, DigestTellsRunsAndSeedsApart) {
  EXPECT_NE(batch(coin(), 100, 1).digest, batch(coin(), 101, 1).digest);
}

TEST(Batch, SlotsHoldTheExtremesOfTheSleepsTaken) {
  const BatchSummary summary = batch(scenario(sequence({step(1, overloaded())})), 20'000, 2);
  ASSERT_EQ(summary.slots.size(), 12U);
  // Slot 0 is 5 s: 3750 to 6249 ms. Of 20 000 uniform draws over 2500 values each end is missed
  // with probability (1 - 1/2500)^20000 < 0.0004; this seed reaches both.
  EXPECT_EQ(summary.slots[0].jittered, 20'000U);
  EXPECT_EQ(summary.slots[0].jittered_min, 3'750ms);
  EXPECT_EQ(summary.slots[0].jittered_max, 6'249ms);
  EXPECT_EQ(summary.slots[0].by_retry_after, 0U);
  EXPECT_THAT(summary.attempts, ElementsAre(Pair(13U, 20'000U)));
}

TEST(Batch, FindsTheFirstRunThatDoesNotMeetTheExpectations) {
  auto picky = coin();
  picky.expect.attempts.max = 1;
  picky.expect.success_rate_ppm.max = 0;
  const BatchSummary summary = batch(picky, 200, 2);
  const playback::PreparedScenario prepared(picky);
  Simulation simulation(prepared);
  std::uint64_t first = 0;
  while (simulation.run(11, first).attempts == 1) {
    ++first;
  }
  ASSERT_TRUE(summary.unmet.has_value());
  EXPECT_EQ(summary.unmet->run, first);
  EXPECT_THAT(summary.unmet_overall,
              ElementsAre("success_rate: 100% of 200 runs, expected at most 0%"));
  EXPECT_FALSE(summary.as_expected());
}

TEST(Batch, NamesTheFirstRunOfEachOutcomeAndTheLongestOne) {
  auto scarce = coin();
  scarce.policy.budgets.attempts_max = 2;  // One run in four fails twice and is exhausted.
  const playback::PreparedScenario prepared(scarce);
  Simulation simulation(prepared);
  std::optional<std::uint64_t> exhausted;
  std::uint64_t longest = 0;
  Duration most{-1};
  for (std::uint64_t run = 0; run < 300; ++run) {
    const playback::RunResult& result = simulation.run(11, run);
    if (result.outcome == Outcome::kExhausted && !exhausted) {
      exhausted = run;
    }
    if (result.elapsed > most) {
      most = result.elapsed;
      longest = run;
    }
  }
  ASSERT_TRUE(exhausted.has_value());
  for (const unsigned threads : {1U, 2U, 5U}) {
    const BatchSummary summary = batch(scarce, 300, threads);
    EXPECT_EQ(summary.first_run[1], exhausted);
    EXPECT_EQ(summary.first_unsuccessful(), exhausted);
    EXPECT_EQ(summary.longest_run, longest);
  }
}

TEST(Batch, InterruptStopsBetweenRuns) {
  const playback::PreparedScenario prepared(coin());
  std::atomic<bool> interrupted{false};
  BatchOptions options;
  options.runs = 1'000'000'000;
  options.interrupted = &interrupted;
  options.progress = [&](std::uint64_t) { interrupted = true; };
  const BatchSummary summary = run_batch(prepared, options);
  EXPECT_GE(summary.runs, 1U);
  EXPECT_LT(summary.runs, options.runs);
  EXPECT_THAT(summary.unmet_overall, IsEmpty());
}

TEST(Batch, FailedCheckIsCountedWithItsRunAndTime) {
  auto broken = coin();
  broken.defect = "fails_a_check";
  const playback::PreparedScenario prepared(broken, make_saboteur);
  BatchOptions options;
  options.runs = 200;
  options.threads = 2;
  const BatchSummary summary = run_batch(prepared, options);
  EXPECT_EQ(summary.runs_unsound, 200U);
  ASSERT_TRUE(summary.unsound.has_value());
  EXPECT_EQ(summary.unsound->run, 0U);
  // The first headers come after 120 ms or after 3 s, whichever answer was drawn.
  EXPECT_THAT(summary.unsound->at, testing::AnyOf(Duration(120ms), Duration(3s)));
}

TEST(Batch, ExceptionReachesTheCallerAndNotTheEndOfTheProcess) {
  const playback::PreparedScenario prepared(coin());
  BatchOptions options;
  options.runs = 100'000;
  options.threads = 2;
  options.progress = [](std::uint64_t) { throw std::runtime_error("the terminal is gone"); };
  EXPECT_THROW((void)run_batch(prepared, options), std::runtime_error);
}

TEST(Batch, RunZeroIsAlwaysPlayedTwiceAndAllAreOnRequest) {
  constexpr auto kDeterministic = static_cast<std::size_t>(playback::Invariant::kDeterministic);
  EXPECT_EQ(batch(coin(), 100, 1).checks[kDeterministic], 1U);
  const playback::PreparedScenario prepared(coin());
  BatchOptions options;
  options.runs = 100;
  options.verify_determinism = true;
  EXPECT_EQ(run_batch(prepared, options).checks[kDeterministic], 100U);
}

}  // namespace
}  // namespace squall::simulator
