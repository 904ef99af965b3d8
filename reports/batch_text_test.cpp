// SPDX-License-Identifier: MIT
#include "reports/batch_text.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/catalogue_text.hpp"
#include "reports/simulated_test_support.hpp"

namespace squall::reports {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const Style kAscii{.color = false, .unicode = false, .width = 100};

BatchReport batch_of(const scenarios::Scenario& scenario, std::uint64_t runs) {
  const playback::PreparedScenario prepared(scenario);
  simulator::BatchOptions options;
  options.runs = runs;
  return make_batch_report(subject_of(scenario), scenario, run_batch(prepared, options), {});
}

/// One call in two fails, for ever: the number of calls is 1, 2, or 3 by chance.
scenarios::Scenario coin(const std::string& expect) {
  return scenario_of(R"({ "mix": [
      { "weight": 1, "respond": { "status": 503, "latency": "1s" } },
      { "weight": 1, "respond": { "reply": {}, "latency": "1s" } } ] })",
                     expect);
}

TEST(BatchText, FixedScenariosGiveFixedFigures) {
  // Two failed attempts and 2 s + 4 s of sleep in each of 1000 runs of 14 s, see three_calls().
  EXPECT_EQ(batch_text(batch_of(three_calls(), 1'000), kAscii).find("  digest "),
            batch_text(batch_of(three_calls(), 1'000), kAscii).rfind("  digest "));
  const std::string page = batch_text(batch_of(three_calls(), 1'000), kAscii);
  const std::size_t begin = page.find("  runs ");
  // 1000 successes of 1000: the Wilson interval begins at n / (n + z^2) = 99.6173%.
  EXPECT_THAT(page.substr(begin), StartsWith(R"(  runs        1 000, seed 1

  success     100% (1 000 of 1 000 runs; 95% interval 99.61% to 100%)
  calls       3 000, 3.00 an operation, 66.66% wasted (2 000 failed)
  prefix      66.66% of the requests' bytes were seen before

  time                     p50               p90               p99               max
  elapsed                 14 s              14 s              14 s              14 s
  slept                    6 s               6 s               6 s               6 s

  calls an operation
           3  ########################################        1 000       100%

       sleep  allowed             observed            by schedule
           1  2 s                 2 s                       1 000
           2  4 s                 4 s                       1 000

  failed attempts
  transport                   2 000

  invariants  8 of 9 invariants checked )"));
  // Nobody asked for a shutdown.
  EXPECT_THAT(page, HasSubstr(" times: all hold; prompt_shutdown had nothing to check\n"));
}

TEST(BatchText, CountsAddUp) {
  const BatchReport report = batch_of(coin(R"({ "attempts": { "max": 3 } })"), 4'096);
  const simulator::BatchSummary& summary = report.summary;
  // Three failures in a row end an operation: one in eight, binomial, five standard deviations.
  EXPECT_NEAR(static_cast<double>(summary.outcomes[1]), 512.0, 5 * 21.2);
  EXPECT_THAT(batch_text(report, kAscii), HasSubstr("exhausted   "));
  EXPECT_TRUE(report.verdict.as_expected());
}

TEST(BatchText, UnmetExpectationsNameTheFirstRun) {
  const BatchReport report = batch_of(coin(R"({ "attempts": { "max": 1 }, "outcome": "success",
                         "success_rate": { "min": "99%" } })"),
                                      4'096);
  ASSERT_TRUE(report.summary.unmet);
  const std::string page = batch_text(report, kAscii);
  EXPECT_THAT(page, HasSubstr("FAIL  attempts: "));
  EXPECT_THAT(page, HasSubstr("FAIL  success_rate: "));
  EXPECT_THAT(page, HasSubstr("--seed 1 --run " + std::to_string(report.summary.unmet->run)));
  // The first run that is not as expected may well succeed; another one may not.
  EXPECT_THAT(page, Not(HasSubstr("ok    outcome")));
}

TEST(BatchText, RetryAfterHasItsOwnColumn) {
  const std::string page = batch_text(batch_of(scenario_of(R"({ "sequence": [
          { "respond": { "status": 429, "headers": { "retry-after": "7" } } },
          { "respond": { "reply": {} } } ] })",
                                                           R"({ "outcome": "success" })"),
                                               10),
                                      kAscii);
  EXPECT_THAT(page, HasSubstr("by schedule  by Retry-After\n"));
  EXPECT_THAT(page, HasSubstr("           1  2 s                 -                             0"
                              "  10 (7 s)\n"));
}

TEST(CatalogueText, OneLineEachAndATotal) {
  CatalogueReport report{.scenarios = {}, .scenarios_asked = 2, .seed = 1, .runs = 1};
  report.scenarios.emplace_back(simulated(three_calls()));
  report.scenarios.emplace_back(simulated(three_calls(R"({ "attempts": 1 })")));
  const std::string page = catalogue_text(report, kAscii);
  EXPECT_THAT(page, StartsWith(R"(        scenario  outcome  calls  elapsed     slept
  ok    sample    success      3     14 s  6 s in 2
  FAIL  sample    success      3     14 s  6 s in 2
        attempts: 3, expected 1
        squall replay sample.json --seed 1 --run 0

2 scenarios: 1 as expected, 1 not
8 of 9 invariants checked )"));
  EXPECT_THAT(page, HasSubstr("\n28 s of virtual time, seed 1\n"));
  const std::string quiet = catalogue_text(report, kAscii, /*only_notable=*/true);
  EXPECT_THAT(quiet, Not(HasSubstr("  ok  ")));
  EXPECT_THAT(quiet, HasSubstr("  FAIL  sample "));
}

TEST(CatalogueText, QuietAndFineIsSilent) {
  CatalogueReport report{.scenarios = {}, .scenarios_asked = 1, .seed = 1, .runs = 1};
  report.scenarios.emplace_back(simulated(three_calls()));
  EXPECT_EQ(catalogue_text(report, kAscii, /*only_notable=*/true), "");
}

TEST(CatalogueText, AnInterruptIsTold) {
  CatalogueReport report{.scenarios = {}, .scenarios_asked = 5, .seed = 1, .runs = 1};
  report.scenarios.emplace_back(simulated(three_calls()));
  EXPECT_TRUE(is_interrupted(report));
  EXPECT_THAT(catalogue_text(report, kAscii), HasSubstr("interrupted after 1 of 5 runs\n"));
}

TEST(CatalogueText, ASuccessRateIsNotJudgedByOneRun) {
  CatalogueReport report{.scenarios = {}, .scenarios_asked = 1, .seed = 1, .runs = 1};
  report.scenarios.emplace_back(simulated(scenario_of(R"({ "respond": { "status": 401 } })",
                                                      R"({ "success_rate": { "min": "1%" } })")));
  EXPECT_TRUE(as_expected(report.scenarios.front()));
  EXPECT_THAT(catalogue_text(report, kAscii),
              HasSubstr("not judged in a single run: 1 success rate (add --runs 10k)\n"));
}

}  // namespace
}  // namespace squall::reports
