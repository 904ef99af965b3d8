// SPDX-License-Identifier: MIT
#include "core/llm/synthesis.hpp"

#include <string_view>

#include "core/check.hpp"
#include "core/llm/chat_message.hpp"
#include "core/quote.hpp"

namespace squall::core::llm {
namespace {

std::string joined(const std::vector<std::string>& reasons) {
  std::string all;
  for (const std::string& reason : reasons) {
    all += (all.empty() ? "" : "; ") + reason;
  }
  return all;
}

/// Reasons repeat what the model wrote and can be as many as it likes: quoted and cut.
LlmFailure failure_of(FailureClass failure_class, std::string_view outcome, std::string_view reason,
                      const ChatAnswer& answer) {
  std::string chain(outcome);
  chain += ": ";
  append_quoted(chain, reason, kQuotedBodyBytesMax);
  return {failure_class, std::move(chain), answer.finish_reason, std::nullopt};
}

LlmFailure nothing_accepted(FailureClass failure_class, std::string chain) {
  return {failure_class, std::move(chain), std::nullopt, std::nullopt};
}

}  // namespace

SynthesisStrategy::SynthesisStrategy(std::shared_ptr<const ChatRequest> request,
                                     const ItemsByAgent& items_by_agent)
    : request_(std::move(request)), board_(items_by_agent) {
  SQUALL_CHECK(request_ != nullptr);
}

NextStep SynthesisStrategy::on_answer(const ChatAnswer& answer, ChatContext& context) {
  last_raw_ = answer.text;
  if (!answer.tool_calls.empty()) {
    return reject_unreadable(answer, "it is a tool call", context);
  }
  const Expected<Proposal, Error> proposal = parse_proposal(answer.text, form_);
  if (!proposal) {
    return reject_unreadable(answer, to_string(proposal.error()), context);
  }
  RoundVerdict verdict = board_.apply(*proposal);
  RoundEnd end = RoundEnd::kRejected;
  if (verdict.accepted_anything()) {
    end = verdict.reasons.empty() ? RoundEnd::kAccepted : RoundEnd::kPartlyAccepted;
    accepted_round_ = {.facts = answer.facts, .finish_reason = answer.finish_reason};
    context.record_accepted_round();
  } else {
    context.record(failure_of(
        verdict.failure_class(), "the proposal was rejected",
        verdict.reasons.empty() ? "it places nothing" : joined(verdict.reasons), answer));
  }
  reasons_ = std::move(verdict.reasons);
  const bool no_progress = context.attempt() > 1 && verdict.groups_frozen == 0;
  if (board_.complete() || no_progress) {
    conclude(context.final_class(), context);
    return NextStep::finish();
  }
  return ask_for_the_rest(end, context);
}

NextStep SynthesisStrategy::reject_unreadable(const ChatAnswer& answer, const std::string& reason,
                                              ChatContext& context) {
  context.record(failure_of(FailureClass::kParse, "the answer is not a proposal", reason, answer));
  reasons_.push_back("the answer is not a proposal: " + reason);
  return ask_for_the_rest(RoundEnd::kUnreadable, context);
}

NextStep SynthesisStrategy::ask_for_the_rest(RoundEnd end, ChatContext& context) {
  if (context.attempts_left()) {
    const std::string instructions =
        repair_instructions(context.attempt() + 1, board_, end, reasons_);
    request_ = std::make_shared<const ChatRequest>(request_->appended(user_message(instructions)));
    form_ = ProposalForm::kDelta;
  }
  return NextStep::send_now();
}

void SynthesisStrategy::conclude(FailureClass final_class, ChatContext& context) {
  if (!board_.groups().empty()) {
    result_ = SynthesisRepaired{.summary = board_.summary().value_or(""),
                                .groups = board_.groups(),
                                .references = board_.references(),
                                .remainder = board_.remainder(),
                                .trail = context.take_trail()};
    return;
  }
  if (context.trail().empty()) {
    // Nothing failed, yet there is nothing to show: a round brought a summary alone, or no call was
    // made at all. Whoever reads the result must find out why.
    const bool stopped = final_class == FailureClass::kShutdown;
    final_class = stopped ? FailureClass::kShutdown : FailureClass::kValidationOther;
    context.record_trail_only(nothing_accepted(
        final_class, stopped            ? "no group was accepted: shutdown requested"
                     : board_.summary() ? "no group was accepted: there is a summary only"
                                        : "no group was accepted: there is no proposal"));
  }
  result_ = SynthesisFallback{
      .text = list_items(board_.items()),
      .exhausted = LlmExhausted(context.take_trail(), final_class, std::move(last_raw_))};
}

}  // namespace squall::core::llm
