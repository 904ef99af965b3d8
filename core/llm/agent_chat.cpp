// SPDX-License-Identifier: MIT
#include "core/llm/agent_chat.hpp"

#include <utility>

#include "core/check.hpp"
#include "core/retry_after.hpp"

namespace squall::core::llm {

AgentChat::AgentChat(const RetryPolicy& policy, std::shared_ptr<const ChatRequest> request,
                     RandomStream jitter, bool metadata)
    : loop_(policy, jitter), request_(std::move(request)), metadata_(metadata) {
  SQUALL_CHECK(request_ != nullptr);
}

Actions AgentChat::handle(const Event& event, Instant now) {
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
        loop_.begin_operation(now);
        if (loop_.policy().budgets.attempts_max == 0) {
          finish(LlmExhausted(loop_.take_trail(), FailureClass::kTransport), now, actions);
        } else {
          start_attempt(now, actions);
        }
      }
      break;
    case State::kInFlight:
      if (const auto* headers = std::get_if<HeadersReceived>(&event);
          headers != nullptr && headers->attempt == in_flight_.id() && !in_flight_.has_headers()) {
        observed_retry_after_ms_ =
            read_retry_after({.retry_after = headers->head.retry_after,
                              .retry_after_ms = headers->head.retry_after_ms},
                             loop_.policy().retry_after, headers->received_at);
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

std::optional<Instant> AgentChat::next_wakeup() const {
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

const LlmTrail& AgentChat::trail() const {
  const auto* exhausted = std::get_if<LlmExhausted>(&result_);
  return exhausted != nullptr ? exhausted->trail : loop_.trail();
}

void AgentChat::start_attempt(Instant now, Actions& actions) {
  ++attempt_number_;
  state_ = State::kInFlight;
  observed_retry_after_ms_.reset();
  in_flight_.begin(attempt_number_, now, loop_.policy().timeouts);
  actions.add(SendAttempt{attempt_number_});
}

void AgentChat::end_attempt(AttemptEnd end, Instant now, Actions& actions) {
  if (end == AttemptEnd::kHeadersTimedOut || end == AttemptEnd::kBodyTimedOut ||
      end == AttemptEnd::kBodyTooLarge) {
    actions.add(AbandonAttempt{attempt_number_});
  }
  std::variant<ChatAnswer, LlmFailure> judged =
      judge_attempt(in_flight_, end, loop_.policy(), observed_retry_after_ms_);
  if (auto* answer = std::get_if<ChatAnswer>(&judged)) {
    finish(std::move(*answer), now, actions);
    return;
  }
  LlmFailure& failure = std::get<LlmFailure>(judged);
  const FailureClass failure_class = failure.failure_class;
  record(std::move(failure), now, actions);

  const std::optional<Duration> sleep =
      is_retryable(failure_class) ? loop_.sleep_after(attempt_number_, now) : std::nullopt;
  if (!sleep) {
    finish(LlmExhausted(loop_.take_trail(), failure_class), now, actions);
  } else if (*sleep == Duration{0}) {
    start_attempt(now, actions);
  } else {
    state_ = State::kSleeping;
    sleep_ends_ = saturating_add(now, *sleep);
  }
}

void AgentChat::record(LlmFailure failure, Instant now, Actions& actions) {
  const RecordFailure row = loop_.record(std::move(failure), now);
  if (metadata_) {
    actions.add(row);
  }
}

void AgentChat::shut_down(Instant now, Actions& actions) {
  if (state_ == State::kInFlight) {
    actions.add(AbandonAttempt{attempt_number_});
    record(shutdown_failure(), now, actions);
  } else if (state_ == State::kIdle) {
    loop_.begin_operation(now);
  }
  finish(LlmExhausted(loop_.take_trail(), FailureClass::kShutdown), now, actions);
}

void AgentChat::finish(Result result, Instant now, Actions& actions) {
  state_ = State::kFinished;
  result_ = std::move(result);
  if (metadata_) {
    actions.add(RecordRequest{.duration = now - loop_.started()});
  }
  actions.add(FinishOperation{});
}

}  // namespace squall::core::llm
