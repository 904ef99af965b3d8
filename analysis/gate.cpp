// SPDX-License-Identifier: MIT
#include "analysis/gate.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "analysis/worst_case.hpp"
#include "core/random.hpp"
#include "scenarios/wording.hpp"

namespace squall::analysis {
namespace {

using core::Error;
using core::Expected;
using core::RetryPolicy;
using core::Unexpected;

__extension__ using Wide = __int128;

/// Means are kept in millionths.
constexpr std::int64_t kMillion = 1'000'000;

struct Sampled {
  Metric metric;
  Statistic statistic;
  std::int64_t (*value)(const RunFacts&);
};

std::int64_t elapsed_of(const RunFacts& run) {
  return run.elapsed.count();
}

const std::array<Sampled, kMetricCount - 1> kSampled{{
    {Metric::kSuccessRate, Statistic::mean(kMillion),
     [](const RunFacts& run) { return std::int64_t{run.success ? 1 : 0}; }},
    {Metric::kCallsPerOperation, Statistic::mean(kMillion),
     [](const RunFacts& run) { return std::int64_t{run.calls}; }},
    {Metric::kCallsWasted, Statistic::mean(kMillion),
     [](const RunFacts& run) { return std::int64_t{run.wasted}; }},
    {Metric::kP50Elapsed, Statistic::quantile(1, 2), elapsed_of},
    {Metric::kP99Elapsed, Statistic::quantile(99, 100), elapsed_of},
    {Metric::kMaxElapsed, Statistic::quantile(1, 1), elapsed_of},
}};

std::vector<std::int64_t> values_of(std::span<const RunFacts> runs, const Sampled& sampled) {
  std::vector<std::int64_t> values;
  values.reserve(runs.size());
  for (const RunFacts& run : runs) {
    values.push_back(sampled.value(run));
  }
  return values;
}

/// A figure without chance.
PairedEstimate exact(std::int64_t baseline, std::int64_t candidate) {
  const std::int64_t change = candidate - baseline;
  return {.baseline = baseline,
          .candidate = candidate,
          .change = change,
          .change_interval = {change, change},
          .candidate_interval = {candidate, candidate}};
}

bool has_cause(const MetricChange& metric) {
  return metric.change != Change::kUnknown && metric.estimate.change != 0;
}

/// Keeps of `all` what moves the metric the way it went, by a tenth of the change at least.
std::vector<Cause> strongest(std::vector<Cause> all, const PairedEstimate& estimate) {
  const Wide whole = estimate.change < 0 ? -Wide{estimate.change} : Wide{estimate.change};
  const auto effect = [&estimate](const Cause& cause) {
    const Wide moved = Wide{cause.alone} - estimate.baseline;
    return estimate.change < 0 ? -moved : moved;
  };
  all.erase(std::remove_if(all.begin(), all.end(),
                           [&](const Cause& cause) {
                             return effect(cause) <= 0 || effect(cause) * 10 < whole;
                           }),
            all.end());
  std::stable_sort(all.begin(), all.end(), [&effect](const Cause& left, const Cause& right) {
    return effect(left) > effect(right);
  });
  return all;
}

class Gate {
 public:
  Gate(const GatePair& pair, const GateConfig& config, const GateOptions& options)
      : pair_(pair), config_(config), options_(options) {
    PolicyChange& change = outcome_.change;
    change.name = pair.candidate.name;
    change.baseline_source = pair.baseline.source;
    change.candidate_source = pair.candidate.source;
    change.baseline_stored = pair.baseline.stored != nullptr;
    change.baseline = pair.baseline.policy;
    change.candidate = pair.candidate.policy;
    change.parts = changed_parts(change.baseline, change.candidate);
    outcome_.results = {.name = pair.candidate.name, .policy = change.candidate, .scenarios = {}};
  }

  Expected<GateOutcome, Error> run() {
    // What is missing is said before anything is played.
    for (const NamedScenario* scenario : pair_.scenarios) {
      for (const GateSide* side : {&pair_.baseline, &pair_.candidate}) {
        if (auto found = stored(*side, scenario->scenario); !found) {
          return Unexpected<Error>(found.error());
        }
      }
    }
    if (auto bounded = bounds(); !bounded) {
      return Unexpected<Error>(bounded.error());
    }
    for (const NamedScenario* scenario : pair_.scenarios) {
      play(*scenario);
      if (outcome_.interrupted) {
        break;
      }
    }
    return std::move(outcome_);
  }

