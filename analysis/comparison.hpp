// SPDX-License-Identifier: MIT
//
// Policies side by side: the same scenarios, the same seeds, run by run. Run `i` of every policy
// meets the same provider draws, because each stream derives from (seed, run, operation, label)
// and no policy draws from the provider's. What differs is the policies' doing.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/policy.hpp"
#include "core/time.hpp"
#include "playback/prepared_scenario.hpp"
#include "scenarios/model.hpp"
#include "simulator/batch.hpp"
#include "simulator/log_histogram.hpp"

namespace squall::analysis {

// ---- playing ---------------------------------------------------------------------------------

/// What is kept of one run.
struct RunFacts {
  core::Duration elapsed{0};
  std::uint32_t calls = 0;
  std::uint32_t wasted = 0;  ///< calls that brought nothing
  bool success = false;
  friend bool operator==(const RunFacts&, const RunFacts&) = default;
};

struct MeasureOptions {
  std::uint64_t seed = 1;
  /// The runs numbered 0 to runs - 1 are made.
  std::uint64_t runs = 1;
  /// Worker threads; at least 1. The result does not depend on it.
  unsigned threads = 1;
  /// Set by a signal handler: workers stop after the run they are at.
  const std::atomic<bool>* interrupted = nullptr;
  /// Called now and then with the number of runs done since the last call, by the calling thread.
  std::function<void(std::uint64_t)> progress;
};

struct Measurement {
  std::vector<RunFacts> runs;  ///< by number; meaningless when interrupted
  bool interrupted = false;
  /// The run with the lowest number that broke an invariant or an internal check.
  std::optional<simulator::NotableRun> unsound;
};

/// Plays every run of `prepared`. Expectations are not looked at.
[[nodiscard]] Measurement measure(const playback::PreparedScenario& prepared,
                                  const MeasureOptions& options);

/// `scenario` under `policy`, without the expectations, which are for its own.
[[nodiscard]] playback::PreparedScenario under(const scenarios::Scenario& scenario,
                                               const core::RetryPolicy& policy);

/// Whether `policy` can be used for what `scenario` does: tool calls have limits of their own.
[[nodiscard]] bool fits(const core::RetryPolicy& policy, const scenarios::Scenario& scenario);

// ---- figures ---------------------------------------------------------------------------------

/// When the last phase begins, from which on nothing changes any more; nothing with a single phase.
[[nodiscard]] std::optional<core::Duration> heals_at(const scenarios::Server& server);

/// What one policy came to in one scenario.
struct Figures {
  std::uint64_t runs = 0;
  std::uint64_t successes = 0;
  std::uint64_t calls = 0;  ///< of all runs: the load on the provider
  std::uint64_t wasted = 0;
  core::Duration p50{0}, p99{0}, max{0};  ///< of elapsed; nearest rank
  /// Operations that ended in success after the last phase began, and how long after, the middle
  /// one and the longest. Those that ended earlier needed no recovery and are not counted.
  std::uint64_t recovered = 0;
  std::optional<core::Duration> recovery_p50, recovery_max;
  friend bool operator==(const Figures&, const Figures&) = default;
};

/// Requires at least one run.
[[nodiscard]] Figures figures_of(std::span<const RunFacts> runs,
                                 std::optional<core::Duration> heals_at);

/// The longest that one operation can take when no byte of a body ever comes.
struct Bound {
  scenarios::OperationKind kind = scenarios::OperationKind::kAgentChat;
  /// analysis::kNoEnd when nothing ends it; absent when it is not computed.
  std::optional<core::Duration> longest;
  std::string not_computed;  ///< why not
  friend bool operator==(const Bound&, const Bound&) = default;
};
[[nodiscard]] Bound bound_of(const core::RetryPolicy& policy, scenarios::OperationKind kind);

/// The kinds of operation that occur, each once, in the order of the enumeration.
[[nodiscard]] std::vector<scenarios::OperationKind> kinds_of(
    std::span<const scenarios::Scenario* const> scenarios);

// ---- the comparison --------------------------------------------------------------------------

/// Over all scenarios together.
struct Totals {
  std::uint64_t runs = 0;
  std::uint64_t successes = 0;
  std::uint64_t calls = 0;
  std::uint64_t wasted = 0;
  simulator::LogHistogram elapsed;  ///< quantiles to 1/1024

  [[nodiscard]] core::Duration p99() const;
};

struct ComparedPolicy {
  std::string name;
  core::RetryPolicy policy;
  std::vector<Bound> bounds;  ///< by kind of operation
  Totals totals;
};

struct ComparedScenario {
  std::string name;
  scenarios::OperationKind kind = scenarios::OperationKind::kAgentChat;
  std::optional<core::Duration> heals_at;
  std::vector<Figures> cells;  ///< by policy
};

/// `dominated` is no better than `by` in success, p99 of elapsed and calls, and worse in one.
struct Dominance {
  std::size_t dominated = 0;
  std::size_t by = 0;
  friend bool operator==(const Dominance&, const Dominance&) = default;
};

/// A run that broke an invariant, and where.
struct UnsoundRun {
  std::string scenario;  ///< as the user can name it again
  std::string policy;    ///< as the user named it
  simulator::NotableRun run;
};

struct Comparison {
  std::uint64_t seed = 0;
  std::uint64_t runs = 0;
  bool interrupted = false;
  std::vector<ComparedPolicy> policies;
  std::vector<ComparedScenario> scenarios;
  std::vector<Dominance> dominance;  ///< each dominated policy once, by the first that does
  std::vector<UnsoundRun> unsound;
};

/// A policy and what the user calls it.
struct NamedPolicy {
  std::string name;
  core::RetryPolicy policy;
};
/// A scenario and what the user calls it.
struct NamedScenario {
  std::string reference;
  scenarios::Scenario scenario;
};

/// Plays every scenario under every policy, all of which must fit.
[[nodiscard]] Comparison compare(std::span<const NamedPolicy> policies,
                                 std::span<const NamedScenario> scenarios,
                                 const MeasureOptions& options);

/// Who is dominated by whom.
[[nodiscard]] std::vector<Dominance> dominance_of(std::span<const Totals> totals);

}  // namespace squall::analysis
