// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/shipped_policies.hpp"
#include "reports/worst_case_report.hpp"

namespace squall::reports {
namespace {

using scenarios::OperationKind;
using testing::HasSubstr;
using testing::Not;

WorstCaseReport report_of(const core::RetryPolicy& policy, std::string name,
                          OperationKind kind = OperationKind::kAgentChat,
                          std::uint32_t body_waits = 6) {
  return {.policy_name = std::move(name),
          .policy = policy,
          .worst = analysis::worst_case(policy, kind, body_waits).value(),
          .command = "squall worst-case X",
          .witnesses = {}};
}

TEST(WorstCaseText, DefaultPolicyReadsAsAPage) {
  WorstCaseReport report = report_of(core::default_policy(), "default");
  report.witnesses.push_back({.figure = "f", .scenario = "s", .file = {}});
  EXPECT_EQ(worst_case_text(report, Style{}),
            R"(default: the worst that one agent_chat can take
  policy      13 calls, 5 s doubling to 60 s, jitter 75% to 125%, Retry-After within 5 to 60 s, idle
              timeout 600 s

  calls       1 to 13; 13 when every call fails at once
  sleeps      839.992 s (13 min 59.992 s) in all at most, the larger of jitter and Retry-After in
              every slot
                 slot  scheduled        with jitter  Retry-After       at most   together
                    1        5 s   3.750 to 6.249 s      to 60 s          60 s       60 s
                    2       10 s  7.500 to 12.499 s      to 60 s          60 s       60 s
                    3       20 s     15 to 24.999 s      to 60 s          60 s       60 s
                    4       40 s     30 to 49.999 s      to 60 s          60 s       60 s
              5 to 12       60 s     45 to 74.999 s      to 60 s  8 x 74.999 s  599.992 s

              the server                               one attempt      the operation
              no wait for a body                             600 s   8639.991999996 s   2 h 23 min
              late headers, then a silent body    1199.999999999 s  16439.991999987 s   4 h 33 min
              late headers, 6 waits for the body  4199.999999994 s  55439.991999922 s  15 h 23 min
              a body that trickles on and on                no end             no end

  trickle     A body is never cut while bytes keep coming less than 600 s apart: one byte every
              599.999999999 s, 6 bytes an hour, keeps a single attempt alive for centuries, until it
              exceeds the 64 MiB a body may have. No number of calls bounds that.
  outage      When every call fails at once and nobody says Retry-After, the operation gives up
              after 554.994 s (9 min 14.994 s) on average.
  rule        "Attempts x idle timeout + backoff" says 13 x 600 s + 555 s = 8355 s (2 h 19 min).
              Late headers, then a silent body, exceed it by 8084.991999987 s (2 h 14 min):
              7799.999999987 s of second waits and 284.992 s of jitter and Retry-After.

  witnesses   1 scenario to reach these figures to the nanosecond:
              squall worst-case X --write-witness DIR
)");
}

TEST(WorstCaseText, ABudgetIsToldAndEqualRowsShareOne) {
  const std::string text = worst_case_text(
      report_of(core::connector::connector_policy(), "connector", OperationKind::kToolCall),
      Style{});
  EXPECT_THAT(text, HasSubstr("1 to 10; 6 to 10 when every call fails at once, as chance has it"));
  EXPECT_THAT(text, HasSubstr("whatever it does         30 s           32 s\n"));
  EXPECT_THAT(text, HasSubstr("An attempt that lasts longer than 1.95 s is"));
  EXPECT_THAT(text, HasSubstr("after 1.802851471 s on average"));
  EXPECT_THAT(text, Not(HasSubstr("trickle")));
  EXPECT_THAT(text, Not(HasSubstr("rule")));
  EXPECT_THAT(text, Not(HasSubstr("Retry-After  ")));
}

TEST(WorstCaseText, WhatHasNoEndSaysSo) {
  core::RetryPolicy policy = core::default_policy();
  policy.timeouts = {};
  const std::string text = worst_case_text(report_of(policy, "p"), Style{});
  EXPECT_THAT(text, HasSubstr("whatever it does       no end         no end\n"));
  EXPECT_THAT(text, HasSubstr("There is no timeout"));
  const auto document = nlohmann::json::parse(worst_case_json(report_of(policy, "p")));
  EXPECT_EQ(document["longest"][0]["endless"], true);
}

TEST(WorstCaseText, ASumBeyondAllNumbersIsNotWithoutEnd) {
  core::RetryPolicy policy = core::default_policy();
  policy.backoff = core::ConstantBackoff{.delay_ms = std::uint64_t{1} << 62U};
  const std::string text = worst_case_text(report_of(policy, "p"), Style{});
  EXPECT_THAT(text, HasSubstr("sleeps      more than 292 years in all, the larger"));
  EXPECT_THAT(
      text,
      HasSubstr("no wait for a body                             600 s  more than 292 years\n"));
  EXPECT_THAT(text, HasSubstr("more than 292 years on average"));
  // What trickles has none.
  EXPECT_THAT(text, HasSubstr("a body that trickles on and on"));
  const auto document = nlohmann::json::parse(worst_case_json(report_of(policy, "p")));
  EXPECT_EQ(document["longest"][0]["operation_ns"], nullptr);
  EXPECT_EQ(document["longest"][0]["endless"], false);
}

TEST(WorstCaseText, SmallAndEmptyPolicies) {
  core::RetryPolicy policy = core::default_policy();
  policy.timeouts.idle = std::chrono::milliseconds(1);
  // 2^26 + 2 waits of a millisecond: 67108.8 s.
  EXPECT_THAT(worst_case_text(report_of(policy, "p"), Style{}),
              HasSubstr("keeps a single attempt alive for 18 h 38 min"));
  policy.timeouts.idle = std::chrono::hours(2);
  EXPECT_THAT(worst_case_text(report_of(policy, "p"), Style{}),
              HasSubstr("less than one byte an hour"));
  policy.budgets.attempts_max = 0;
  const std::string none = worst_case_text(report_of(policy, "p"), Style{});
  EXPECT_THAT(none, HasSubstr("calls       0\n"));
  EXPECT_THAT(none, HasSubstr("no call is made"));
}

TEST(WorstCaseText, WithoutColourThereIsNoEscape) {
  const WorstCaseReport report = report_of(core::default_policy(), "default");
  EXPECT_EQ(worst_case_text(report, Style{}).find('\x1b'), std::string::npos);
  EXPECT_NE(worst_case_text(report, Style{.color = true}).find('\x1b'), std::string::npos);
}

TEST(WorstCaseJson, HoldsEveryFigure) {
  WorstCaseReport report = report_of(core::default_policy(), "default");
  report.witnesses.push_back({.figure = "most-calls", .scenario = "s", .file = "d/s.json"});
  const auto document = nlohmann::json::parse(worst_case_json(report));
  EXPECT_EQ(document["squall"]["kind"], "worst-case");
  EXPECT_EQ(document["policy"], "default");
  EXPECT_EQ(document["operation"], "agent_chat");
  EXPECT_EQ(document["calls"]["max"], 13);
  EXPECT_EQ(document["sleep"]["total_ns"], 839'992'000'000);
  EXPECT_EQ(document["sleep"]["terms"][4]["slot"], 5);
  EXPECT_EQ(document["sleep"]["terms"][4]["count"], 8);
  EXPECT_EQ(document["sleep"]["terms"][4]["by_retry_after"], false);
  EXPECT_EQ(document["longest"][1]["operation_ns"], 16'439'991'999'987);
  EXPECT_EQ(document["bounded"], false);
  EXPECT_EQ(document["keepalive"]["bytes_per_hour"], 6);
  EXPECT_EQ(document["keepalive"]["cut_by_size_ns"], nullptr);
  EXPECT_EQ(document["outage"]["mean_ns"], 554'994'000'000);
  EXPECT_EQ(document["rule_of_thumb"]["excess_ns"], 8'084'991'999'987);
  EXPECT_EQ(document["witnesses"][0]["file"], "d/s.json");
}

TEST(WorstCaseJson, ABoundedPolicySaysSo) {
  const auto document = nlohmann::json::parse(worst_case_json(
      report_of(core::connector::connector_policy(), "connector", OperationKind::kToolCall)));
  EXPECT_EQ(document["bounded"], true);
  EXPECT_EQ(document["keepalive"], nullptr);
  EXPECT_EQ(document["time_budget_ns"], 2'000'000'000);
  EXPECT_EQ(document["longest"][2]["operation_ns"], 32'000'000'000);
}

}  // namespace
}  // namespace squall::reports
