// SPDX-License-Identifier: MIT
#include "reports/fidelity_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace squall::reports {
namespace {

using analysis::Agreement;
using analysis::ComparedCall;
using analysis::ComparedSleep;
using namespace std::chrono_literals;

FidelityOfScenario stepped(std::string name) {
  FidelityOfScenario made;
  made.name = std::move(name);
  made.outcome = scenarios::Outcome::kSuccess;
  made.agreement.calls = {{1, 0s, 0s}, {2, 5s, 5s}};
  made.agreement.sleeps = {
      {.slot = 0, .by_retry_after = false, .ordered = 5s, .simulated = 5s, .real = 5s}};
  made.agreement.worst_sleep = 0;
  made.agreement.simulated_elapsed = 6s;
  made.agreement.real_elapsed = 6s;
  return made;
}

FidelityOfScenario scaled(std::string name) {
  FidelityOfScenario made = stepped(std::move(name));
  made.time_scale = 100;
  made.tolerance = 100ms;
  made.agreement.sleeps[0].real = 5'250ms;
  made.agreement.disagreements = {{"class of failure 1", "transport", "parse"}};
  made.looks = 2;
  return made;
}

const Style kPlain{.color = false, .unicode = true, .width = 100};

TEST(FidelityText, SaysThatNothingDiffers) {
  const FidelityReport report{.seed = 7, .scenarios = {stepped("storm")}, .scenarios_asked = 1};
  EXPECT_TRUE(report.agrees());
  EXPECT_EQ(fidelity_text(report, kPlain),
            "                       time  outcome           calls     sleeps       apart\n"
            "  agrees   storm    stepped  success         2 calls    1 sleep         0 s\n"
            "\n"
            "1 scenario, simulated and over real sockets (seed 7): 1 agree, 0 differ\n"
            "largest deviation of a sleep: none, to the nanosecond\n");
}

TEST(FidelityText, NamesWhatDiffersAndByHowMuch) {
  const FidelityReport report{
      .seed = 1, .scenarios = {scaled("storm"), stepped("calm")}, .scenarios_asked = 3};
  EXPECT_FALSE(report.agrees());
  EXPECT_EQ(
      fidelity_text(report, kPlain),
      "                       time  outcome           calls     sleeps       apart\n"
      "  DIFFERS  storm       100x  success         2 calls    1 sleep      250 ms\n"
      "             looked at twice: at first it differed, on a machine that was busy perhaps\n"
      "             class of failure 1: transport simulated, parse over sockets\n"
      "             slot 1: 5 s simulated, 5.250 s over sockets; allowed 100 ms\n"
      "  agrees   calm     stepped  success         2 calls    1 sleep         0 s\n"
      "\n"
      "2 scenarios, simulated and over real sockets (seed 1): 1 agree, 1 differ\n"
      "where it is a close race, a late machine decides: a smaller --time-scale tells\n"
      "interrupted: 2 of 3 scenarios played\n"
      "largest deviation of a sleep: 250 ms (storm, slot 1: 5 s simulated, 5.250 s over "
      "sockets)\n");
}

TEST(FidelityJson, HasEveryNumberInItsUnit) {
  const FidelityReport report{.seed = 1, .scenarios = {scaled("storm")}, .scenarios_asked = 1};
  const auto json = nlohmann::json::parse(fidelity_json(report));
  EXPECT_EQ(json["agrees"], false);
  EXPECT_EQ(json["largest_deviation_ns"], 250'000'000);
  const auto& one = json["scenarios"][0];
  EXPECT_EQ(one["pace"], "scaled");
  EXPECT_EQ(one["looks"], 2);
  EXPECT_EQ(one["time_scale"], 100);
  EXPECT_EQ(one["tolerance_ns"], 100'000'000);
  EXPECT_EQ(one["disagreements"][0]["real"], "parse");
  EXPECT_EQ(one["sleeps"][0]["deviation_ns"], 250'000'000);
  EXPECT_EQ(one["sleeps"][0]["source"], "backoff");
  EXPECT_EQ(one["calls"][1]["simulated_at_ns"], 5'000'000'000);
}

}  // namespace
}  // namespace squall::reports
