// SPDX-License-Identifier: MIT
#include "reports/client_audit_report.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reports/json_report.hpp"

namespace squall::reports {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

const Style kAscii{.color = false, .unicode = false, .width = 100};

/// Two attempts: a 503 at 0 of 10 ms, an answer `gap` after it of 5 ms.
ClientAuditReport report_of(core::Duration gap) {
  ClientAuditReport report;
  report.policy_name = "two-calls";
  report.policy.backoff = core::ConstantBackoff{.delay_ms = 400};
  report.policy.jitter = core::NoJitter{};
  report.policy.budgets.attempts_max = 2;
  report.tolerance = 50ms;
  std::vector<live::LoggedExchange> log(2);
  for (live::LoggedExchange& exchange : log) {
    exchange.client = "default";
    exchange.method = "POST";
    exchange.target = "/v1/messages";
    exchange.form = live::WireForm::kMessage;
    exchange.body = "{}";
    exchange.body_bytes = 2;
  }
  log[0].ended_at = core::Instant{10ms};
  log[0].status = 503;
  log[0].headers = {{"X-Retry-Count", "0"}, {"Old", "o"}};
  log[1].arrived_at = core::Instant{10ms + gap};
  log[1].ended_at = core::Instant{15ms + gap};
  log[1].status = 200;
  log[1].headers = {{"X-Retry-Count", "1"}, {"New", "n"}};
  report.audit = live::audit_client(
      report.policy, log, {.tolerance = report.tolerance, .time_scale = 1, .heard_until = {}});
  return report;
}

TEST(ClientAuditText, SaysWhatWasLeftOut) {
  ClientAuditReport report = report_of(410ms);
  EXPECT_THAT(client_audit_text(report, kAscii), Not(HasSubstr("partial")));
  report.left_out = 3;
  EXPECT_THAT(client_audit_text(report, kAscii),
              HasSubstr("  partial     3 exchanges at the end left out for their size\n"));
  EXPECT_THAT(client_audit_json(report), HasSubstr("\"left_out\":3"));
}

TEST(ClientAuditText, Kept) {
  EXPECT_EQ(client_audit_text(report_of(410ms), kAscii), R"(audit by two-calls
  policy      2 calls, 400 ms each, no jitter, Retry-After within 5 to 60 s, no idle timeout
  heard       2 attempts of 1 operation by 1 client
  tolerated   50 ms on top of each wait

  operation 1  POST /v1/messages  of default
  time         call   took     gap  allowed  what came back
  0:00:00.000  1/2   10 ms                   transport: the provider answered HTTP 503
  0:00:00.420  2/2    5 ms  410 ms  400 ms   HTTP 200
  call 2      header new is new: "n"
  call 2      header old is gone, was "o"
  call 2      header x-retry-count is "1", was "0"
  end         answered

kept: 5 checks, all as the policy says
)");
}

TEST(ClientAuditText, Broken) {
  EXPECT_EQ(client_audit_text(report_of(100ms), kAscii), R"(audit by two-calls
  policy      2 calls, 400 ms each, no jitter, Retry-After within 5 to 60 s, no idle timeout
  heard       2 attempts of 1 operation by 1 client
  tolerated   50 ms on top of each wait

  operation 1  POST /v1/messages  of default
  time         call   took     gap  allowed  what came back
  0:00:00.000  1/2   10 ms                   transport: the provider answered HTTP 503
  0:00:00.110  2/2    5 ms  100 ms  400 ms   HTTP 200
  call 2      header new is new: "n"
  call 2      header old is gone, was "o"
  call 2      header x-retry-count is "1", was "0"
  end         answered
              BROKEN  sleep_interval: attempt 2 came 100ms after attempt 1 had ended; the policy
              waits 400ms

broken: 1 of 5 checks failed
)");
}

TEST(ClientAuditText, NothingHeard) {
  ClientAuditReport report = report_of(400ms);
  report.audit = {};
  report.time_scale = 100;
  const std::string page = client_audit_text(report, kAscii);
  EXPECT_THAT(page, HasSubstr("50 ms on top of each wait, times 100: the script's time ran so"));
  EXPECT_THAT(page, HasSubstr("kept: nothing was heard that could be judged\n"));
}

TEST(ClientAuditText, OfVeryManyOperationsOnlyTheBrokenOnes) {
  ClientAuditReport report = report_of(100ms);
  const live::ClientOperation broken = report.audit.operations.front();
  report.audit.operations.assign(50, report_of(400ms).audit.operations.front());
  report.audit.operations[7] = broken;
  report.audit.violations.front().operation = 7;
  const std::string page = client_audit_text(report, kAscii);
  EXPECT_THAT(page, HasSubstr("operation 8 "));
  EXPECT_THAT(page, Not(HasSubstr("operation 7 ")));
  EXPECT_THAT(page, HasSubstr("... and 49 operations more (--json lists all)"));
}

TEST(ClientAuditJson, Broken) {
  const std::string line = client_audit_json(report_of(100ms));
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_EQ(Json::parse(line).dump(2) + '\n', R"({
  "event": "audit",
  "policy": "two-calls",
  "tolerance_ns": 50000000,
  "time_scale": 1,
  "kept": false,
  "checks": {
    "attempt_budget": 2,
    "sleep_interval": 1,
    "retry_after": 0,
    "request_bytes": 1,
    "idempotency_key": 0,
    "no_call_after_final": 1,
    "idle_timeout": 0,
    "given_up": 0
  },
  "broken": [
    {
      "rule": "sleep_interval",
      "operation": 0,
      "attempt": 2,
      "message": "attempt 2 came 100ms after attempt 1 had ended; the policy waits 400ms"
    }
  ],
  "operations": [
    {
      "client": "default",
      "method": "POST",
      "target": "/v1/messages",
      "ending": "answered",
      "attempts": [
        {
          "attempt": 1,
          "arrived_ns": 0,
          "ended_ns": 10000000,
          "status": 503,
          "end": "answered",
          "failure_class": "transport",
          "error_chain": "the provider answered HTTP 503",
          "gap": null,
          "body_changed": null,
          "headers_changed": []
        },
        {
          "attempt": 2,
          "arrived_ns": 110000000,
          "ended_ns": 115000000,
          "status": 200,
          "end": "answered",
          "failure_class": null,
          "error_chain": null,
          "gap": {
            "measured_ns": 100000000,
            "allowed": {
              "min_ns": 400000000,
              "max_ns": 400000000
            },
            "retry_after_ms": null,
            "kept": false
          },
          "body_changed": null,
          "headers_changed": [
            {
              "name": "new",
              "before": null,
              "after": "n"
            },
            {
              "name": "old",
              "before": "o",
              "after": null
            },
            {
              "name": "x-retry-count",
              "before": "0",
              "after": "1"
            }
          ]
        }
      ]
    }
  ],
  "left_out": 0
}
)");
}

}  // namespace
}  // namespace squall::reports
