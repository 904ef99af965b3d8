// SPDX-License-Identifier: MIT
//
// Simulation and reality: the whole library, simulated and over real sockets, client and fault
// server of this process. Time is stepped, so that no machine is too slow for it, and the two must
// agree to the nanosecond.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/agreement.hpp"
#include "core/check.hpp"
#include "live/live_run.hpp"
#include "playback/saboteur.hpp"
#include "playback/scenarios_test_support.hpp"
#include "scenarios/loader.hpp"
#include "simulator/simulation.hpp"

namespace squall::live {
namespace {

using testing::IsEmpty;
using namespace std::chrono_literals;

std::vector<std::string> library_files() {
  std::vector<std::string> files;
  const std::filesystem::path library = std::string(SQUALL_SOURCE_DIR) + "/scenarios/library";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(library)) {
    if (entry.path().extension() == ".json" && entry.path().filename() != "golden.json") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

playback::PreparedScenario loaded(const std::string& file) {
  auto scenario = scenarios::load_scenario_file(file);
  EXPECT_TRUE(scenario.has_value()) << file;
  return playback::PreparedScenario(std::move(*scenario));
}

/// The two worlds' course of `prepared`. A difference is looked at again with a quiet that no busy
/// machine outlasts.
analysis::Agreement compared(const playback::PreparedScenario& prepared, std::uint64_t seed) {
  simulator::Simulation simulation(prepared);
  const playback::RunResult& simulated = simulation.run(seed, 0);
  analysis::Agreement made;
  for (const auto quiet : {200us, 20'000us}) {
    const auto real = run_over_loopback(prepared, {.seed = seed, .quiet = quiet});
    EXPECT_TRUE(real.has_value());
    EXPECT_TRUE(real->result().sound());
    made = analysis::compare_courses(simulated, real->result(), analysis::Pace::kStepped, 0ns);
    if (made.within(0ns)) {
      break;
    }
  }
  return made;
}

TEST(Fidelity, WholeLibraryTakesTheSameCourseOverSockets) {
  const std::vector<std::string> files = library_files();
  ASSERT_GE(files.size(), 248U);
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    const playback::PreparedScenario prepared = loaded(file);
    const analysis::Agreement made = compared(prepared, 1);
    for (const analysis::Disagreement& difference : made.disagreements) {
      ADD_FAILURE() << difference.what << ": " << difference.simulated << " simulated, "
                    << difference.real << " over sockets";
    }
    EXPECT_EQ(made.largest_deviation(), 0ns);
  }
}

// Nothing is compared with itself: another provider over the sockets is noticed.
TEST(Fidelity, AnotherServerIsNoticed) {
  const playback::PreparedScenario good(
      playback::scenario(playback::sequence({playback::step(1, playback::good(1s))})));
  const playback::PreparedScenario bad(playback::scenario(playback::sequence(
      {playback::step(1, playback::overloaded(1s)), playback::step(1, playback::good(1s))})));
  simulator::Simulation simulation(good);
  const auto real = run_over_loopback(bad, {});
  ASSERT_TRUE(real.has_value());
  EXPECT_FALSE(
      analysis::compare_courses(simulation.run(1, 0), real->result(), analysis::Pace::kPassing, 1h)
          .disagreements.empty());
}

// With real time the sleeps are no shorter than ordered, whatever the machine does.
TEST(Fidelity, ScaledTimeIsNeverEarly) {
  const playback::PreparedScenario storm(playback::scenario(playback::sequence(
      {playback::step(3, playback::overloaded(1s)), playback::step(1, playback::good(1s))})));
  simulator::Simulation simulation(storm);
  const playback::RunResult& simulated = simulation.run(1, 0);
  const auto real = run_over_loopback(storm, {.time_scale = 1'000});
  ASSERT_TRUE(real.has_value());
  const analysis::Agreement made =
      analysis::compare_courses(simulated, real->result(), analysis::Pace::kPassing, 0ns);
  EXPECT_THAT(made.disagreements, IsEmpty());
  ASSERT_EQ(made.sleeps.size(), 3U);
  for (const analysis::ComparedSleep& sleep : made.sleeps) {
    EXPECT_GE(sleep.real, sleep.ordered);
  }
  EXPECT_GE(made.real_elapsed, made.simulated_elapsed);
  EXPECT_GT(real->lateness_max(), 0ns) << "a real clock is never read at the very instant";
}

/// Breaks once there are headers.
class FailsACheck final : public playback::Saboteur {
 public:
  bool lets_through(const core::Event& event) override {
    SQUALL_CHECK(!std::holds_alternative<core::HeadersReceived>(event));
    return true;
  }
};

TEST(Fidelity, ABrokenCheckIsReportedWithItsTime) {
  auto broken = playback::scenario(playback::sequence({playback::step(1, playback::good(2s))}));
  broken.defect = "fails_a_check";
  const playback::PreparedScenario prepared(
      broken, +[](std::string_view) -> std::unique_ptr<playback::Saboteur> {
        return std::make_unique<FailsACheck>();
      });
  const auto real = run_over_loopback(prepared, {});
  ASSERT_TRUE(real.has_value());
  ASSERT_TRUE(real->result().internal_error.has_value());
  EXPECT_EQ(real->result().internal_error_at, core::Instant(2s));
}

TEST(Fidelity, AnInterruptionShutsTheOperationDown) {
  const std::atomic<bool> interrupted{true};
  const playback::PreparedScenario storm(
      playback::scenario(playback::sequence({playback::step(1, playback::silent())})));
  const auto real = run_over_loopback(storm, {.interrupted = &interrupted});
  ASSERT_TRUE(real.has_value());
  EXPECT_EQ(real->result().outcome, scenarios::Outcome::kShutdown);
}

}  // namespace
}  // namespace squall::live
