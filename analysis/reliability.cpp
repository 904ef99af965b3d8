// SPDX-License-Identifier: MIT
#include "analysis/reliability.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "analysis/ways.hpp"
#include "core/check.hpp"
#include "core/jitter.hpp"
#include "core/policy.hpp"
#include "core/retry_after.hpp"
#include "simulator/run_pool.hpp"
#include "simulator/simulation.hpp"

namespace squall::analysis {
namespace {

using core::Duration;
using playback::RunResult;
using simulator::BatchSummary;
using simulator::LogHistogram;

/// What one worker sees of a task beyond the summary.
struct Observed {
  std::vector<SlotSleeps> slots;
  FailureTimes failures;
  playback::CheckCounts broken{};
  std::uint64_t run_zero_digest = 0;
};

SlotSleeps& slot_at(std::vector<SlotSleeps>& slots, std::size_t slot) {
  if (slots.size() <= slot) {
    slots.resize(slot + 1);
  }
  return slots[slot];
}

bool lies_in(Duration slept, core::SleepInterval allowed) {
  return slept >= core::from_milliseconds(allowed.min_ms) &&
         slept <= core::from_milliseconds(allowed.max_ms);
}

/// When each failure of the run was recorded; the trail is in the same order.
void add_failures(const RunResult& result, FailureTimes& failures) {
  std::size_t index = 0;
  for (const playback::TraceRecord& record : result.trace->records()) {
    if (record.kind() == playback::TraceKind::kFailureRecorded && index < result.trail.size()) {
      failures.add(result.trail[index].failure_class, record.at().time_since_epoch());
      ++index;
    }
  }
}

/// @param number  of the operation among all of the policy.
void add_run(const RunResult& result, const core::RetryPolicy& policy, std::uint64_t number,
             Observed& observed) {
  for (const core::OrderedSleep& sleep : *result.sleeps) {
    SlotSleeps& slot = slot_at(observed.slots, sleep.slot);
    if (sleep.by_retry_after) {
      slot.retry_after.add(number, sleep.duration,
                           lies_in(sleep.duration, {policy.retry_after.clamp_min_ms,
                                                    policy.retry_after.clamp_max_ms}));
    } else {
      slot.backoff.add(number, sleep.duration,
                       lies_in(sleep.duration, core::sleep_interval(policy, sleep.slot)));
    }
  }
  add_failures(result, observed.failures);
  playback::CheckCounts broken{};
  for (const playback::Violation& violation : *result.violations) {
    broken[static_cast<std::size_t>(violation.invariant)] = 1;
  }
  for (std::size_t i = 0; i < broken.size(); ++i) {
    observed.broken[i] += broken[i];
  }
  if (result.run == 0) {
    observed.run_zero_digest = result.digest;
  }
}

void merge(const std::vector<SlotSleeps>& from, std::vector<SlotSleeps>& into) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    SlotSleeps& slot = slot_at(into, i);
    slot.backoff.merge(from[i].backoff);
    slot.retry_after.merge(from[i].retry_after);
  }
}

void add(const BatchSummary& summary, ReliabilityTotals& totals) {
  totals.operations += summary.runs;
  totals.successes += summary.successes();
  totals.calls += summary.calls;
  totals.elapsed.merge(summary.elapsed);
  for (const auto& [attempts, operations] : summary.attempts) {
    totals.attempts[attempts] += operations;
  }
}

ReliabilityCell cell_of(const ReliabilityTask& task, BatchSummary summary) {
  ReliabilityCell cell{.policy = task.policy,
                       .scenario = task.scenario,
                       .summary = {},
                       .elapsed = figures_of(summary.elapsed),
                       .curve = curve_of(summary.elapsed, kCurvePointsMax),
                       .curve_points = points_of(summary.elapsed),
                       .run_zero_digest = 0};
  // A thousand cells would hold a hundred megabytes of histograms that nobody reads again.
  summary.elapsed = {};
  summary.slept = {};
  cell.summary = std::move(summary);
  return cell;
}

bool is_unexpected(const ReliabilityCell& cell) {
  return cell.summary.runs_unsound > 0 || !cell.summary.as_expected();
}

/// The run that shows best what went wrong; nothing when all went well.
std::optional<std::uint64_t> failed_run(const ReliabilityCell& cell) {
  if (cell.summary.unsound) {
    return cell.summary.unsound->run;
  }
  if (cell.summary.unmet) {
    return cell.summary.unmet->run;
  }
  return cell.summary.first_unsuccessful();
}

