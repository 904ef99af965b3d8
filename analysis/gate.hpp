// SPDX-License-Identifier: MIT
//
// Whether a policy got worse. Two policies (or what was stored of one) are played with the same
// seeds; every metric is judged by its threshold, and one that is sampled only counts as worse when
// chance is excluded: both the figure and the whole of its interval must be beyond the threshold.
// Every change carries its causes: the parts of the policy that move the metric when they are
// changed alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/bootstrap.hpp"
#include "analysis/comparison.hpp"
#include "analysis/gate_config.hpp"
#include "analysis/gate_metric.hpp"
#include "analysis/gate_parts.hpp"
#include "analysis/gate_results.hpp"
#include "core/expected.hpp"
#include "core/policy.hpp"
#include "scenarios/model.hpp"

namespace squall::analysis {

/// Fewest and most runs of a gate. @source chosen: below a hundred the interval of a rare event
/// says nothing, above a hundred thousand memory and resamples grow for nothing.
inline constexpr std::uint64_t kGateRunsMin = 100;
inline constexpr std::uint64_t kGateRunsMax = 100'000;

/// One side of a gate.
struct GateSide {
  std::string name;    ///< of the policy
  std::string source;  ///< as the user can name it: a shipped name or a file
  core::RetryPolicy policy;
  /// What was stored of it; null when it is to be played.
  const StoredPolicy* stored = nullptr;
};

struct GatePair {
  GateSide baseline, candidate;
  std::vector<const NamedScenario*> scenarios;  ///< all of them fit both
};

/// A part of the policy and what it does alone.
struct Cause {
  Part part = Part::kAttempts;
  std::int64_t alone = 0;  ///< the metric when the baseline is changed in this part only
  friend bool operator==(const Cause&, const Cause&) = default;
};

struct MetricChange {
  Metric metric = Metric::kWorstCase;
  PairedEstimate estimate;
  Threshold threshold;
  Change change = Change::kNone;
  /// Whether the intervals are of resamples; otherwise the figures are exact.
  bool sampled = false;
  /// The parts that move the metric the same way alone, each by a tenth of the change at least, the
  /// strongest first. Empty when no part does: then several act together.
  std::vector<Cause> causes;
};

struct ScenarioChange {
  std::string name;
  std::string reference;
  scenarios::OperationKind kind = scenarios::OperationKind::kAgentChat;
  std::vector<std::string> tags;
  std::vector<MetricChange> metrics;  ///< all but the worst case, in their order
};

struct BoundChange {
  scenarios::OperationKind kind = scenarios::OperationKind::kAgentChat;
  MetricChange metric;       ///< the worst case
  std::string not_computed;  ///< when it is kUnknown: why
};

/// What became of one policy.
struct PolicyChange {
  std::string name;
  std::string baseline_source, candidate_source;
  bool baseline_stored = false;
  core::RetryPolicy baseline, candidate;
  std::vector<Part> parts;  ///< in which they differ
  std::vector<BoundChange> bounds;
  std::vector<ScenarioChange> scenarios;

  [[nodiscard]] std::uint64_t count(Change change) const;
};

struct GateOutcome {
  PolicyChange change;
  std::vector<UnsoundRun> unsound;
  bool interrupted = false;
  /// What the candidate came to, to be stored; only when asked for.
  StoredPolicy results;
};

struct GateOptions {
  MeasureOptions measure;
  /// Keep the candidate's runs.
  bool keep_results = false;
};

/// Judges one pair.
///
/// @errors  a stored side that lacks a scenario or has another one by its name; a worst case that
///          the config asks for and that cannot be computed.
[[nodiscard]] core::Expected<GateOutcome, core::Error> gate(const GatePair& pair,
                                                            const GateConfig& config,
                                                            const GateOptions& options);

/// Plays `side` and keeps its runs, with nothing to compare them with.
[[nodiscard]] GateOutcome play(const GateSide& side,
                               std::span<const NamedScenario* const> scenarios,
                               const GateOptions& options);

/// The sampled metrics of two sides of the same runs, judged. `draws` gives the resamples.
[[nodiscard]] std::vector<MetricChange> judge_runs(std::span<const RunFacts> baseline,
                                                   std::span<const RunFacts> candidate,
                                                   const GateConfig& config,
                                                   const std::string& scenario,
                                                   std::span<const std::string> tags,
                                                   core::RandomStream draws);

}  // namespace squall::analysis
