// SPDX-License-Identifier: MIT
//
// A report made by hand: one policy whose cap and calls changed, one worst case, two scenarios.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "analysis/gate.hpp"
#include "core/policy.hpp"
#include "reports/gate_report.hpp"

namespace squall::reports {

inline analysis::MetricChange metric_change(analysis::Metric metric, analysis::Change change,
                                            std::int64_t from, std::int64_t to,
                                            const std::string& threshold) {
  analysis::MetricChange one;
  one.metric = metric;
  one.change = change;
  one.threshold = analysis::parse_threshold(metric, threshold).value();
  one.estimate = {.baseline = from,
                  .candidate = to,
                  .change = to - from,
                  .change_interval = {to - from, to - from},
                  .candidate_interval = {to, to}};
  return one;
}

/// The cap from 60 to 90 s and 13 to 15 calls.
inline analysis::PolicyChange sample_change() {
  using analysis::Change;
  using analysis::Metric;
  using analysis::Part;
  analysis::PolicyChange change;
  change.name = "patient";
  change.baseline_source = "default";
  change.candidate_source = "policies/patient one.json";
  change.baseline = change.candidate = core::default_policy();
  std::get<core::ExponentialBackoff>(change.candidate.backoff).cap_ms = 90'000;
  change.candidate.budgets.attempts_max = 15;
  change.parts = analysis::changed_parts(change.baseline, change.candidate);

  analysis::BoundChange bound;
  // 2 h 34 min to 2 h 51 min, of which 2 h 40 min by the cap alone and 2 h 45 min by the calls.
  bound.metric = metric_change(Metric::kWorstCase, Change::kRegressed, 9'240'000'000'000,
                               10'260'000'000'000, "+5%");
  bound.metric.causes = {{Part::kAttempts, 9'900'000'000'000}, {Part::kCap, 9'600'000'000'000}};
  change.bounds.push_back(bound);

  analysis::ScenarioChange storm;
  storm.name = storm.reference = "storm";
  storm.tags = {"outage"};
  storm.metrics.push_back(
      metric_change(Metric::kSuccessRate, Change::kImproved, 741'700, 900'000, "-0.1pp"));
  storm.metrics.back().causes = {{Part::kAttempts, 900'000}};
  storm.metrics.push_back(metric_change(Metric::kCallsPerOperation, Change::kRegressed, 12'960'000,
                                        14'910'000, "+10%"));
  storm.metrics.back().sampled = true;
  storm.metrics.back().estimate.change_interval = {1'400'000, 2'500'000};
  change.scenarios.push_back(storm);

  analysis::ScenarioChange calm;
  calm.name = calm.reference = "calm";
  calm.metrics.push_back(
      metric_change(Metric::kSuccessRate, Change::kNone, 1'000'000, 1'000'000, "-0.1pp"));
  change.scenarios.push_back(calm);
  return change;
}

inline GateReport sample_report() {
  return {.baseline = "default",
          .candidate = "policies/patient one.json",
          .seed = 7,
          .runs = 1'000,
          .policies = {sample_change()},
          .places = {{.file = "policies/patient one.json", .lines = {4, 9}}},
          .notes = {"continuation has no baseline: not judged"}};
}

}  // namespace squall::reports
