// SPDX-License-Identifier: MIT
//
// Many runs of one scenario on all cores, with flat memory: results are folded into integer sums
// and histograms as they come. Every figure is an integer sum or an extreme, so that the summary
// does not depend on the number of threads or on who ran what.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/telemetry.hpp"
#include "core/time.hpp"
#include "playback/audit.hpp"
#include "playback/prepared_scenario.hpp"
#include "playback/run_result.hpp"
#include "scenarios/failure_class.hpp"
#include "scenarios/model.hpp"
#include "simulator/log_histogram.hpp"
#include "simulator/simulation.hpp"

namespace squall::simulator {

struct BatchOptions {
  std::uint64_t seed = 1;
  /// Number of runs; the runs numbered 0 to runs - 1 are made.
  std::uint64_t runs = 1;
  /// Worker threads; at least 1.
  unsigned threads = 1;
  /// Play every run twice; otherwise only run 0 is.
  bool verify_determinism = false;
  /// Set by a signal handler: workers stop after the run they are at.
  const std::atomic<bool>* interrupted = nullptr;
  /// Where telemetry rows go; null: nowhere. Rows are written in the order of the runs, hence on
  /// one thread whatever `threads` says.
  core::TelemetrySink* sink = nullptr;
  /// Required with a sink.
  OperationIds operation_id;
  /// Called now and then with the number of runs done, on the calling thread only.
  std::function<void(std::uint64_t)> progress;
  /// Called after every run that counts, by the thread that made it: for what the summary does not
  /// keep. `worker` is less than the worker_count of these runs and threads, and its own thread's
  /// alone.
  std::function<void(unsigned worker, const playback::RunResult& result)> observe;
};

/// Sleeps taken in one slot over all runs.
struct SlotStatistics {
  std::uint64_t jittered = 0;        ///< sleeps by schedule and jitter
  std::uint64_t by_retry_after = 0;  ///< sleeps by Retry-After
  core::Duration jittered_min = core::Duration::max();
  core::Duration jittered_max{0};
  core::Duration retry_after_min = core::Duration::max();
  core::Duration retry_after_max{0};
};

/// A run worth looking at again.
struct NotableRun {
  std::uint64_t run = 0;
  core::Duration at{0};               ///< virtual time of the finding
  std::vector<std::string> findings;  ///< what was broken or not met
};

/// A run that is not sound, with what it broke.
[[nodiscard]] NotableRun unsound_run(const playback::RunResult& result);

struct BatchSummary {
  std::uint64_t seed = 0;
  std::uint64_t runs_asked = 0;
  std::uint64_t runs = 0;  ///< made; fewer than asked for after an interrupt
  std::array<std::uint64_t, scenarios::kOutcomeCount> outcomes{};  ///< by scenarios::Outcome
  /// The run with the lowest number that ended so, by scenarios::Outcome.
  std::array<std::optional<std::uint64_t>, scenarios::kOutcomeCount> first_run{};
  std::optional<std::uint64_t> longest_run;  ///< lowest number among those of the largest elapsed
  std::map<std::uint32_t, std::uint64_t> attempts;  ///< calls an operation -> runs
  LogHistogram elapsed;
  LogHistogram slept;  ///< sleep of an operation in all
  std::vector<SlotStatistics> slots;
  /// By FailureClass::index.
  std::array<std::uint64_t, scenarios::FailureClass::kCount> failures{};
  std::uint64_t request_bytes = 0;  ///< of all calls
  std::uint64_t seen_bytes = 0;     ///< of these, leading bytes the provider had seen before
  std::uint64_t calls = 0;
  std::uint64_t calls_wasted = 0;
  playback::CheckCounts checks{};
  std::uint64_t runs_unsound = 0;          ///< runs that broke an invariant or an internal check
  std::optional<NotableRun> unsound;       ///< the one with the lowest number
  std::uint64_t runs_unmet = 0;            ///< runs that do not meet the scenario's expectations
  std::optional<NotableRun> unmet;         ///< the one with the lowest number
  std::vector<std::string> unmet_overall;  ///< expectations on all runs together
  std::uint64_t digest = 0;                ///< of all runs; independent of their order

  /// The first run that was no success; nothing when all were.
  [[nodiscard]] std::optional<std::uint64_t> first_unsuccessful() const;
  [[nodiscard]] std::uint64_t successes() const { return outcomes[0]; }
  [[nodiscard]] bool as_expected() const { return runs_unmet == 0 && unmet_overall.empty(); }
};

/// Makes the runs and folds their results.
[[nodiscard]] BatchSummary run_batch(const playback::PreparedScenario& prepared,
                                     const BatchOptions& options);

}  // namespace squall::simulator
