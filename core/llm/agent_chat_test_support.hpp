// SPDX-License-Identifier: MIT
//
// What the tests of agent_chat share: machines, facts to tell them, and their orders and states as
// text, so that an expectation reads as a sentence. For tests only.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/llm/agent_chat.hpp"

namespace squall::core::llm {

using Lines = std::vector<std::string>;

inline constexpr std::string_view kGoodAnswer =
    R"({"choices":[{"finish_reason":"stop","message":{"content":"recovered"}}]})";
inline constexpr bool kMetadata = true;
inline constexpr std::uint64_t kSeed = 2024;

inline Instant at(Duration since_start) {
  return Instant{since_start};
}

inline std::string in_seconds(Duration duration) {
  std::string text = std::to_string(duration / std::chrono::seconds(1)) + "s";
  if (const Duration rest = duration % std::chrono::seconds(1); rest != Duration{0}) {
    text += "+" + std::to_string(rest.count()) + "ns";
  }
  return text;
}

inline std::string show(const Action& action) {
  if (const auto* send = std::get_if<SendAttempt>(&action)) {
    return "send " + std::to_string(send->attempt);
  }
  if (const auto* abandon = std::get_if<AbandonAttempt>(&action)) {
    return "abandon " + std::to_string(abandon->attempt);
  }
  if (const auto* row = std::get_if<RecordFailure>(&action)) {
    return "record " + std::to_string(row->trail_index) + " as " +
           std::to_string(row->failure_index) +
           (row->attempt_duration ? " after " + in_seconds(*row->attempt_duration) : "");
  }
  if (const auto* row = std::get_if<RecordRequest>(&action)) {
    return "request after " + in_seconds(row->duration);
  }
  return "finish";
}

inline std::string show(const Actions& actions) {
  std::string text;
  for (const Action& action : actions) {
    text += (text.empty() ? "" : ", ") + show(action);
  }
  return text;
}

inline std::string_view show(AgentChat::State state) {
  switch (state) {
    case AgentChat::State::kIdle:
      return "idle";
    case AgentChat::State::kInFlight:
      return "in flight";
    case AgentChat::State::kSleeping:
      return "sleeping";
    case AgentChat::State::kFinished:
      return "finished";
  }
  return "?";
}

/// "<state>, wakes <when>".
inline std::string show(const AgentChat& chat) {
  const std::optional<Instant> wakeup = chat.next_wakeup();
  return std::string(show(chat.state())) +
         (wakeup ? ", wakes " + in_seconds(wakeup->time_since_epoch()) : "");
}

inline std::shared_ptr<const ChatRequest> some_request() {
  return std::make_shared<const ChatRequest>(R"("model":"m")",
                                             std::vector<std::string>{R"({"role":"user"})"});
}

inline AgentChat chat_with(const RetryPolicy& policy, bool metadata = kMetadata) {
  return AgentChat(policy, some_request(), RandomStream(kSeed), metadata);
}

inline RetryPolicy without_jitter(RetryPolicy policy = default_policy()) {
  policy.jitter = NoJitter{};
  return policy;
}

inline RetryPolicy without_sleeps(std::uint32_t attempts_max = 13) {
  RetryPolicy policy = continuation_policy();
  policy.budgets.attempts_max = attempts_max;
  return policy;
}

inline Event headers(AttemptId id, int status, std::optional<std::string_view> retry_after = {}) {
  ResponseHead head;
  head.status = status;
  head.retry_after = retry_after;
  return HeadersReceived{id, head, WallInstant{std::chrono::seconds(1'700'000'000)}};
}
inline Event refused(AttemptId id) {
  return AttemptFailed{id, ConnectionFault::kRefused, {}};
}

}  // namespace squall::core::llm
