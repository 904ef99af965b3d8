// SPDX-License-Identifier: MIT
//
// Any operation that a scenario can play, behind one face: the session, the audit and the reports
// see an operation and never ask which. The machines are the core's own; nothing is decided here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/connector/tool_call.hpp"
#include "core/event.hpp"
#include "core/llm/agent_chat.hpp"
#include "core/llm/continuation.hpp"
#include "core/llm/extraction.hpp"
#include "core/llm/research_synthesis.hpp"
#include "core/llm/synthesis.hpp"
#include "core/random.hpp"
#include "core/retry_loop.hpp"
#include "core/time.hpp"
#include "core/tool/failure.hpp"
#include "scenarios/failure_class.hpp"
#include "scenarios/model.hpp"

namespace squall::playback {

/// A request as the bytes of one call. Borrowed.
struct RequestView {
  std::string_view body;
  /// The part of `body` that holds the messages, commas included; empty when there are none.
  std::size_t messages_begin = 0;
  std::size_t messages_end = 0;

  /// Everything that must never change between two calls of an operation.
  [[nodiscard]] std::string_view head() const { return body.substr(0, messages_begin); }
  [[nodiscard]] std::string_view messages() const {
    return body.substr(messages_begin, messages_end - messages_begin);
  }
  [[nodiscard]] std::string_view tail() const { return body.substr(messages_end); }
};

[[nodiscard]] RequestView view_of(const core::ChatRequest& request);
[[nodiscard]] RequestView view_of(const core::connector::ToolRequest& request);

/// One recorded failure of any taxonomy. Borrowed.
struct FailureView {
  scenarios::FailureClass failure_class;
  std::string_view error_chain;
  std::optional<std::string_view> finish_reason;
  std::optional<std::uint64_t> retry_after_ms;
};

/// The failures of an operation, oldest first. Borrowed: valid while the operation is.
class TrailView {
 public:
  TrailView() = default;
  // Implicit: a trail is what this is a view of.
  TrailView(const core::llm::LlmTrail& trail) : llm_(&trail) {}
  TrailView(const core::connector::ConnectorTrail& trail) : connector_(&trail) {}

  [[nodiscard]] std::size_t size() const {
    return llm_ != nullptr ? llm_->size() : connector_ != nullptr ? connector_->size() : 0;
  }
  [[nodiscard]] bool empty() const { return size() == 0; }
  /// Requires index < size().
  [[nodiscard]] FailureView operator[](std::size_t index) const;
  [[nodiscard]] FailureView back() const { return (*this)[size() - 1]; }

 private:
  const core::llm::LlmTrail* llm_ = nullptr;
  const core::connector::ConnectorTrail* connector_ = nullptr;
};

/// How an operation ended that did not give its full result. Borrowed.
struct ShortfallView {
  scenarios::FailureClass final_class;
  std::string_view detail;
  /// Text of the last completed attempt, if it produced one.
  std::optional<std::string_view> last_raw;
};

class Operation {
 public:
  /// @param jitter  the stream that its sleeps are drawn from.
  Operation(const scenarios::Scenario& scenario, core::RandomStream jitter);

  [[nodiscard]] core::Actions handle(const core::Event& event, core::Instant now);
  [[nodiscard]] std::optional<core::Instant> next_wakeup() const;

  [[nodiscard]] bool is_finished() const;
  [[nodiscard]] core::AttemptId attempt() const;
  [[nodiscard]] RequestView request() const;
  [[nodiscard]] TrailView trail() const;
  [[nodiscard]] const std::optional<core::OrderedSleep>& ordered_sleep() const;

  /// How it ended; kUnfinished while it has not.
  [[nodiscard]] scenarios::Outcome outcome() const;
  /// The chat answer that was accepted; null for a tool call, and without one.
  [[nodiscard]] const core::llm::ChatAnswer* chat_answer() const;
  /// What the caller got, as `expect.answer` compares it: the text of a chat answer, the JSON of an
  /// extraction, the summary of a synthesis, the text of a degraded result, what the model reads of
  /// a tool call. Nothing when the caller got nothing.
  [[nodiscard]] std::optional<std::string> answer() const;
  /// Why there is less than was wanted; nothing after a success and while it runs.
  [[nodiscard]] std::optional<ShortfallView> shortfall() const;
  /// What the provider said of the round a synthesis accepted last; null for other operations.
  [[nodiscard]] const core::llm::AcceptedRound* accepted_round() const;
  /// Null unless it is a synthesis that accepted a group.
  [[nodiscard]] const core::llm::SynthesisRepaired* synthesis() const;
  /// What a failed tool call is to whoever runs the tool; nothing otherwise.
  [[nodiscard]] std::optional<core::tool::Failure> as_tool_failure() const;
  /// Null unless it is a tool call that failed.
  [[nodiscard]] const core::connector::ToolCallFailure* tool_failure() const;

 private:
  using Machine = std::variant<core::llm::AgentChat, core::llm::Extraction, core::llm::Synthesis,
                               core::llm::ResearchSynthesis, core::llm::Continuation,
                               core::connector::ToolCall>;

  [[nodiscard]] static Machine make(const scenarios::Scenario& scenario, core::RandomStream jitter);

  Machine machine_;
  core::tool::Idempotency idempotency_ = core::tool::Idempotency::kUnspecified;
};

}  // namespace squall::playback
