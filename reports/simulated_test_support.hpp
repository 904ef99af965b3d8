// SPDX-License-Identifier: MIT
//
// Small scenarios whose every figure follows from their text: no jitter, fixed latencies.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "playback/prepared_scenario.hpp"
#include "reports/run_report.hpp"
#include "scenarios/loader.hpp"
#include "scenarios/model.hpp"
#include "simulator/simulation.hpp"

namespace squall::reports {

/// Sleeps 2 s, 4 s, 8 s, ...; no jitter; idle timeout 5 s.
inline constexpr const char* kPlainPolicy = R"({
  "name": "plain", "summary": "Test", "attempts": 3,
  "backoff": { "base": "2s", "multiplier": 2, "cap": "60s", "max_doublings": 6 },
  "jitter": { "kind": "none" },
  "retry_after": { "sources": ["seconds"], "clamp": ["1s", "10s"] },
  "budgets": {}, "timeouts": { "idle": "5s" },
  "retry_on": { "statuses": ["429", "5xx"],
                "failures": ["connection", "cut_body", "unusable_answer"] } })";

/// @param server  the scenario's server, @param rest  further members, each preceded by a comma.
inline scenarios::Scenario scenario_of(const std::string& server, const std::string& expect,
                                       const std::string& rest = "") {
  const std::string text = R"({ "name": "sample", "summary": "A sample.", "source": "Made up.",
    "operation": { "kind": "agent_chat",
                   "request": { "model": "m", "messages": [ { "role": "user", "content": "?" } ] } },
    "policy": )" + std::string(kPlainPolicy) +
                           R"(, "server": )" + server + R"(, "expect": )" + expect + rest + " }";
  auto scenario = scenarios::load_scenario(text, "sample.json");
  if (!scenario) {
    ADD_FAILURE() << to_string(scenario.error());
    return {};
  }
  return *std::move(scenario);
}

inline Subject subject_of(const scenarios::Scenario& scenario) {
  return {.scenario = scenario.name,
          .reference = "sample.json",
          .summary = scenario.summary,
          .kind = scenario.operation.kind(),
          .policy_name = scenario.policy_name,
          .policy = scenario.policy,
          .policy_override = {},
          .golden = {},
          .golden_source = {}};
}

inline RunReport simulated(const scenarios::Scenario& scenario) {
  const playback::PreparedScenario prepared(scenario);
  simulator::Simulation simulation(prepared);
  simulation.run(1, 0);
  return make_run_report(subject_of(scenario), scenario, simulation.verify_determinism());
}

/// 0 to 1 s: 503. Sleep to 3 s. 3 to 8 s: no headers. Sleep to 12 s. 12 to 13 s: headers, then the
/// body in two pieces until 14 s.
inline scenarios::Scenario three_calls(const std::string& expect = R"({ "outcome": "success" })") {
  return scenario_of(R"({ "sequence": [
      { "respond": { "status": 503, "latency": "1s",
                     "body": { "error": { "message": "Try later." } } } },
      { "respond": { "stall": "headers" } },
      { "respond": { "reply": { "text": "recovered" }, "latency": "1s",
                     "chunks": [ { "bytes": "10B", "after": "0s" },
                                 { "bytes": "1KiB", "after": "1s" } ] } } ] })",
                     expect);
}

}  // namespace squall::reports
