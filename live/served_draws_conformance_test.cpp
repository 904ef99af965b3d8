// SPDX-License-Identifier: MIT
//
// One scenario, one seed, two hosts: the fault server gives call by call what the simulator gives.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "live/client_scripts.hpp"
#include "live/served_test_support.hpp"
#include "playback/prepared_scenario.hpp"
#include "playback/trace.hpp"
#include "scenarios/loader.hpp"
#include "simulator/simulation.hpp"

namespace squall::live {
namespace {

/// What each call of run `run` met: its status, or that the connection broke.
std::vector<std::string> simulated(const scenarios::Scenario& scenario, std::uint64_t seed,
                                   std::uint64_t run) {
  const playback::PreparedScenario prepared(scenario);
  simulator::Simulation simulation(prepared);
  std::vector<std::string> met;
  for (const playback::TraceRecord& record : simulation.run(seed, run).trace->records()) {
    if (record.kind() == playback::TraceKind::kHeadersReceived) {
      met.push_back(std::to_string(record.value));
    } else if (record.kind() == playback::TraceKind::kConnectionBroke) {
      met.emplace_back("broken");
    }
  }
  return met;
}

std::string met_by(const RawClient& client) {
  client.send(chat_request());
  const Heard head = client.read_until("\r\n\r\n");
  if (head.end == SocketEnd::kReset) {
    return "broken";
  }
  return head.bytes.substr(9, 3);
}

TEST(ServedDraws, AreThoseOfTheSimulator) {
  auto loaded = scenarios::load_scenario_file(std::string(SQUALL_SOURCE_DIR) +
                                              "/scenarios/library/weighted-mix.json");
  ASSERT_TRUE(loaded);
  std::size_t failures = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<std::string> expected = simulated(*loaded, seed, 0);
    failures += expected.size() - 1;
    Served served(*loaded, {.time_scale = 1'000'000, .seed = seed});
    std::vector<std::string> seen;
    for (std::size_t call = 0; call < expected.size(); ++call) {
      seen.push_back(met_by(RawClient(served.port())));
    }
    EXPECT_EQ(seen, expected) << "seed " << seed;
  }
  EXPECT_GT(failures, 5U) << "without failures the seeds say nothing";
}

TEST(ServedDraws, OfTheNthConnectionAreThoseOfTheNthRun) {
  auto loaded = scenarios::load_scenario_file(std::string(SQUALL_SOURCE_DIR) +
                                              "/scenarios/library/weighted-mix.json");
  ASSERT_TRUE(loaded);
  Served served(*loaded, {.time_scale = 1'000'000, .seed = 7, .per = Per::kConnection});
  std::vector<std::string> expected;
  std::vector<std::string> seen;
  for (std::uint64_t run = 0; run < 30; ++run) {
    expected.push_back(simulated(*loaded, 7, run).front());
    seen.push_back(met_by(RawClient(served.port())));
  }
  EXPECT_EQ(seen, expected);
  EXPECT_THAT(seen, testing::AllOf(testing::Contains("200"), testing::Contains("503")));
}

}  // namespace
}  // namespace squall::live
