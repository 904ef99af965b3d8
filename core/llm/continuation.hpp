// SPDX-License-Identifier: MIT
//
// continuation: recovery from a stop in which the model only thought (blank text, no tool calls).
// Its reasoning and a nudge are added to the messages and the request is sent again, until an
// answer says something. Messages are only ever added, and there is no sleep between attempts,
// whatever a Retry-After says.
//
// An answer that is again reasoning only is `no_response`. When another attempt follows, its own
// reasoning and a nudge are added, provided the reasoning is new: not blank and not what was added
// last. Otherwise, and after a failure that may be retried, the next attempt sends the same bytes.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "core/llm/chat_operation.hpp"

namespace squall::core::llm {

/// What the user says after a turn of reasoning alone.
inline constexpr std::string_view kContinuationNudge =
    "Your last turn held reasoning only. Continue from it now: answer in text or call a tool.";

struct ContinuationInput {
  /// Never null: the request whose answer was reasoning only.
  std::shared_ptr<const ChatRequest> request;
  /// That reasoning. When it is blank there is nothing to show the model: the nudge goes alone.
  std::string reasoning;
};

/// Whether the model stopped without saying anything: blank text and no tool call.
[[nodiscard]] bool is_reasoning_only(const ChatAnswer& answer);

/// How a continuation ended; `monostate` while it has not. It never has a last raw text: an answer
/// with text ends it in success.
using ContinuationResult = std::variant<std::monostate, ChatAnswer, LlmExhausted>;

class ContinuationStrategy : public ChatTerms<ContinuationStrategy> {
 public:
  using Result = ContinuationResult;

  explicit ContinuationStrategy(ContinuationInput input);

  [[nodiscard]] const ChatRequest& request() const { return *request_; }
  [[nodiscard]] NextStep on_answer(ChatAnswer answer, ChatContext& context);
  [[nodiscard]] static NextStep after_failure(const ChatContext&) { return NextStep::send_now(); }
  void conclude(FailureClass final_class, ChatContext& context);
  [[nodiscard]] const ContinuationResult& result() const { return result_; }

 private:
  std::shared_ptr<const ChatRequest> request_;
  /// The reasoning that was added last.
  std::string last_reasoning_;
  ContinuationResult result_;
};

class Continuation : public ChatOperation<ContinuationStrategy> {
 public:
  Continuation(const RetryPolicy& policy, ContinuationInput input, RandomStream jitter,
               bool metadata)
      : RetryingOperation(policy, ContinuationStrategy(std::move(input)), jitter, metadata) {}
};

}  // namespace squall::core::llm
