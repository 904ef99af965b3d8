// SPDX-License-Identifier: MIT
//
// What a gate looks at, and how much worse it may get. A metric is an integer in its unit; a
// threshold is written as people say it:
//
//   "+5%"      may rise by 5 % of the baseline        "-0.1pp"   may fall by 0.1 percentage points
//   "+30s"     may rise by 30 s                       "+0.5"     may rise by half a call
//   "10m"      may not exceed 10 minutes, whatever the baseline is ("99%" for a success rate: may
//              not be below)
//   "off"      is shown and never judged
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/bootstrap.hpp"
#include "core/error.hpp"
#include "core/expected.hpp"

namespace squall::analysis {

enum class Metric : std::uint8_t {
  kWorstCase,
  kSuccessRate,
  kCallsPerOperation,
  kCallsWasted,
  kP50Elapsed,
  kP99Elapsed,
  kMaxElapsed,
};
inline constexpr std::size_t kMetricCount = 7;

enum class Unit : std::uint8_t {
  kShare,  ///< millionths
  kCount,  ///< millionths of one
  kTime,   ///< nanoseconds
};

struct MetricInfo {
  Metric metric;
  std::string_view name;   ///< in config files and JSON
  std::string_view title;  ///< in sentences
  std::string_view meaning;
  Unit unit;
  bool larger_is_worse;
  std::string_view threshold;  ///< without a config
};

/// @source of the thresholds: chosen. Small enough to notice what a user would notice, and no
///         judgement by default on the largest of a sample, which is chance.
inline constexpr std::array<MetricInfo, kMetricCount> kMetrics{{
    {Metric::kWorstCase, "worst_case", "worst case",
     "The longest that one operation can take when no byte of a body ever comes; exact.",
     Unit::kTime, true, "+5%"},
    {Metric::kSuccessRate, "success_rate", "success rate",
     "Share of the runs that gave the result that was wanted.", Unit::kShare, false, "-0.1pp"},
    {Metric::kCallsPerOperation, "calls_per_operation", "calls an operation",
     "Mean number of calls: the load on the provider.", Unit::kCount, true, "+10%"},
    {Metric::kCallsWasted, "calls_wasted", "wasted calls an operation",
     "Mean number of calls that brought nothing.", Unit::kCount, true, "+10%"},
    {Metric::kP50Elapsed, "p50_elapsed", "median elapsed",
     "Time within which half of the operations end.", Unit::kTime, true, "+10%"},
    {Metric::kP99Elapsed, "p99_elapsed", "p99 elapsed",
     "Time within which 99 % of the operations end.", Unit::kTime, true, "+10%"},
    {Metric::kMaxElapsed, "max_elapsed", "longest elapsed", "The longest operation that was seen.",
     Unit::kTime, true, "off"},
}};

[[nodiscard]] constexpr const MetricInfo& info_of(Metric metric) {
  return kMetrics[static_cast<std::size_t>(metric)];
}
[[nodiscard]] std::optional<Metric> metric_from_name(std::string_view name);
[[nodiscard]] std::vector<std::string> metric_names();

struct Threshold {
  enum class Kind : std::uint8_t {
    kOff,
    kRelative,  ///< amount: millionths of the baseline
    kAbsolute,  ///< amount: in the metric's unit
    kLimit,     ///< amount: the value itself, in the metric's unit
  };
  Kind kind = Kind::kOff;
  std::int64_t amount = 0;  ///< never negative
  std::string text = "off";
  friend bool operator==(const Threshold&, const Threshold&) = default;
};

/// Reads a threshold of `metric`.
/// @errors  a message alone: what was found and what this metric allows.
[[nodiscard]] core::Expected<Threshold, core::Error> parse_threshold(Metric metric,
                                                                     std::string_view text);
/// The threshold without a config.
[[nodiscard]] Threshold default_threshold(Metric metric);

enum class Change : std::uint8_t {
  kNone,       ///< exactly as before
  kWithin,     ///< changed, by less than matters or by no more than chance explains
  kImproved,   ///< better by more than the threshold leaves to the worse, chance excluded
  kRegressed,  ///< worse than the threshold allows, chance excluded
  kUnknown,    ///< one side has no value
};
[[nodiscard]] std::string_view label(Change change);

/// Judges one metric. The intervals are those of the change and of the candidate's value; a figure
/// without chance has intervals of one value.
[[nodiscard]] Change judge(Metric metric, const Threshold& threshold,
                           const PairedEstimate& estimate);

}  // namespace squall::analysis
