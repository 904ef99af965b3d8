// SPDX-License-Identifier: MIT
//
// What a reliability report is made of: every scenario played under one or several policies, and
// what all operations of a policy came to together. Sums, extremes and samples whose choice follows
// from numbers alone: the same on any number of threads. Which runs are worth drawing is decided
// here as well; drawing them is not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/comparison.hpp"
#include "analysis/failure_times.hpp"
#include "analysis/plan.hpp"
#include "analysis/sleep_sample.hpp"
#include "core/time.hpp"
#include "playback/audit.hpp"
#include "playback/prepared_scenario.hpp"
#include "playback/run_result.hpp"
#include "simulator/batch.hpp"
#include "simulator/log_histogram.hpp"

namespace squall::analysis {

/// A scenario to be played under a policy. The scenario has that policy already.
struct ReliabilityTask {
  std::size_t policy = 0;    ///< column
  std::size_t scenario = 0;  ///< row
  const playback::PreparedScenario* prepared = nullptr;
};

/// Durations as a curve: how many operations took at most so long. Ascending in both.
using Curve = std::vector<std::pair<core::Duration, std::uint64_t>>;

/// The curve of `histogram`, thinned to `points_max`: of all ranks those nearest to equal steps,
/// the last one always among them. Every point is a duration that was recorded.
[[nodiscard]] Curve curve_of(const simulator::LogHistogram& histogram, std::size_t points_max);
/// A curve thinned further by the same rule.
[[nodiscard]] Curve thinned(const Curve& curve, std::size_t points_max);
/// Points of a curve that is not thinned.
[[nodiscard]] std::size_t points_of(const simulator::LogHistogram& histogram);

/// @source chosen: a curve of 200 steps looks smooth at any width of a page.
inline constexpr std::size_t kCurvePointsMax = 200;

/// To 1/1024, see LogHistogram; the largest is exact.
struct ElapsedFigures {
  core::Duration p50{0}, p90{0}, p99{0}, max{0};
  friend bool operator==(const ElapsedFigures&, const ElapsedFigures&) = default;
};
[[nodiscard]] ElapsedFigures figures_of(const simulator::LogHistogram& elapsed);

struct ReliabilityCell {
  std::size_t policy = 0;
  std::size_t scenario = 0;
  /// Without its histograms, whose figures are below.
  simulator::BatchSummary summary;
  ElapsedFigures elapsed;
  Curve curve;
  std::size_t curve_points = 0;  ///< before it was thinned
  std::uint64_t run_zero_digest = 0;
};

/// Sleeps in one slot of the schedule.
struct SlotSleeps {
  SleepSample backoff;
  SleepSample retry_after;
};

/// All operations of a policy.
struct ReliabilityTotals {
  std::uint64_t operations = 0;
  std::uint64_t successes = 0;
  std::uint64_t calls = 0;
  simulator::LogHistogram elapsed;
  std::map<std::uint32_t, std::uint64_t> attempts;  ///< calls an operation -> operations
  std::vector<SlotSleeps> slots;
  FailureTimes failures;
};

struct Reliability {
  std::uint64_t seed = 0;
  std::uint64_t runs = 0;
  /// Then the rest is meaningless.
  bool interrupted = false;
  std::vector<ReliabilityCell> cells;  ///< as the tasks
  std::vector<ReliabilityTotals> policies;
  playback::CheckCounts checks{};
  playback::CheckCounts broken{};  ///< runs that broke it
};

/// Plays all tasks.
[[nodiscard]] Reliability collect(std::span<const ReliabilityTask> tasks, std::size_t policies,
                                  const MeasureOptions& options);

/// Why a run is drawn.
enum class Notable : std::uint8_t { kFirstFailure, kSlowest, kFirstRun };
[[nodiscard]] std::string_view label(Notable why);

struct TimelinePick {
  std::size_t cell = 0;
  std::uint64_t run = 0;
  Notable why = Notable::kFirstRun;
  friend bool operator==(const TimelinePick&, const TimelinePick&) = default;
};

/// @source chosen: as many as fit on a screen; more are a replay away.
inline constexpr std::size_t kTimelinesMax = 6;

/// The runs of `policy` to be drawn, kTimelinesMax at most: first those that did not succeed
/// (unexpected ones before others), then the slowest, then a first run; each once.
[[nodiscard]] std::vector<TimelinePick> timelines_of(const Reliability& reliability,
                                                     std::size_t policy);

/// Plays a picked run again and shows its result.
void replay(const ReliabilityTask& task, std::uint64_t seed, std::uint64_t run,
            const std::function<void(const playback::RunResult&)>& show);

/// The operation kind whose bound is the longest among `kinds` (the first of equals), with it.
/// Requires at least one kind.
[[nodiscard]] Bound longest_bound(const core::RetryPolicy& policy,
                                  std::span<const scenarios::OperationKind> kinds);

/// What the longest operation consists of.
struct BoundPart {
  enum class Kind : std::uint8_t { kHeaderWaits, kBodyWaits, kBackoff, kRetryAfter };
  Kind kind = Kind::kHeaderWaits;
  std::uint64_t count = 0;
  core::Duration total{0};
  friend bool operator==(const BoundPart&, const BoundPart&) = default;
};

/// The parts of `plan`, an operation under `policy`, that last at all, in the order of their kinds.
/// Together they last exactly as long as the plan.
[[nodiscard]] std::vector<BoundPart> parts_of(const core::RetryPolicy& policy, const Plan& plan);

}  // namespace squall::analysis
