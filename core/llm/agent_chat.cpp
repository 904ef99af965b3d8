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

void AgentChatStrategy::conclude(FailureClass final_class, ChatContext& context) {
  result_ = LlmExhausted(context.take_trail(), final_class);
}

}  // namespace squall::core::llm
