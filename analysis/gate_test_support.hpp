// SPDX-License-Identifier: MIT
//
// Scenarios and policies whose every figure follows from their text: no jitter, fixed latencies.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "analysis/comparison.hpp"
#include "core/policy.hpp"
#include "scenarios/loader.hpp"
#include "scenarios/model.hpp"

namespace squall::analysis {

/// `attempts` calls, 2 s between them, no jitter; Retry-After is not looked at; idle timeout 60 s.
inline core::RetryPolicy plain_policy(std::uint32_t attempts) {
  core::RetryPolicy policy;
  policy.backoff = core::ConstantBackoff{.delay_ms = 2'000};
  policy.jitter = core::NoJitter{};
  policy.retry_after.seconds = policy.retry_after.http_date = policy.retry_after.milliseconds =
      false;
  policy.budgets.attempts_max = attempts;
  policy.timeouts.idle = std::chrono::seconds(60);
  return policy;
}

inline NamedScenario scenario_named(const std::string& name, const std::string& server) {
  const std::string text = R"({ "name": ")" + name +
                           R"(", "summary": "A sample.", "source": "Made up.", "tags": ["outage"],
    "operation": { "kind": "agent_chat",
                   "request": { "model": "m", "messages": [ { "role": "user", "content": "?" } ] } },
    "server": )" + server + R"(, "expect": { "outcome": "success" } })";
  auto scenario = scenarios::load_scenario(text, name + ".json");
  if (!scenario) {
    ADD_FAILURE() << to_string(scenario.error());
    return {};
  }
  return {.reference = name, .scenario = *std::move(scenario)};
}

/// 503 within a second until 10 s have passed, then an answer within a second.
///
/// Under plain_policy calls start at 0, 3, 6, 9, 12 s. The first four meet the outage. With three
/// calls: exhausted at 7 s. With five: success at 13 s, 3 s after the provider has healed.
inline NamedScenario ten_second_outage() {
  return scenario_named("ten-seconds", R"({ "phases": [
      { "until": "10s", "respond": { "status": 503, "latency": "1s" } },
      { "respond": { "reply": { "text": "back" }, "latency": "1s" } } ] })");
}

/// An answer after 1 to 3 s, drawn for each run.
inline NamedScenario drawn_latency() {
  return scenario_named("drawn", R"({ "respond": {
      "reply": { "text": "fine" }, "latency": { "uniform": ["1s", "3s"] } } })");
}

}  // namespace squall::analysis
