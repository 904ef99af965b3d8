// SPDX-License-Identifier: MIT
#include "reports/run_text.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/simulated_test_support.hpp"

namespace squall::reports {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

const Style kAscii{.color = false, .unicode = false, .width = 100};

/// The lines between the header and the footer.
std::string timeline_of(const std::string& page) {
  const std::size_t begin = page.find("\n\n") + 2;
  return page.substr(begin, page.find("\n\n", begin) + 1 - begin);
}

TEST(RunText, TimelineIsToScale) {
  // 14 s on 27 cells, boundary(t) = round(27 t / 14): 1 s is 2, 3 s is 6, 8 s is 15, 12 s is 23,
  // 13 s is 25; marks of the axis: 5 s is 10, 10 s is 19.
  EXPECT_EQ(timeline_of(run_text(simulated(three_calls()), kAscii)),
            R"(  time         call    took  0 s       5 s      10 s      what came back
                             +---------+--------+-------  = waiting for headers   # body   . sleep
  0:00:00.000   1/3     1 s  ==                           HTTP 503: Try later.
                  transport    ....                       slept 2 s (slot 1: 2 s)
  0:00:03.000   2/3     5 s        =========              no headers for 5 s
                  transport                 ........      slept 4 s (slot 2: 4 s)
  0:00:12.000   3/3     2 s                         ==##  answer "recovered"
)");
}

TEST(RunText, SaysWhatBecameOfIt) {
  const std::string page = run_text(
      simulated(three_calls(R"({ "outcome": "success", "attempts": { "max": 2 } })")), kAscii);
  EXPECT_THAT(page, HasSubstr("sample: A sample.\n"));
  EXPECT_THAT(page,
              HasSubstr("outcome     success after 3 calls in 14 s; slept 6 s in 2 sleeps\n"));
  EXPECT_THAT(page, HasSubstr("answer      \"recovered\"\n"));
  EXPECT_THAT(page, HasSubstr("expected    ok    outcome success\n"));
  EXPECT_THAT(page, HasSubstr("            FAIL  attempts: 3, expected at most 2\n"));
  EXPECT_THAT(page, HasSubstr("replay      squall replay sample.json --seed 1 --run 0\n"));
}

TEST(RunText, RetryAfterIsShownAsAskedAndAsHeld) {
  const std::string page = run_text(simulated(scenario_of(R"({ "sequence": [
          { "respond": { "status": 429, "headers": { "retry-after": "7" } } },
          { "respond": { "status": 429, "headers": { "retry-after": "30" } } },
          { "respond": { "status": 429, "headers": { "retry-after": "3" } } } ] })",
                                                          R"({ "outcome": "exhausted" })")),
                                    kAscii);
  EXPECT_THAT(page, HasSubstr("HTTP 429, Retry-After 7 s\n"));
  EXPECT_THAT(page, HasSubstr("slept 7 s (Retry-After 7 s)\n"));
  EXPECT_THAT(page, HasSubstr("HTTP 429, Retry-After 30 s\n"));
  EXPECT_THAT(page, HasSubstr("slept 10 s (Retry-After held to 1 to 10 s)\n"));
  EXPECT_THAT(page, HasSubstr("no call left\n"));
  EXPECT_THAT(page, HasSubstr("exhausted after 3 calls in 17 s; slept 17 s in 2 sleeps\n"));
}

TEST(RunText, AShutdownCutsTheSleepShort) {
  const std::string page =
      run_text(simulated(scenario_of(R"({ "respond": { "connection": "reset", "latency": "1s" } })",
                                     R"({ "outcome": "shutdown" })",
                                     R"(, "client": { "shutdown_at": "2500ms" })")),
               kAscii);
  EXPECT_THAT(page, HasSubstr("connection reset before headers\n"));
  EXPECT_THAT(page, HasSubstr("slept 1.500 s of 2 s\n"));
  EXPECT_THAT(page, HasSubstr("  0:00:02.500 "));
  EXPECT_THAT(page, HasSubstr("!  shutdown requested\n"));
  EXPECT_THAT(page, HasSubstr("shutdown after 1 call in 2.500 s; slept 1.500 s in 1 sleep\n"));
}

