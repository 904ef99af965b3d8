// SPDX-License-Identifier: MIT
//
// agent_chat: one chat request, sent again byte-identical until an answer is accepted, the budget
// is used up, a failure is final, or a shutdown ends it. Any 2xx chat answer is accepted, empty
// text included (a tool-call turn has none).
#pragma once

#include <memory>
#include <variant>

#include "core/llm/chat_operation.hpp"

namespace squall::core::llm {

/// How an agent_chat ended; `monostate` while it has not.
using AgentChatResult = std::variant<std::monostate, ChatAnswer, LlmExhausted>;

class AgentChatStrategy : public ChatTerms<AgentChatStrategy> {
 public:
  using Result = AgentChatResult;

  /// @param request  never null; every attempt sends exactly its bytes.
  explicit AgentChatStrategy(std::shared_ptr<const ChatRequest> request);

  [[nodiscard]] const ChatRequest& request() const { return *request_; }
  [[nodiscard]] NextStep on_answer(ChatAnswer answer, ChatContext& context);
  void conclude(FailureClass final_class, ChatContext& context);
  [[nodiscard]] const AgentChatResult& result() const { return result_; }

 private:
  std::shared_ptr<const ChatRequest> request_;
  AgentChatResult result_;
};

class AgentChat : public ChatOperation<AgentChatStrategy> {
 public:
  AgentChat(const RetryPolicy& policy, std::shared_ptr<const ChatRequest> request,
            RandomStream jitter, bool metadata)
      : RetryingOperation(policy, AgentChatStrategy(std::move(request)), jitter, metadata) {}
};

}  // namespace squall::core::llm
