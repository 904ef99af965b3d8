// SPDX-License-Identifier: MIT
//
// tool_call: one `tools/call` request, sent again byte-identical while it fails as transport and
// the time budget has room, until it succeeds, fails for good, or a shutdown ends it. The same
// machine as an LLM operation, with a taxonomy and a judge of its own. @see retrying_operation.hpp
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "core/connector/answer.hpp"
#include "core/connector/judge_attempt.hpp"
#include "core/connector/kind.hpp"
#include "core/connector/settings.hpp"
#include "core/connector/tool_request.hpp"
#include "core/retrying_operation.hpp"

namespace squall::core::connector {

using ConnectorTrail = Trail<Kind>;

/// What a call is made of.
struct ToolCallInput {
  /// Never null; every attempt sends exactly its bytes.
  std::shared_ptr<const ToolRequest> request;
  /// Checked when the operation starts, before any attempt: settings that cannot be used end the
  /// call as kConfig without an attempt, with one entry in the trail that no call stands behind.
  /// Nothing: the host has checked them already. Empty texts are not nothing; they are refused.
  std::optional<ConnectorSettings> settings;
};

/// What ended a call that did not succeed.
enum class CallEnding : std::uint8_t {
  kBudgetSpent,  ///< another attempt was worth making and none was left
  kFinal,    ///< the last failure is one that another attempt cannot mend, or the policy says so
  kStopped,  ///< a shutdown
};

/// How a call ended that did not succeed.
struct ToolCallFailure {
  /// The kind of the last failure; kTransport when a shutdown ended the call, kConfig when its
  /// settings did before the first attempt.
  Kind kind = Kind::kTransport;
  /// The sentence for the model.
  std::string message;
  /// Calls made.
  std::uint32_t attempts = 0;
  /// All failures, oldest first.
  ConnectorTrail trail;
  /// How far the last attempt got.
  Reach last_reach = Reach::kNothingSent;
  /// Whether any attempt may have had its effect: one that got through counts however many refused
  /// connections follow.
  bool may_have_taken_effect = false;
  CallEnding ending = CallEnding::kBudgetSpent;

  friend bool operator==(const ToolCallFailure&, const ToolCallFailure&) = default;
};

/// How a call ended; `monostate` while it has not.
using ToolCallResult = std::variant<std::monostate, ToolResult, ToolCallFailure>;

class ToolCallStrategy {
 public:
  using Class = Kind;
  using Request = ToolRequest;
  using Answer = ToolResult;
  using Failure = CallFailure;
  using Result = ToolCallResult;
  using Context = OperationContext<Kind>;

  explicit ToolCallStrategy(ToolCallInput input);

  [[nodiscard]] const ToolRequest& request() const { return *input_.request; }
  [[nodiscard]] NextStep on_start(Context& context);
  [[nodiscard]] std::variant<ToolResult, CallFailure> judge(
      const Attempt& attempt, AttemptEnd end, const RetryPolicy& policy,
      std::optional<std::uint64_t> retry_after_ms) const;
  [[nodiscard]] NextStep on_answer(ToolResult result, Context& context);
  [[nodiscard]] NextStep on_failure(CallFailure&& failure, Context& context);
  void on_exhausted(Context& context);
  [[nodiscard]] static FailureRecord<Kind> shutdown_failure();
  void on_shutdown(bool in_flight, Context& context);
  [[nodiscard]] const ToolCallResult& result() const { return result_; }

 private:
  void note_reach(Reach reach);
  void give_up(Kind kind, CallEnding ending, Context& context);

  ToolCallInput input_;
  ToolCallResult result_;
  /// The connector's own words in the failure that came last.
  std::string own_message_;
  Reach last_reach_ = Reach::kNothingSent;
  bool may_have_taken_effect_ = false;
};

class ToolCall : public RetryingOperation<ToolCallStrategy> {
 public:
  ToolCall(const RetryPolicy& policy, ToolCallInput input, RandomStream jitter, bool metadata)
      : RetryingOperation(policy, ToolCallStrategy(std::move(input)), jitter, metadata) {}
};

/// What the model reads of a finished call. Requires a result.
[[nodiscard]] std::string model_json(const ToolCallResult& result);

}  // namespace squall::core::connector
