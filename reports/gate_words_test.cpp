// SPDX-License-Identifier: MIT
#include "reports/gate_words.hpp"

#include <chrono>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/connector/policy.hpp"
#include "reports/gate_sample_test_support.hpp"

namespace squall::reports {
namespace {

using analysis::Change;
using analysis::Metric;
using analysis::Part;

std::string words_of(Part part, const core::RetryPolicy& from, const core::RetryPolicy& to) {
  return part_words(part, from, to);
}

TEST(GateWords, PartsOfAPolicy) {
  const core::RetryPolicy from = core::default_policy();
  core::RetryPolicy to = from;
  to.budgets = {.attempts_max = 1'000, .time = std::chrono::seconds(2)};
  to.backoff = core::ExponentialBackoff{
      .base_ms = 250, .cap_ms = 90'000, .multiplier = {3, 2}, .growth_steps_max = 8};
  to.jitter = core::FullJitter{};
  to.retry_after = {.seconds = true,
                    .http_date = false,
                    .milliseconds = false,
                    .clamp_min_ms = 0,
                    .clamp_max_ms = 120'000,
                    .ignore_above_ms = 60'000};
  to.timeouts = {.idle = std::nullopt, .attempt = std::chrono::milliseconds(1'500)};
  to.retry_on = {.statuses = core::StatusSet().add(409).add_class(5),
                 .connection_failures = true,
                 .cut_bodies = false,
                 .unusable_answers = false};
  EXPECT_EQ(words_of(Part::kAttempts, from, to), "calls 13 -> 1 000");
  EXPECT_EQ(words_of(Part::kBase, from, to), "base 5 s -> 250 ms");
  EXPECT_EQ(words_of(Part::kMultiplier, from, to), "multiplier 2 -> 3/2");
  EXPECT_EQ(words_of(Part::kCap, from, to), "cap 60 s -> 90 s");
  EXPECT_EQ(words_of(Part::kGrowthSteps, from, to), "growth steps 6 -> 8");
  EXPECT_EQ(words_of(Part::kJitter, from, to), "jitter 75% to 125% -> full");
  EXPECT_EQ(words_of(Part::kRetryAfterSources, from, to),
            "Retry-After read from retry-after-ms, seconds, HTTP dates -> seconds");
  EXPECT_EQ(words_of(Part::kRetryAfterClamp, from, to),
            "Retry-After within 5 to 60 s -> 0 to 120 s");
  EXPECT_EQ(words_of(Part::kRetryAfterIgnoreAbove, from, to),
            "Retry-After ignored above none -> 60 s");
  EXPECT_EQ(words_of(Part::kTimeBudget, from, to), "time budget none -> 2 s");
  EXPECT_EQ(words_of(Part::kIdleTimeout, from, to), "idle timeout 600 s -> none");
  EXPECT_EQ(words_of(Part::kAttemptTimeout, from, to), "attempt timeout none -> 1.500 s");
  EXPECT_EQ(words_of(Part::kStatuses, from, to),
            "retried statuses: 409 too, 1xx, 3xx, 408, 429, 6xx, 7xx, 8xx, 9xx no more");
  EXPECT_EQ(words_of(Part::kFailures, from, to),
            "retried failures: cut bodies no more, unusable answers no more");
  to.backoff = core::ConstantBackoff{.delay_ms = 0};
  EXPECT_EQ(words_of(Part::kBackoff, from, to), "schedule 5 s x 2 up to 60 s -> 0 s each time");
}

TEST(GateWords, ASentenceNamesFiguresAndCauses) {
  GateReport report = sample_report();
  EXPECT_EQ(sentence(findings_of(report, Change::kRegressed).at(0)),
            "worst case rises from 2 h 34 min to 2 h 51 min because calls 13 -> 15 (alone: to 2 h "
            "45 min) and cap 60 s -> 90 s (alone: to 2 h 40 min)");
  EXPECT_EQ(sentence(findings_of(report, Change::kImproved).at(0)),
            "success rate rises from 74.17% to 90% because calls 13 -> 15 (alone: to 90%)");
  EXPECT_EQ(sentence(findings_of(report, Change::kRegressed).at(1)),
            "calls an operation rises from 12.96 to 14.91 because of several changes together: "
            "calls 13 -> 15; cap 60 s -> 90 s");
  // A single part needs no figure of its own.
  report.policies[0].candidate.budgets.attempts_max = 13;
  report.policies[0].parts = {Part::kCap};
  report.policies[0].bounds[0].metric.causes = {{Part::kCap, 10'260'000'000'000}};
  EXPECT_EQ(sentence(findings_of(report, Change::kRegressed).at(0)),
            "worst case rises from 2 h 34 min to 2 h 51 min because cap 60 s -> 90 s");
}

TEST(GateWords, FiguresAreToldApart) {
  const auto apart = [](Metric metric, std::int64_t from, std::int64_t to) {
    return before_and_after(metric_change(metric, Change::kWithin, from, to, "off"));
  };
  using Pair = std::pair<std::string, std::string>;
  EXPECT_EQ(apart(Metric::kP99Elapsed, 7'200'000'000'000, 7'200'000'000'001),
            Pair("7200.000000000 s", "7200.000000001 s"));
  EXPECT_EQ(apart(Metric::kCallsWasted, 1'000'001, 1'000'002), Pair("1.000001", "1.000002"));
  EXPECT_EQ(apart(Metric::kSuccessRate, 741'701, 741'702), Pair("74.1701%", "74.1702%"));
  EXPECT_EQ(apart(Metric::kWorstCase, 1'000, std::numeric_limits<std::int64_t>::max()),
            Pair("1 us", "no end"));
}

TEST(GateWords, ChangesAndThresholds) {
  const auto change = [](Metric metric, std::int64_t from, std::int64_t to) {
    return change_text(metric_change(metric, Change::kWithin, from, to, "off"));
  };
  EXPECT_EQ(change(Metric::kP99Elapsed, 1'000, 1'112), "+11.2%");
  EXPECT_EQ(change(Metric::kP99Elapsed, 100'000, 99'930), "-0.07%");
  EXPECT_EQ(change(Metric::kP99Elapsed, 1'000'000, 1'000'007), "+0.0007%");
  EXPECT_EQ(change(Metric::kCallsWasted, 0, 1'250'000), "+1.25");
  EXPECT_EQ(change(Metric::kSuccessRate, 741'700, 738'300), "-0.34 pp");
  EXPECT_EQ(change(Metric::kWorstCase, 5, std::numeric_limits<std::int64_t>::max()), "no end");
  EXPECT_EQ(change(Metric::kWorstCase, std::numeric_limits<std::int64_t>::max(), 5), "ends");
  const auto threshold = [](Metric metric, const std::string& text) {
    return threshold_text(metric_change(metric, Change::kWithin, 1, 2, text));
  };
  EXPECT_EQ(threshold(Metric::kP99Elapsed, "+5%"), "allowed +5%");
  EXPECT_EQ(threshold(Metric::kP99Elapsed, "10m"), "at most 10m");
  EXPECT_EQ(threshold(Metric::kSuccessRate, "99%"), "at least 99%");
  EXPECT_EQ(threshold(Metric::kP99Elapsed, "off"), "not judged");
}

TEST(GateWords, OnlySampledFiguresHaveAnInterval) {
  const GateReport report = sample_report();
  const auto worse = findings_of(report, Change::kRegressed);
  EXPECT_EQ(measure_words(worse.at(0)), "+11.0%, allowed +5%");
  // 1.4 and 2.5 of 12.96.
  EXPECT_EQ(measure_words(worse.at(1)), "+15.0%, allowed +10%; 99% interval +10.8% to +19.2%");
}

TEST(GateWords, TheSamePolicyCanStillDiffer) {
  GateReport report = sample_report();
  report.policies[0].parts.clear();
  report.policies[0].candidate = report.policies[0].baseline;
  EXPECT_THAT(sentence(findings_of(report, Change::kRegressed).at(1)),
              testing::EndsWith("although the policy is the same: what plays it has changed"));
  EXPECT_EQ(parts_words(report.policies[0]), "the same policy");
}

TEST(GateWords, LinesAreThoseOfTheCause) {
  const GateReport report = sample_report();
  const auto worse = findings_of(report, Change::kRegressed);
  EXPECT_EQ(line_of(report, worse.at(0)), 4U);  // calls come first
  GateReport unknown = report;
  unknown.places[0].lines.clear();
  EXPECT_EQ(line_of(unknown, worse.at(0)), 1U);
}

}  // namespace
}  // namespace squall::reports