TEST(RunText, AnOperationStillWaitingAtTheHorizonIsSeen) {
  const std::string page =
      run_text(simulated(scenario_of(R"({ "respond": { "reply": {}, "trickle": { "bytes": "1B",
                                                                        "every": "4s" } } })",
                                     R"({ "outcome": "unfinished" })", R"(, "horizon": "10s")")),
               kAscii);
  // Pieces at 4 s and 8 s.
  EXPECT_THAT(page, HasSubstr("still reading: 2 bytes so far\n"));
  EXPECT_THAT(page, HasSubstr("the horizon: the run stops here\n"));
  EXPECT_THAT(page, HasSubstr("unfinished after 1 call in 10 s; slept 0 s in 0 sleeps\n"));
}

TEST(RunText, AStoppedOperationSaysThatItWasFinal) {
  const std::string page =
      run_text(simulated(scenario_of(R"({ "respond": { "status": 401, "body": "no key" } })",
                                     R"({ "outcome": "non_retryable" })")),
               kAscii);
  EXPECT_THAT(page, HasSubstr("HTTP 401: no key\n"));
  EXPECT_THAT(page, HasSubstr("final: not retried\n"));
}

TEST(RunText, ABodyThatStallsSaysHowFarItCame) {
  const std::string page = run_text(
      simulated(scenario_of(
          R"({ "respond": { "status": 502, "body": "0123456789", "stall": { "after": "4B" } } })",
          R"({ "outcome": "exhausted" })")),
      kAscii);
  EXPECT_THAT(page, HasSubstr("HTTP 502: stalled after 4 of 10 bytes"));
}

TEST(RunText, TerminalSequencesOfABodyStayHarmless) {
  const std::string page =
      run_text(simulated(scenario_of(R"({ "respond": { "status": 401, "body": "\u001b[2Jgone" } })",
                                     R"({ "outcome": "non_retryable" })")),
               kAscii);
  EXPECT_THAT(page, Not(HasSubstr("\x1b")));
}

TEST(RunText, ManyAttemptsAreShownFromBothEnds) {
  RunReport report = simulated(three_calls());
  const AttemptRow row = report.attempts.front();
  report.attempts.assign(1'000, row);
  EXPECT_THAT(run_text(report, kAscii), HasSubstr("... 960 more calls ...\n"));
}

TEST(RunText, NoLineExceedsTheWidth) {
  for (const std::size_t width : {80U, 100U, 140U}) {
    const Style style{.color = false, .unicode = true, .width = width};
    const std::string page = run_text(simulated(three_calls()), style);
    for (std::size_t at = 0; at < page.size(); at = page.find('\n', at) + 1) {
      EXPECT_LE(columns(page.substr(at, page.find('\n', at) - at)), width);
    }
  }
}

TEST(RunText, AnotherPolicySaysThatExpectationsDoNotApply) {
  const scenarios::Scenario scenario = three_calls();
  const playback::PreparedScenario prepared(scenario);
  simulator::Simulation simulation(prepared);
  Subject subject = subject_of(scenario);
  subject.policy_override = "my policy.json";
  subject.golden = 1;
  const RunReport report = make_run_report(subject, scenario, simulation.run(1, 0));
  EXPECT_FALSE(report.verdict.checked);
  EXPECT_TRUE(report.verdict.as_expected());
  EXPECT_EQ(replay_command(subject, 1, 0),
            "squall replay sample.json --seed 1 --run 0 --policy 'my policy.json'");
}

TEST(RunText, AGoldenDigestIsOneMoreExpectation) {
  const scenarios::Scenario scenario = three_calls();
  const playback::PreparedScenario prepared(scenario);
  simulator::Simulation simulation(prepared);
  Subject subject = subject_of(scenario);
  subject.golden = simulation.run(1, 0).digest;
  subject.golden_source = "folder";
  EXPECT_TRUE(make_run_report(subject, scenario, simulation.run(1, 0)).verdict.as_expected());
  *subject.golden ^= 1U;
  const RunReport report = make_run_report(subject, scenario, simulation.run(1, 0));
  EXPECT_FALSE(report.verdict.as_expected());
  EXPECT_THAT(report.verdict.expectations.back().finding,
              HasSubstr("(squall run --bless folder after a wanted change)"));
  // Other runs have other digests.
  EXPECT_TRUE(make_run_report(subject, scenario, simulation.run(2, 0)).verdict.as_expected());
  EXPECT_TRUE(make_run_report(subject, scenario, simulation.run(1, 1)).verdict.as_expected());
}

}  // namespace
}  // namespace squall::reports
