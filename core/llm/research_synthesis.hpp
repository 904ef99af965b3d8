// SPDX-License-Identifier: MIT
//
// research_synthesis: free text wanted, whole and not blank. An answer that is cut off or blank is
// asked for again with a word about what was wrong; the best text so far is never thrown away.
//
//   the attempt fails (no chat answer)
//     the same bytes again, after a sleep indexed by the number of such failures, of any class
//   finish_reason "length"
//     `truncated_output`; the text is kept unless blank; at once, asking for a shorter version
//   blank text otherwise
//     `no_response`; at once, saying so
//   any other text
//     the result
//
// It ends without a whole text on a failure that is final, on a shutdown and with the last attempt;
// all three give the last text that was kept, or a failure when there is none.
//
// Bytes. The next request is the first one plus one user message; a later message replaces it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "core/llm/chat_operation.hpp"

namespace squall::core::llm {

/// The last text there was, which is always one that was cut off: any other that is not blank is a
/// whole answer.
struct TruncatedText {
  std::string text;
  /// Why there is no better one.
  LlmExhausted exhausted;
};

/// How a research_synthesis ended: `monostate` while it has not, a whole answer, a text that was
/// cut off, or no text at all.
using ResearchSynthesisResult =
    std::variant<std::monostate, ChatAnswer, TruncatedText, LlmExhausted>;

class ResearchSynthesisStrategy : public ChatTerms<ResearchSynthesisStrategy> {
 public:
  using Result = ResearchSynthesisResult;

  /// @param request  never null; every attempt sends it, with at most one message more.
  explicit ResearchSynthesisStrategy(std::shared_ptr<const ChatRequest> request);

  [[nodiscard]] const ChatRequest& request() const { return *request_; }
  [[nodiscard]] NextStep on_answer(ChatAnswer answer, ChatContext& context);
  [[nodiscard]] NextStep after_failure(const ChatContext&) {
    return NextStep::sleep_first(++failed_attempts_);
  }
  void on_attempt_died() { last_raw_.reset(); }
  void conclude(FailureClass final_class, ChatContext& context);
  [[nodiscard]] const ResearchSynthesisResult& result() const { return result_; }

 private:
  std::shared_ptr<const ChatRequest> base_;
  /// What is sent: `base_`, or `base_` with feedback.
  std::shared_ptr<const ChatRequest> request_;
  std::optional<std::string> truncated_text_;
  std::optional<std::string> last_raw_;
  ResearchSynthesisResult result_;
  std::uint32_t failed_attempts_ = 0;
};

class ResearchSynthesis : public ChatOperation<ResearchSynthesisStrategy> {
 public:
  ResearchSynthesis(const RetryPolicy& policy, std::shared_ptr<const ChatRequest> request,
                    RandomStream jitter, bool metadata)
      : RetryingOperation(policy, ResearchSynthesisStrategy(std::move(request)), jitter, metadata) {
  }
};

}  // namespace squall::core::llm
