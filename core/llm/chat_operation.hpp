// SPDX-License-Identifier: MIT
//
// The retrying operation as every LLM operation uses it: a chat request is sent, and what comes
// back is judged in one place by the failure classes of this folder. What an operation adds is its
// strategy. @see retrying_operation.hpp
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "core/chat_request.hpp"
#include "core/llm/judge_attempt.hpp"
#include "core/retrying_operation.hpp"

namespace squall::core::llm {

using ChatContext = OperationContext<FailureClass>;

/// The part of a strategy that is the same for all LLM operations. `Strategy` derives from it and
/// adds `request`, `on_answer`, `result` (see RetryStrategy) and
///
///   void conclude(FailureClass final_class, ChatContext& context);
///
/// which leaves the result of an operation that ends without the answer it wanted; where they
/// differ from what stands here, also `after_failure` and `on_attempt_died`.
template <class Strategy>
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

  /// What follows a failure that may be retried: the sleep that belongs to the attempt, then the
  /// same bytes.
  [[nodiscard]] static NextStep after_failure(const ChatContext& context) {
    return NextStep::sleep_first(context.attempt());
  }
  /// The last attempt brought no chat answer.
  static void on_attempt_died() {}

  [[nodiscard]] NextStep on_failure(LlmFailure&& failure, ChatContext& context) {
    const FailureClass failure_class = failure.failure_class;
    self().on_attempt_died();
    context.record(std::move(failure));
    if (is_retryable(failure_class)) {
      return self().after_failure(context);
    }
    self().conclude(failure_class, context);
    return NextStep::finish();
  }
  void on_exhausted(ChatContext& context) { self().conclude(context.final_class(), context); }
  void on_shutdown(bool in_flight, ChatContext& context) {
    if (in_flight) {
      self().on_attempt_died();
    }
    self().conclude(FailureClass::kShutdown, context);
  }

 private:
  [[nodiscard]] Strategy& self() { return static_cast<Strategy&>(*this); }
};

template <class S>
concept ChatStrategy = RetryStrategy<S> && std::derived_from<S, ChatTerms<S>>;

template <ChatStrategy Strategy>
using ChatOperation = RetryingOperation<Strategy>;

}  // namespace squall::core::llm
