// SPDX-License-Identifier: MIT
#include "cli/client_audit.hpp"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/invocation_test_support.hpp"

namespace squall::cli {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

live::LoggedExchange exchange(core::Duration from, core::Duration to, int status,
                              const std::string& target) {
  live::LoggedExchange heard;
  heard.arrived_at = core::Instant{from};
  heard.ended_at = core::Instant{to};
  heard.client = "a";
  heard.method = "POST";
  heard.target = target;
  heard.status = status;
  return heard;
}

TEST(ClientAudit, PutsTheRecordInTheOrderOfArrival) {
  auto auditor = ClientAuditor::make({.policy = "default", .tolerance = "3s"}, 100);
  ASSERT_TRUE(auditor);
  // Told in the order in which they ended.
  auditor->hear(exchange(10ms, 20ms, 401, "/b"));
  auditor->hear(exchange(0ms, 30ms, 401, "/a"));
  auditor->hear(exchange(5'000ms, 5'010ms, 401, "/a"));
  const reports::ClientAuditReport report = (*std::move(auditor)).report();
  EXPECT_EQ(report.policy_name, "default");
  EXPECT_EQ(report.tolerance, 3s);
  EXPECT_EQ(report.time_scale, 100U);
  ASSERT_EQ(report.audit.operations.size(), 2U);
  EXPECT_EQ(report.audit.operations[0].target, "/a");
  EXPECT_EQ(report.audit.operations[1].target, "/b");
  ASSERT_EQ(report.audit.violations.size(), 1U);
  EXPECT_EQ(report.audit.violations[0].rule, live::ClientRule::kNoCallAfterFinal);
  EXPECT_EQ(report.audit.violations[0].operation, 0U);
}

TEST(ClientAudit, KeepsNoMoreThanFits) {
  live::LoggedExchange large = exchange(0ms, 30ms, 401, "/a");
  large.body = std::string(10'000, 'x');
  auto auditor = ClientAuditor::make({.policy = "default", .tolerance = "3s"}, 1, 15'000);
  ASSERT_TRUE(auditor);
  auditor->hear(large);
  EXPECT_EQ(auditor->left_out(), 0U);
  auditor->hear(large);
  EXPECT_EQ(auditor->left_out(), 1U);
  // A small one after it would make the record one with a hole.
  auditor->hear(exchange(5'000ms, 5'010ms, 401, "/a"));
  const reports::ClientAuditReport report = (*std::move(auditor)).report();
  EXPECT_EQ(report.left_out, 2U);
  EXPECT_EQ(report.audit.operations.size(), 1U);
  EXPECT_TRUE(report.audit.kept());
}

TEST(ClientAudit, BadInput) {
  EXPECT_THAT(
      ClientAuditor::make({.policy = "no-such-policy", .tolerance = "1s"}, 1).error().message,
      HasSubstr("no-such-policy"));
  EXPECT_THAT(ClientAuditor::make({.policy = "default", .tolerance = "1"}, 1).error().message,
              HasSubstr("--tolerance: found \"1\""));
}

TEST(ClientAudit, OptionsOfServe) {
  const std::string scenario = SQUALL_SOURCE_DIR "/scenarios/library/healthy-answer.json";
  expect_one_line(squall({"serve", scenario, "--tolerance", "1s"}), "--tolerance requires --audit");
  expect_one_line(squall({"serve", scenario, "--audit", "no-such-policy"}), "no-such-policy");
  expect_one_line(squall({"serve", scenario, "--audit", ""}), "--audit");
}

}  // namespace
}  // namespace squall::cli
