// SPDX-License-Identifier: MIT
#include "core/llm/extraction.hpp"

#include <nlohmann/json.hpp>

#include "core/check.hpp"
#include "core/llm/chat_message.hpp"
#include "core/llm/json_answer.hpp"
#include "core/quote.hpp"

namespace squall::core::llm {
namespace {

/// `reason`, and the text it is about.
LlmFailure unusable(FailureClass failure_class, std::string reason, const ChatAnswer& answer) {
  if (!answer.text.empty()) {
    reason += ": ";
    append_quoted(reason, answer.text, kQuotedBodyBytesMax);
  }
  return {failure_class, std::move(reason), answer.finish_reason, std::nullopt};
}

}  // namespace

ExtractionStrategy::ExtractionStrategy(ExtractionInput input)
    : input_(std::move(input)), request_(input_.request), sent_(input_.request) {
  SQUALL_CHECK(request_ != nullptr);
}

std::variant<Extracted, LlmFailure> ExtractionStrategy::extract(ChatAnswer& answer) const {
  constexpr std::string_view kNotTheTarget = "the answer does not parse as the target: ";
  const auto not_the_target = [&](std::string_view reason) {
    return unusable(FailureClass::kParse, std::string(kNotTheTarget).append(reason), answer);
  };
  if (!answer.tool_calls.empty()) {
    return not_the_target("it is a tool call");
  }
  const Expected<nlohmann::json, std::string> value = parse_json_answer(answer.text);
  if (!value) {
    return not_the_target(value.error());
  }
  if (const std::optional<std::string> defect = target_defect(input_.target, *value)) {
    return not_the_target(*defect);
  }
  if (const std::optional<std::string> reason = rejection(input_.validator, *value)) {
    return unusable(FailureClass::kOutOfRangeScore, "the validator rejected the answer: " + *reason,
                    answer);
  }
  return Extracted{.json = value->dump(), .answer = std::move(answer)};
}

NextStep ExtractionStrategy::on_answer(ChatAnswer answer, ChatContext& context) {
  sent_ = request_;
  std::variant<Extracted, LlmFailure> judged = extract(answer);
  if (auto* extracted = std::get_if<Extracted>(&judged)) {
    result_ = std::move(*extracted);
    return NextStep::finish();
  }
  context.record(std::get<LlmFailure>(std::move(judged)));
  if (context.attempts_left()) {
    request_ =
        std::make_shared<const ChatRequest>(request_->appended(assistant_message(answer.text))
                                                .appended(user_message(kExtractionReprompt)));
  }
  last_raw_ = std::move(answer.text);
  return NextStep::sleep_first(context.attempt());
}

void ExtractionStrategy::on_attempt_died() {
  sent_ = request_;
  last_raw_.reset();
}

void ExtractionStrategy::conclude(FailureClass final_class, ChatContext& context) {
  // A re-prompt that was prepared for an attempt that never came was never sent.
  request_ = sent_;
  LlmExhausted exhausted(context.take_trail(), final_class, std::move(last_raw_));
  if (input_.falls_back && final_class != FailureClass::kShutdown) {
    result_ = Degraded{std::move(exhausted)};
  } else {
    result_ = std::move(exhausted);
  }
}

}  // namespace squall::core::llm
