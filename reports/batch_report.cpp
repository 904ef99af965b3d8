// SPDX-License-Identifier: MIT
#include "reports/batch_report.hpp"

#include <string>
#include <utility>
#include <vector>

namespace squall::reports {

BatchReport make_batch_report(const Subject& subject, const scenarios::Scenario& scenario,
                              simulator::BatchSummary summary,
                              std::optional<std::uint64_t> run_zero_digest) {
  BatchReport report{.subject = subject, .summary = std::move(summary), .verdict = {}};
  if (subject.policy_override) {
    report.verdict.checked = false;
    return report;
  }
  std::vector<std::string> unmet = report.summary.unmet_overall;
  if (report.summary.unmet) {
    unmet.insert(unmet.end(), report.summary.unmet->findings.begin(),
                 report.summary.unmet->findings.end());
  }
  report.verdict = judge(scenario.expect, unmet, /*many=*/true);
  if (report.summary.runs_unmet > 1) {
    std::erase_if(report.verdict.expectations, [](const Expectation& expectation) {
      return expectation.met && expectation.name != "success_rate";
    });
  }
  if (subject.golden && run_zero_digest) {
    judge_digest(report.verdict, *subject.golden, *run_zero_digest, subject.golden_source);
  }
  return report;
}

}  // namespace squall::reports
