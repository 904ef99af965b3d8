// SPDX-License-Identifier: MIT
//
// agent_chat: one chat request, sent again byte-identical until an answer is accepted, the budget
// is used up, a failure is final, or a shutdown ends it. Any 2xx chat answer is accepted, empty
// text included (a tool-call turn has none).
//
// Theory of operation. All transitions live in agent_chat.cpp:
//
//   Idle      --OperationStarted--> InFlight   (attempt 1; Finished when the budget is 0)
//   InFlight  --attempt answered--> Finished
//   InFlight  --attempt failed----> Sleeping   (record; Finished when final or nothing is left)
//   Sleeping  --WakeupReached-----> InFlight   (next attempt; a sleep of 0 skips the state)
//   Idle, InFlight, Sleeping --ShutdownRequested--> Finished (in flight: the attempt is recorded)
//   Finished  --anything----------> Finished   (ignored)
//
// The machine owns no clock, timer, socket or thread. `now` must never go backwards.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>

#include "core/attempt.hpp"
#include "core/chat_request.hpp"
#include "core/event.hpp"
#include "core/llm/judge_attempt.hpp"
#include "core/policy.hpp"
#include "core/random.hpp"
#include "core/retry_loop.hpp"

namespace squall::core::llm {

class AgentChat {
 public:
  /// How the operation ended; `monostate` while it has not.
  using Result = std::variant<std::monostate, ChatAnswer, LlmExhausted>;

  enum class State : std::uint8_t {
    kIdle,      ///< waits for OperationStarted
    kInFlight,  ///< an attempt is under way
    kSleeping,  ///< waits before the next attempt
    kFinished,  ///< the result can be read
  };

  /// @param policy    copied when the operation is made.
  /// @param request   never null; every attempt sends exactly its bytes.
  /// @param metadata  whether telemetry rows are ordered (RecordFailure, RecordRequest).
  AgentChat(const RetryPolicy& policy, std::shared_ptr<const ChatRequest> request,
            RandomStream jitter, bool metadata);

  /// Takes a fact and returns what the host must do, in order.
  [[nodiscard]] Actions handle(const Event& event, Instant now);

  /// When `WakeupReached` is due; absent when only another event can change anything.
  [[nodiscard]] std::optional<Instant> next_wakeup() const;

  [[nodiscard]] State state() const { return state_; }
  /// Number of the attempt under way or last made; equals the calls made so far.
  [[nodiscard]] AttemptId attempt() const { return attempt_number_; }
  /// The request that SendAttempt orders to send.
  [[nodiscard]] const ChatRequest& request() const { return *request_; }
  /// Failures so far, also after the end.
  [[nodiscard]] const LlmTrail& trail() const;
  [[nodiscard]] const Result& result() const { return result_; }

 private:
  void start_attempt(Instant now, Actions& actions);
  void end_attempt(AttemptEnd end, Instant now, Actions& actions);
  void record(LlmFailure failure, Instant now, Actions& actions);
  void shut_down(Instant now, Actions& actions);
  void finish(Result result, Instant now, Actions& actions);

  RetryLoop<FailureClass> loop_;
  std::shared_ptr<const ChatRequest> request_;
  Attempt in_flight_;
  Result result_;
  std::optional<std::uint64_t> observed_retry_after_ms_;
  Instant now_{};
  Instant sleep_ends_{};
  AttemptId attempt_number_ = 0;
  State state_ = State::kIdle;
  bool metadata_;
};

}  // namespace squall::core::llm
