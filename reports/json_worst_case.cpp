// SPDX-License-Identifier: MIT
#include "reports/json_parts.hpp"
#include "reports/worst_case_report.hpp"

namespace squall::reports {
namespace {

Json end_json(core::Duration duration) {
  return duration == analysis::kNoEnd ? Json(nullptr) : Json(nanoseconds(duration));
}
Json end_json(const std::optional<core::Duration>& duration) {
  return duration ? end_json(*duration) : Json(nullptr);
}

Json range_json(std::uint32_t min, std::uint32_t max) {
  return {{"min", min}, {"max", max}};
}

Json sleep_json(const analysis::LargestSleep& sleep) {
  Json object;
  object["total_ns"] = end_json(sleep.total);
  object["terms"] = Json::array();
  for (const analysis::SleepTerm& term : sleep.terms) {
    Json entry;
    entry["slot"] = term.first_slot + 1;
    entry["count"] = term.count;
    entry["scheduled_ns"] = end_json(core::from_milliseconds(term.scheduled_ms));
    entry["jitter"] = allowed_json(term.jitter);
    entry["retry_after_max_ns"] =
        term.askable_ms ? end_json(core::from_milliseconds(*term.askable_ms)) : Json(nullptr);
    entry["each_ns"] = end_json(core::from_milliseconds(term.chosen_ms));
    entry["by_retry_after"] = term.by_retry_after;
    object["terms"].push_back(std::move(entry));
  }
  return object;
}

}  // namespace

std::string worst_case_json(const WorstCaseReport& report) {
  const analysis::WorstCase& worst = report.worst;
  Json document = json_document("worst-case");
  document["policy"] = report.policy_name;
  document["operation"] = label(worst.kind);
  document["calls"] = range_json(worst.calls_min, worst.calls_max);
  document["sleep"] = sleep_json(worst.sleep);
  document["longest"] = Json::array();
  for (const analysis::LongestOperation& longest : worst.longest) {
    document["longest"].push_back({{"body_waits", longest.body_waits},
                                   {"attempt_ns", end_json(longest.attempt)},
                                   {"operation_ns", end_json(longest.operation)},
                                   {"endless", longest.endless}});
  }
  document["bounded"] = !worst.keepalive && worst.longest.back().operation != analysis::kNoEnd;
  document["keepalive"] = nullptr;
  if (worst.keepalive) {
    document["keepalive"] = {{"gap_ns", end_json(worst.keepalive->gap)},
                             {"bytes_per_hour", worst.keepalive->bytes_per_hour},
                             {"cut_by_size_ns", end_json(worst.keepalive->cut_by_size)}};
  }
  document["outage"] = {{"calls", range_json(worst.outage.calls_min, worst.outage.calls_max)},
                        {"mean_ns", end_json(worst.outage.mean)}};
  document["time_budget_ns"] = end_json(report.policy.budgets.time);
  document["last_chance_ns"] = end_json(worst.last_chance);
  document["rule_of_thumb"] = nullptr;
  if (const auto& rule = worst.rule_of_thumb) {
    document["rule_of_thumb"] = {{"claim_ns", nanoseconds(rule->claim)},
                                 {"excess_ns", nanoseconds(rule->excess)},
                                 {"excess_of_attempts_ns", nanoseconds(rule->excess_of_attempts)},
                                 {"excess_of_sleeps_ns", nanoseconds(rule->excess_of_sleeps)}};
  }
  document["witnesses"] = Json::array();
  for (const NamedWitness& witness : report.witnesses) {
    document["witnesses"].push_back(
        {{"figure", witness.figure},
         {"scenario", witness.scenario},
         {"file", witness.file.empty() ? Json(nullptr) : Json(witness.file)}});
  }
  return json_text(document);
}

}  // namespace squall::reports
