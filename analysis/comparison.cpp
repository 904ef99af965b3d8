// SPDX-License-Identifier: MIT
#include "analysis/comparison.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "analysis/worst_case.hpp"
#include "core/check.hpp"
#include "core/connector/policy.hpp"
#include "simulator/batch.hpp"
#include "simulator/run_pool.hpp"
#include "simulator/simulation.hpp"

namespace squall::analysis {
namespace {

using core::Duration;
using playback::PreparedScenario;
using scenarios::OperationKind;
using simulator::NotableRun;

/// The value of rank ceil(n x percent / 100). Requires ascending values, at least one.
Duration at_percent(const std::vector<Duration>& ascending, std::size_t percent) {
  const std::size_t rank = std::max<std::size_t>((ascending.size() * percent + 99) / 100, 1);
  return ascending[rank - 1];
}

void add(const std::vector<RunFacts>& runs, Totals& totals) {
  for (const RunFacts& run : runs) {
    ++totals.runs;
    totals.successes += run.success ? 1U : 0U;
    totals.calls += run.calls;
    totals.wasted += run.wasted;
    totals.elapsed.record(run.elapsed);
  }
}

/// Whether `left` is as good as `right` in everything and better in something.
bool dominates(const Totals& left, const Totals& right) {
  const Duration left_p99 = left.p99();
  const Duration right_p99 = right.p99();
  const bool as_good =
      left.successes >= right.successes && left_p99 <= right_p99 && left.calls <= right.calls;
  const bool better =
      left.successes > right.successes || left_p99 < right_p99 || left.calls < right.calls;
  return as_good && better;
}

}  // namespace

Measurement measure(const PreparedScenario& prepared, const MeasureOptions& options) {
  SQUALL_CHECK(options.runs > 0);
  std::uint64_t reported = 0;
  simulator::PoolOptions pool{.runs = options.runs,
                              .threads = options.threads,
                              .interrupted = options.interrupted,
                              .progress = {}};
  if (options.progress) {
    pool.progress = [&](std::uint64_t done) {
      options.progress(done - reported);
      reported = done;
    };
  }
  // Every worker writes the facts of its runs where they belong, so that nothing is to be merged
  // but the first unsound run.
  Measurement measurement;
  measurement.runs.resize(options.runs);
  std::vector<std::optional<NotableRun>> unsound(worker_count(pool));
  const std::uint64_t done = run_pool(pool, [&](unsigned worker) -> simulator::RunWorker {
    const auto simulation = std::make_shared<simulator::Simulation>(prepared, options.interrupted);
    return [&, &first = unsound[worker], simulation](std::uint64_t run) {
      simulation->run(options.seed, run);
      const playback::RunResult& result =
          run == 0 ? simulation->verify_determinism() : simulation->result();
      if (result.interrupted) {
        return false;  // Half a run is no result.
      }
      measurement.runs[run] = {.elapsed = result.elapsed,
                               .calls = result.attempts,
                               .wasted = result.calls_wasted,
                               .success = result.outcome == scenarios::Outcome::kSuccess};
      if (!result.sound() && (!first || run < first->run)) {
        first = simulator::unsound_run(result);
      }
      return true;
    };
  });
  measurement.interrupted = done < options.runs;
  for (std::optional<NotableRun>& one : unsound) {
    if (one && (!measurement.unsound || one->run < measurement.unsound->run)) {
      measurement.unsound = std::move(one);
    }
  }
  return measurement;
}

PreparedScenario under(const scenarios::Scenario& scenario, const core::RetryPolicy& policy) {
  scenarios::Scenario played = scenario;
  played.policy = policy;
  played.policy_name = "inline";
  played.audit_policy.reset();
  played.expect = {};
  return PreparedScenario(std::move(played));
}

bool fits(const core::RetryPolicy& policy, const scenarios::Scenario& scenario) {
  return scenario.operation.kind() != OperationKind::kToolCall ||
         core::connector::validate_connector_policy(policy).has_value();
}

std::optional<Duration> heals_at(const scenarios::Server& server) {
  return server.phases.size() < 2 ? std::nullopt : server.phases[server.phases.size() - 2].until;
}

Figures figures_of(std::span<const RunFacts> runs, std::optional<Duration> heals_at) {
  SQUALL_CHECK(!runs.empty());
  Figures figures;
  std::vector<Duration> elapsed;
  std::vector<Duration> recoveries;
  elapsed.reserve(runs.size());
  for (const RunFacts& run : runs) {
    ++figures.runs;
    figures.successes += run.success ? 1U : 0U;
    figures.calls += run.calls;
    figures.wasted += run.wasted;
    elapsed.push_back(run.elapsed);
    if (heals_at && run.success && run.elapsed >= *heals_at) {
      recoveries.push_back(run.elapsed - *heals_at);
    }
  }
  std::sort(elapsed.begin(), elapsed.end());
  figures.p50 = at_percent(elapsed, 50);
  figures.p99 = at_percent(elapsed, 99);
  figures.max = elapsed.back();
  figures.recovered = recoveries.size();
  if (!recoveries.empty()) {
    std::sort(recoveries.begin(), recoveries.end());
    figures.recovery_p50 = at_percent(recoveries, 50);
    figures.recovery_max = recoveries.back();
  }
  return figures;
}

Bound bound_of(const core::RetryPolicy& policy, OperationKind kind) {
  Bound bound{.kind = kind, .longest = std::nullopt, .not_computed = {}};
  const auto worst = worst_case(policy, kind);
  if (!worst) {
    bound.not_computed = worst.error().message;
    return bound;
  }
  for (const LongestOperation& longest : worst->longest) {
    if (longest.body_waits == 1) {
      bound.longest = longest.operation;
    }
  }
  SQUALL_CHECK(bound.longest.has_value());
  return bound;
}

std::vector<OperationKind> kinds_of(std::span<const scenarios::Scenario* const> scenarios) {
  std::vector<OperationKind> kinds;
  for (std::size_t index = 0; index < scenarios::kOperationKinds; ++index) {
    const auto kind = static_cast<OperationKind>(index);
    if (std::any_of(scenarios.begin(), scenarios.end(),
                    [kind](const auto* one) { return one->operation.kind() == kind; })) {
      kinds.push_back(kind);
    }
  }
  return kinds;
}

Duration Totals::p99() const {
  return elapsed.quantile(99, 100).value_or(Duration{0});
}

Comparison compare(std::span<const NamedPolicy> policies, std::span<const NamedScenario> scenarios,
                   const MeasureOptions& options) {
  Comparison comparison;
  comparison.seed = options.seed;
  comparison.runs = options.runs;
  std::vector<const scenarios::Scenario*> played;
  for (const NamedScenario& one : scenarios) {
    played.push_back(&one.scenario);
  }
  const std::vector<OperationKind> kinds = kinds_of(played);
  for (const NamedPolicy& one : policies) {
    ComparedPolicy& policy =
        comparison.policies.emplace_back(ComparedPolicy{one.name, one.policy, {}, {}});
    for (const OperationKind kind : kinds) {
      policy.bounds.push_back(bound_of(one.policy, kind));
    }
  }
  for (const NamedScenario& one : scenarios) {
    ComparedScenario scenario{.name = one.scenario.name,
                              .kind = one.scenario.operation.kind(),
                              .heals_at = heals_at(one.scenario.server),
                              .cells = {}};
    for (ComparedPolicy& policy : comparison.policies) {
      Measurement measured = measure(under(one.scenario, policy.policy), options);
      if (measured.interrupted) {
        comparison.interrupted = true;
        return comparison;
      }
      if (measured.unsound) {
        comparison.unsound.push_back({one.reference, policy.name, *std::move(measured.unsound)});
      }
      scenario.cells.push_back(figures_of(measured.runs, scenario.heals_at));
      add(measured.runs, policy.totals);
    }
    comparison.scenarios.push_back(std::move(scenario));
  }
  std::vector<Totals> totals;
  for (const ComparedPolicy& policy : comparison.policies) {
    totals.push_back(policy.totals);
  }
  comparison.dominance = dominance_of(totals);
  return comparison;
}

std::vector<Dominance> dominance_of(std::span<const Totals> totals) {
  std::vector<Dominance> found;
  for (std::size_t dominated = 0; dominated < totals.size(); ++dominated) {
    for (std::size_t by = 0; by < totals.size(); ++by) {
      if (dominates(totals[by], totals[dominated])) {
        found.push_back({.dominated = dominated, .by = by});
        break;
      }
    }
  }
  return found;
}

}  // namespace squall::analysis
