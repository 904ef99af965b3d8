// SPDX-License-Identifier: MIT
#include "core/llm/research_synthesis.hpp"

#include <string_view>

#include "core/check.hpp"
#include "core/llm/chat_message.hpp"

namespace squall::core::llm {
namespace {

constexpr std::string_view kCutOff = "length";

constexpr std::string_view kAskForShorter =
    "Your last answer was cut off at the output limit. Answer again with a shorter version that is "
    "complete.";
constexpr std::string_view kSayBlank =
    "Your last answer had no text. Answer with the text that was asked for.";

}  // namespace

ResearchSynthesisStrategy::ResearchSynthesisStrategy(std::shared_ptr<const ChatRequest> request)
    : base_(std::move(request)), request_(base_) {
  SQUALL_CHECK(base_ != nullptr);
}

NextStep ResearchSynthesisStrategy::on_answer(ChatAnswer answer, ChatContext& context) {
  const bool cut_off = answer.finish_reason == kCutOff;
  const bool blank = is_blank(answer.text);
  if (!cut_off && !blank) {
    result_ = std::move(answer);
    return NextStep::finish();
  }
  last_raw_ = answer.text;
  if (!blank) {
    truncated_text_ = std::move(answer.text);
  }
  if (cut_off) {
    context.record({FailureClass::kTruncatedOutput,
                    "the answer was cut off: finish_reason \"length\"",
                    std::move(answer.finish_reason), std::nullopt});
  } else {
    context.record({FailureClass::kNoResponse, "the answer has no text",
                    std::move(answer.finish_reason), std::nullopt});
  }
  if (context.attempts_left()) {
    request_ = std::make_shared<const ChatRequest>(
        base_->appended(user_message(cut_off ? kAskForShorter : kSayBlank)));
  }
  return NextStep::send_now();
}

void ResearchSynthesisStrategy::conclude(FailureClass final_class, ChatContext& context) {
  LlmExhausted exhausted(context.take_trail(), final_class, std::move(last_raw_));
  if (truncated_text_) {
    result_ = TruncatedText{.text = *std::move(truncated_text_), .exhausted = std::move(exhausted)};
  } else {
    result_ = std::move(exhausted);
  }
}

}  // namespace squall::core::llm
