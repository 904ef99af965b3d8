// SPDX-License-Identifier: MIT
#include "core/connector/tool_call.hpp"

#include <utility>

#include "core/check.hpp"
#include "core/connector/model_text.hpp"
#include "core/retry_after.hpp"

namespace squall::core::connector {

ToolCall::ToolCall(const RetryPolicy& policy, ToolCallInput input, RandomStream jitter,
                   bool metadata)
    : loop_(policy, jitter), input_(std::move(input)), metadata_(metadata) {
  SQUALL_CHECK(input_.request != nullptr);
}

Actions ToolCall::handle(const Event& event, Instant now) {
  SQUALL_CHECK(now >= now_, now.time_since_epoch().count(), now_.time_since_epoch().count());
  now_ = now;
  Actions actions;
  if (state_ == State::kFinished) {
    return actions;
  }
  if (std::holds_alternative<ShutdownRequested>(event)) {
    shut_down(now, actions);
    return actions;
  }
  switch (state_) {
    case State::kIdle:
      if (std::holds_alternative<OperationStarted>(event)) {
        begin(now, actions);
      }
      break;
    case State::kInFlight:
      if (const auto* headers = std::get_if<HeadersReceived>(&event)) {
        read_retry_after_of(*headers);
      }
      if (const auto* started = std::get_if<AttemptStarted>(&event);
          started != nullptr && started->attempt == in_flight_.id() && !in_flight_.has_started()) {
        loop_.begin_attempt(now);
      }
      if (const std::optional<AttemptEnd> end = in_flight_.handle(event, now)) {
        end_attempt(*end, now, actions);
      }
      break;
    case State::kSleeping:
      // An early wake-up is one that was armed for something already over: not yet time.
      if (std::holds_alternative<WakeupReached>(event) && now >= sleep_ends_) {
        start_attempt(now, actions);
      }
      break;
    case State::kFinished:
      break;
  }
  return actions;
}

std::optional<Instant> ToolCall::next_wakeup() const {
  switch (state_) {
    case State::kInFlight:
      return in_flight_.deadline();
    case State::kSleeping:
      return sleep_ends_;
    case State::kIdle:
    case State::kFinished:
      return std::nullopt;
  }
  return std::nullopt;
}

const ConnectorTrail& ToolCall::trail() const {
  const auto* failure = std::get_if<ToolCallFailure>(&result_);
  return failure != nullptr ? failure->trail : loop_.trail();
}

void ToolCall::read_retry_after_of(const HeadersReceived& headers) {
  if (headers.attempt == in_flight_.id() && !in_flight_.has_headers()) {
    observed_retry_after_ms_ = read_retry_after(
        {.retry_after = headers.head.retry_after, .retry_after_ms = headers.head.retry_after_ms},
        loop_.policy().retry_after, headers.received_at);
  }
}

void ToolCall::begin(Instant now, Actions& actions) {
  loop_.begin_operation(now);
  const Expected<void, Error> usable =
      input_.settings ? check_settings(*input_.settings) : Expected<void, Error>();
  if (!usable) {
    const CallFailure failure = settings_failure(usable.error());
    loop_.record_trail_only({.failure_class = failure.kind,
                             .error_chain = failure.error_chain,
                             .finish_reason = std::nullopt,
                             .retry_after_ms = std::nullopt});
    fail(call_message(failure.kind, {}), failure.kind, false, now, actions);
  } else if (loop_.policy().budgets.attempts_max == 0) {
    fail(call_message(Kind::kTransport, {}), Kind::kTransport, false, now, actions);
  } else {
    start_attempt(now, actions);
  }
}

void ToolCall::start_attempt(Instant now, Actions& actions) {
  ++attempt_number_;
  state_ = State::kInFlight;
  observed_retry_after_ms_.reset();
  in_flight_.begin(attempt_number_, now, loop_.policy().timeouts);
  actions.add(SendAttempt{attempt_number_});
}

void ToolCall::end_attempt(AttemptEnd end, Instant now, Actions& actions) {
  if (end == AttemptEnd::kHeadersTimedOut || end == AttemptEnd::kBodyTimedOut ||
      end == AttemptEnd::kBodyTooLarge) {
    actions.add(AbandonAttempt{attempt_number_});
  }
  ordered_sleep_.reset();
  std::variant<ToolResult, CallFailure> judged = judge_attempt(
      in_flight_, end, input_.request->id(), loop_.policy(), observed_retry_after_ms_);
  if (auto* result = std::get_if<ToolResult>(&judged)) {
    result_ = std::move(*result);
    finish(now, actions);
    return;
  }
  auto& failure = std::get<CallFailure>(judged);
  record(failure, now, actions);
  const std::optional<Duration> sleep =
      failure.is_retried ? loop_.sleep_after(attempt_number_, now) : std::nullopt;
  if (sleep) {
    ordered_sleep_ = OrderedSleep{attempt_number_ - 1, *sleep, loop_.has_retry_after()};
  }
  if (!sleep) {
    fail(call_message(failure.kind, failure.own_message), failure.kind, false, now, actions);
  } else if (*sleep == Duration{0}) {
    start_attempt(now, actions);
  } else {
    state_ = State::kSleeping;
    sleep_ends_ = saturating_add(now, *sleep);
  }
}

void ToolCall::record(const CallFailure& failure, Instant now, Actions& actions) {
  last_reach_ = failure.reach;
  may_have_taken_effect_ =
      may_have_taken_effect_ || connector::may_have_taken_effect(failure.reach);
  const RecordFailure row = loop_.record({.failure_class = failure.kind,
                                          .error_chain = failure.error_chain,
                                          .finish_reason = std::nullopt,
                                          .retry_after_ms = failure.retry_after_ms},
                                         now);
  if (metadata_) {
    actions.add(row);
  }
}

void ToolCall::shut_down(Instant now, Actions& actions) {
  const CallFailure stopped = shutdown_failure();
  if (state_ == State::kInFlight) {
    actions.add(AbandonAttempt{attempt_number_});
    record(stopped, now, actions);
  } else if (state_ == State::kIdle) {
    loop_.begin_operation(now);
  }
  fail(call_message(stopped.kind, {}), stopped.kind, true, now, actions);
}

void ToolCall::fail(std::string message, Kind kind, bool is_stopped, Instant now,
                    Actions& actions) {
  result_ = ToolCallFailure{.kind = kind,
                            .message = std::move(message),
                            .attempts = attempt_number_,
                            .trail = loop_.take_trail(),
                            .last_reach = last_reach_,
                            .may_have_taken_effect = may_have_taken_effect_,
                            .is_stopped = is_stopped};
  finish(now, actions);
}

void ToolCall::finish(Instant now, Actions& actions) {
  state_ = State::kFinished;
  if (metadata_) {
    actions.add(RecordRequest{.duration = now - loop_.started()});
  }
  actions.add(FinishOperation{});
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
