// SPDX-License-Identifier: MIT
#include "analysis/worst_case.hpp"
#include "reports/compare_report.hpp"
#include "reports/json_parts.hpp"
#include "reports/json_report.hpp"
#include "scenarios/writer.hpp"

namespace squall::reports {
namespace {

using analysis::Bound;
using analysis::ComparedPolicy;
using analysis::ComparedScenario;
using analysis::Comparison;
using analysis::Figures;

Json bounds_json(const ComparedPolicy& policy) {
  Json bounds = Json::array();
  for (const Bound& bound : policy.bounds) {
    Json object;
    object["operation"] = label(bound.kind);
    object["computed"] = bound.longest.has_value();
    object["ends"] = bound.longest && *bound.longest != analysis::kNoEnd;
    object["worst_case_ns"] = object["ends"] ? or_null(bound.longest) : Json(nullptr);
    if (!bound.longest) {
      object["why_not"] = bound.not_computed;
    }
    bounds.push_back(std::move(object));
  }
  return bounds;
}

Json policy_json(const Comparison& comparison, std::size_t index) {
  const ComparedPolicy& policy = comparison.policies[index];
  Json object;
  object["name"] = policy.name;
  object["policy"] = Json::parse(scenarios::write_policy(policy.policy, "compared", "As played."));
  object["runs"] = policy.totals.runs;
  object["successes"] = policy.totals.successes;
  object["calls"] = policy.totals.calls;
  object["calls_wasted"] = policy.totals.wasted;
  object["p99_elapsed_ns"] = nanoseconds(policy.totals.p99());
  object["bounds"] = bounds_json(policy);
  object["dominated_by"] = nullptr;
  for (const analysis::Dominance& one : comparison.dominance) {
    if (one.dominated == index) {
      object["dominated_by"] = comparison.policies[one.by].name;
    }
  }
  return object;
}

Json cell_json(const Figures& figures) {
  Json object;
  object["runs"] = figures.runs;
  object["successes"] = figures.successes;
  object["calls"] = figures.calls;
  object["calls_wasted"] = figures.wasted;
  object["p50_elapsed_ns"] = nanoseconds(figures.p50);
  object["p99_elapsed_ns"] = nanoseconds(figures.p99);
  object["max_elapsed_ns"] = nanoseconds(figures.max);
  object["recovered"] = figures.recovered;
  object["p50_recovery_ns"] = or_null(figures.recovery_p50);
  object["max_recovery_ns"] = or_null(figures.recovery_max);
  return object;
}

Json scenario_json(const Comparison& comparison, const ComparedScenario& scenario) {
  Json object;
  object["scenario"] = scenario.name;
  object["operation"] = label(scenario.kind);
  object["heals_at_ns"] = or_null(scenario.heals_at);
  object["cells"] = Json::array();
  for (std::size_t i = 0; i < scenario.cells.size(); ++i) {
    Json cell;
    cell["policy"] = comparison.policies[i].name;
    cell.update(cell_json(scenario.cells[i]));
    object["cells"].push_back(std::move(cell));
  }
  return object;
}

}  // namespace

std::string compare_json(const CompareReport& report) {
  const Comparison& comparison = report.comparison;
  Json document = json_document("compare");
  document["seed"] = comparison.seed;
  document["runs"] = comparison.runs;
  document["notes"] = report.notes;
  document["policies"] = Json::array();
  for (std::size_t i = 0; i < comparison.policies.size(); ++i) {
    document["policies"].push_back(policy_json(comparison, i));
  }
  document["scenarios"] = Json::array();
  for (const ComparedScenario& scenario : comparison.scenarios) {
    document["scenarios"].push_back(scenario_json(comparison, scenario));
  }
  return json_text(document);
}

}  // namespace squall::reports
