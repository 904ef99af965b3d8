// SPDX-License-Identifier: MIT
//
// One run as JSON.
#include "reports/figures.hpp"
#include "reports/json_parts.hpp"

namespace squall::reports {
namespace {

Json sleep_json(const SleepRow& sleep) {
  Json object;
  object["from_ns"] = nanoseconds(sleep.from);
  object["to_ns"] = nanoseconds(sleep.to);
  object["ordered_ns"] = nanoseconds(sleep.duration);
  object["by_retry_after"] = sleep.by_retry_after;
  object["schedule"] = allowed_json(sleep.allowed);
  return object;
}

Json attempt_json(const AttemptRow& row) {
  Json object;
  object["attempt"] = row.number;
  object["started_ns"] = nanoseconds(row.started);
  object["headers_ns"] = or_null(row.headers);
  object["ended_ns"] = nanoseconds(row.ended);
  object["status"] = or_null(row.status);
  object["body_bytes"] = row.body_bytes;
  object["request_bytes"] = row.request.request_bytes;
  object["request_bytes_seen_before"] = row.request.seen_bytes;
  object["accepted"] = row.accepted;
  object["accepted_round"] = row.accepted_round;
  object["failure_class"] =
      row.failure_class ? Json(std::string(label(*row.failure_class))) : Json(nullptr);
  if (row.failure_class) {
    object["error_chain"] = row.error_chain;
    object["finish_reason"] = or_null(row.finish_reason);
    object["retry_after_ms"] = or_null(row.retry_after_ms);
  }
  object["sleep"] = row.sleep ? sleep_json(*row.sleep) : Json(nullptr);
  return object;
}

Json answer_json(const RunReport& report) {
  Json object;
  object["text"] = *report.answer;
  if (!report.chat_answer) {
    return object;
  }
  const core::llm::ChatAnswer& answer = *report.chat_answer;
  object["reasoning"] = answer.reasoning;
  object["tool_calls"] = Json::array();
  for (const core::llm::ToolCall& call : answer.tool_calls) {
    object["tool_calls"].push_back(
        {{"id", call.id}, {"name", call.name}, {"arguments", call.arguments}});
  }
  object["finish_reason"] = or_null(answer.finish_reason);
  object["input_tokens"] = or_null(answer.facts.input_tokens);
  object["output_tokens"] = or_null(answer.facts.output_tokens);
  object["cached_tokens"] = or_null(answer.facts.cached_tokens);
  object["cache_miss_tokens"] = or_null(answer.facts.cache_miss_tokens);
  object["cost"] = or_null(answer.facts.cost);
  object["upstream_provider"] = or_null(answer.facts.upstream_provider);
  object["system_fingerprint"] = or_null(answer.facts.system_fingerprint);
  return object;
}

Json synthesis_json(const core::llm::SynthesisRepaired& synthesis) {
  Json object;
  object["groups"] = Json::array();
  for (const core::llm::FrozenGroup& group : synthesis.groups) {
    object["groups"].push_back({{"heading", group.heading},
                                {"contradiction", group.contradiction},
                                {"members", group.members}});
  }
  object["references"] = Json::array();
  for (const core::llm::FrozenReference& reference : synthesis.references) {
    object["references"].push_back({{"group", reference.group}, {"member", reference.item}});
  }
  object["remainder"] = synthesis.remainder;
  return object;
}

Json guidance_json(const GuidanceReport& guidance) {
  return {{"tool_class", label(guidance.tool_class)},
          {"code", guidance.code},
          {"verdict", label(guidance.verdict)},
          {"text", guidance.text}};
}

Json exhausted_json(const ExhaustedReport& exhausted) {
  return {{"final_class", label(exhausted.final_class)},
          {"detail", exhausted.detail},
          {"last_raw", or_null(exhausted.last_raw)}};
}

Json broken_json(const RunReport& report) {
  Json broken = Json::array();
  for (const playback::Violation& violation : report.violations) {
    broken.push_back({{"invariant", label(violation.invariant)},
                      {"at_ns", nanoseconds(violation.at.time_since_epoch())},
                      {"message", violation.message}});
  }
  return broken;
}

}  // namespace

void add_run(Json& object, const RunReport& report) {
  add_subject(object, report.subject);
  object["seed"] = report.seed;
  object["run"] = report.run;
  object["operation"] = label(report.subject.kind);
  object["outcome"] = label(report.outcome);
  object["calls"] = report.attempts.size();
  object["calls_wasted"] = report.calls_wasted;
  object["elapsed_ns"] = nanoseconds(report.elapsed);
  object["sleep_total_ns"] = nanoseconds(report.sleep_total);
  object["slept_ns"] = nanoseconds(report.slept());
  object["shutdown_ns"] = or_null(report.shutdown);
  object["prefix_reuse"] = report.prefix_reuse_ppm / 1e6;
  object["answer"] = report.answer ? answer_json(report) : Json(nullptr);
  object["synthesis"] = report.synthesis ? synthesis_json(*report.synthesis) : Json(nullptr);
  object["guidance"] = report.guidance ? guidance_json(*report.guidance) : Json(nullptr);
  object["exhausted"] = report.exhausted ? exhausted_json(*report.exhausted) : Json(nullptr);
  object["attempts"] = Json::array();
  for (const AttemptRow& row : report.attempts) {
    object["attempts"].push_back(attempt_json(row));
  }
  object["sound"] = report.sound();
  object["checks"] = checks_json(report.checks);
  object["broken"] = broken_json(report);
  object["internal_error"] = or_null(report.internal_error);
  object["expectations"] = verdict_json(report.verdict);
  object["digest"] = digest_text(report.digest);
  object["replay"] = report.subject.reference.empty()
                         ? Json(nullptr)
                         : Json(replay_command(report.subject, report.seed, report.run));
}

}  // namespace squall::reports
