// SPDX-License-Identifier: MIT
//
// The stored scenarios as tests: every file of the library is played and held against its own
// expectations, and every must_fail file must make exactly the check it names report exactly once.
#include "scenarios/catalogue.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/describe.hpp"
#include "scenarios/loader.hpp"
#include "simulator/batch.hpp"
#include "simulator/saboteurs_test_support.hpp"
#include "simulator/simulation.hpp"

namespace squall::simulator {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(SQUALL_SOURCE_DIR "/scenarios/" + folder)) {
    if (entry.path().extension() == ".json" && entry.path().stem() != "golden") {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string test_name(const testing::TestParamInfo<std::string>& file) {
  std::string name = fs::path(file.param).stem().string();
  std::replace(name.begin(), name.end(), '-', 'x');
  return name;
}

scenarios::Scenario loaded(const std::string& file) {
  auto scenario = scenarios::load_scenario_file(file);
  if (!scenario) {
    ADD_FAILURE() << to_string(scenario.error());
    return {};
  }
  return *std::move(scenario);
}

/// Plays `scenario` fifty times, each run twice, and wants every expectation met.
void expect_as_described(scenarios::Scenario scenario) {
  const playback::PreparedScenario prepared(std::move(scenario));
  BatchOptions options;
  options.runs = 50;
  options.verify_determinism = true;
  const BatchSummary summary = run_batch(prepared, options);
  EXPECT_EQ(summary.runs, 50U);
  EXPECT_THAT(summary.unmet ? summary.unmet->findings : std::vector<std::string>{}, IsEmpty());
  EXPECT_THAT(summary.unmet_overall, IsEmpty());
  EXPECT_THAT(summary.unsound ? summary.unsound->findings : std::vector<std::string>{}, IsEmpty());
}

class Library : public testing::TestWithParam<std::string> {};

TEST_P(Library, MeetsItsExpectationsInFiftyRuns) {
  expect_as_described(loaded(GetParam()));
}
INSTANTIATE_TEST_SUITE_P(Catalogue, Library, testing::ValuesIn(files_in("library")), test_name);

// What people copy from the reference has to work as it says.
TEST(FormatReference, ItsExampleMeetsItsExpectationsInFiftyRuns) {
  const std::string page = scenarios::describe_format();
  const std::string fence = "```json\n";
  const std::size_t begin = page.find(fence);
  ASSERT_NE(begin, std::string::npos);
  const std::size_t end = page.find("\n```\n", begin);
  ASSERT_NE(end, std::string::npos);
  auto example =
      scenarios::load_scenario(page.substr(begin + fence.size(), end - begin - fence.size()),
                               "the example of the format reference");
  ASSERT_TRUE(example) << to_string(example.error());
  ASSERT_EQ(example->expect.outcome, scenarios::Outcome::kSuccess);
  expect_as_described(*std::move(example));
}

class MustFail : public testing::TestWithParam<std::string> {};

TEST_P(MustFail, MakesTheNamedCheckReportExactlyOnce) {
  const playback::PreparedScenario prepared(loaded(GetParam()), make_saboteur);
  Simulation simulation(prepared);
  (void)simulation.run(1, 0);
  const playback::RunResult& result = simulation.verify_determinism();
  EXPECT_FALSE(result.internal_error) << *result.internal_error;
  std::vector<std::string> broken;
  for (const playback::Violation& violation : *result.violations) {
    broken.emplace_back(playback::label(violation.invariant));
  }
  EXPECT_THAT(broken, testing::ElementsAre(prepared.scenario.expect.breaks.value_or("(unnamed)")));
}
INSTANTIATE_TEST_SUITE_P(Catalogue, MustFail, testing::ValuesIn(files_in("must_fail")), test_name);

TEST(MustFailFiles, CoverEveryInvariant) {
  std::set<std::string> covered;
  for (const std::string& file : files_in("must_fail")) {
    covered.insert(loaded(file).expect.breaks.value_or(""));
  }
  for (const playback::InvariantInfo& invariant : playback::kInvariants) {
    EXPECT_TRUE(covered.contains(std::string(invariant.name))) << invariant.name;
  }
}

}  // namespace
}  // namespace squall::simulator
