// SPDX-License-Identifier: MIT
#include "analysis/gate_results.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/gate_test_support.hpp"
#include "core/connector/policy.hpp"

namespace squall::analysis {
namespace {

using std::chrono::nanoseconds;
using testing::HasSubstr;
using testing::StartsWith;

StoredResults sample() {
  StoredScenario scenario{.name = "storm", .digest = 0x0123'4567'89ab'cdef, .runs = {}};
  scenario.runs.push_back(
      {.elapsed = nanoseconds(9'007'199'254'740'993), .calls = 13, .wasted = 12, .success = true});
  scenario.runs.push_back({.elapsed = nanoseconds(0), .calls = 0, .wasted = 0, .success = false});
  return {.seed = 18'446'744'073'709'551'615U,
          .runs = 2,
          .policies = {{.name = "a \"b\"",
                        .policy = core::connector::connector_policy(),
                        .scenarios = {scenario, scenario}}}};
}

std::string replaced(const std::string& from, const std::string& to) {
  std::string text = write_results(sample());
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string error_of(const std::string& text) {
  const auto results = read_results(text, "base.json");
  return results ? "" : to_string(results.error());
}

TEST(GateResults, WhatIsWrittenIsReadBack) {
  const std::string text = write_results(sample());
  const auto back = read_results(text, "base.json");
  ASSERT_TRUE(back.has_value()) << to_string(back.error());
  EXPECT_EQ(*back, sample());
  EXPECT_TRUE(is_squall_document(text));
  EXPECT_FALSE(is_squall_document(R"({ "name": "default" })"));
  EXPECT_FALSE(is_squall_document("no JSON"));
}

TEST(GateResults, AnotherVersionIsRefused) {
  EXPECT_EQ(error_of(replaced("\"schema\": 1", "\"schema\": 2")),
            "base.json: /squall/schema: found schema version 2, allowed: 1; save the baseline "
            "again with this squall");
  EXPECT_THAT(error_of(replaced("gate-results", "catalogue")),
              StartsWith("base.json: /squall/kind: found \"catalogue\", allowed: "));
}

TEST(GateResults, EveryDefectIsOneLine) {
  EXPECT_EQ(error_of("{"), "base.json: is no JSON document");
  EXPECT_THAT(error_of("[]"), HasSubstr("missing key \"squall\""));
  EXPECT_THAT(error_of(replaced("\"runs\": 2", "\"runs\": 3")),
              HasSubstr("/policies/0/scenarios/0/success: found 2 values, allowed: 3, one a run"));
  EXPECT_THAT(error_of(replaced("\"runs\": 2", "\"runs\": 0")), HasSubstr("/runs: no runs"));
  EXPECT_THAT(error_of(replaced("\"success\":[1,0]", "\"success\":[2,0]")),
              HasSubstr("/success/0: found 2, allowed: a whole number from 0 to 1"));
  EXPECT_THAT(error_of(replaced("\"calls\":[13,0]", "\"calls\":[-13,0]")),
              HasSubstr("/calls/0: found -13"));
  EXPECT_THAT(error_of(replaced("\"wasted\":", "\"waste\":")), HasSubstr("missing key \"wasted\""));
  EXPECT_THAT(error_of(replaced("0123456789abcdef", "0123456789abcdeX")),
              HasSubstr("/digest: allowed: 16 hex digits"));
  EXPECT_THAT(error_of(replaced("\"attempts\":1024", "\"attempts\":-1")),
              HasSubstr("/policies/0/policy/attempts: found -1"));
  EXPECT_THAT(error_of(R"({"squall":{"schema":1,"kind":"gate-results"},"seed":1,"runs":1,
                           "policies":[]})"),
              HasSubstr("/policies: is empty"));
  EXPECT_THAT(error_of(R"({"squall":{"schema":1,"kind":"gate-results"},"seed":1,"runs":1,
                           "policies":{}})"),
              HasSubstr("/policies: found object, allowed: array"));
}

TEST(GateResults, ADigestIsOfWhatIsPlayed) {
  scenarios::Scenario scenario = ten_second_outage().scenario;
  const std::uint64_t digest = scenario_digest(scenario);
  scenario.summary = "In other words.";
  scenario.expect = {};
  scenario.policy = plain_policy(9);
  EXPECT_EQ(scenario_digest(scenario), digest);
  scenario.server.phases[0].until = std::chrono::seconds(11);
  EXPECT_NE(scenario_digest(scenario), digest);
}

}  // namespace
}  // namespace squall::analysis
