// SPDX-License-Identifier: MIT
//
// synthesis: groups the items of several agents with a model's help, keeping what each round got
// right. The first request asks for a whole proposal; every later one asks only for what is still
// open.
//
// Rounds. Every attempt is a round, and the attempt budget is the budget of rounds.
//
//   the attempt fails (no chat answer)   the same bytes again, after a sleep indexed by the number
//                                        of such failures, whatever their class
//   the answer is no proposal            `parse`; the next round at once, with new instructions
//   the proposal is applied              an accepted part makes the round a success with a row of
//                                        its own, else it failed with the class of its first
//                                        defect; the next round at once, with new instructions
//
// It ends when every item is placed or pinned; when a proposal of any round but the first was
// applied and froze no group (an attempt that failed and an answer that is no proposal never end it
// so); on a failure that is final; on a shutdown; with the last round. What is accepted by then
// decides the result, however it ended.
//
// Bytes. Instructions are appended as one more user message; everything sent before stays a prefix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/llm/chat_operation.hpp"
#include "core/llm/proposal.hpp"
#include "core/llm/synthesis_board.hpp"
#include "core/llm/synthesis_text.hpp"

namespace squall::core::llm {

/// At least one group was accepted.
struct SynthesisRepaired {
  /// Empty when no round brought one.
  std::string summary;
  std::vector<FrozenGroup> groups;
  /// Which accepted group a pinned item of the remainder contradicts.
  std::vector<FrozenReference> references;
  /// Ids in no group, ascending.
  std::vector<std::size_t> remainder;
  /// Failures on the way; may be empty.
  LlmTrail trail;
};

/// What a provider said of an answer of which something was accepted.
struct AcceptedRound {
  AnswerFacts facts;
  std::optional<std::string> finish_reason;
};

/// No group was accepted: a degraded result, never a missing one.
struct SynthesisFallback {
  /// Every item, by agent, in id order (`list_items`).
  std::string text;
  /// Why; its trail is never empty.
  LlmExhausted exhausted;
};

/// How a synthesis ended; `monostate` while it has not.
using SynthesisResult = std::variant<std::monostate, SynthesisRepaired, SynthesisFallback>;

class SynthesisStrategy : public ChatTerms<SynthesisStrategy> {
 public:
  using Result = SynthesisResult;

  /// @param request  never null: asks for a proposal about `items_by_agent`, see `list_items`.
  SynthesisStrategy(std::shared_ptr<const ChatRequest> request, const ItemsByAgent& items_by_agent);

  [[nodiscard]] const ChatRequest& request() const { return *request_; }
  [[nodiscard]] NextStep on_answer(const ChatAnswer& answer, ChatContext& context);
  [[nodiscard]] NextStep after_failure(const ChatContext&) {
    return NextStep::sleep_first(++failed_attempts_);
  }
  void on_attempt_died() { last_raw_.reset(); }
  void conclude(FailureClass final_class, ChatContext& context);
  [[nodiscard]] const SynthesisResult& result() const { return result_; }
  [[nodiscard]] const Board& board() const { return board_; }
  /// What the provider said of the answer accepted last, for the row of its round.
  [[nodiscard]] const AcceptedRound& accepted_round() const { return accepted_round_; }

 private:
  NextStep reject_unreadable(const ChatAnswer& answer, const std::string& reason,
                             ChatContext& context);
  NextStep ask_for_the_rest(RoundEnd end, ChatContext& context);

  std::shared_ptr<const ChatRequest> request_;
  Board board_;
  /// What is still to be mended: the reasons of the last proposal, and why no later answer was one.
  std::vector<std::string> reasons_;
  std::optional<std::string> last_raw_;
  AcceptedRound accepted_round_;
  SynthesisResult result_;
  std::uint32_t failed_attempts_ = 0;
  /// What the request last sent asks for: the full form until instructions were appended.
  ProposalForm form_ = ProposalForm::kFirst;
};

class Synthesis : public ChatOperation<SynthesisStrategy> {
 public:
  Synthesis(const RetryPolicy& policy, std::shared_ptr<const ChatRequest> request,
            const ItemsByAgent& items_by_agent, RandomStream jitter, bool metadata)
      : RetryingOperation(policy, SynthesisStrategy(std::move(request), items_by_agent), jitter,
                          metadata) {}

  [[nodiscard]] const Board& board() const { return strategy().board(); }
  [[nodiscard]] const AcceptedRound& accepted_round() const { return strategy().accepted_round(); }
};

}  // namespace squall::core::llm
