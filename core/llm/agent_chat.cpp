// SPDX-License-Identifier: MIT
#include "core/llm/agent_chat.hpp"

#include <utility>

#include "core/check.hpp"

namespace squall::core::llm {

AgentChatStrategy::AgentChatStrategy(std::shared_ptr<const ChatRequest> request)
    : request_(std::move(request)) {
  SQUALL_CHECK(request_ != nullptr);
}

NextStep AgentChatStrategy::on_answer(ChatAnswer answer, ChatContext&) {
  result_ = std::move(answer);
  return NextStep::finish();
}

NextStep AgentChatStrategy::on_failure(LlmFailure&& failure, ChatContext& context) {
  const FailureClass failure_class = failure.failure_class;
  context.record(std::move(failure));
  if (is_retryable(failure_class)) {
    return NextStep::sleep_first(context.attempt());
  }
  result_ = LlmExhausted(context.take_trail(), failure_class);
  return NextStep::finish();
}

void AgentChatStrategy::on_exhausted(ChatContext& context) {
  const FailureClass final_class = context.final_class();
  result_ = LlmExhausted(context.take_trail(), final_class);
}

void AgentChatStrategy::on_shutdown(bool, ChatContext& context) {
  result_ = LlmExhausted(context.take_trail(), FailureClass::kShutdown);
}

const LlmTrail* AgentChatStrategy::final_trail() const {
  const auto* exhausted = std::get_if<LlmExhausted>(&result_);
  return exhausted != nullptr ? &exhausted->trail : nullptr;
}

}  // namespace squall::core::llm
