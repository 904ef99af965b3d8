// SPDX-License-Identifier: MIT
#include "analysis/gate_metric.hpp"

#include <cstdint>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace squall::analysis {
namespace {

using testing::HasSubstr;
using Kind = Threshold::Kind;

Threshold read(Metric metric, const std::string& text) {
  const auto threshold = parse_threshold(metric, text);
  EXPECT_TRUE(threshold.has_value()) << text;
  return threshold.value_or(Threshold{});
}

void expect(Metric metric, const std::string& text, Kind kind, std::int64_t amount) {
  const Threshold threshold = read(metric, text);
  EXPECT_EQ(threshold.kind, kind) << text;
  EXPECT_EQ(threshold.amount, amount) << text;
  EXPECT_EQ(threshold.text, text);
}

TEST(GateMetric, ThresholdsAreReadExactly) {
  expect(Metric::kWorstCase, "+5%", Kind::kRelative, 50'000);
  expect(Metric::kWorstCase, "+1m30s", Kind::kAbsolute, 90'000'000'000);
  expect(Metric::kP99Elapsed, "10m", Kind::kLimit, 600'000'000'000);
  expect(Metric::kP99Elapsed, "+0.0001%", Kind::kRelative, 1);
  expect(Metric::kP99Elapsed, "+150%", Kind::kRelative, 1'500'000);
  expect(Metric::kSuccessRate, "-0.1pp", Kind::kAbsolute, 1'000);
  expect(Metric::kSuccessRate, "-1%", Kind::kRelative, 10'000);
  expect(Metric::kSuccessRate, "99.5%", Kind::kLimit, 995'000);
  expect(Metric::kCallsPerOperation, "+10%", Kind::kRelative, 100'000);
  expect(Metric::kCallsPerOperation, "+0.5", Kind::kAbsolute, 500'000);
  expect(Metric::kCallsWasted, "12.25", Kind::kLimit, 12'250'000);
  expect(Metric::kMaxElapsed, "off", Kind::kOff, 0);
}

TEST(GateMetric, WhatIsNoThresholdIsRefusedWithWhatIsAllowed) {
  for (const auto& [metric, text] : {std::pair{Metric::kWorstCase, "-5%"},
                                     {Metric::kWorstCase, "5%"},
                                     {Metric::kWorstCase, "+5"},
                                     {Metric::kWorstCase, ""},
                                     {Metric::kWorstCase, "+"},
                                     {Metric::kWorstCase, "+0.1pp"},
                                     {Metric::kSuccessRate, "+0.1pp"},
                                     {Metric::kSuccessRate, "101%"},
                                     {Metric::kSuccessRate, "-0.1"},
                                     {Metric::kCallsPerOperation, "+1."},
                                     {Metric::kCallsPerOperation, "+.5"},
                                     {Metric::kCallsPerOperation, "+1.0000001"},
                                     {Metric::kCallsPerOperation, "+9999999999"},
                                     {Metric::kCallsPerOperation, "ten"}}) {
    const auto threshold = parse_threshold(metric, text);
    ASSERT_FALSE(threshold.has_value()) << text;
    EXPECT_THAT(threshold.error().message, HasSubstr(", allowed: a ")) << text;
  }
}

TEST(GateMetric, NamesAreFoundAndSpelledOnce) {
  for (const MetricInfo& info : kMetrics) {
    EXPECT_EQ(metric_from_name(info.name), info.metric);
    EXPECT_EQ(&info_of(info.metric), &info);
  }
  EXPECT_EQ(metric_from_name("p99"), std::nullopt);
}

PairedEstimate changed(std::int64_t from, std::int64_t to, Interval change) {
  return {.baseline = from,
          .candidate = to,
          .change = to - from,
          .change_interval = change,
          .candidate_interval = {from + change.low, from + change.high}};
}

TEST(GateMetric, ARegressionNeedsFigureAndIntervalBeyondTheThreshold) {
  const Threshold ten = read(Metric::kP99Elapsed, "+10%");
  const auto judged = [&ten](std::int64_t to, Interval change) {
    return judge(Metric::kP99Elapsed, ten, changed(1'000, to, change));
  };
  EXPECT_EQ(judged(1'000, {0, 0}), Change::kNone);
  EXPECT_EQ(judged(1'100, {100, 100}), Change::kWithin);  // exactly the threshold
  EXPECT_EQ(judged(1'101, {101, 101}), Change::kRegressed);
  EXPECT_EQ(judged(1'200, {100, 300}), Change::kWithin);  // may be chance
  EXPECT_EQ(judged(1'200, {101, 300}), Change::kRegressed);
  EXPECT_EQ(judged(1'050, {101, 300}), Change::kWithin);  // the figure itself is fine
  EXPECT_EQ(judged(800, {-300, -101}), Change::kImproved);
  EXPECT_EQ(judged(800, {-300, -100}), Change::kWithin);
  EXPECT_EQ(judged(1'000, {-5, 5}), Change::kWithin);
}

TEST(GateMetric, ASuccessRateGetsWorseByFalling) {
  const Threshold tenth = read(Metric::kSuccessRate, "-0.1pp");
  const auto judged = [&tenth](std::int64_t to, Interval change) {
    return judge(Metric::kSuccessRate, tenth, changed(900'000, to, change));
  };
  EXPECT_EQ(judged(899'000, {-1'000, -1'000}), Change::kWithin);
  EXPECT_EQ(judged(898'999, {-1'001, -1'001}), Change::kRegressed);
  EXPECT_EQ(judged(880'000, {-40'000, -1'000}), Change::kWithin);
  EXPECT_EQ(judged(880'000, {-40'000, -1'001}), Change::kRegressed);
  EXPECT_EQ(judged(950'000, {1'001, 90'000}), Change::kImproved);
}

TEST(GateMetric, ALimitBindsWhateverTheBaseline) {
  const Threshold limit = read(Metric::kP99Elapsed, "1s");
  const std::int64_t second = 1'000'000'000;
  EXPECT_EQ(judge(Metric::kP99Elapsed, limit, changed(2 * second, 2 * second, {0, 0})),
            Change::kRegressed);
  EXPECT_EQ(judge(Metric::kP99Elapsed, limit, changed(1, second, {second - 1, second - 1})),
            Change::kWithin);
  EXPECT_EQ(judge(Metric::kP99Elapsed, limit, changed(0, second + 9, {second, second + 20})),
            Change::kWithin);
  EXPECT_EQ(judge(Metric::kP99Elapsed, limit, changed(second, 1, {1 - second, 1 - second})),
            Change::kImproved);
  const Threshold least = read(Metric::kSuccessRate, "99%");
  EXPECT_EQ(judge(Metric::kSuccessRate, least, changed(0, 980'000, {970'000, 989'999})),
            Change::kRegressed);
  EXPECT_EQ(judge(Metric::kSuccessRate, least, changed(980'000, 980'000, {-10'000, 10'000})),
            Change::kWithin);
}

TEST(GateMetric, OffIsNeverJudged) {
  EXPECT_EQ(judge(Metric::kMaxElapsed, Threshold{}, changed(1, 1'000, {999, 999})),
            Change::kWithin);
}

TEST(GateMetric, NoEndIsWorseThanAnyEnd) {
  const std::int64_t no_end = std::numeric_limits<std::int64_t>::max();
  const Threshold threshold = default_threshold(Metric::kWorstCase);
  const std::int64_t hour = 3'600'000'000'000;
  EXPECT_EQ(
      judge(Metric::kWorstCase, threshold, changed(hour, no_end, {no_end - hour, no_end - hour})),
      Change::kRegressed);
  EXPECT_EQ(judge(Metric::kWorstCase, threshold, changed(no_end, no_end, {0, 0})), Change::kNone);
  EXPECT_EQ(
      judge(Metric::kWorstCase, threshold, changed(no_end, hour, {hour - no_end, hour - no_end})),
      Change::kImproved);
}

}  // namespace
}  // namespace squall::analysis
