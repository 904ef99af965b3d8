// SPDX-License-Identifier: MIT
//
// What the tests of operations on the common machine share: a player that tells facts as a host
// would, and provider answers as bodies. For tests only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/llm/agent_chat_test_support.hpp"

namespace squall::core::llm {

/// Tells an operation facts, confirms each attempt it orders, and notes every action and the bytes
/// of every request.
template <class Operation>
struct OperationPlay {
  Operation operation;
  Instant now{};
  Lines orders;
  Lines bodies;

  explicit OperationPlay(Operation machine) : operation(std::move(machine)) {}

  OperationPlay& tell(const Event& event, Duration later = Duration{0}) {
    now += later;
    const Actions actions = operation.handle(event, now);
    AttemptId started = 0;
    for (const Action& action : actions) {
      orders.push_back(show(action));
      if (const auto* send = std::get_if<SendAttempt>(&action)) {
        started = send->attempt;
        bodies.push_back(operation.request().body());
      }
    }
    if (started != 0) {
      EXPECT_TRUE(operation.handle(AttemptStarted{started}, now).empty());
    }
    return *this;
  }
  OperationPlay& start() { return tell(OperationStarted{}); }
  OperationPlay& answer(int status, std::string_view body,
                        std::optional<std::string_view> retry_after = std::nullopt) {
    const AttemptId id = operation.attempt();
    tell(headers(id, status, retry_after));
    tell(BytesReceived{id, body});
    return tell(BodyEnded{id});
  }
  OperationPlay& refuse() { return tell(refused(operation.attempt())); }
  OperationPlay& shut_down() { return tell(ShutdownRequested{}); }
  /// Lets time pass to the wake-up; returns how long that was.
  Duration sleep() {
    EXPECT_EQ(operation.state(), OperationState::kSleeping);
    const Duration length = operation.next_wakeup().value_or(now) - now;
    tell(WakeupReached{}, length);
    return length;
  }
};

/// A chat completion with this text.
inline std::string text_body(std::string_view text, std::string_view finish_reason = "stop") {
  return nlohmann::json{
      {"choices", {{{"finish_reason", finish_reason}, {"message", {{"content", text}}}}}}}
      .dump();
}

/// A chat completion with this reasoning and no tool call.
inline std::string reasoning_body(std::string_view reasoning, std::string_view text = "",
                                  std::string_view finish_reason = "stop") {
  return nlohmann::json{{"choices",
                         {{{"finish_reason", finish_reason},
                           {"message", {{"content", text}, {"reasoning", reasoning}}}}}}}
      .dump();
}

/// A chat completion that calls a tool; `content` is JSON.
inline std::string tool_call_body(std::string_view content = "null") {
  return R"({"choices":[{"finish_reason":"tool_calls","message":{"content":)" +
         std::string(content) +
         R"(,"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]}}]})";
}

}  // namespace squall::core::llm
