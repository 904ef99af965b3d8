// SPDX-License-Identifier: MIT
#include "reports/json_report.hpp"

#include "core/time.hpp"
#include "reports/figures.hpp"
#include "reports/json_parts.hpp"
#include "reports/trace_text.hpp"

namespace squall::reports {

Json json_document(std::string_view kind) {
  Json document;
  document["squall"] = {{"schema", kJsonSchema}, {"kind", kind}};
  return document;
}

std::string json_text(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

void add_subject(Json& object, const Subject& subject) {
  object["scenario"] = subject.scenario;
  object["summary"] = subject.summary;
  object["policy"] = subject.policy_override.value_or(subject.policy_name);
  object["policy_replaced"] = subject.policy_override.has_value();
}

Json checks_json(const playback::CheckCounts& checks) {
  Json object = Json::object();
  for (const playback::InvariantInfo& info : playback::kInvariants) {
    object[std::string(info.name)] = checks[static_cast<std::size_t>(info.invariant)];
  }
  return object;
}

Json verdict_json(const Verdict& verdict) {
  Json object;
  object["checked"] = verdict.checked;
  object["met"] = verdict.as_expected();
  object["items"] = Json::array();
  for (const Expectation& expectation : verdict.expectations) {
    Json item;
    item["name"] = expectation.name;
    item["expected"] = expectation.wanted;
    item["met"] = expectation.met;
    if (!expectation.met) {
      item["finding"] = expectation.finding;
    }
    object["items"].push_back(std::move(item));
  }
  if (verdict.success_rate_left_out) {
    object["success_rate_left_out"] = true;
  }
  return object;
}

Json allowed_json(core::SleepInterval interval) {
  return {{"min_ns", nanoseconds(core::from_milliseconds(interval.min_ms))},
          {"max_ns", nanoseconds(core::from_milliseconds(interval.max_ms))}};
}

std::string run_json(const RunReport& report) {
  Json document = json_document("run");
  add_run(document, report);
  return json_text(document);
}

std::string call_json(const RunReport& report, std::string_view url) {
  Json document = json_document("call");
  document["url"] = url;
  add_run(document, report);
  return json_text(document);
}

std::string batch_json(const BatchReport& report) {
  Json document = json_document("runs");
  add_batch(document, report);
  return json_text(document);
}

std::string catalogue_json(const CatalogueReport& report) {
  Json document = json_document("catalogue");
  const CatalogueTotals totals = totals_of(report);
  document["seed"] = report.seed;
  document["runs_each"] = report.runs;
  document["interrupted"] = is_interrupted(report);
  document["totals"] = {{"scenarios_asked", report.scenarios_asked},
                        {"scenarios", report.scenarios.size()},
                        {"as_expected", totals.as_expected},
                        {"unexpected", totals.unexpected},
                        {"unsound", totals.unsound},
                        {"checks", checks_json(totals.checks)},
                        {"virtual_time_ns", nanoseconds(totals.virtual_time)}};
  document["scenarios"] = Json::array();
  for (const ScenarioReport& scenario : report.scenarios) {
    Json object;
    if (const auto* run = std::get_if<RunReport>(&scenario)) {
      add_run(object, *run);
    } else {
      add_batch(object, std::get<BatchReport>(scenario));
    }
    document["scenarios"].push_back(std::move(object));
  }
  return json_text(document);
}

std::string replay_json(const RunReport& report, const playback::RunResult& result) {
  Json document = json_document("replay");
  add_run(document, report);
  document["trace"] = trace_json(result);
  return json_text(document);
}

}  // namespace squall::reports
