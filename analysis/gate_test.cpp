// SPDX-License-Identifier: MIT
#include "analysis/gate.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/gate_test_support.hpp"

namespace squall::analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMillion = 1'000'000;

GateSide side(const core::RetryPolicy& policy, const StoredPolicy* stored = nullptr) {
  return {.name = "plain", .source = "plain.json", .policy = policy, .stored = stored};
}

GateOptions options(bool keep = false) {
  GateOptions options;
  options.measure.runs = 100;
  options.keep_results = keep;
  return options;
}

GateConfig config_of(const std::string& text) {
  return GateConfig::parse(text, "gate.json").value();
}

GateOutcome judged(const core::RetryPolicy& baseline, const core::RetryPolicy& candidate,
                   const NamedScenario& scenario, const GateConfig& config = {}) {
  auto outcome = gate({side(baseline), side(candidate), {&scenario}}, config, options());
  EXPECT_TRUE(outcome.has_value());
  return outcome.value_or(GateOutcome());
}

const MetricChange& metric_of(const GateOutcome& outcome, Metric metric) {
  const std::vector<MetricChange>& all = outcome.change.scenarios.at(0).metrics;
  return *std::find_if(all.begin(), all.end(),
                       [metric](const MetricChange& one) { return one.metric == metric; });
}

TEST(Gate, FewerCallsByHand) {
  const GateOutcome outcome = judged(plain_policy(5), plain_policy(3), ten_second_outage());
  EXPECT_THAT(outcome.change.parts, ElementsAre(Part::kAttempts));
  const MetricChange& success = metric_of(outcome, Metric::kSuccessRate);
  EXPECT_EQ(success.change, Change::kRegressed);
  EXPECT_EQ(success.estimate.baseline, kMillion);
  EXPECT_EQ(success.estimate.candidate, 0);
  EXPECT_EQ(success.estimate.change_interval, (Interval{-kMillion, -kMillion}));
  EXPECT_THAT(success.causes, ElementsAre(Cause{.part = Part::kAttempts, .alone = 0}));
  const MetricChange& calls = metric_of(outcome, Metric::kCallsPerOperation);
  EXPECT_EQ(calls.change, Change::kImproved);
  EXPECT_EQ(calls.estimate.baseline, 5 * kMillion);
  EXPECT_EQ(calls.estimate.candidate, 3 * kMillion);
  const MetricChange& p99 = metric_of(outcome, Metric::kP99Elapsed);
  EXPECT_EQ(p99.change, Change::kImproved);
  EXPECT_EQ(p99.estimate.baseline, 13 * kSecond);
  EXPECT_EQ(p99.estimate.candidate, 7 * kSecond);
  // Never judged by default.
  EXPECT_EQ(metric_of(outcome, Metric::kMaxElapsed).change, Change::kWithin);
  // 5 calls of 120 s and 4 sleeps of 2 s, against 3 and 2; a nanosecond a call.
  ASSERT_EQ(outcome.change.bounds.size(), 1U);
  const MetricChange& bound = outcome.change.bounds[0].metric;
  EXPECT_EQ(bound.estimate.baseline, 608 * kSecond - 5);
  EXPECT_EQ(bound.estimate.candidate, 364 * kSecond - 3);
  EXPECT_EQ(bound.change, Change::kImproved);
  EXPECT_EQ(outcome.change.count(Change::kRegressed), 1U);
}

TEST(Gate, OfSeveralPartsTheOneThatMovesTheMetricIsTheCause) {
  core::RetryPolicy candidate = plain_policy(3);
  candidate.timeouts.idle = std::chrono::seconds(50);
  const GateOutcome outcome = judged(plain_policy(5), candidate, ten_second_outage());
  EXPECT_THAT(outcome.change.parts, ElementsAre(Part::kAttempts, Part::kIdleTimeout));
  EXPECT_THAT(metric_of(outcome, Metric::kSuccessRate).causes,
              ElementsAre(Cause{.part = Part::kAttempts, .alone = 0}));
  // From 608 s: 3 calls alone 364 s, 100 s a call alone 508 s, so calls move it most.
  EXPECT_THAT(outcome.change.bounds[0].metric.causes,
              ElementsAre(Cause{.part = Part::kAttempts, .alone = 364 * kSecond - 3},
                          Cause{.part = Part::kIdleTimeout, .alone = 508 * kSecond - 5}));
}