class Picker {
 public:
  Picker(const Reliability& reliability, std::size_t policy) : reliability_(reliability) {
    for (std::size_t i = 0; i < reliability.cells.size(); ++i) {
      if (reliability.cells[i].policy == policy) {
        slowest_first_.push_back(i);
        in_order_.push_back(i);
      }
    }
    std::stable_sort(slowest_first_.begin(), slowest_first_.end(),
                     [&](std::size_t left, std::size_t right) {
                       return cell(left).elapsed.max > cell(right).elapsed.max;
                     });
  }

  std::vector<TimelinePick> pick() {
    // Half of the room for failures, a third for what is slow, and what is left for the ordinary;
    // then whatever there is.
    failures(kTimelinesMax / 2);
    slowest(kTimelinesMax * 5 / 6);
    first_runs(kTimelinesMax);
    failures(kTimelinesMax);
    slowest(kTimelinesMax);
    return std::move(picks_);
  }

 private:
  [[nodiscard]] const ReliabilityCell& cell(std::size_t index) const {
    return reliability_.cells[index];
  }

  void take(std::size_t index, std::uint64_t run, Notable why) {
    if (taken_.emplace(index, run).second) {
      picks_.push_back({.cell = index, .run = run, .why = why});
    }
  }

  void failures(std::size_t picks_max) {
    for (const bool unexpected : {true, false}) {
      for (const std::size_t index : slowest_first_) {
        const std::optional<std::uint64_t> run = failed_run(cell(index));
        if (picks_.size() < picks_max && run && is_unexpected(cell(index)) == unexpected) {
          take(index, *run, Notable::kFirstFailure);
        }
      }
    }
  }
  void slowest(std::size_t picks_max) {
    for (const std::size_t index : slowest_first_) {
      if (picks_.size() < picks_max && cell(index).summary.longest_run) {
        take(index, *cell(index).summary.longest_run, Notable::kSlowest);
      }
    }
  }
  void first_runs(std::size_t picks_max) {
    for (const std::size_t index : in_order_) {
      if (picks_.size() < picks_max) {
        take(index, 0, Notable::kFirstRun);
      }
    }
  }

  const Reliability& reliability_;
  std::vector<std::size_t> slowest_first_, in_order_;
  std::set<std::pair<std::size_t, std::uint64_t>> taken_;
  std::vector<TimelinePick> picks_;
};

}  // namespace

std::size_t points_of(const LogHistogram& histogram) {
  return histogram.buckets().size();
}

Curve curve_of(const LogHistogram& histogram, std::size_t points_max) {
  Curve curve;
  std::uint64_t below = 0;
  for (const LogHistogram::Bucket& bucket : histogram.buckets()) {
    below += bucket.count;
    curve.emplace_back(bucket.upper, below);
  }
  curve = thinned(curve, points_max);
  for (auto& [elapsed, count] : curve) {
    // What was recorded, instead of the end of its bucket.
    elapsed = *histogram.quantile(count, histogram.count());
  }
  return curve;
}

Curve thinned(const Curve& curve, std::size_t points_max) {
  SQUALL_CHECK(points_max > 0);
  if (curve.size() <= points_max) {
    return curve;
  }
  __extension__ using Wide = unsigned __int128;
  Curve kept;
  auto at = curve.begin();
  for (std::size_t step = 1; step <= points_max; ++step) {
    const Wide rank = Wide{curve.back().second} * step;
    at = std::find_if(at, curve.end(),
                      [&](const auto& point) { return Wide{point.second} * points_max >= rank; });
    if (kept.empty() || kept.back() != *at) {
      kept.push_back(*at);
    }
  }
  return kept;
}

ElapsedFigures figures_of(const LogHistogram& elapsed) {
  const auto at = [&elapsed](std::uint64_t percent) {
    return elapsed.quantile(percent, 100).value_or(Duration{0});
  };
  return {.p50 = at(50), .p90 = at(90), .p99 = at(99), .max = at(100)};
}

