// SPDX-License-Identifier: MIT
//
// Scenario texts that use every part of the language, for tests.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace squall::scenarios {

/// `server` within an otherwise plain scenario.
inline std::string scenario_with(std::string_view server,
                                 std::string_view expect = R"({ "outcome": "success" })") {
  std::string text = R"({
  "name": "sample", "summary": "A sample.", "source": "made up",
  "operation": { "kind": "agent_chat",
                 "request": { "model": "m", "messages": [{ "role": "user", "content": "hi" }] } },
  "server": )";
  text += server;
  text += R"(, "expect": )";
  text += expect;
  return text + "}\n";
}

/// Together: every key of the language, every distribution, framing, delivery and ending.
inline std::array<std::string, 3> samples() {
  return {
      R"({
  "$schema": "../scenario.schema.json",
  "name": "everything", "summary": "Every key.", "source": "made up", "tags": ["a", "b-2"],
  "operation": { "kind": "agent_chat", "telemetry": false, "request": {
      "temperature": 0.25, "model": "gpt-x", "messages": [
        { "role": "system", "content": "be \"brief\"\n" },
        { "content": "h\u00e9llo \ud83d\ude00", "role": "user" } ],
      "max_tokens": 4096, "tools": [{ "z": 1, "a": [null, true, {}] }] } },
  "policy": { "attempts": 0,
    "backoff": { "base": "18446744073709551615ms", "multiplier": "3/2", "cap": "1d",
                 "max_doublings": 1000 },
    "jitter": { "kind": "proportional", "below": "1/4", "width": "1/4" },
    "retry_after": { "sources": [], "clamp": ["0s", "0s"], "ignore_above": "120s" },
    "budgets": { "time": "2s" }, "timeouts": { "idle": "1ns", "attempt": "30s" },
    "retry_on": { "statuses": ["408", "5xx", "200"], "failures": ["cut_body"] } },
  "server": { "phases": [
    { "until": "9m", "respond": { "status": 503, "body": { "z": [], "a": { "b": 1.5 } },
        "headers": { "retry-after": "7", "Date": { "date": "-30s", "form": "rfc850" },
                     "x": { "date": "+1m" } },
        "latency": { "uniform": ["1s", "4s"] }, "framing": "chunked",
        "trickle": { "bytes": "1B", "every": "599s" }, "stall": { "after": "-1B" } } },
    { "until": "10m", "sequence": [
        { "times": 3, "respond": { "connection": "tls", "latency": { "exponential": { "mean": "2s" } } } },
        { "mix": [ { "weight": 4294967295, "respond": { "stall": "headers" } },
                   { "weight": 1, "respond": {} } ] } ] },
    { "mix": [ { "weight": 7, "respond": { "status": 599, "body": "[not json", "framing": "until_close",
        "latency": { "lognormal": { "median": "800ms", "p99": "9s" } },
        "chunks": [ { "bytes": "4KiB", "after": "0s" }, { "bytes": "1B", "after": "1s" } ],
        "truncate": { "after": "3B", "by": "reset" } } } ] } ] },
  "client": { "shutdown_at": "0s", "wall_clock": "2000-02-29T23:59:59.5Z" },
  "horizon": "1h",
  "expect": { "outcome": "shutdown", "attempts": 0, "elapsed": { "min": "1s" }, "sleep_total": "0s",
    "final_class": "transport", "trail": ["transport x2", "parse", "transport"],
    "retry_after": ["7s", null, "18446744073709551615ms"], "answer": "", "breaks": "some_check",
    "success_rate": { "min": "0.0001%", "max": "100%" } },
  "audit_policy": { "attempts": 1000000, "backoff": { "constant": "0s" }, "jitter": { "kind": "full" },
    "retry_after": { "sources": ["http-date", "seconds", "retry-after-ms"], "clamp": ["5s", "60s"] },
    "retry_on": { "statuses": [], "failures": ["unusable_answer", "connection"] } },
  "defect": "sends_twice"
})",
      scenario_with(
          R"({ "sequence": [ { "times": 4294967295, "respond": { "reply": {
            "text": "", "reasoning": "why", "model": "other", "finish_reason": null,
            "tool_calls": [ { "name": "search", "arguments": { "q": 1 } },
                            { "id": "x", "name": "raw", "arguments": "{bad" } ],
            "usage": { "prompt_tokens": 5, "completion_tokens": 7 } },
          "content_length": "-10B", "latency": { "empirical": ["120ms", "140ms"] },
          "truncate": { "after": "10B" } } } ] })",
          R"({ "attempts": { "min": 1, "max": 3 }, "elapsed": "1m", "retry_after": [] })"),
      scenario_with(R"({ "respond": {} })", R"({ "trail": [], "success_rate": { "max": "0%" } })"),
  };
}

}  // namespace squall::scenarios
