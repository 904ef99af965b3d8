// SPDX-License-Identifier: MIT
#include "analysis/comparison.hpp"

#include <algorithm>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "analysis/worst_case.hpp"
#include "core/check.hpp"
#include "core/connector/policy.hpp"
#include "simulator/simulation.hpp"

namespace squall::analysis {
namespace {

using core::Duration;
using scenarios::OperationKind;
using simulator::NotableRun;
using simulator::PreparedScenario;

/// Runs a worker claims at a time: few enough to stop soon, enough that claiming costs nothing.
constexpr std::uint64_t kRunsPerClaim = 64;

NotableRun notable(const simulator::RunResult& result) {
  NotableRun notable{
      .run = result.run, .at = result.internal_error_at.time_since_epoch(), .findings = {}};
  for (const simulator::Violation& violation : *result.violations) {
    if (notable.findings.empty()) {
      notable.at = violation.at.time_since_epoch();
    }
    notable.findings.push_back(
        fmt::format("{}: {}", label(violation.invariant), violation.message));
  }
  if (result.internal_error) {
    notable.findings.push_back(*result.internal_error);
  }
  return notable;
}

/// Every worker writes the facts of its runs where they belong, so that nothing is to be merged but
/// the first unsound run.
class Workers {
 public:
  Workers(const PreparedScenario& prepared, const MeasureOptions& options)
      : prepared_(prepared), options_(options), facts_(options.runs) {}

  Measurement run() {
    const std::uint64_t useful = (options_.runs + kRunsPerClaim - 1) / kRunsPerClaim;
    const auto threads =
        static_cast<unsigned>(std::min<std::uint64_t>(std::max(options_.threads, 1U), useful));
    std::vector<std::optional<NotableRun>> unsound(threads);
    {
      std::vector<std::jthread> workers;  // Joined on every way out of this block.
      try {
        for (unsigned i = 1; i < threads; ++i) {
          workers.emplace_back([this, &unsound, i] { guarded(unsound[i], /*report=*/false); });
        }
      } catch (const std::system_error&) {
        // The system gives no more threads: those there are do the work.
      }
      guarded(unsound[0], /*report=*/true);
    }
    if (failure_) {
      std::rethrow_exception(failure_);
    }
    Measurement measurement{.runs = std::move(facts_),
                            .interrupted = done_.load() < options_.runs,
                            .unsound = std::nullopt};
    for (std::optional<NotableRun>& one : unsound) {
      if (one && (!measurement.unsound || one->run < measurement.unsound->run)) {
        measurement.unsound = std::move(one);
      }
    }
    return measurement;
  }

 private:
  /// Keeps the first exception for the calling thread: one that leaves a thread would end the
  /// process without a word.
  void guarded(std::optional<NotableRun>& unsound, bool report) {
    try {
      work(unsound, report);
    } catch (...) {
      if (!failed_.exchange(true)) {
        failure_ = std::current_exception();
      }
    }
  }

  void work(std::optional<NotableRun>& unsound, bool report) {
    simulator::Simulation simulation(prepared_, options_.interrupted);
    std::uint64_t reported = 0;
    while (!options_.is_interrupted()) {
      const std::uint64_t first = next_.fetch_add(kRunsPerClaim, std::memory_order_relaxed);
      if (first >= options_.runs) {
        break;
      }
      const std::uint64_t end = first + std::min(kRunsPerClaim, options_.runs - first);
      for (std::uint64_t run = first; run < end && !options_.is_interrupted(); ++run) {
        simulation.run(options_.seed, run);
        const simulator::RunResult& result =
            run == 0 ? simulation.verify_determinism() : simulation.result();
        if (result.interrupted) {
          return;  // Half a run is no result.
        }
        facts_[run] = {.elapsed = result.elapsed,
                       .calls = result.attempts,
                       .wasted = result.calls_wasted,
                       .success = result.outcome == scenarios::Outcome::kSuccess};
        if (!result.sound() && (!unsound || run < unsound->run)) {
          unsound = notable(result);
        }
        done_.fetch_add(1, std::memory_order_relaxed);
      }
      if (report && options_.progress) {
        const std::uint64_t done = done_.load(std::memory_order_relaxed);
        options_.progress(done - reported);
        reported = done;
      }
    }
  }

  const PreparedScenario& prepared_;
  const MeasureOptions& options_;
  std::vector<RunFacts> facts_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<std::uint64_t> done_{0};
  std::atomic<bool> failed_{false};
  std::exception_ptr failure_;  ///< Written by the one who set `failed_`, read after the join.
};

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
  return Workers(prepared, options).run();
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
