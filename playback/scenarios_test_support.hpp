// SPDX-License-Identifier: MIT
//
// Scenarios made in code, for tests that are about one thing: every constructor has the defaults
// that do not matter, so that whatever a test sets is meaningful.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/chat_request.hpp"
#include "scenarios/model.hpp"

namespace squall::playback {

/// A body that is a chat completion with `text` in it.
inline std::string completion(const std::string& text) {
  return R"({"choices":[{"message":{"role":"assistant","content":")" + text +
         R"("},"finish_reason":"stop"}]})";
}

inline scenarios::Respond answer(int status, std::string body, scenarios::Time latency) {
  scenarios::HttpAnswer http;
  http.status = status;
  http.body = std::move(body);
  return {.what = std::move(http), .latency = std::move(latency)};
}
inline scenarios::Respond good(core::Duration latency = std::chrono::seconds(1)) {
  return answer(200, completion("ok"), latency);
}
inline scenarios::Respond overloaded(core::Duration latency = std::chrono::milliseconds(120)) {
  return answer(503, R"({"error":{"message":"overloaded"}})", latency);
}
inline scenarios::Respond broken(core::ConnectionFault fault,
                                 core::Duration latency = std::chrono::milliseconds(5)) {
  return {.what = scenarios::ConnectionFailure{fault}, .latency = latency};
}
inline scenarios::Respond silent() {
  return {.what = scenarios::SilentHeaders{}, .latency = core::Duration{0}};
}

inline scenarios::Step step(std::uint32_t times, scenarios::Respond respond) {
  return {.times = times, .mix = {{.weight = 1, .respond = std::move(respond)}}};
}

/// A server that answers by call number.
inline scenarios::Server sequence(std::vector<scenarios::Step> steps) {
  return {.phases = {{.until = std::nullopt, .sequence = std::move(steps)}}};
}

inline scenarios::Scenario scenario(scenarios::Server server,
                                    core::RetryPolicy policy = core::default_policy()) {
  scenarios::Scenario made;
  made.name = "made-in-code";
  made.summary = "made in code";
  made.source = "synthetic";
  made.operation.request = std::make_shared<const core::ChatRequest>(
      R"("model":"m","reasoning_effort":"high")",
      std::vector<std::string>{R"({"role":"user","content":"hi"})"});
  made.policy_name = "inline";
  made.policy = policy;
  made.server = std::move(server);
  return made;
}

}  // namespace squall::playback
