// SPDX-License-Identifier: MIT
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "analysis/worst_case.hpp"
#include "reports/gate_report.hpp"
#include "reports/gate_words.hpp"
#include "reports/json_report.hpp"
#include "scenarios/writer.hpp"

namespace squall::reports {
namespace {

using analysis::Change;
using analysis::MetricChange;
using analysis::Unit;

std::string_view suffix(Unit unit) {
  switch (unit) {
    case Unit::kShare:
      return "_ppm";
    case Unit::kCount:
      return "_millionths";
    case Unit::kTime:
      break;
  }
  return "_ns";
}

Json metric_json(const GateFinding& finding) {
  const MetricChange& metric = *finding.metric;
  const analysis::MetricInfo& info = analysis::info_of(metric.metric);
  const std::string unit(suffix(info.unit));
  const auto value = [&info](std::int64_t number) {
    return info.unit == Unit::kTime && number == analysis::kNoEnd.count() ? Json(nullptr)
                                                                          : Json(number);
  };
  Json object;
  object["metric"] = info.name;
  object["change"] = label(metric.change);
  object["threshold"] = metric.threshold.text;
  if (metric.change == Change::kUnknown) {
    object["why_not"] = finding.bound->not_computed;
    return object;
  }
  object["baseline" + unit] = value(metric.estimate.baseline);
  object["candidate" + unit] = value(metric.estimate.candidate);
  const bool ends = !object["baseline" + unit].is_null() && !object["candidate" + unit].is_null();
  object["difference" + unit] = ends ? Json(metric.estimate.change) : Json(nullptr);
  if (metric.sampled) {
    object["interval99" + unit] = {metric.estimate.change_interval.low,
                                   metric.estimate.change_interval.high};
  }
  if (metric.change != Change::kNone) {
    object["sentence"] = sentence(finding);
  }
  if (!metric.causes.empty()) {
    object["causes"] = Json::array();
    for (const analysis::Cause& cause : metric.causes) {
      object["causes"].push_back(
          {{"pointer", pointer_of(cause.part)},
           {"words", part_words(cause.part, finding.of->baseline, finding.of->candidate)},
           {"alone" + unit, value(cause.alone)}});
    }
  }
  return object;
}

Json policy_file_json(const core::RetryPolicy& policy) {
  return Json::parse(scenarios::write_policy(policy, "compared", "As played."));
}

Json policy_json(const GateReport& report, std::size_t index) {
  const analysis::PolicyChange& policy = report.policies[index];
  Json object;
  object["name"] = policy.name;
  object["baseline"] = policy.baseline_source;
  object["baseline_stored"] = policy.baseline_stored;
  object["candidate"] = policy.candidate_source;
  object["baseline_policy"] = policy_file_json(policy.baseline);
  object["candidate_policy"] = policy_file_json(policy.candidate);
  object["differences"] = Json::array();
  for (const analysis::Part part : policy.parts) {
    object["differences"].push_back(
        {{"pointer", pointer_of(part)},
         {"words", part_words(part, policy.baseline, policy.candidate)}});
  }
  object["bounds"] = Json::array();
  for (const analysis::BoundChange& bound : policy.bounds) {
    Json one;
    one["operation"] = label(bound.kind);
    one.update(metric_json({index, &policy, nullptr, &bound, &bound.metric}));
    object["bounds"].push_back(std::move(one));
  }
  object["scenarios"] = Json::array();
  for (const analysis::ScenarioChange& scenario : policy.scenarios) {
    Json one;
    one["scenario"] = scenario.name;
    one["operation"] = label(scenario.kind);
    one["tags"] = scenario.tags;
    one["metrics"] = Json::array();
    for (const MetricChange& metric : scenario.metrics) {
      one["metrics"].push_back(metric_json({index, &policy, &scenario, nullptr, &metric}));
    }
    object["scenarios"].push_back(std::move(one));
  }
  return object;
}

}  // namespace

std::string gate_json(const GateReport& report) {
  Json document = json_document("gate");
  document["baseline"] = report.baseline;
  document["candidate"] = report.candidate;
  document["seed"] = report.seed;
  document["runs"] = report.runs;
  document["passes"] = report.passes();
  document["counts"] = Json::object();
  for (const Change change :
       {Change::kRegressed, Change::kImproved, Change::kWithin, Change::kNone, Change::kUnknown}) {
    document["counts"][std::string(label(change))] = report.count(change);
  }
  document["notes"] = report.notes;
  document["policies"] = Json::array();
  for (std::size_t i = 0; i < report.policies.size(); ++i) {
    document["policies"].push_back(policy_json(report, i));
  }
  return json_text(document);
}

}  // namespace squall::reports
