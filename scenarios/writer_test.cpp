// SPDX-License-Identifier: MIT
#include "scenarios/writer.hpp"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/catalogue.hpp"
#include "scenarios/loader.hpp"
#include "scenarios/samples_test_support.hpp"

namespace squall::scenarios {
namespace {

void expect_round_trip(const Scenario& scenario, const PolicyResolver& resolver) {
  const std::string text = write_scenario(scenario);
  auto again = load_scenario(text, "written", resolver);
  ASSERT_TRUE(again) << core::to_string(again.error()) << "\n" << text;
  EXPECT_TRUE(*again == scenario) << text;
  EXPECT_EQ(write_scenario(*again), text);
}

TEST(Writer, EveryKeyOfTheLanguageRoundTrips) {
  for (const std::string& sample : samples()) {
    const auto scenario = load_scenario(sample, "sample");
    ASSERT_TRUE(scenario) << core::to_string(scenario.error());
    expect_round_trip(*scenario, shipped_policies());
  }
}

TEST(Writer, LibraryAndMustFailRoundTrip) {
  for (const char* const name : {"library", "must_fail"}) {
    const std::string folder = SQUALL_SOURCE_DIR "/scenarios/" + std::string(name);
    if (!std::filesystem::exists(folder)) {
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".json" || entry.path().filename() == "golden.json") {
        continue;
      }
      const auto scenario = load_scenario_file(entry.path().string());
      ASSERT_TRUE(scenario) << core::to_string(scenario.error());
      expect_round_trip(*scenario, policies_from(entry.path().parent_path().string()));
    }
  }
}

TEST(Writer, PoliciesRoundTrip) {
  for (const StoredFile& file : policy_files()) {
    const core::RetryPolicy policy = load_policy(file.text, "policy").value();
    const std::string text = write_policy(policy, file.name, "A summary.");
    EXPECT_EQ(load_policy(text, "written").value(), policy) << text;
  }
}

TEST(Writer, IsReadable) {
  const auto scenario = load_scenario(
      scenario_with(R"({ "phases": [ { "until": "540s", "respond": { "status": 503 } },
                                     { "respond": { "status": 200, "body": [1] } } ] })"),
      "sample");
  EXPECT_EQ(write_scenario(*scenario), R"({
  "name": "sample",
  "summary": "A sample.",
  "source": "made up",
  "operation": {
    "kind": "agent_chat",
    "request": { "model": "m", "messages": [{ "role": "user", "content": "hi" }] }
  },
  "policy": "default",
  "server": {
    "phases": [
      { "until": "9m", "respond": { "status": 503 } },
      { "respond": { "status": 200, "body": [1] } }
    ]
  },
  "expect": { "outcome": "success" }
}
)");
}

TEST(Writer, BodiesThatOnlyLookLikeJsonStayText) {
  for (const char* body :
       {"{ \\\"a\\\":1}", "[1,]", "{\\\"a\\\":1,\\\"a\\\":2}", "[1.50]", "{}\\n", "true"}) {
    const auto scenario = load_scenario(
        scenario_with(R"({ "respond": { "status": 500, "body": ")" + std::string(body) + "\" } }"),
        "sample");
    ASSERT_TRUE(scenario) << core::to_string(scenario.error());
    expect_round_trip(*scenario, shipped_policies());
  }
  // As deep as a document may be, which the body inside of another document cannot be.
  std::string deep(64, '[');
  deep += std::string(64, ']');
  const auto scenario = load_scenario(
      scenario_with(R"({ "respond": { "status": 500, "body": ")" + deep + "\" } }"), "sample");
  expect_round_trip(*scenario, shipped_policies());
}

}  // namespace
}  // namespace squall::scenarios
