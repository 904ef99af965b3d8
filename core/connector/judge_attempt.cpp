// SPDX-License-Identifier: MIT
#include "core/connector/judge_attempt.hpp"

#include <string_view>
#include <utility>

#include "core/connector/classify.hpp"
#include "core/connector/model_text.hpp"
#include "core/quote.hpp"
#include "core/seconds.hpp"

namespace squall::core::connector {
namespace {

bool is_success(int status) {
  return status >= 200 && status <= 299;
}

void append_detail(std::string& out, std::string_view foreign) {
  if (!foreign.empty()) {
    out += ": ";
    append_quoted(out, foreign, kQuotedBytesMax);
  }
}

bool is_timeout(AttemptEnd end) {
  return end == AttemptEnd::kHeadersTimedOut || end == AttemptEnd::kBodyTimedOut;
}

/// What ended an attempt that brought no whole answer.
void append_cause(std::string& out, const Attempt& attempt, AttemptEnd end,
                  const Timeouts& timeouts) {
  if (is_timeout(end)) {
    const bool whole = attempt.whole_attempt_is_due_first();
    out += whole ? "no whole answer within " : "no bytes for ";
    append_seconds(out, (whole ? timeouts.attempt : timeouts.idle).value_or(Duration{0}));
  } else if (end == AttemptEnd::kBodyTooLarge) {
    out += "the answer exceeds ";
    out += std::to_string(Attempt::kBodyBytesMax);
    out += " bytes";
  } else {
    out += describe(attempt.fault());
    append_detail(out, attempt.fault_detail());
  }
}

Reach reach_of(const Attempt& attempt, AttemptEnd end) {
  if (is_timeout(end)) {
    return Reach::kTimedOut;
  }
  if (end != AttemptEnd::kConnectionFailed) {
    return Reach::kSent;
  }
  switch (attempt.fault()) {
    case ConnectionFault::kRefused:
    case ConnectionFault::kDns:
    case ConnectionFault::kTls:
    case ConnectionFault::kConnectTimeout:
      return Reach::kNothingSent;
    case ConnectionFault::kReset:
    case ConnectionFault::kSend:
    case ConnectionFault::kBodyReset:
    case ConnectionFault::kBodyClosed:
      break;
  }
  return Reach::kSent;
}

CallFailure judge_status(const Attempt& attempt, AttemptEnd end, const RetryPolicy& policy) {
  CallFailure failure;
  failure.kind = classify_status(attempt.status());
  failure.error_chain = "the connector answered HTTP " + std::to_string(attempt.status());
  append_detail(failure.error_chain, attempt.body());
  constexpr int kTooManyRequests = 429;
  failure.reach =
      attempt.status() == kTooManyRequests ? Reach::kTurnedAway : reach_of(attempt, end);
  failure.is_retried =
      is_retryable(failure.kind) && policy.retry_on.statuses.contains(attempt.status());
  return failure;
}

/// The failure that an answer is; requires one that is no success.
CallFailure failure_of(const Answer& answer, std::string_view body, const RetryOn& retry_on) {
  CallFailure failure;
  failure.kind = classify_answer(answer).value_or(Kind::kTransport);
  failure.is_retried = is_retryable(failure.kind) && retry_on.unusable_answers;
  std::string& chain = failure.error_chain;
  if (const auto* result = std::get_if<ToolResult>(&answer)) {
    failure.own_message = result_message(*result);
    chain = "the tool reported an error";
    append_detail(chain, failure.own_message);
  } else if (const auto* error = std::get_if<RpcError>(&answer)) {
    failure.own_message = call_message(Kind::kApplication, error->message);
    chain = "the connector answered with error " + std::to_string(error->code);
    append_detail(chain, error->message);
  } else if (const auto* defect = std::get_if<AnswerDefect>(&answer)) {
    chain = "the connector's answer is unusable: " + defect->reason;
    append_detail(chain, body);
  } else {
    failure.own_message = "The tool asked for input that cannot be given here.";
    chain = "the connector asked for input more often than allowed";
  }
  return failure;
}

}  // namespace

std::variant<ToolResult, CallFailure> judge_attempt(const Attempt& attempt, AttemptEnd end,
                                                    std::uint64_t request_id,
                                                    const RetryPolicy& policy,
                                                    std::optional<std::uint64_t> retry_after_ms) {
  if (attempt.has_headers() && !is_success(attempt.status())) {
    CallFailure failure = judge_status(attempt, end, policy);
    failure.retry_after_ms = retry_after_ms;
    return failure;
  }
  if (attempt.has_headers()) {
    const bool complete = end == AttemptEnd::kAnswered;
    Answer answer = read_answer(attempt.body(), request_id, complete);
    if (complete || !std::holds_alternative<AnswerDefect>(answer)) {
      if (!classify_answer(answer)) {
        return std::get<ToolResult>(std::move(answer));
      }
      return failure_of(answer, attempt.body(), policy.retry_on);
    }
  }
  CallFailure failure;
  failure.kind = is_timeout(end) ? kTimeoutKind : classify_fault(attempt.fault());
  failure.error_chain = "the tool call failed: ";
  append_cause(failure.error_chain, attempt, end, policy.timeouts);
  failure.reach = reach_of(attempt, end);
  failure.is_retried =
      attempt.has_headers() ? policy.retry_on.cut_bodies : policy.retry_on.connection_failures;
  return failure;
}

CallFailure shutdown_failure() {
  return {.kind = kClosedKind,
          .own_message = {},
          .error_chain = "the tool call was stopped: shutdown requested",
          .reach = Reach::kSent,
          .retry_after_ms = std::nullopt,
          .is_retried = false};
}

CallFailure settings_failure(const Error& defect) {
  return {.kind = Kind::kConfig,
          .own_message = {},
          .error_chain = "the tool call was not made: " + to_string(defect),
          .reach = Reach::kNothingSent,
          .retry_after_ms = std::nullopt,
          .is_retried = false};
}

}  // namespace squall::core::connector
