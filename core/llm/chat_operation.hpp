// SPDX-License-Identifier: MIT
//
// The retrying operation as every LLM operation uses it: a chat request is sent, and what comes
// back is judged in one place by the failure classes of this folder. What an operation adds is its
// strategy. @see retrying_operation.hpp
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <variant>

#include "core/chat_request.hpp"
#include "core/llm/judge_attempt.hpp"
#include "core/retrying_operation.hpp"

namespace squall::core::llm {

using ChatContext = OperationContext<FailureClass>;

/// The part of a strategy that is the same for all LLM operations.
struct ChatTerms {
  using Class = FailureClass;
  using Request = ChatRequest;
  using Answer = ChatAnswer;
  using Failure = LlmFailure;

  [[nodiscard]] static NextStep on_start(const ChatContext&) { return NextStep::send_now(); }
  [[nodiscard]] static std::variant<ChatAnswer, LlmFailure> judge(
      const Attempt& attempt, AttemptEnd end, const RetryPolicy& policy,
      std::optional<std::uint64_t> retry_after_ms) {
    return judge_attempt(attempt, end, policy, retry_after_ms);
  }
  [[nodiscard]] static LlmFailure shutdown_failure() { return llm::shutdown_failure(); }
};

template <class S>
concept ChatStrategy = RetryStrategy<S> && std::derived_from<S, ChatTerms>;

template <ChatStrategy Strategy>
using ChatOperation = RetryingOperation<Strategy>;

}  // namespace squall::core::llm
