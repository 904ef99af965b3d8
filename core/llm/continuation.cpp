// SPDX-License-Identifier: MIT
#include "core/llm/continuation.hpp"

#include "core/check.hpp"
#include "core/llm/chat_message.hpp"

namespace squall::core::llm {
namespace {

std::shared_ptr<const ChatRequest> nudged(const ChatRequest& request, std::string_view reasoning) {
  const std::string nudge = user_message(kContinuationNudge);
  return std::make_shared<const ChatRequest>(
      is_blank(reasoning) ? request.appended(nudge)
                          : request.appended(reasoning_message(reasoning)).appended(nudge));
}

}  // namespace

bool is_reasoning_only(const ChatAnswer& answer) {
  return is_blank(answer.text) && answer.tool_calls.empty();
}

ContinuationStrategy::ContinuationStrategy(ContinuationInput input)
    : last_reasoning_(std::move(input.reasoning)) {
  SQUALL_CHECK(input.request != nullptr);
  request_ = nudged(*input.request, last_reasoning_);
}

NextStep ContinuationStrategy::on_answer(ChatAnswer answer, ChatContext& context) {
  if (!is_reasoning_only(answer)) {
    result_ = std::move(answer);
    return NextStep::finish();
  }
  context.record({FailureClass::kNoResponse,
                  is_blank(answer.reasoning) ? "the answer is empty: no text, no tool call and no "
                                               "reasoning"
                                             : "the answer is reasoning only: no text and no tool "
                                               "call",
                  std::move(answer.finish_reason), std::nullopt});
  if (context.attempts_left() && !is_blank(answer.reasoning) &&
      answer.reasoning != last_reasoning_) {
    request_ = nudged(*request_, answer.reasoning);
    last_reasoning_ = std::move(answer.reasoning);
  }
  return NextStep::send_now();
}

void ContinuationStrategy::conclude(FailureClass final_class, ChatContext& context) {
  result_ = LlmExhausted(context.take_trail(), final_class);
}

}  // namespace squall::core::llm