 private:
  /// The runs stored of a scenario; null when the side is to be played.
  static Expected<const StoredScenario*, Error> stored(const GateSide& side,
                                                       const scenarios::Scenario& scenario) {
    if (side.stored == nullptr) {
      return nullptr;
    }
    for (const StoredScenario& one : side.stored->scenarios) {
      if (one.name != scenario.name) {
        continue;
      }
      if (one.digest != scenario_digest(scenario)) {
        return refuse(side, fmt::format("the scenario {} has changed since its results were "
                                        "stored: save them again (squall gate --save)",
                                        scenarios::in_quotes(scenario.name)));
      }
      return &one;
    }
    return refuse(side, fmt::format("holds no results of the scenario {} for the policy {}: name "
                                    "the scenarios it was saved with, or save it again",
                                    scenarios::in_quotes(scenario.name),
                                    scenarios::in_quotes(side.stored->name)));
  }

  static Unexpected<Error> refuse(const GateSide& side, std::string message) {
    return Unexpected<Error>(
        Error{.file = side.source, .line = 0, .pointer = {}, .message = std::move(message)});
  }

  Expected<void, Error> bounds() {
    std::vector<const scenarios::Scenario*> played;
    for (const NamedScenario* one : pair_.scenarios) {
      played.push_back(&one->scenario);
    }
    const Threshold& threshold = config_.threshold(Metric::kWorstCase, {}, {});
    for (const scenarios::OperationKind kind : kinds_of(played)) {
      const Bound before = bound_of(pair_.baseline.policy, kind);
      const Bound after = bound_of(pair_.candidate.policy, kind);
      BoundChange& bound = outcome_.change.bounds.emplace_back();
      bound.kind = kind;
      bound.metric.threshold = threshold;
      if (!before.longest || !after.longest) {
        const bool is_candidate = !after.longest;
        bound.metric.change = Change::kUnknown;
        bound.not_computed = is_candidate ? after.not_computed : before.not_computed;
        if (config_.asks_for(Metric::kWorstCase)) {
          return refuse(
              is_candidate ? pair_.candidate : pair_.baseline,
              "its worst case, which the config asks for, is not computed: " + bound.not_computed);
        }
        continue;
      }
      bound.metric.estimate = exact(before.longest->count(), after.longest->count());
      bound.metric.change = judge(Metric::kWorstCase, threshold, bound.metric.estimate);
      if (has_cause(bound.metric)) {
        bound.metric.causes = causes_of_bound(kind, bound.metric.estimate);
      }
    }
    return {};
  }

  [[nodiscard]] std::vector<Cause> causes_of_bound(scenarios::OperationKind kind,
                                                   const PairedEstimate& estimate) const {
    std::vector<Cause> causes;
    for (const Part part : outcome_.change.parts) {
      const Bound alone = bound_of(mixed(part), kind);
      if (alone.longest) {
        causes.push_back({.part = part, .alone = alone.longest->count()});
      }
    }
    return strongest(std::move(causes), estimate);
  }

  [[nodiscard]] RetryPolicy mixed(Part part) const {
    return with_part(pair_.baseline.policy, pair_.candidate.policy, part);
  }

  /// The runs of one side, stored or played; empty after an interrupt.
  std::vector<RunFacts> runs_of(const GateSide& side, const NamedScenario& scenario) {
    if (const StoredScenario* kept = *stored(side, scenario.scenario)) {
      return kept->runs;
    }
    Measurement measured = measure(under(scenario.scenario, side.policy), options_.measure);
    outcome_.interrupted = outcome_.interrupted || measured.interrupted;
    if (measured.unsound) {
      outcome_.unsound.push_back({scenario.reference, side.source, *std::move(measured.unsound)});
    }
    return std::move(measured.runs);
  }

  void play(const NamedScenario& named) {
    const scenarios::Scenario& scenario = named.scenario;
    const std::vector<RunFacts> before = runs_of(pair_.baseline, named);
    // Equal policies give equal runs: what is played is played once.
    const bool same = pair_.baseline.stored == nullptr && pair_.candidate.stored == nullptr &&
                      outcome_.change.parts.empty();
    std::vector<RunFacts> after =
        same || outcome_.interrupted ? before : runs_of(pair_.candidate, named);
    if (outcome_.interrupted) {
      return;
    }
    ScenarioChange change{.name = scenario.name,
                          .reference = named.reference,
                          .kind = scenario.operation.kind(),
                          .tags = scenario.tags,
                          .metrics = {}};
    change.metrics = judge_runs(
        before, after, config_, scenario.name, scenario.tags,
        core::RandomStream(options_.measure.seed).split("bootstrap").split(scenario.name));
    add_causes(named, change.metrics);
    if (outcome_.interrupted) {
      return;
    }
    outcome_.change.scenarios.push_back(std::move(change));
    if (options_.keep_results) {
      outcome_.results.scenarios.push_back(
          {.name = scenario.name, .digest = scenario_digest(scenario), .runs = std::move(after)});
    }
  }

