// SPDX-License-Identifier: MIT
#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "analysis/worst_case.hpp"
#include "reports/compare_report.hpp"

namespace squall::reports {
namespace {

using analysis::Figures;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

analysis::ComparedPolicy policy(const std::string& name, std::uint64_t successes,
                                std::uint64_t calls, core::Duration longest) {
  analysis::ComparedPolicy one{
      .name = name, .policy = core::default_policy(), .bounds = {}, .totals = {}};
  one.bounds.push_back({.longest = longest, .not_computed = {}});
  one.totals.runs = 1'000;
  one.totals.successes = successes;
  one.totals.calls = calls;
  one.totals.wasted = 500;
  one.totals.elapsed.record(seconds(90), 1'000);
  return one;
}

CompareReport sample() {
  analysis::Comparison comparison;
  comparison.seed = 3;
  comparison.runs = 1'000;
  comparison.policies = {policy("default", 741, 12'960, seconds(16'440)),
                         policy("short", 741, 13'000, analysis::kNoEnd)};
  Figures left{.runs = 1'000,
               .successes = 741,
               .calls = 12'960,
               .wasted = 500,
               .p50 = seconds(90),
               .p99 = seconds(91),
               .max = seconds(92),
               .recovered = 741,
               .recovery_p50 = seconds(2),
               .recovery_max = seconds(4)};
  Figures right = left;
  right.calls = 13'000;
  right.p50 = seconds(80);
  right.recovered = 0;
  right.recovery_p50 = right.recovery_max = std::nullopt;
  comparison.scenarios.push_back(
      {.name = "storm", .heals_at = seconds(60), .cells = {left, right}});
  comparison.dominance = {{.dominated = 1, .by = 0}};
  return {.comparison = comparison, .notes = {"3 tool calls left out"}};
}

TEST(CompareText, TheBestOfARowIsMarked) {
  const std::string text = compare_text(sample(), {.color = false, .width = 100});
  EXPECT_THAT(text, HasSubstr("2 policies in 1 scenario, 1 000 runs each, the same seeds for every "
                              "policy (seed 3)\n"));
  EXPECT_THAT(text, HasSubstr("  note        3 tool calls left out\n"));
  EXPECT_THAT(text,
              HasSubstr("    success                  74.1%         74.1%\n"));  // alike: no mark
  EXPECT_THAT(text, HasSubstr("    calls an operation       12.96 *       13.00\n"));
  EXPECT_THAT(text, HasSubstr("    elapsed p50         1 min 30 s    1 min 20 s *\n"));
  EXPECT_THAT(text, HasSubstr("    recovery p50               2 s             -\n"));
  EXPECT_THAT(text, HasSubstr("    worst case, agent_chat  4 h 34 min *  no end\n"));
  EXPECT_THAT(text, HasSubstr("Pareto      short is dominated by default; not dominated: default "
                              "(on success, p99 elapsed and\n"));
}

TEST(CompareText, ManyScenariosHaveOneLineEach) {
  CompareReport report = sample();
  for (int i = 0; i < 8; ++i) {
    report.comparison.scenarios.push_back(report.comparison.scenarios.front());
  }
  const std::string text = compare_text(report, {.color = false});
  EXPECT_THAT(text, HasSubstr("  storm                 74.1%, 1 min 31 s    74.1%, 1 min 31 s\n"));
  EXPECT_THAT(text, Not(HasSubstr("recovery")));
  EXPECT_THAT(text, HasSubstr("    elapsed p99             1 min 30 s    1 min 30 s\n"));
}

TEST(CompareText, AsJson) {
  const auto document = nlohmann::json::parse(compare_json(sample()));
  EXPECT_EQ(document["squall"]["kind"], "compare");
  EXPECT_EQ(document["policies"][1]["dominated_by"], "default");
  EXPECT_EQ(document["policies"][1]["bounds"][0]["ends"], false);
  EXPECT_EQ(document["policies"][0]["bounds"][0]["worst_case_ns"], 16'440'000'000'000);
  const auto& cell = document["scenarios"][0]["cells"][0];
  EXPECT_EQ(cell["policy"], "default");
  EXPECT_EQ(cell["p99_elapsed_ns"], 91'000'000'000);
  EXPECT_EQ(cell["p50_recovery_ns"], 2'000'000'000);
  EXPECT_TRUE(document["scenarios"][0]["cells"][1]["p50_recovery_ns"].is_null());
}

}  // namespace
}  // namespace squall::reports
