// SPDX-License-Identifier: MIT
#include "live/logged_answer.hpp"

#include <charconv>
#include <system_error>
#include <utility>
#include <variant>

#include "core/attempt.hpp"
#include "core/connector/judge_attempt.hpp"
#include "core/http_date.hpp"
#include "core/llm/judge_attempt.hpp"
#include "core/retry_after.hpp"

namespace squall::live {
namespace {

using core::AttemptEnd;
using core::Instant;

bool is_tool_call(const LoggedExchange& exchange) {
  return exchange.form == WireForm::kToolCall;
}

bool is_streamed(const LoggedExchange& exchange) {
  return exchange.form == WireForm::kChatStream || exchange.form == WireForm::kMessageStream;
}

/// The id of a tool call; nothing when it is no number that the core's own calls could carry.
std::optional<std::uint64_t> call_id(const LoggedExchange& exchange) {
  std::uint64_t id = 0;
  const char* const end = exchange.rpc_id.data() + exchange.rpc_id.size();
  const auto [read, failed] = std::from_chars(exchange.rpc_id.data(), end, id);
  return failed == std::errc() && read == end ? std::optional(id) : std::nullopt;
}

bool is_success(const LoggedExchange& exchange) {
  return exchange.status && *exchange.status >= 200 && *exchange.status <= 299;
}

AttemptEnd end_of(const LoggedExchange& exchange) {
  switch (exchange.end) {
    case ExchangeEnd::kAnswered:
      return exchange.status ? AttemptEnd::kAnswered : AttemptEnd::kConnectionFailed;
    case ExchangeEnd::kClientLeft:
      return exchange.status ? AttemptEnd::kBodyTimedOut : AttemptEnd::kHeadersTimedOut;
    case ExchangeEnd::kCut:
    case ExchangeEnd::kRefused:
    case ExchangeEnd::kServerGaveUp:
    case ExchangeEnd::kServerStopped:
      break;
  }
  return exchange.status ? AttemptEnd::kBodyCut : AttemptEnd::kConnectionFailed;
}

core::ConnectionFault fault_of(const LoggedExchange& exchange) {
  if (exchange.fault) {
    return *exchange.fault;
  }
  if (exchange.status) {
    return core::ConnectionFault::kBodyClosed;
  }
  return exchange.end == ExchangeEnd::kRefused ? core::ConnectionFault::kRefused
                                               : core::ConnectionFault::kReset;
}

/// The exchange as the client's own attempt would have seen it.
core::Attempt replayed(const LoggedExchange& exchange) {
  constexpr core::AttemptId kId = 1;
  // Without timeouts: which one ended the exchange is said by the record, not by a clock.
  core::Attempt attempt;
  const Instant now{};
  attempt.begin(kId, now, {});
  if (exchange.status) {
    static_cast<void>(attempt.handle(core::HeadersReceived{.attempt = kId,
                                                           .head = {.status = *exchange.status,
                                                                    .content_length = std::nullopt,
                                                                    .retry_after = std::nullopt,
                                                                    .retry_after_ms = std::nullopt},
                                                           .received_at = {}},
                                     now));
    static_cast<void>(
        attempt.handle(core::BytesReceived{.attempt = kId, .bytes = exchange.answer}, now));
  }
  if (const AttemptEnd end = end_of(exchange);
      end == AttemptEnd::kConnectionFailed || end == AttemptEnd::kBodyCut) {
    static_cast<void>(attempt.handle(
        core::AttemptFailed{.attempt = kId, .fault = fault_of(exchange), .detail = {}}, now));
  }
  return attempt;
}

struct RetryAfter {
  std::optional<std::uint64_t> milliseconds;
  bool is_date = false;
};

RetryAfter read_retry_after(const LoggedExchange& exchange, const core::RetryAfterRule& rule) {
  const core::RetryAfterHeaders headers{.retry_after = exchange.retry_after,
                                        .retry_after_ms = exchange.retry_after_ms};
  core::RetryAfterRule without_dates = rule;
  without_dates.http_date = false;
  RetryAfter result{.milliseconds = core::read_retry_after(headers, without_dates, {})};
  const bool by_milliseconds = rule.milliseconds && exchange.retry_after_ms &&
                               core::parse_retry_after_milliseconds(*exchange.retry_after_ms);
  result.is_date = rule.http_date && !by_milliseconds && exchange.retry_after &&
                   core::parse_http_date(*exchange.retry_after, {}).has_value();
  return result;
}

/// Takes over what a judge of the core found.
LoggedAnswer answer_of(const LoggedExchange& exchange, const core::RetryPolicy& policy,
                       std::optional<std::uint64_t> retry_after_ms) {
  LoggedAnswer answer;
  const core::Attempt attempt = replayed(exchange);
  const AttemptEnd end = end_of(exchange);
  if (is_tool_call(exchange)) {
    auto judged = core::connector::judge_attempt(attempt, end, call_id(exchange).value_or(0),
                                                 policy, retry_after_ms);
    if (auto* failure = std::get_if<core::connector::CallFailure>(&judged)) {
      answer.failure_class = label(failure->kind);
      answer.error_chain = std::move(failure->error_chain);
      answer.retry_after_ms = failure->retry_after_ms;
      answer.follow = failure->is_retried ? Follow::kAttempt : Follow::kForbidden;
      return answer;
    }
  } else {
    auto judged = core::llm::judge_attempt(attempt, end, policy, retry_after_ms);
    if (auto* failure = std::get_if<core::llm::LlmFailure>(&judged)) {
      answer.failure_class = label(failure->failure_class);
      answer.error_chain = std::move(failure->error_chain);
      answer.retry_after_ms = failure->retry_after_ms;
      answer.follow = is_retryable(failure->failure_class) ? Follow::kAttempt : Follow::kForbidden;
      return answer;
    }
  }
  answer.follow = Follow::kNothing;
  return answer;
}

}  // namespace

LoggedAnswer judge_logged(const LoggedExchange& exchange, const core::RetryPolicy& policy) {
  const bool whole = exchange.end == ExchangeEnd::kAnswered && is_success(exchange);
  const bool unread = exchange.answer.size() != exchange.answer_bytes || is_streamed(exchange) ||
                      exchange.form == WireForm::kMessage ||
                      (is_tool_call(exchange) && !call_id(exchange));
  LoggedAnswer answer;
  if (exchange.end == ExchangeEnd::kServerStopped || exchange.end == ExchangeEnd::kServerGaveUp) {
    answer.follow = Follow::kUnknown;
  } else if (whole && unread) {
    answer.follow = Follow::kNothing;
  } else {
    const RetryAfter retry_after = read_retry_after(exchange, policy.retry_after);
    answer = answer_of(exchange, policy, retry_after.milliseconds);
    // A final answer of a connector stays one: it is the tool that has failed, not the exchange.
    if (whole && answer.follow == Follow::kForbidden && !is_tool_call(exchange)) {
      answer = LoggedAnswer{};
      answer.follow = Follow::kNothing;
    }
    answer.retry_after_is_date = retry_after.is_date && answer.follow != Follow::kNothing &&
                                 exchange.status && !is_success(exchange);
    const bool by_status = exchange.status && !is_success(exchange);
    const bool left = exchange.end == ExchangeEnd::kClientLeft;
    if (left && !by_status) {
      answer.error_chain = exchange.status ? "the client closed in the middle of the answer"
                                           : "the client closed before the answer began";
    }
    const bool passed_on = is_streamed(exchange) && is_success(exchange);
    if (answer.follow == Follow::kAttempt && !by_status && (left || passed_on)) {
      answer.follow = Follow::kMayFollow;
    }
  }
  answer.status = exchange.status;
  answer.end = exchange.end;
  return answer;
}

}  // namespace squall::live
