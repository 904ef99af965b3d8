// SPDX-License-Identifier: MIT
#include "reports/json_report.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reports/simulated_test_support.hpp"

namespace squall::reports {
namespace {

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) {
    keys.push_back(key);
  }
  return keys;
}

TEST(JsonReport, ARunHasAFixedShape) {
  const Json document = Json::parse(run_json(simulated(three_calls())));
  EXPECT_EQ(document["squall"].dump(), R"({"schema":1,"kind":"run"})");
  EXPECT_EQ(keys_of(document),
            (std::vector<std::string>{
                "squall",       "scenario",   "summary",        "policy",   "policy_replaced",
                "seed",         "run",        "operation",      "outcome",  "calls",
                "calls_wasted", "elapsed_ns", "sleep_total_ns", "slept_ns", "shutdown_ns",
                "prefix_reuse", "answer",     "synthesis",      "guidance", "exhausted",
                "attempts",     "sound",      "checks",         "broken",   "internal_error",
                "expectations", "digest",     "replay"}));
  EXPECT_EQ(document["elapsed_ns"], 14'000'000'000);
  EXPECT_EQ(document["slept_ns"], 6'000'000'000);
  EXPECT_EQ(document["answer"]["text"], "recovered");
  EXPECT_TRUE(document["exhausted"].is_null());
}

TEST(JsonReport, AttemptsCarryTheirTimes) {
  const Json document = Json::parse(run_json(simulated(three_calls())));
  ASSERT_EQ(document["attempts"].size(), 3U);
  const Json& first = document["attempts"][0];
  EXPECT_EQ(first["status"], 503);
  EXPECT_EQ(first["failure_class"], "transport");
  EXPECT_EQ(first["sleep"]["from_ns"], 1'000'000'000);
  EXPECT_EQ(first["sleep"]["to_ns"], 3'000'000'000);
  EXPECT_EQ(first["sleep"]["schedule"].dump(), R"({"min_ns":2000000000,"max_ns":2000000000})");
  const Json& second = document["attempts"][1];
  EXPECT_TRUE(second["headers_ns"].is_null());
  EXPECT_TRUE(second["status"].is_null());
  EXPECT_EQ(second["ended_ns"], 8'000'000'000);
  const Json& third = document["attempts"][2];
  EXPECT_EQ(third["headers_ns"], 13'000'000'000);
  EXPECT_EQ(third["ended_ns"], 14'000'000'000);
  // The same bytes each time: all of them seen before from the second call on.
  EXPECT_EQ(first["request_bytes_seen_before"], 0);
  EXPECT_EQ(third["request_bytes_seen_before"], third["request_bytes"]);
  EXPECT_EQ(third["accepted"], true);
}

TEST(JsonReport, ManyRunsAreCountsAndQuantiles) {
  const scenarios::Scenario scenario = three_calls();
  const playback::PreparedScenario prepared(scenario);
  simulator::BatchOptions options;
  options.runs = 1'000;
  const Json document = Json::parse(batch_json(
      make_batch_report(subject_of(scenario), scenario, run_batch(prepared, options), {})));
  EXPECT_EQ(document["squall"]["kind"], "runs");
  // n / (n + z^2) with z = 1.959963984540054, rounded down.
  EXPECT_EQ(document["success"].dump(),
            R"({"runs":1000,"rate_ppm":1000000,"wilson95_ppm":[996173,1000000]})");
  EXPECT_EQ(document["calls_an_operation"].dump(), R"([{"calls":3,"runs":1000}])");
  EXPECT_EQ(document["elapsed"]["p50_ns"], 14'000'000'000);
  EXPECT_EQ(document["sleeps"][1]["by_schedule"].dump(),
            R"({"sleeps":1000,"min_ns":4000000000,"max_ns":4000000000})");
  EXPECT_EQ(document["failures"]["transport"], 2'000);
  EXPECT_TRUE(document["unsound"].is_null());
}

TEST(JsonReport, BytesDoNotDependOnThreads) {
  const scenarios::Scenario scenario = scenario_of(R"({ "mix": [
      { "weight": 1, "respond": { "status": 503, "latency": { "uniform": ["1s", "2s"] } } },
      { "weight": 1, "respond": { "reply": {}, "latency": { "exponential": { "mean": "1s" } } } }
    ] })",
                                                   R"({ "attempts": 1 })");
  const playback::PreparedScenario prepared(scenario);
  std::vector<std::string> documents;
  for (const unsigned threads : {1U, 2U, 5U}) {
    simulator::BatchOptions options;
    options.runs = 2'000;
    options.threads = threads;
    documents.push_back(batch_json(
        make_batch_report(subject_of(scenario), scenario, run_batch(prepared, options), {})));
  }
  EXPECT_EQ(documents[0], documents[1]);
  EXPECT_EQ(documents[0], documents[2]);
}

TEST(JsonReport, BodiesThatAreNoTextDoNotBreakIt) {
  RunReport report = simulated(three_calls());
  report.attempts.front().error_chain = "\xff\xfe";
  EXPECT_FALSE(Json::parse(run_json(report)).is_discarded());
}

TEST(JsonReport, AReplayHoldsEveryRecord) {
  const scenarios::Scenario scenario = three_calls();
  const playback::PreparedScenario prepared(scenario);
  simulator::Simulation simulation(prepared);
  const playback::RunResult& result = simulation.run(1, 0);
  const Json document =
      Json::parse(replay_json(make_run_report(subject_of(scenario), scenario, result), result));
  ASSERT_EQ(document["trace"].size(), result.trace->records().size());
  EXPECT_EQ(document["trace"][0]["what"], "operation_started");
  EXPECT_EQ(document["trace"].back()["what"], "operation_finished");
  EXPECT_EQ(document["trace"].back()["at_ns"], 14'000'000'000);
}

}  // namespace
}  // namespace squall::reports
