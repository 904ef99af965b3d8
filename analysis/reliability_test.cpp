// SPDX-License-Identifier: MIT
#include "analysis/reliability.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/gate_test_support.hpp"
#include "analysis/worst_case.hpp"
#include "core/shipped_policies.hpp"

namespace squall::analysis {
namespace {

using namespace std::chrono_literals;
using core::Duration;
using scenarios::OperationKind;
using simulator::LogHistogram;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

MeasureOptions runs_of(std::uint64_t runs, unsigned threads = 1) {
  MeasureOptions options;
  options.runs = runs;
  options.threads = threads;
  return options;
}

// Calls at 0, 3, 6, 9 s fail after a second each, the one at 12 s succeeds at 13 s.
TEST(Reliability, AnOutageByHand) {
  const NamedScenario outage = ten_second_outage();
  const playback::PreparedScenario five = under(outage.scenario, plain_policy(5));
  const playback::PreparedScenario three = under(outage.scenario, plain_policy(3));
  const std::array<ReliabilityTask, 2> tasks{{{0, 0, &five}, {1, 0, &three}}};
  const Reliability found = collect(tasks, 2, runs_of(4));
  ASSERT_THAT(found.policies, SizeIs(2));
  const ReliabilityTotals& totals = found.policies[0];
  EXPECT_EQ(totals.operations, 4U);
  EXPECT_EQ(totals.successes, 4U);
  EXPECT_EQ(totals.calls, 20U);
  EXPECT_THAT(totals.attempts, ElementsAre(Pair(5U, 4U)));
  EXPECT_EQ(figures_of(totals.elapsed),
            (ElapsedFigures{.p50 = 13s, .p90 = 13s, .p99 = 13s, .max = 13s}));
  ASSERT_THAT(totals.slots, SizeIs(4));
  EXPECT_EQ(totals.slots[3].backoff.count(), 4U);
  EXPECT_EQ(totals.slots[3].backoff.beyond(), 0U);
  EXPECT_THAT(totals.slots[3].backoff.kept(), ElementsAre(2s, 2s, 2s, 2s));
  EXPECT_EQ(totals.slots[3].retry_after.count(), 0U);
  const BinnedFailures failures = totals.failures.binned();
  EXPECT_EQ(failures.width, 100ms);  // The last failure is at 10 s; 120 bins of 50 ms end at 6 s.
  ASSERT_THAT(failures.classes, SizeIs(1));
  for (const std::size_t bin : {10U, 40U, 70U, 100U}) {
    EXPECT_EQ(failures.classes[0].counts[bin], 4U) << bin;
  }
  EXPECT_EQ(found.policies[1].successes, 0U);
  EXPECT_EQ(found.policies[1].calls, 12U);
  ASSERT_THAT(found.cells, SizeIs(2));
  EXPECT_THAT(found.cells[0].curve, ElementsAre(Pair(Duration(13s), 4U)));
  EXPECT_EQ(found.cells[1].elapsed.max, 7s);
  EXPECT_GT(found.checks[0], 0U);
  EXPECT_EQ(found.broken, playback::CheckCounts{});
}

TEST(Reliability, ThreadsDoNotShow) {
  const NamedScenario outage = ten_second_outage();
  const playback::PreparedScenario prepared = under(outage.scenario, core::default_policy());
  const std::array<ReliabilityTask, 1> tasks{{{0, 0, &prepared}}};
  const Reliability one = collect(tasks, 1, runs_of(2000));
  const Reliability four = collect(tasks, 1, runs_of(2000, 4));
  EXPECT_EQ(one.policies[0].elapsed, four.policies[0].elapsed);
  EXPECT_EQ(one.policies[0].attempts, four.policies[0].attempts);
  EXPECT_EQ(one.policies[0].failures.binned(), four.policies[0].failures.binned());
  ASSERT_EQ(one.policies[0].slots.size(), four.policies[0].slots.size());
  for (std::size_t slot = 0; slot < one.policies[0].slots.size(); ++slot) {
    EXPECT_EQ(one.policies[0].slots[slot].backoff.kept(),
              four.policies[0].slots[slot].backoff.kept());
  }
  EXPECT_EQ(one.cells[0].run_zero_digest, four.cells[0].run_zero_digest);
  EXPECT_EQ(one.cells[0].curve, four.cells[0].curve);
  EXPECT_EQ(one.checks, four.checks);
  EXPECT_EQ(timelines_of(one, 0), timelines_of(four, 0));
}

TEST(Reliability, AnInterruptEndsIt) {
  const NamedScenario outage = ten_second_outage();
  const playback::PreparedScenario prepared = under(outage.scenario, plain_policy(3));
  const std::array<ReliabilityTask, 1> tasks{{{0, 0, &prepared}}};
  const std::atomic<bool> interrupted{true};
  MeasureOptions options = runs_of(10);
  options.interrupted = &interrupted;
  EXPECT_TRUE(collect(tasks, 1, options).interrupted);
}

// Another policy than the one it is held against: three calls where two are allowed.
TEST(Reliability, BrokenInvariantsAreCountedByRun) {
  scenarios::Scenario scenario = ten_second_outage().scenario;
  scenario.policy = plain_policy(3);
  scenario.audit_policy = plain_policy(2);
  const playback::PreparedScenario prepared(scenario);
  const std::array<ReliabilityTask, 1> tasks{{{0, 0, &prepared}}};
  const Reliability found = collect(tasks, 1, runs_of(5));
  EXPECT_EQ(found.broken[static_cast<std::size_t>(playback::Invariant::kAttemptBudget)], 5U);
  EXPECT_EQ(found.cells[0].summary.runs_unsound, 5U);
  EXPECT_THAT(timelines_of(found, 0), ElementsAre(TimelinePick{0, 0, Notable::kFirstFailure}));
}

TEST(Reliability, ACurveIsThinnedByRank) {
  LogHistogram histogram;
  for (int i = 1; i <= 1000; ++i) {
    histogram.record(Duration{i});
  }
  EXPECT_EQ(points_of(histogram), 1000U);
  EXPECT_THAT(curve_of(histogram, 4),
              ElementsAre(Pair(Duration{250}, 250U), Pair(Duration{500}, 500U),
                          Pair(Duration{750}, 750U), Pair(Duration{1000}, 1000U)));
  EXPECT_THAT(curve_of(histogram, 1000), SizeIs(1000));
  // Where one value has most ranks there are fewer points.
  histogram.record(Duration{2000}, 9000);
  EXPECT_THAT(curve_of(histogram, 4), ElementsAre(Pair(Duration{2000}, 10'000U)));
  EXPECT_THAT(curve_of(LogHistogram(), 4), IsEmpty());
}

/// A cell whose slowest run took `elapsed`.
ReliabilityCell cell_with(Duration elapsed, std::uint64_t longest,
                          std::optional<std::uint64_t> exhausted) {
  ReliabilityCell cell;
  cell.elapsed.max = elapsed;
  cell.summary.runs = 100;
  cell.summary.longest_run = longest;
  cell.summary.first_run[static_cast<std::size_t>(scenarios::Outcome::kSuccess)] = 0;
  cell.summary.first_run[static_cast<std::size_t>(scenarios::Outcome::kExhausted)] = exhausted;
  return cell;
}

TEST(Timelines, FailuresFirstThenTheSlowest) {
  Reliability found;
  found.cells = {cell_with(1s, 4, std::nullopt), cell_with(5s, 7, 3), cell_with(9s, 8, 8)};
  using enum Notable;
  EXPECT_THAT(timelines_of(found, 0),
              ElementsAre(TimelinePick{2, 8, kFirstFailure}, TimelinePick{1, 3, kFirstFailure},
                          TimelinePick{1, 7, kSlowest}, TimelinePick{0, 4, kSlowest},
                          TimelinePick{0, 0, kFirstRun}, TimelinePick{1, 0, kFirstRun}));
  // What was not expected comes before what is slower.
  found.cells[1].summary.runs_unmet = 1;
  found.cells[1].summary.unmet = simulator::NotableRun{.run = 42, .at = {}, .findings = {"x"}};
  EXPECT_EQ(timelines_of(found, 0).front(), (TimelinePick{1, 42, kFirstFailure}));
  EXPECT_THAT(timelines_of(found, 1), IsEmpty());
}

TEST(BoundParts, AddUpToTheBoundOfEveryShippedPolicy) {
  for (const core::NamedPolicy& shipped : core::kShippedPolicies) {
    const core::RetryPolicy policy = shipped.make();
    for (std::size_t index = 0; index < scenarios::kOperationKinds; ++index) {
      const auto worst = worst_case(policy, static_cast<OperationKind>(index));
      if (!worst) {
        continue;
      }
      for (const LongestOperation& longest : worst->longest) {
        Duration total{0};
        for (const BoundPart& part : parts_of(policy, longest.plan)) {
          total += part.total;
        }
        EXPECT_EQ(total, longest.operation) << shipped.name << " " << index;
      }
    }
  }
}

// 3 calls: each waits 60 s less a nanosecond for headers and 60 s for the body, with 2 s between.
TEST(BoundParts, ByHand) {
  using Kind = BoundPart::Kind;
  const core::RetryPolicy policy = plain_policy(3);
  const auto worst = worst_case(policy, OperationKind::kAgentChat);
  ASSERT_TRUE(worst);
  EXPECT_THAT(parts_of(policy, worst->longest[1].plan),
              ElementsAre(BoundPart{Kind::kHeaderWaits, 3, 180s - 3ns},
                          BoundPart{Kind::kBodyWaits, 3, 180s}, BoundPart{Kind::kBackoff, 2, 4s}));
  const std::array kinds{OperationKind::kContinuation, OperationKind::kAgentChat};
  EXPECT_EQ(longest_bound(policy, kinds).longest, 364s - 3ns);
}

}  // namespace
}  // namespace squall::analysis
