// SPDX-License-Identifier: MIT
//
// tool_call: one `tools/call` request, sent again byte-identical while it fails as transport and
// the time budget has room, until it succeeds, fails for good, or a shutdown ends it. A sibling of
// the LLM operations: the same events, actions and states under the same driver, with a taxonomy
// and a judge of its own.
//
//   Idle      --OperationStarted--> InFlight   (attempt 1; Finished when the connector's settings
//                                   cannot be used or no attempt is allowed)
//   InFlight  --attempt ends------> Finished, or Sleeping when the failure is retried and the sleep
//                                   ends within the budget (a sleep of 0 skips the state)
//   Sleeping  --WakeupReached-----> InFlight   (next attempt)
//   Idle, InFlight, Sleeping --ShutdownRequested--> Finished (in flight: the attempt is recorded)
//   Finished  --anything----------> Finished   (ignored)
//
// The machine owns no clock, timer, socket or thread. `now` must never go backwards.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "core/attempt.hpp"
#include "core/connector/answer.hpp"
#include "core/connector/judge_attempt.hpp"
#include "core/connector/kind.hpp"
#include "core/connector/settings.hpp"
#include "core/connector/tool_request.hpp"
#include "core/event.hpp"
#include "core/policy.hpp"
#include "core/random.hpp"
#include "core/retry_loop.hpp"
#include "core/trail.hpp"

namespace squall::core::connector {

enum class ToolCallState : std::uint8_t {
  kIdle,      ///< waits for OperationStarted
  kInFlight,  ///< an attempt is under way
  kSleeping,  ///< waits before the next attempt
  kFinished,  ///< the result can be read
};

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
  /// Whether a shutdown ended the call.
  bool is_stopped = false;

  friend bool operator==(const ToolCallFailure&, const ToolCallFailure&) = default;
};

/// How a call ended; `monostate` while it has not.
using ToolCallResult = std::variant<std::monostate, ToolResult, ToolCallFailure>;

class ToolCall {
 public:
  using State = ToolCallState;

  /// @param policy    copied. @see connector_policy
  /// @param metadata  whether telemetry rows are ordered (RecordFailure, RecordRequest).
  ToolCall(const RetryPolicy& policy, ToolCallInput input, RandomStream jitter, bool metadata);

  /// Takes a fact and returns what the host must do, in order.
  [[nodiscard]] Actions handle(const Event& event, Instant now);

  /// When `WakeupReached` is due; absent when only another event can change anything.
  [[nodiscard]] std::optional<Instant> next_wakeup() const;

  [[nodiscard]] State state() const { return state_; }
  /// Number of the attempt under way or last made; equals the calls made so far.
  [[nodiscard]] AttemptId attempt() const { return attempt_number_; }
  /// The request that SendAttempt orders to send.
  [[nodiscard]] const ToolRequest& request() const { return *input_.request; }
  /// The sleep ordered after the attempt that ended last; nothing when none followed.
  [[nodiscard]] const std::optional<OrderedSleep>& ordered_sleep() const { return ordered_sleep_; }
  /// Failures so far, also after the end.
  [[nodiscard]] const ConnectorTrail& trail() const;
  [[nodiscard]] const ToolCallResult& result() const { return result_; }

 private:
  void begin(Instant now, Actions& actions);
  void start_attempt(Instant now, Actions& actions);
  void end_attempt(AttemptEnd end, Instant now, Actions& actions);
  void record(const CallFailure& failure, Instant now, Actions& actions);
  void shut_down(Instant now, Actions& actions);
  void fail(std::string message, Kind kind, bool is_stopped, Instant now, Actions& actions);
  void finish(Instant now, Actions& actions);
  void read_retry_after_of(const HeadersReceived& headers);

  RetryLoop<Kind> loop_;
  ToolCallInput input_;
  ToolCallResult result_;
  Attempt in_flight_;
  std::optional<std::uint64_t> observed_retry_after_ms_;
  std::optional<OrderedSleep> ordered_sleep_;
  Instant now_{};
  Instant sleep_ends_{};
  AttemptId attempt_number_ = 0;
  State state_ = State::kIdle;
  Reach last_reach_ = Reach::kNothingSent;
  bool may_have_taken_effect_ = false;
  bool metadata_;
};

/// What the model reads of a finished call. Requires a result.
[[nodiscard]] std::string model_json(const ToolCallResult& result);

}  // namespace squall::core::connector
