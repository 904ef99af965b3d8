// SPDX-License-Identifier: MIT
#include "playback/telemetry_rows.hpp"

namespace squall::playback {

core::FailureRow failure_row(const core::RecordFailure& order, const FailureView& failure,
                             const std::string& operation_id, core::WallInstant recorded_at) {
  core::FailureRow row{.recorded_at = recorded_at,
                       .operation_id = operation_id,
                       .attempt = order.failure_index,
                       .failure_class = std::string(label(failure.failure_class)),
                       .finish_reason = std::nullopt,
                       .retry_after_ms = failure.retry_after_ms,
                       .error_chain = std::string(failure.error_chain),
                       .attempt_duration = order.attempt_duration};
  if (failure.finish_reason) {
    row.finish_reason = std::string(*failure.finish_reason);
  }
  return row;
}

core::RequestRow request_row(const core::RecordRequest& order, const scenarios::OperationSpec& spec,
                             const Operation& operation, const std::string& operation_id,
                             core::WallInstant recorded_at) {
  core::RequestRow row;
  row.recorded_at = recorded_at;
  row.operation_id = operation_id;
  row.metadata = spec.metadata;
  row.model = spec.model;
  row.duration = order.duration;
  if (order.accepted_round != 0) {
    row.retry_attempts = order.accepted_round;
    row.success = true;
    if (const core::llm::AcceptedRound* round = operation.accepted_round()) {
      row.answer = round->facts;
      row.finish_reason = round->finish_reason;
    }
    return row;
  }
  row.retry_attempts = operation.attempt();
  const scenarios::Outcome outcome = operation.outcome();
  row.success = outcome == scenarios::Outcome::kSuccess || outcome == scenarios::Outcome::kDegraded;
  if (const core::llm::ChatAnswer* answer = operation.chat_answer()) {
    row.answer = answer->facts;
    row.finish_reason = answer->finish_reason;
  } else if (const TrailView trail = operation.trail(); operation.shortfall() && !trail.empty()) {
    if (const auto reason = trail.back().finish_reason) {
      row.finish_reason = std::string(*reason);
    }
  }
  if (const std::optional<ShortfallView> shortfall = operation.shortfall()) {
    row.failure_class = std::string(label(shortfall->final_class));
  }
  return row;
}

}  // namespace squall::playback
