// SPDX-License-Identifier: MIT
//
// The words of a gate: figures, parts of a policy, and whole sentences about a change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/gate.hpp"
#include "core/policy.hpp"
#include "reports/gate_report.hpp"

namespace squall::reports {

/// One metric of one scenario, or one worst case. Points into the report.
struct GateFinding {
  std::size_t policy = 0;  ///< index in the report
  const analysis::PolicyChange* of = nullptr;
  const analysis::ScenarioChange* scenario = nullptr;  ///< null: a worst case
  const analysis::BoundChange* bound = nullptr;        ///< null: of a scenario
  const analysis::MetricChange* metric = nullptr;
};

/// The findings of one kind in the order of the report.
[[nodiscard]] std::vector<GateFinding> findings_of(const GateReport& report,
                                                   analysis::Change change);

/// The values of a metric before and after: "2 h 34 min", "74.17%", "12.96"; with as many digits as
/// it takes to tell them apart.
[[nodiscard]] std::pair<std::string, std::string> before_and_after(
    const analysis::MetricChange& metric);
/// "+11.2%", "-0.34 pp", "no end".
[[nodiscard]] std::string change_text(const analysis::MetricChange& metric);
/// "allowed +5%", "at most 10m", "not judged".
[[nodiscard]] std::string threshold_text(const analysis::MetricChange& metric);
/// "99% interval +9.8% to +12.1%"; empty for exact figures.
[[nodiscard]] std::string interval_words(const analysis::MetricChange& metric);

/// "cap 60 s -> 90 s": how `part` differs.
[[nodiscard]] std::string part_words(analysis::Part part, const core::RetryPolicy& from,
                                     const core::RetryPolicy& to);
/// All parts of a policy that differ, joined; "the same policy" when none does.
[[nodiscard]] std::string parts_words(const analysis::PolicyChange& policy);

/// "because cap 60 s -> 90 s and calls 13 -> 15 (alone: to 2 h 40 min)".
[[nodiscard]] std::string cause_words(const GateFinding& finding);
/// "503-storm: " and so on: what the finding is about; the kind of operation for a worst case.
[[nodiscard]] std::string place_words(const GateFinding& finding);
/// "worst case rises from 2 h 34 min to 2 h 51 min because cap 60 s -> 90 s".
[[nodiscard]] std::string sentence(const GateFinding& finding);
/// "+11%, allowed +5%; 99% interval +9.8% to +12.1%".
[[nodiscard]] std::string measure_words(const GateFinding& finding);

/// The line of the finding's first cause in the candidate's file; 1 when there is none.
[[nodiscard]] std::size_t line_of(const GateReport& report, const GateFinding& finding);

/// "3 regressed, 2 improved, 40 changed within their thresholds, 633 as before".
[[nodiscard]] std::string verdict_words(const GateReport& report);

}  // namespace squall::reports
