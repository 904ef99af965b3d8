// SPDX-License-Identifier: MIT
//
// Records of clients, made by hand.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "core/policy.hpp"
#include "core/time.hpp"
#include "live/request_log.hpp"
#include "playback/trace.hpp"

namespace squall::live {

/// 3 attempts, 500 ms doubling to 8 s less up to a quarter: [375, 499], then [750, 999] ms. A
/// Retry-After up to 60 s is taken as it is. 409 is retried; what is in an answer is not looked at.
inline core::RetryPolicy sdk_policy() {
  core::RetryPolicy policy;
  policy.backoff = core::ExponentialBackoff{.base_ms = 500, .cap_ms = 8'000};
  policy.jitter = core::ProportionalJitter{.below = 4, .width = 4};
  policy.retry_after.clamp_min_ms = 0;
  policy.retry_after.clamp_max_ms = 60'000;
  policy.retry_after.ignore_above_ms = 60'000;
  policy.budgets.attempts_max = 3;
  policy.retry_on.statuses = core::StatusSet();
  policy.retry_on.statuses.add(408).add(409).add(429).add_class(5);
  policy.retry_on.unusable_answers = false;
  return policy;
}

inline constexpr const char* kChat = R"({"model":"m","messages":[{"role":"user","content":"hi"}]})";

/// A POST of `body` that arrives at `from` and is over at `to`.
inline LoggedExchange posted(core::Duration from, core::Duration to, const std::string& body) {
  LoggedExchange exchange;
  exchange.arrived_at = core::Instant{from};
  exchange.ended_at = core::Instant{to};
  exchange.client = "a";
  exchange.method = "POST";
  exchange.target = "/v1/chat/completions";
  exchange.body_bytes = body.size();
  exchange.body_digest = playback::digest_of(body);
  exchange.body = body;
  return exchange;
}

inline LoggedExchange answered(core::Duration from, core::Duration to, int status,
                               const std::string& answer = "{}", const std::string& body = kChat) {
  LoggedExchange exchange = posted(from, to, body);
  exchange.status = status;
  exchange.answer = answer;
  exchange.answer_bytes = answer.size();
  return exchange;
}

inline LoggedExchange ended(LoggedExchange exchange, ExchangeEnd end) {
  exchange.end = end;
  return exchange;
}

inline LoggedExchange of_form(LoggedExchange exchange, WireForm form, std::string rpc_id = {}) {
  exchange.form = form;
  exchange.rpc_id = std::move(rpc_id);
  return exchange;
}

inline LoggedExchange with_header(LoggedExchange exchange, std::string name, std::string value) {
  exchange.headers.push_back({std::move(name), std::move(value)});
  return exchange;
}

}  // namespace squall::live
