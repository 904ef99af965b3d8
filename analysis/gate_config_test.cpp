// SPDX-License-Identifier: MIT
#include "analysis/gate_config.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace squall::analysis {
namespace {

using testing::HasSubstr;

GateConfig read(const std::string& text) {
  const auto config = GateConfig::parse(text, "gate.json");
  EXPECT_TRUE(config.has_value()) << to_string(config.error());
  return config.value_or(GateConfig());
}

std::string error_of(const std::string& text) {
  const auto config = GateConfig::parse(text, "gate.json");
  return config ? "" : to_string(config.error());
}

std::string threshold(const GateConfig& config, Metric metric, const std::string& scenario,
                      const std::vector<std::string>& tags = {}) {
  return config.threshold(metric, scenario, tags).text;
}

TEST(GateConfig, WithoutAFileTheDefaultsHold) {
  const GateConfig config;
  EXPECT_EQ(threshold(config, Metric::kWorstCase, ""), "+5%");
  EXPECT_EQ(threshold(config, Metric::kSuccessRate, "s"), "-0.1pp");
  EXPECT_EQ(threshold(config, Metric::kMaxElapsed, "s"), "off");
  EXPECT_FALSE(config.asks_for(Metric::kWorstCase));
}

TEST(GateConfig, AScenarioBeatsATagBeatsTheRest) {
  const GateConfig config = read(R"({
    // Comments are fine.
    "thresholds": { "p99_elapsed": "+1%", "worst_case": "3h" },
    "tags": { "outage": { "p99_elapsed": "+2%", "calls_wasted": "off" },
              "slow": { "p99_elapsed": "+3%" } },
    "scenarios": { "storm": { "p99_elapsed": "+4%" } } })");
  EXPECT_EQ(threshold(config, Metric::kP99Elapsed, "calm"), "+1%");
  EXPECT_EQ(threshold(config, Metric::kP99Elapsed, "calm", {"outage"}), "+2%");
  EXPECT_EQ(threshold(config, Metric::kP99Elapsed, "calm", {"slow", "outage"}), "+3%");
  EXPECT_EQ(threshold(config, Metric::kP99Elapsed, "storm", {"outage"}), "+4%");
  EXPECT_EQ(threshold(config, Metric::kCallsWasted, "storm", {"outage"}), "off");
  EXPECT_EQ(threshold(config, Metric::kP50Elapsed, "storm", {"outage"}), "+10%");
  EXPECT_TRUE(config.asks_for(Metric::kWorstCase));
}

TEST(GateConfig, EveryMistakeIsOneLine) {
  EXPECT_EQ(error_of(R"({
  "thresholds": {
    "p99_elapse": "+1%" } })"),
            "gate.json:3: /thresholds/p99_elapse: unknown metric \"p99_elapse\" (did you mean "
            "\"p99_elapsed\"?), allowed: worst_case, success_rate, calls_per_operation, "
            "calls_wasted, p50_elapsed, p99_elapsed, max_elapsed");
  EXPECT_EQ(error_of(R"({ "threshold": {} })"),
            "gate.json:1: /threshold: unknown key \"threshold\" (did you mean \"thresholds\"?), "
            "allowed: thresholds, tags, scenarios");
  EXPECT_THAT(error_of(R"({ "thresholds": { "worst_case": "-5%" } })"),
              HasSubstr("/thresholds/worst_case: found \"-5%\", allowed: a rise such as"));
  EXPECT_THAT(error_of(R"({ "thresholds": { "worst_case": 5 } })"), HasSubstr("found 5, allowed"));
  EXPECT_THAT(error_of(R"({ "tags": { "t": { "worst_case": "+5%" } } })"),
              HasSubstr("belongs to the policy"));
  EXPECT_THAT(error_of(R"({ "tags": [] })"), HasSubstr("found array, allowed: an object"));
  EXPECT_THAT(error_of(R"({ "scenarios": { "s": "+5%" } })"),
              HasSubstr("/scenarios/s: found string, allowed: an object"));
  EXPECT_THAT(error_of("[]"), HasSubstr("found array, allowed: an object"));
  EXPECT_THAT(error_of("{"), HasSubstr("gate.json:1: "));
  EXPECT_THAT(error_of(""), HasSubstr("gate.json"));
}

TEST(GateConfig, NamesThatJudgeNothingAreFound) {
  const GateConfig config = read(R"({
  "tags": { "outage": {} },
  "scenarios": { "stor": {} } })");
  const auto error = config.unknown_name({"storm"}, {"outage"});
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(to_string(*error),
            "gate.json:3: /scenarios/stor: no scenario that is played is called \"stor\" (did "
            "you mean \"storm\"?): nothing would be judged by these thresholds");
  EXPECT_EQ(config.unknown_name({"storm", "stor"}, {"outage"}), std::nullopt);
  EXPECT_THAT(config.unknown_name({"stor"}, {})->message, HasSubstr("has the tag \"outage\""));
}

}  // namespace
}  // namespace squall::analysis
