// SPDX-License-Identifier: MIT
#include "analysis/comparison.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/gate_test_support.hpp"
#include "analysis/worst_case.hpp"
#include "core/connector/policy.hpp"

namespace squall::analysis {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

MeasureOptions runs_of(std::uint64_t runs, unsigned threads = 1) {
  MeasureOptions options;
  options.runs = runs;
  options.threads = threads;
  return options;
}

TEST(Comparison, AnOutageByHand) {
  const NamedScenario scenario = ten_second_outage();
  const std::array<NamedPolicy, 2> policies{
      {{"three", plain_policy(3)}, {"five", plain_policy(5)}}};
  const Comparison comparison = compare(policies, std::array{scenario}, runs_of(4));
  ASSERT_EQ(comparison.scenarios.size(), 1U);
  EXPECT_EQ(comparison.scenarios[0].heals_at, seconds(10));
  EXPECT_THAT(comparison.scenarios[0].cells, ElementsAre(Figures{.runs = 4,
                                                                 .successes = 0,
                                                                 .calls = 12,
                                                                 .wasted = 12,
                                                                 .p50 = seconds(7),
                                                                 .p99 = seconds(7),
                                                                 .max = seconds(7),
                                                                 .recovered = 0,
                                                                 .recovery_p50 = {},
                                                                 .recovery_max = {}},
                                                         Figures{.runs = 4,
                                                                 .successes = 4,
                                                                 .calls = 20,
                                                                 .wasted = 16,
                                                                 .p50 = seconds(13),
                                                                 .p99 = seconds(13),
                                                                 .max = seconds(13),
                                                                 .recovered = 4,
                                                                 .recovery_p50 = seconds(3),
                                                                 .recovery_max = seconds(3)}));
  // Neither is better in everything.
  EXPECT_THAT(comparison.dominance, IsEmpty());
  EXPECT_FALSE(comparison.interrupted);
  EXPECT_THAT(comparison.unsound, IsEmpty());
  // 3 calls that wait 60 s for headers, all but a nanosecond, and 60 s for the body; 2 sleeps.
  EXPECT_EQ(comparison.policies[0].bounds,
            (std::vector<Bound>{{.kind = scenarios::OperationKind::kAgentChat,
                                 .longest = seconds(364) - std::chrono::nanoseconds(3),
                                 .not_computed = {}}}));
}

TEST(Comparison, RunsArePaired) {
  // The draws of the provider do not depend on the policy: one call each, the same latency.
  const NamedScenario scenario = drawn_latency();
  const Measurement one = measure(under(scenario.scenario, plain_policy(1)), runs_of(100));
  const Measurement five = measure(under(scenario.scenario, plain_policy(5)), runs_of(100));
  EXPECT_EQ(one.runs, five.runs);
  EXPECT_NE(one.runs[0], one.runs[1]);
}

TEST(Comparison, FactsDoNotDependOnThreads) {
  const playback::PreparedScenario prepared =
      under(drawn_latency().scenario, core::default_policy());
  EXPECT_EQ(measure(prepared, runs_of(500, 1)).runs, measure(prepared, runs_of(500, 4)).runs);
}

TEST(Comparison, AnInterruptLeavesNothingBehind) {
  const std::atomic<bool> interrupted{true};
  MeasureOptions options = runs_of(10);
  options.interrupted = &interrupted;
  const std::array<NamedPolicy, 1> policies{{{"three", plain_policy(3)}}};
  const Comparison comparison = compare(policies, std::array{drawn_latency()}, options);
  EXPECT_TRUE(comparison.interrupted);
  EXPECT_THAT(comparison.scenarios, IsEmpty());
}

RunFacts run(std::int64_t elapsed_s, bool success, std::uint32_t calls = 1) {
  return {.elapsed = seconds(elapsed_s), .calls = calls, .wasted = calls - 1, .success = success};
}

TEST(Comparison, RecoveryCountsSuccessesThatOutlastedTheFault) {
  // Ended before, failed after, and three that recovered after 0, 1 and 5 s.
  const std::vector<RunFacts> runs{run(9, true), run(30, false), run(10, true), run(15, true),
                                   run(11, true)};
  const Figures figures = figures_of(runs, seconds(10));
  EXPECT_EQ(figures.recovered, 3U);
  EXPECT_EQ(figures.recovery_p50, seconds(1));
  EXPECT_EQ(figures.recovery_max, seconds(5));
  EXPECT_EQ(figures.successes, 4U);
  EXPECT_EQ(figures.p50, seconds(11));
  EXPECT_EQ(figures.p99, seconds(30));
  EXPECT_EQ(figures_of(runs, {}).recovery_p50, std::nullopt);
}

Totals totals(std::uint64_t successes, std::uint64_t calls, core::Duration elapsed) {
  Totals totals;
  totals.runs = 10;
  totals.successes = successes;
  totals.calls = calls;
  totals.elapsed.record(elapsed, 10);
  return totals;
}

TEST(Comparison, DominanceNeedsNothingWorseAndSomethingBetter) {
  const std::vector<Totals> all{
      totals(9, 20, seconds(5)),   // beaten by the next in calls alone
      totals(9, 19, seconds(5)),   //
      totals(10, 30, seconds(5)),  // more success, more calls
      totals(9, 19, seconds(5)),   // as good as the second: no dominance
      totals(1, 99, seconds(9)),   // beaten by all
  };
  EXPECT_THAT(dominance_of(all),
              ElementsAre(Dominance{.dominated = 0, .by = 1}, Dominance{.dominated = 4, .by = 0}));
}

TEST(Comparison, ToolCallsHaveLimitsOfTheirOwn) {
  const NamedScenario chat = drawn_latency();
  EXPECT_TRUE(fits(core::default_policy(), chat.scenario));
  EXPECT_TRUE(fits(core::connector::connector_policy(), chat.scenario));
}

TEST(Comparison, ABoundWithoutAnEnd) {
  core::RetryPolicy patient = plain_policy(2);
  patient.timeouts = {};
  EXPECT_EQ(bound_of(patient, scenarios::OperationKind::kAgentChat).longest, kNoEnd);
}

}  // namespace
}  // namespace squall::analysis
