// SPDX-License-Identifier: MIT
//
// Many runs of one scenario as JSON.
#include "reports/figures.hpp"
#include "reports/json_parts.hpp"
#include "reports/wilson.hpp"

namespace squall::reports {
namespace {

using simulator::BatchSummary;
using simulator::LogHistogram;
using simulator::SlotStatistics;

Json success_json(const BatchSummary& summary) {
  Json object;
  object["runs"] = summary.successes();
  if (summary.runs > 0) {
    const ShareInterval sure = wilson_interval(summary.successes(), summary.runs);
    object["rate_ppm"] = share_ppm(summary.successes(), summary.runs);
    object["wilson95_ppm"] = {sure.min_ppm, sure.max_ppm};
  }
  return object;
}

Json outcomes_json(const BatchSummary& summary) {
  Json object = Json::object();
  for (std::size_t i = 0; i < summary.outcomes.size(); ++i) {
    object[std::string(label(static_cast<scenarios::Outcome>(i)))] = summary.outcomes[i];
  }
  return object;
}

Json first_runs_json(const BatchSummary& summary) {
  Json object = Json::object();
  for (std::size_t i = 0; i < summary.first_run.size(); ++i) {
    object[std::string(label(static_cast<scenarios::Outcome>(i)))] = or_null(summary.first_run[i]);
  }
  return object;
}

Json times_json(const LogHistogram& times) {
  if (times.empty()) {
    return nullptr;
  }
  const auto at = [&times](std::uint64_t percent) {
    return nanoseconds(times.quantile(percent, 100).value_or(core::Duration{0}));
  };
  return {{"min_ns", at(0)},   {"p50_ns", at(50)},
          {"p90_ns", at(90)},  {"p99_ns", at(99)},
          {"max_ns", at(100)}, {"mean_ns", nanoseconds(times.mean().value_or(core::Duration{0}))}};
}

Json observed_json(std::uint64_t sleeps, core::Duration min, core::Duration max) {
  Json object;
  object["sleeps"] = sleeps;
  if (sleeps > 0) {
    object["min_ns"] = nanoseconds(min);
    object["max_ns"] = nanoseconds(max);
  }
  return object;
}

Json slots_json(const BatchReport& report) {
  Json slots = Json::array();
  std::uint32_t index = 0;
  for (const SlotStatistics& slot : report.summary.slots) {
    Json object;
    object["after_attempt"] = index + 1;
    object["schedule"] = allowed_json(core::sleep_interval(report.subject.policy, index));
    object["by_schedule"] = observed_json(slot.jittered, slot.jittered_min, slot.jittered_max);
    object["by_retry_after"] =
        observed_json(slot.by_retry_after, slot.retry_after_min, slot.retry_after_max);
    slots.push_back(std::move(object));
    ++index;
  }
  return slots;
}

Json notable_json(const BatchReport& report, const simulator::NotableRun& notable) {
  return {{"run", notable.run},
          {"at_ns", nanoseconds(notable.at)},
          {"findings", notable.findings},
          {"replay", replay_command(report.subject, report.summary.seed, notable.run)}};
}

}  // namespace

void add_batch(Json& object, const BatchReport& report) {
  const BatchSummary& summary = report.summary;
  add_subject(object, report.subject);
  object["seed"] = summary.seed;
  object["runs_asked"] = summary.runs_asked;
  object["runs"] = summary.runs;
  object["interrupted"] = report.interrupted();
  object["success"] = success_json(summary);
  object["outcomes"] = outcomes_json(summary);
  object["first_run"] = first_runs_json(summary);
  object["longest_run"] = or_null(summary.longest_run);
  object["calls"] = summary.calls;
  object["calls_wasted"] = summary.calls_wasted;
  object["request_bytes"] = summary.request_bytes;
  object["request_bytes_seen_before"] = summary.seen_bytes;
  object["calls_an_operation"] = Json::array();
  for (const auto& [calls, runs] : summary.attempts) {
    object["calls_an_operation"].push_back({{"calls", calls}, {"runs", runs}});
  }
  object["elapsed"] = times_json(summary.elapsed);
  object["slept"] = times_json(summary.slept);
  object["sleeps"] = slots_json(report);
  object["failures"] = Json::object();
  const bool is_tool_call = report.subject.kind == scenarios::OperationKind::kToolCall;
  for (std::size_t i = 0; i < summary.failures.size(); ++i) {
    const auto failure_class = scenarios::FailureClass::at(i);
    if (failure_class.is_connector_kind() == is_tool_call) {
      object["failures"][std::string(label(failure_class))] = summary.failures[i];
    }
  }
  object["sound"] = report.sound();
  object["checks"] = checks_json(summary.checks);
  object["runs_unsound"] = summary.runs_unsound;
  object["unsound"] = summary.unsound ? notable_json(report, *summary.unsound) : Json(nullptr);
  object["expectations"] = verdict_json(report.verdict);
  object["runs_unmet"] = report.verdict.checked ? summary.runs_unmet : 0;
  object["unmet"] = summary.unmet && report.verdict.checked ? notable_json(report, *summary.unmet)
                                                            : Json(nullptr);
  object["digest"] = digest_text(summary.digest);
}

}  // namespace squall::reports
