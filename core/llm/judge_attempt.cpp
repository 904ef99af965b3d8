// SPDX-License-Identifier: MIT
#include "core/llm/judge_attempt.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "core/check.hpp"
#include "core/llm/classify_status.hpp"
#include "core/quote.hpp"
#include "core/seconds.hpp"

namespace squall::core::llm {
namespace {

bool is_success(int status) {
  return status >= 200 && status <= 299;
}

/// "120 of 512 bytes", or "120 bytes" when no length was announced.
void append_progress(std::string& out, const Attempt& attempt) {
  out += std::to_string(attempt.body().size());
  if (attempt.content_length()) {
    out += " of ";
    out += std::to_string(*attempt.content_length());
  }
  out += " bytes";
}

void append_fault(std::string& out, const Attempt& attempt) {
  out += describe(attempt.fault());
  if (!attempt.fault_detail().empty()) {
    out += ": ";
    append_quoted(out, attempt.fault_detail(), kQuotedBodyBytesMax);
  }
}

/// The length of the timeout that ran out.
void append_timeout(std::string& out, const Attempt& attempt, const Timeouts& timeouts) {
  append_seconds(out, (attempt.whole_attempt_is_due_first() ? timeouts.attempt : timeouts.idle)
                          .value_or(Duration{0}));
}

/// Appends what went wrong below the meaning of the answer.
void append_cause(std::string& out, const Attempt& attempt, AttemptEnd end,
                  const Timeouts& timeouts) {
  switch (end) {
    case AttemptEnd::kConnectionFailed:
      append_fault(out, attempt);
      return;
    case AttemptEnd::kHeadersTimedOut:
      out += "no response headers within ";
      append_timeout(out, attempt, timeouts);
      return;
    case AttemptEnd::kBodyTimedOut:
      // Bytes may have flowed until the end of the whole attempt: then nothing stalled.
      if (attempt.whole_attempt_is_due_first()) {
        out += "the response body was not complete after ";
        append_progress(out, attempt);
        out += ": the attempt may take ";
      } else {
        out += "the response body stalled after ";
        append_progress(out, attempt);
        out += ": nothing for ";
      }
      append_timeout(out, attempt, timeouts);
      return;
    case AttemptEnd::kBodyCut:
      out += "the response body ended after ";
      append_progress(out, attempt);
      out += ": ";
      append_fault(out, attempt);
      return;
    case AttemptEnd::kBodyTooLarge:
      out += "the response body exceeds ";
      out += std::to_string(Attempt::kBodyBytesMax);
      out += " bytes";
      return;
    case AttemptEnd::kAnswered:
      return;
  }
}

FailureClass unless_left_out(bool retried, FailureClass failure_class) {
  return retried ? failure_class : FailureClass::kNonRetryable;
}

LlmFailure judge_status(const Attempt& attempt, AttemptEnd end, const RetryPolicy& policy,
                        std::optional<std::uint64_t> retry_after_ms) {
  const bool body_cut = end != AttemptEnd::kAnswered;
  FailureClass failure_class =
      classify_status(attempt.status(), attempt.body(), body_cut, policy.retry_on.statuses);
  if (failure_class == FailureClass::kTruncatedEnvelope) {
    failure_class = unless_left_out(policy.retry_on.cut_bodies, failure_class);
  }
  std::string chain;
  chain.reserve(64 + std::min(attempt.body().size(), kQuotedBodyBytesMax));
  chain += "the provider answered HTTP ";
  chain += std::to_string(attempt.status());
  if (body_cut) {
    chain += ": ";
    append_cause(chain, attempt, end, policy.timeouts);
  }
  if (!attempt.body().empty()) {
    chain += ": ";
    append_quoted(chain, attempt.body(), kQuotedBodyBytesMax);
  }
  return {failure_class, std::move(chain), std::nullopt, retry_after_ms};
}

LlmFailure judge_unusable(const Attempt& attempt, const ChatAnswerDefect& defect,
                          const RetryOn& retry_on) {
  if (defect.kind == ChatAnswerDefect::Kind::kNoChoice) {
    return {unless_left_out(retry_on.unusable_answers, FailureClass::kNoResponse),
            "the chat completion is unusable: " + defect.reason, defect.finish_reason,
            std::nullopt};
  }
  std::string chain = "the answer is not a chat completion: " + defect.reason;
  if (attempt.content_length() && *attempt.content_length() != attempt.body().size()) {
    chain += ": ";
    append_progress(chain, attempt);
    return {unless_left_out(retry_on.cut_bodies, FailureClass::kTruncatedEnvelope),
            std::move(chain), defect.finish_reason, std::nullopt};
  }
  if (!attempt.body().empty()) {
    chain += ": ";
    append_quoted(chain, attempt.body(), kQuotedBodyBytesMax);
  }
  return {unless_left_out(retry_on.unusable_answers, FailureClass::kParse), std::move(chain),
          defect.finish_reason, std::nullopt};
}

}  // namespace

std::variant<ChatAnswer, LlmFailure> judge_attempt(const Attempt& attempt, AttemptEnd end,
                                                   const RetryPolicy& policy,
                                                   std::optional<std::uint64_t> retry_after_ms) {
  if (attempt.has_headers() && !is_success(attempt.status())) {
    return judge_status(attempt, end, policy, retry_after_ms);
  }
  if (end == AttemptEnd::kAnswered) {
    Expected<ChatAnswer, ChatAnswerDefect> answer = parse_chat_answer(attempt.body());
    if (answer) {
      return *std::move(answer);
    }
    return judge_unusable(attempt, answer.error(), policy.retry_on);
  }
  std::string chain = "the chat request failed: ";
  append_cause(chain, attempt, end, policy.timeouts);
  const bool before_headers = !attempt.has_headers();
  const FailureClass failure_class =
      before_headers
          ? unless_left_out(policy.retry_on.connection_failures, FailureClass::kTransport)
          : unless_left_out(policy.retry_on.cut_bodies, FailureClass::kTruncatedEnvelope);
  return LlmFailure{failure_class, std::move(chain), std::nullopt, std::nullopt};
}

LlmFailure shutdown_failure() {
  return {FailureClass::kShutdown, "the chat request was stopped: shutdown requested", std::nullopt,
          std::nullopt};
}

}  // namespace squall::core::llm