TEST(Gate, WhatOnlyWorksTogetherHasNoSingleCause) {
  // Three calls 5 s apart start at 0, 6 and 12 s and outlast the outage; three calls 2 s apart do
  // not, and neither do two calls 5 s apart.
  core::RetryPolicy candidate = plain_policy(3);
  candidate.backoff = core::ConstantBackoff{.delay_ms = 5'000};
  const GateOutcome together = judged(plain_policy(2), candidate, ten_second_outage());
  EXPECT_EQ(metric_of(together, Metric::kSuccessRate).change, Change::kImproved);
  EXPECT_THAT(metric_of(together, Metric::kSuccessRate).causes, IsEmpty());
  // From four calls on the longer sleep does it alone.
  const GateOutcome alone = judged(plain_policy(4), candidate, ten_second_outage());
  EXPECT_THAT(metric_of(alone, Metric::kSuccessRate).causes,
              ElementsAre(Cause{.part = Part::kBackoff, .alone = kMillion}));
}

TEST(Gate, TheSamePolicyIsNeverWorse) {
  const GateOutcome outcome =
      judged(core::default_policy(), core::default_policy(), drawn_latency());
  EXPECT_EQ(outcome.change.count(Change::kNone), kMetricCount);
  EXPECT_THAT(outcome.change.parts, IsEmpty());
}

TEST(Gate, TheWorstCaseOfACapByHand) {
  core::RetryPolicy candidate = core::default_policy();
  std::get<core::ExponentialBackoff>(candidate.backoff).cap_ms = 90'000;
  const GateOutcome outcome = judged(core::default_policy(), candidate, drawn_latency(),
                                     config_of(R"({ "thresholds": { "worst_case": "+1%" } })"));
  const MetricChange& bound = outcome.change.bounds[0].metric;
  // Sleeps of 60 s in four slots (Retry-After), then 8 x 74.999 s, against 99.999 s and
  // 7 x 112.499 s: 287.5 s more on top of 16439.991999987 s.
  EXPECT_EQ(bound.estimate.baseline, 16'439'991'999'987);
  EXPECT_EQ(bound.estimate.candidate, 16'727'491'999'987);
  EXPECT_EQ(bound.change, Change::kRegressed);
  EXPECT_THAT(bound.causes, ElementsAre(Cause{.part = Part::kCap, .alone = 16'727'491'999'987}));
  EXPECT_EQ(
      judged(core::default_policy(), candidate, drawn_latency()).change.bounds[0].metric.change,
      Change::kWithin);
}

TEST(Gate, AWorstCaseThatIsNotComputedIsSaid) {
  core::RetryPolicy dates_alone = plain_policy(3);
  dates_alone.retry_after.http_date = true;
  dates_alone.retry_after.ignore_above_ms = 1'000;
  const NamedScenario scenario = drawn_latency();
  const GateOutcome outcome = judged(plain_policy(3), dates_alone, scenario);
  EXPECT_EQ(outcome.change.bounds[0].metric.change, Change::kUnknown);
  EXPECT_THAT(outcome.change.bounds[0].not_computed, HasSubstr("Retry-After"));
  const auto refused = gate({side(plain_policy(3)), side(dates_alone), {&scenario}},
                            config_of(R"({ "thresholds": { "worst_case": "+5%" } })"), options());
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr("which the config asks for"));
}

TEST(Gate, StoredResultsAreABaseline) {
  const NamedScenario scenario = ten_second_outage();
  const std::array<const NamedScenario*, 1> scenarios{&scenario};
  const StoredPolicy stored = play(side(plain_policy(5)), scenarios, options()).results;
  const GateSide baseline = side(stored.policy, &stored);
  const auto same = gate({baseline, side(plain_policy(5)), {&scenario}}, {}, options(true));
  ASSERT_TRUE(same.has_value());
  EXPECT_EQ(same->change.count(Change::kNone), kMetricCount);
  EXPECT_EQ(same->results, stored);
  const auto worse = gate({baseline, side(plain_policy(3)), {&scenario}}, {}, options());
  ASSERT_TRUE(worse.has_value());
  EXPECT_EQ(metric_of(*worse, Metric::kSuccessRate).change, Change::kRegressed);
}

TEST(Gate, StoredResultsOfAnotherScenarioAreRefused) {
  const NamedScenario scenario = ten_second_outage();
  const std::array<const NamedScenario*, 1> scenarios{&scenario};
  const StoredPolicy stored = play(side(plain_policy(5)), scenarios, options()).results;
  NamedScenario changed = scenario;
  changed.scenario.server.phases[0].until = std::chrono::seconds(11);
  const GateSide baseline = side(stored.policy, &stored);
  const auto refused = gate({baseline, side(plain_policy(5)), {&changed}}, {}, options());
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(to_string(refused.error()), HasSubstr("plain.json: the scenario \"ten-seconds\" has "
                                                    "changed"));
  const NamedScenario unknown = drawn_latency();
  EXPECT_THAT(gate({baseline, side(plain_policy(5)), {&unknown}}, {}, options()).error().message,
              HasSubstr("holds no results of the scenario \"drawn\""));
}

TEST(Gate, NoiseIsNoRegression) {
  // One of 200 runs fails on one side: 0.5 points worse than the 0.1 allowed, and still chance.
  std::vector<RunFacts> before(
      200, {.elapsed = std::chrono::seconds(1), .calls = 1, .wasted = 0, .success = true});
  std::vector<RunFacts> after = before;
  after[7].success = false;
  const auto judge_success = [&] {
    return judge_runs(before, after, {}, "s", {}, core::RandomStream(1)).front();
  };
  EXPECT_EQ(judge_success().estimate.change, -5'000);
  EXPECT_EQ(judge_success().change, Change::kWithin);
  // Twenty of them are not.
  for (std::size_t run = 0; run < 20; ++run) {
    after[run].success = false;
  }
  EXPECT_EQ(judge_success().change, Change::kRegressed);
}

}  // namespace
}  // namespace squall::analysis
