// SPDX-License-Identifier: MIT
#include "reports/telemetry_report.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace squall::reports {
namespace {

using testing::HasSubstr;
using testing::Not;

const Style kPlain{.color = false, .unicode = false, .width = 100};

telemetry::Summary sample() {
  telemetry::Summary summary;
  summary.recordings = 2;
  summary.operations = 4;
  summary.successes = 3;
  summary.retried = 2;
  summary.retried_successes = 1;
  summary.calls = 1'007;
  summary.failures = 3;
  summary.usage.input_tokens = 12'000;
  summary.usage.cost = 0.1 + 0.2;
  summary.outcomes = {{"success", 3}, {"transport", 1}};
  summary.failure_classes = {{"transport", 2}, {"parse", 1}};
  summary.calls_histogram = {{1, 2}, {2, 1}, {1'003, 1}};
  summary.shares[{"", "m"}] = {
      .operations = 1, .successes = 0, .degraded = 0, .calls = 1'003, .usage = {}};
  summary.shares[{"chat", "a\nb"}] = {
      .operations = 3, .successes = 3, .degraded = 0, .calls = 4, .usage = summary.usage};
  summary.slowest = {{"1/storm/7/0", 552'345, 1'003, "transport"}, {"1/x/7/0", 5, 1, "success"}};
  return summary;
}

TEST(TelemetryReport, TheWholePage) {
  EXPECT_EQ(telemetry_text(sample(), "t.db", kPlain),
            R"(t.db: 4 operations in 2 recordings
  success     3 (75%), 1 of them after a retry
  retried     2 (50%)
  calls       1 007, 3 failed attempts
  tokens      12 000 in, - out
  cost        0.3

  outcome    operations  share
  success             3    75%  ##############################
  transport           1    25%  ##########

  failed attempt  times   share
  transport           2  66.66%  ##############################
  parse               1  33.33%  ###############

  calls  operations  share
      1           2    50%  ##############################
      2           1    25%  ###############
  1 003           1    25%  ###############

by purpose and model
  purpose  model  operations  success  degraded  calls  tokens in  tokens out  cost
  -        m               1       0%        0%  1 003          -           -     -
  chat     a\nb            3     100%        0%      4     12 000           -   0.3

slowest operations
        duration  calls  outcome    operation
  9 min 12.345 s  1 003  transport  1/storm/7/0
            5 ms      1  success    1/x/7/0
)");
}

TEST(TelemetryReport, WhatIsRareIsOnlyToldWhenThere) {
  telemetry::Summary summary = sample();
  EXPECT_THAT(telemetry_text(summary, "t.db", kPlain), Not(HasSubstr("rounds")));
  summary.accepted_rounds = 2;
  summary.unfinished = 1;
  summary.usage.cached_tokens = 9;
  const std::string text = telemetry_text(summary, "t.db", kPlain);
  EXPECT_THAT(text, HasSubstr("  rounds      2 of syntheses accepted something\n"));
  EXPECT_THAT(text, HasSubstr("  unfinished  1 operation left failures and no end\n"));
  EXPECT_THAT(text, HasSubstr("  cache       9 tokens hit, - missed\n"));
}

TEST(TelemetryReport, AFallbackIsNotMistakenForASuccess) {
  telemetry::Summary summary = sample();
  summary.degraded = 2;
  summary.outcomes = {{"degraded", 2}, {"success", 1}, {"transport", 1}};
  summary.shares[{"chat", "a\nb"}].degraded = 2;
  const std::string text = telemetry_text(summary, "t.db", kPlain);
  EXPECT_THAT(text, HasSubstr("  success     3 (75%) (of which degraded 2, with a fallback), 1 of "
                              "them after a retry\n"));
  EXPECT_THAT(text, HasSubstr("3     100%    66.66%      4"));
}

TEST(TelemetryReport, AToolCallAsksNoModel) {
  telemetry::Summary summary = sample();
  summary.shares[{"call", ""}] = {
      .operations = 1, .successes = 1, .degraded = 0, .calls = 1, .usage = {}};
  EXPECT_THAT(telemetry_text(summary, "t.db", kPlain), HasSubstr("  call     (tool call) "));
}

TEST(TelemetryReport, NothingRecorded) {
  telemetry::Summary summary;
  summary.recordings = 1;
  EXPECT_EQ(telemetry_text(summary, "t.db", kPlain), "t.db: 0 operations in 1 recording\n");
  // Failures alone: all operations were cut off.
  summary.failures = 2;
  summary.failure_classes = {{"transport", 2}};
  summary.unfinished = 1;
  EXPECT_THAT(telemetry_text(summary, "t.db", kPlain), HasSubstr("  transport           2   100%"));
}

TEST(TelemetryReport, JsonHoldsEverything) {
  const auto document = nlohmann::json::parse(telemetry_json(sample()));
  EXPECT_EQ(document, nlohmann::json::parse(R"({
    "squall": {"schema": 1, "kind": "telemetry"},
    "recordings": 2, "operations": 4, "successes": 3, "degraded": 0, "retried": 2, "retried_successes": 1,
    "accepted_rounds": 0, "unfinished": 0, "calls": 1007, "failures": 3,
    "usage": {"input_tokens": 12000, "output_tokens": null, "cached_tokens": null,
              "cache_miss_tokens": null, "cost": 0.30000000000000004},
    "outcomes": [{"name": "success", "count": 3}, {"name": "transport", "count": 1}],
    "failure_classes": [{"name": "transport", "count": 2}, {"name": "parse", "count": 1}],
    "calls_histogram": [{"calls": 1, "operations": 2}, {"calls": 2, "operations": 1},
                        {"calls": 1003, "operations": 1}],
    "shares": [
      {"purpose": null, "model": "m", "operations": 1, "successes": 0, "degraded": 0, "calls": 1003,
       "usage": {"input_tokens": null, "output_tokens": null, "cached_tokens": null,
                 "cache_miss_tokens": null, "cost": null}},
      {"purpose": "chat", "model": "a\nb", "operations": 3, "successes": 3, "degraded": 0, "calls": 4,
       "usage": {"input_tokens": 12000, "output_tokens": null, "cached_tokens": null,
                 "cache_miss_tokens": null, "cost": 0.30000000000000004}}],
    "slowest": [
      {"operation_id": "1/storm/7/0", "duration_ns": 552345000000, "calls": 1003,
       "outcome": "transport"},
      {"operation_id": "1/x/7/0", "duration_ns": 5000000, "calls": 1, "outcome": "success"}]
  })"));
}

}  // namespace
}  // namespace squall::reports
