// SPDX-License-Identifier: MIT
#include "simulator/batch.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "playback/expectations.hpp"
#include "simulator/run_pool.hpp"
#include "simulator/simulation.hpp"

namespace squall::simulator {
namespace {

/// Spreads a run's digest so that the sum over runs tells which run had which.
std::uint64_t mixed(std::uint64_t run, std::uint64_t digest) {
  return core::RandomStream(digest).split(run).next();
}

void keep_lowest(std::optional<NotableRun>& kept, NotableRun candidate) {
  if (!kept || candidate.run < kept->run) {
    kept = std::move(candidate);
  }
}

void keep_lower(std::optional<std::uint64_t>& kept, std::optional<std::uint64_t> run) {
  if (run && (!kept || *run < *kept)) {
    kept = run;
  }
}

/// Takes over the longest run of `from`; to be called before its histogram is folded in.
void keep_longest(const LogHistogram& elapsed, std::optional<std::uint64_t> run,
                  BatchSummary& into) {
  if (!into.longest_run || elapsed.max() > into.elapsed.max()) {
    into.longest_run = run;
  } else if (elapsed.max() == into.elapsed.max()) {
    keep_lower(into.longest_run, run);
  }
}

void fold_sleeps(const playback::RunResult& result, BatchSummary& summary) {
  for (const core::OrderedSleep& sleep : *result.sleeps) {
    if (summary.slots.size() <= sleep.slot) {
      summary.slots.resize(sleep.slot + std::size_t{1});
    }
    SlotStatistics& slot = summary.slots[sleep.slot];
    if (sleep.by_retry_after) {
      ++slot.by_retry_after;
      slot.retry_after_min = std::min(slot.retry_after_min, sleep.duration);
      slot.retry_after_max = std::max(slot.retry_after_max, sleep.duration);
    } else {
      ++slot.jittered;
      slot.jittered_min = std::min(slot.jittered_min, sleep.duration);
      slot.jittered_max = std::max(slot.jittered_max, sleep.duration);
    }
  }
}

void fold_findings(const scenarios::Scenario& scenario, const playback::RunResult& result,
                   BatchSummary& summary) {
  if (!result.sound()) {
    ++summary.runs_unsound;
    keep_lowest(summary.unsound, unsound_run(result));
  }
  std::vector<std::string> unmet = playback::unmet_expectations(scenario.expect, result);
  if (!unmet.empty()) {
    ++summary.runs_unmet;
    keep_lowest(summary.unmet,
                {.run = result.run, .at = result.elapsed, .findings = std::move(unmet)});
  }
}

void fold(const scenarios::Scenario& scenario, const playback::RunResult& result,
          BatchSummary& summary) {
  ++summary.runs;
  ++summary.outcomes[static_cast<std::size_t>(result.outcome)];
  ++summary.attempts[result.attempts];
  keep_lower(summary.first_run[static_cast<std::size_t>(result.outcome)], result.run);
  if (!summary.longest_run || result.elapsed > summary.elapsed.max()) {
    summary.longest_run = result.run;
  } else if (result.elapsed == summary.elapsed.max()) {
    keep_lower(summary.longest_run, result.run);
  }
  summary.elapsed.record(result.elapsed);
  summary.slept.record(result.sleep_total);
  summary.calls += result.attempts;
  summary.calls_wasted += result.calls_wasted;
  for (std::size_t i = 0; i < result.trail.size(); ++i) {
    ++summary.failures[result.trail[i].failure_class.index()];
  }
  for (const playback::PrefixReuse& request : *result.prefix_reuse) {
    summary.request_bytes += request.request_bytes;
    summary.seen_bytes += request.seen_bytes;
  }
  for (std::size_t i = 0; i < summary.checks.size(); ++i) {
    summary.checks[i] += (*result.checks)[i];
  }
  fold_sleeps(result, summary);
  fold_findings(scenario, result, summary);
  summary.digest += mixed(result.run, result.digest);
}

void merge_slots(const std::vector<SlotStatistics>& from, std::vector<SlotStatistics>& into) {
  if (into.size() < from.size()) {
    into.resize(from.size());
  }
  for (std::size_t i = 0; i < from.size(); ++i) {
    into[i].jittered += from[i].jittered;
    into[i].by_retry_after += from[i].by_retry_after;
    into[i].jittered_min = std::min(into[i].jittered_min, from[i].jittered_min);
    into[i].jittered_max = std::max(into[i].jittered_max, from[i].jittered_max);
    into[i].retry_after_min = std::min(into[i].retry_after_min, from[i].retry_after_min);
    into[i].retry_after_max = std::max(into[i].retry_after_max, from[i].retry_after_max);
  }
}

template <class Counts>
void add_counts(const Counts& from, Counts& into) {
  for (std::size_t i = 0; i < into.size(); ++i) {
    into[i] += from[i];
  }
}

/// Everything but the header of the summary.
void merge(BatchSummary&& from, BatchSummary& into) {
  into.runs += from.runs;
  add_counts(from.outcomes, into.outcomes);
  for (const auto& [attempts, runs] : from.attempts) {
    into.attempts[attempts] += runs;
  }
  for (std::size_t i = 0; i < into.first_run.size(); ++i) {
    keep_lower(into.first_run[i], from.first_run[i]);
  }
  if (from.longest_run) {
    keep_longest(from.elapsed, from.longest_run, into);
  }
  into.elapsed.merge(from.elapsed);
  into.slept.merge(from.slept);
  merge_slots(from.slots, into.slots);
  add_counts(from.failures, into.failures);
  into.request_bytes += from.request_bytes;
  into.seen_bytes += from.seen_bytes;
  into.calls += from.calls;
  into.calls_wasted += from.calls_wasted;
  add_counts(from.checks, into.checks);
  into.runs_unsound += from.runs_unsound;
  into.runs_unmet += from.runs_unmet;
  if (from.unsound) {
    keep_lowest(into.unsound, *std::move(from.unsound));
  }
  if (from.unmet) {
    keep_lowest(into.unmet, *std::move(from.unmet));
  }
  into.digest += from.digest;
}

}  // namespace

std::optional<std::uint64_t> BatchSummary::first_unsuccessful() const {
  std::optional<std::uint64_t> first;
  for (std::size_t i = 1; i < first_run.size(); ++i) {
    keep_lower(first, first_run[i]);
  }
  return first;
}

NotableRun unsound_run(const playback::RunResult& result) {
  NotableRun notable{
      .run = result.run, .at = result.internal_error_at.time_since_epoch(), .findings = {}};
  for (const playback::Violation& violation : *result.violations) {
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

BatchSummary run_batch(const playback::PreparedScenario& prepared, const BatchOptions& options) {
  const PoolOptions pool{.runs = options.runs,
                         .threads = options.sink != nullptr ? 1 : options.threads,
                         .interrupted = options.interrupted,
                         .progress = options.progress};
  std::vector<BatchSummary> parts(worker_count(pool));
  run_pool(pool, [&](unsigned worker) -> RunWorker {
    const auto simulation = std::make_shared<Simulation>(prepared, options.interrupted);
    if (options.sink != nullptr) {
      simulation->record_to(*options.sink, options.operation_id);
    }
    return [&part = parts[worker], &prepared, &options, simulation, worker](std::uint64_t run) {
      simulation->run(options.seed, run);
      const playback::RunResult& result = options.verify_determinism || run == 0
                                              ? simulation->verify_determinism()
                                              : simulation->result();
      if (result.interrupted) {
        return false;  // Half a run is no result.
      }
      fold(prepared.scenario, result, part);
      if (options.observe) {
        options.observe(worker, result);
      }
      return true;
    };
  });
  BatchSummary total;
  total.seed = options.seed;
  total.runs_asked = options.runs;
  for (BatchSummary& part : parts) {
    merge(std::move(part), total);
  }
  total.unmet_overall =
      playback::unmet_success_rate(prepared.scenario.expect, total.successes(), total.runs);
  return total;
}

}  // namespace squall::simulator
