// SPDX-License-Identifier: MIT
//
// From the end of an attempt to its meaning: an answer, or one failure record. Every LLM operation
// judges its attempts here; there is no second place that classifies.
#pragma once

#include <optional>
#include <variant>

#include "core/attempt.hpp"
#include "core/llm/chat_answer.hpp"
#include "core/llm/failure_class.hpp"
#include "core/policy.hpp"
#include "core/trail.hpp"

namespace squall::core::llm {

using LlmFailure = FailureRecord<FailureClass>;
using LlmTrail = Trail<FailureClass>;
using LlmExhausted = RetryExhausted<FailureClass>;

/// Bytes of an error body that an error chain quotes. @source chosen: enough for every provider's
/// error object, small enough for a log line.
inline constexpr std::size_t kQuotedBodyBytesMax = 512;

/// Judges a finished attempt.
///
/// @param retry_after_ms  observed Retry-After of the answer, already read by the policy's rule.
/// @return the answer, or the record of the failure. What `policy.retry_on` leaves out is recorded
///         as non_retryable.
[[nodiscard]] std::variant<ChatAnswer, LlmFailure> judge_attempt(
    const Attempt& attempt, AttemptEnd end, const RetryPolicy& policy,
    std::optional<std::uint64_t> retry_after_ms);

/// The record of an attempt that a shutdown ended.
[[nodiscard]] LlmFailure shutdown_failure();

}  // namespace squall::core::llm
