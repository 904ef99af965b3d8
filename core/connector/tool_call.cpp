// SPDX-License-Identifier: MIT
#include "core/connector/tool_call.hpp"

#include "core/check.hpp"
#include "core/connector/model_text.hpp"

namespace squall::core::connector {
namespace {

FailureRecord<Kind> record_of(CallFailure&& failure) {
  return {.failure_class = failure.kind,
          .error_chain = std::move(failure.error_chain),
          .finish_reason = std::nullopt,
          .retry_after_ms = failure.retry_after_ms};
}

}  // namespace

ToolCallStrategy::ToolCallStrategy(ToolCallInput input) : input_(std::move(input)) {
  SQUALL_CHECK(input_.request != nullptr);
}

NextStep ToolCallStrategy::on_start(Context& context) {
  if (input_.settings) {
    if (const Expected<void, Error> usable = check_settings(*input_.settings); !usable) {
      context.record_trail_only(record_of(settings_failure(usable.error())));
      give_up(Kind::kConfig, CallEnding::kFinal, context);
      return NextStep::finish();
    }
  }
  return NextStep::send_now();
}

std::variant<ToolResult, CallFailure> ToolCallStrategy::judge(
    const Attempt& attempt, AttemptEnd end, const RetryPolicy& policy,
    std::optional<std::uint64_t> retry_after_ms) const {
  return judge_attempt(attempt, end, input_.request->id(), policy, retry_after_ms);
}

NextStep ToolCallStrategy::on_answer(ToolResult result, Context&) {
  result_ = std::move(result);
  return NextStep::finish();
}

NextStep ToolCallStrategy::on_failure(CallFailure&& failure, Context& context) {
  note_reach(failure.reach);
  own_message_ = std::move(failure.own_message);
  const Kind kind = failure.kind;
  const bool is_retried = failure.is_retried;
  context.record(record_of(std::move(failure)));
  if (is_retried) {
    return NextStep::sleep_first(context.attempt());
  }
  give_up(kind, CallEnding::kFinal, context);
  return NextStep::finish();
}

void ToolCallStrategy::on_exhausted(Context& context) {
  give_up(context.final_class(), CallEnding::kBudgetSpent, context);
}

FailureRecord<Kind> ToolCallStrategy::shutdown_failure() {
  return record_of(connector::shutdown_failure());
}

void ToolCallStrategy::on_shutdown(bool in_flight, Context& context) {
  const CallFailure stopped = connector::shutdown_failure();
  if (in_flight) {
    note_reach(stopped.reach);
  }
  give_up(stopped.kind, CallEnding::kStopped, context);
}

void ToolCallStrategy::note_reach(Reach reach) {
  last_reach_ = reach;
  may_have_taken_effect_ = may_have_taken_effect_ || may_have_taken_effect(reach);
}

void ToolCallStrategy::give_up(Kind kind, CallEnding ending, Context& context) {
  result_ = ToolCallFailure{.kind = kind,
                            .message = call_message(kind, own_message_),
                            .attempts = context.attempt(),
                            .trail = context.take_trail(),
                            .last_reach = last_reach_,
                            .may_have_taken_effect = may_have_taken_effect_,
                            .ending = ending};
}

std::string model_json(const ToolCallResult& result) {
  SQUALL_CHECK(!std::holds_alternative<std::monostate>(result));
  if (const auto* success = std::get_if<ToolResult>(&result)) {
    return success_json(*success);
  }
  const auto& failure = std::get<ToolCallFailure>(result);
  return failure_json(failure.kind, failure.message);
}

}  // namespace squall::core::connector
