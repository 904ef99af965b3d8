// SPDX-License-Identifier: MIT
//
// Scenario texts that use every part of the language, for tests.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace squall::scenarios {

/// `operation` and `server` within an otherwise plain scenario.
inline std::string scenario_of(std::string_view operation, std::string_view server,
                               std::string_view expect = R"({ "outcome": "success" })") {
  std::string text = R"({
  "name": "sample", "summary": "A sample.", "source": "made up",
  "operation": )";
  text += operation;
  text += R"(,
  "server": )";
  text += server;
  text += R"(, "expect": )";
  text += expect;
  return text + "}\n";
}

/// A chat operation of `kind` with `members` (each with a comma in front) beside its request.
inline std::string chat_operation(std::string_view kind, std::string_view members = "") {
  std::string text = R"({ "kind": ")";
  text += kind;
  text += R"(",
                 "request": { "model": "m", "messages": [{ "role": "user", "content": "hi" }] })";
  text += members;
  return text + " }";
}

/// `server` within an otherwise plain scenario of a chat.
inline std::string scenario_with(std::string_view server,
                                 std::string_view expect = R"({ "outcome": "success" })") {
  return scenario_of(chat_operation("agent_chat"), server, expect);
}

/// `respond` within an otherwise plain scenario of a tool call.
inline std::string tool_scenario(std::string_view respond,
                                 std::string_view expect = R"({ "outcome": "success" })") {
  return scenario_of(
      R"({ "kind": "tool_call", "connector": { "label": "search", "uri": "https://tools.example/mcp" },
           "tool": { "name": "search" } })",
      R"({ "respond": )" + std::string(respond) + " }", expect);
}

/// Together: every key of the language, every distribution, framing, delivery and ending.
inline std::array<std::string, 9> samples() {
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
  "client": { "shutdown_at": "0s", "wall_clock": "2000-02-29T23:59:59.5Z",
              "jitter_words": ["0", "18446744073709551615"] },
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
      scenario_of(chat_operation("extraction",
                                 R"(, "metadata": { "purpose": "p", "agent_id": "a", "role": "r",
            "workspace": "w", "ticket_id": "t", "routing": "x" },
          "target": { "z": "number", "a": "string?", "i": "integer", "b": "boolean?", "l": "array",
                      "o": "object" },
          "validator": { "field": "z", "min": -0.5, "max": 1e300 })"),
                  R"({ "sequence": [
            { "respond": { "reply": { "json": { "z": 1.50, "a": [] }, "fence": true, "provider": "P",
                "system_fingerprint": "fp", "usage": { "cached_tokens": 3, "cache_miss_tokens": 4,
                                                       "cost": 0.00014 } } } },
            { "respond": { "reply": { "text": "{", "fence": true } } } ] })",
                  R"({ "last_raw": "raw", "prefix_reuse": "87.5%" })"),
      scenario_of(
          chat_operation("comment", R"(, "target": { "text": "string" })"),
          R"({ "respond": { "reply": { "json": null } } })",
          R"({ "outcome": "degraded", "last_raw": null, "prefix_reuse": { "min": "1%" } })"),
      scenario_of(chat_operation("synthesis", R"(, "items": [["a", "b"], [], ["c"]])"),
                  R"({ "sequence": [ { "respond": { "reply": { "fence": false, "proposal": {
            "summary": "s", "groups": [{ "heading": "h", "contradiction": true,
                                         "members": [{ "id": 0 }, { "id": 2 }] }],
            "ungrouped": [{ "id": 1 }] } } } },
            { "respond": { "reply": { "proposal": {
              "references": [{ "group": 0, "member": { "id": 1 } }] } } } } ] })",
                  R"({ "groups": 1, "remainder": [1], "final_class": "membership",
               "trail": ["completeness", "contradiction_agents x2"] })"),
      scenario_of(chat_operation("research_synthesis"),
                  R"({ "respond": { "reply": { "finish_reason": "length" } } })",
                  R"({ "outcome": "degraded", "answer": "ok" })"),
      scenario_of(chat_operation("continuation", R"(, "reasoning": "so far\n")"),
                  R"({ "respond": {} })", R"({ "prefix_reuse": { "min": "50%", "max": "100%" } })"),
      scenario_of(
          R"({ "kind": "tool_call", "connector": { "label": "", "uri": "no uri" },
               "tool": { "name": "search", "arguments": { "z": [1.50, null], "a": {} },
                         "idempotency": "not_idempotent" } })",
          R"({ "sequence": [
            { "respond": { "result": { "content": [{ "type": "text", "text": "t" }],
                                       "structuredContent": { "z": 1, "a": 2 }, "isError": true },
                           "event_stream": true, "stall": { "after": "-1B" } } },
            { "respond": { "error": { "code": -32602, "message": "no" }, "event_stream": true,
                           "headers": { "Content-Type": "text/plain" }, "latency": "1s" } },
            { "respond": { "event_stream": false } },
            { "respond": { "status": 503, "body": { "error": "raw" } } } ] })",
          R"({ "outcome": "non_retryable", "final_class": "config", "trail": ["transport x2", "auth",
               "application"], "tool_class": "internal", "verdict": "operator_needed" })"),
  };
}

}  // namespace squall::scenarios