Reliability collect(std::span<const ReliabilityTask> tasks, std::size_t policies,
                    const MeasureOptions& options) {
  Reliability reliability;
  reliability.seed = options.seed;
  reliability.runs = options.runs;
  reliability.policies.resize(policies);
  const unsigned workers = simulator::worker_count(
      {.runs = options.runs, .threads = options.threads, .interrupted = nullptr, .progress = {}});
  for (const ReliabilityTask& task : tasks) {
    ReliabilityTotals& totals = reliability.policies[task.policy];
    std::vector<Observed> observed(workers);
    std::uint64_t reported = 0;
    simulator::BatchOptions batch;
    batch.seed = options.seed;
    batch.runs = options.runs;
    batch.threads = options.threads;
    batch.interrupted = options.interrupted;
    if (options.progress) {
      batch.progress = [&](std::uint64_t done) {
        options.progress(done - reported);
        reported = done;
      };
    }
    batch.observe = [&, before = totals.operations](unsigned worker, const RunResult& result) {
      add_run(result, task.prepared->scenario.policy, before + result.run, observed[worker]);
    };
    BatchSummary summary = run_batch(*task.prepared, batch);
    if (summary.runs < options.runs) {
      reliability.interrupted = true;
      return reliability;
    }
    add(summary, totals);
    ReliabilityCell cell = cell_of(task, std::move(summary));
    for (const Observed& part : observed) {
      merge(part.slots, totals.slots);
      totals.failures.merge(part.failures);
      cell.run_zero_digest += part.run_zero_digest;  // One worker made run 0.
      for (std::size_t i = 0; i < part.broken.size(); ++i) {
        reliability.broken[i] += part.broken[i];
      }
    }
    for (std::size_t i = 0; i < reliability.checks.size(); ++i) {
      reliability.checks[i] += cell.summary.checks[i];
    }
    reliability.cells.push_back(std::move(cell));
  }
  return reliability;
}

std::string_view label(Notable why) {
  switch (why) {
    case Notable::kFirstFailure:
      return "first failure";
    case Notable::kSlowest:
      return "slowest";
    case Notable::kFirstRun:
      break;
  }
  return "first run";
}

std::vector<TimelinePick> timelines_of(const Reliability& reliability, std::size_t policy) {
  return Picker(reliability, policy).pick();
}

void replay(const ReliabilityTask& task, std::uint64_t seed, std::uint64_t run,
            const std::function<void(const RunResult&)>& show) {
  simulator::Simulation simulation(*task.prepared);
  show(simulation.run(seed, run));
}

Bound longest_bound(const core::RetryPolicy& policy,
                    std::span<const scenarios::OperationKind> kinds) {
  SQUALL_CHECK(!kinds.empty());
  Bound longest = bound_of(policy, kinds.front());
  for (const scenarios::OperationKind kind : kinds.subspan(1)) {
    Bound bound = bound_of(policy, kind);
    if (bound.longest && (!longest.longest || *bound.longest > *longest.longest)) {
      longest = std::move(bound);
    }
  }
  return longest;
}

std::vector<BoundPart> parts_of(const core::RetryPolicy& policy, const Plan& plan) {
  using Kind = BoundPart::Kind;
  std::array<BoundPart, 4> parts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i].kind = static_cast<Kind>(i);
  }
  const auto add = [&parts](Kind kind, std::uint64_t count, Duration each) {
    BoundPart& part = parts[static_cast<std::size_t>(kind)];
    part.count += count;
    part.total = plus(part.total, times(each, count));
  };
  // Headers that are still in time come a nanosecond before they would be late.
  const Duration headers_max = first_deadline(policy.timeouts) - Duration{1};
  for (const PlanStep& step : plan.steps) {
    const PlannedAttempt& attempt = step.attempt;
    const bool has_body = attempt.body_waits > 0 && attempt.lasts > headers_max;
    add(Kind::kHeaderWaits, step.times, has_body ? headers_max : attempt.lasts);
    if (has_body) {
      add(Kind::kBodyWaits, std::uint64_t{step.times} * attempt.body_waits, Duration{0});
      parts[static_cast<std::size_t>(Kind::kBodyWaits)].total =
          plus(parts[static_cast<std::size_t>(Kind::kBodyWaits)].total,
               times(attempt.lasts - headers_max, step.times));
    }
    if (attempt.sleep_ms) {
      add(attempt.retry_after_ms ? Kind::kRetryAfter : Kind::kBackoff, step.times,
          core::from_milliseconds(*attempt.sleep_ms));
    }
  }
  std::vector<BoundPart> lasting;
  std::copy_if(parts.begin(), parts.end(), std::back_inserter(lasting),
               [](const BoundPart& part) { return part.total > Duration{0}; });
  return lasting;
}

}  // namespace squall::analysis