  /// Plays the scenario once more for every part, where there is something to explain.
  void add_causes(const NamedScenario& named, std::vector<MetricChange>& metrics) {
    if (std::none_of(metrics.begin(), metrics.end(), has_cause)) {
      return;
    }
    const std::vector<Part>& parts = outcome_.change.parts;
    std::vector<std::vector<Cause>> causes(metrics.size());
    for (const Part part : parts) {
      std::vector<RunFacts> runs;
      if (parts.size() > 1) {  // A single one moves everything that moved.
        const RetryPolicy policy = mixed(part);
        if (!fits(policy, named.scenario)) {
          continue;
        }
        MeasureOptions options = options_.measure;
        options.progress = nullptr;
        Measurement measured = measure(under(named.scenario, policy), options);
        if (measured.interrupted) {
          outcome_.interrupted = true;
          return;
        }
        runs = std::move(measured.runs);
      }
      for (std::size_t i = 0; i < metrics.size(); ++i) {
        const Sampled& sampled = kSampled[i];
        causes[i].push_back({.part = part,
                             .alone = runs.empty()
                                          ? metrics[i].estimate.candidate
                                          : value_of(values_of(runs, sampled), sampled.statistic)});
      }
    }
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      if (has_cause(metrics[i])) {
        metrics[i].causes = strongest(std::move(causes[i]), metrics[i].estimate);
      }
    }
  }

  const GatePair& pair_;
  const GateConfig& config_;
  const GateOptions& options_;
  GateOutcome outcome_;
};

}  // namespace

std::uint64_t PolicyChange::count(Change change) const {
  std::uint64_t count = 0;
  for (const BoundChange& bound : bounds) {
    count += bound.metric.change == change ? 1U : 0U;
  }
  for (const ScenarioChange& scenario : scenarios) {
    for (const MetricChange& metric : scenario.metrics) {
      count += metric.change == change ? 1U : 0U;
    }
  }
  return count;
}

std::vector<MetricChange> judge_runs(std::span<const RunFacts> baseline,
                                     std::span<const RunFacts> candidate, const GateConfig& config,
                                     const std::string& scenario, std::span<const std::string> tags,
                                     core::RandomStream draws) {
  std::vector<MetricChange> metrics(kSampled.size());
  std::vector<PairedColumn> resampled;
  std::vector<std::size_t> resampled_metrics;
  for (std::size_t i = 0; i < kSampled.size(); ++i) {
    const Sampled& sampled = kSampled[i];
    metrics[i].metric = sampled.metric;
    metrics[i].threshold = config.threshold(sampled.metric, scenario, tags);
    PairedColumn column{.baseline = values_of(baseline, sampled),
                        .candidate = values_of(candidate, sampled),
                        .statistic = sampled.statistic};
    if (column.baseline == column.candidate &&
        metrics[i].threshold.kind != Threshold::Kind::kLimit) {
      const std::int64_t value = value_of(column.baseline, column.statistic);
      metrics[i].estimate = exact(value, value);
    } else {
      metrics[i].sampled = true;
      resampled.push_back(std::move(column));
      resampled_metrics.push_back(i);
    }
  }
  std::vector<PairedEstimate> estimates = estimate(resampled, draws);
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    metrics[resampled_metrics[i]].estimate = estimates[i];
  }
  for (MetricChange& metric : metrics) {
    metric.change = judge(metric.metric, metric.threshold, metric.estimate);
  }
  return metrics;
}

Expected<GateOutcome, Error> gate(const GatePair& pair, const GateConfig& config,
                                  const GateOptions& options) {
  return Gate(pair, config, options).run();
}

GateOutcome play(const GateSide& side, std::span<const NamedScenario* const> scenarios,
                 const GateOptions& options) {
  GateOutcome outcome;
  outcome.change.name = side.name;
  outcome.change.candidate_source = side.source;
  outcome.change.candidate = side.policy;
  outcome.results = {.name = side.name, .policy = side.policy, .scenarios = {}};
  for (const NamedScenario* named : scenarios) {
    Measurement measured = measure(under(named->scenario, side.policy), options.measure);
    if (measured.interrupted) {
      outcome.interrupted = true;
      return outcome;
    }
    if (measured.unsound) {
      outcome.unsound.push_back({named->reference, side.source, *std::move(measured.unsound)});
    }
    outcome.results.scenarios.push_back({.name = named->scenario.name,
                                         .digest = scenario_digest(named->scenario),
                                         .runs = std::move(measured.runs)});
  }
  return outcome;
}

}  // namespace squall::analysis
