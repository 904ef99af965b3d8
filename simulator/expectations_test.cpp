// SPDX-License-Identifier: MIT
#include "playback/expectations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "playback/scenarios_test_support.hpp"
#include "simulator/simulation.hpp"

namespace squall::simulator {
namespace {

using core::llm::FailureClass;
using playback::answer;
using playback::good;
using playback::overloaded;
using playback::scenario;
using playback::sequence;
using playback::step;
using scenarios::Expectations;
using scenarios::Outcome;
using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::chrono_literals;

/// Two failures (the second with Retry-After), then "ok": 12 s of sleep without jitter.
std::vector<std::string> unmet(const Expectations& expected) {
  core::RetryPolicy policy = core::default_policy();
  policy.jitter = core::NoJitter{};
  auto limited = answer(429, "slow down", core::Duration{0});
  std::get<scenarios::HttpAnswer>(limited.what).headers = {{"retry-after", std::string("7")}};
  const playback::PreparedScenario prepared(
      scenario(sequence({step(1, overloaded(0ms)), step(1, limited), step(1, good(0s))}), policy));
  Simulation simulation(prepared);
  return playback::unmet_expectations(expected, simulation.run(1, 0));
}

TEST(Expectations, WhatHoldsIsNotReported) {
  Expectations expected;
  expected.outcome = Outcome::kSuccess;
  expected.attempts = {.min = 3, .max = 3};
  expected.elapsed = {.min = 12s, .max = 12s};
  expected.sleep_total = {.min = std::nullopt, .max = 12s};
  expected.trail = {FailureClass::kTransport, FailureClass::kTransport};
  expected.retry_after_ms = {std::nullopt, 7'000};
  expected.answer = "ok";
  EXPECT_THAT(unmet(expected), IsEmpty());
}

TEST(Expectations, WhatDoesNotHoldIsReportedInWords) {
  Expectations expected;
  expected.outcome = Outcome::kExhausted;
  expected.attempts = {.min = std::nullopt, .max = 2};
  expected.elapsed = {.min = 12s + 1ns, .max = std::nullopt};
  expected.sleep_total = {.min = 5s, .max = 5s};
  expected.final_class = FailureClass::kTransport;
  expected.trail = {FailureClass::kTransport, FailureClass::kParse, FailureClass::kParse};
  expected.retry_after_ms = {std::nullopt, 8'000};
  expected.answer = "no";
  EXPECT_THAT(
      unmet(expected),
      ElementsAre("outcome: success, expected exhausted", "attempts: 3, expected at most 2",
                  "elapsed: 12s, expected at least 12s1ns", "sleep_total: 12s, expected 5s",
                  "final_class: none, expected transport",
                  "trail: transport x2, expected transport, parse x2",
                  "retry_after: none, 7s, expected none, 8s", "answer: \"ok\", expected \"no\""));
}

TEST(Expectations, NamedInvariantMustBreakExactlyOnce) {
  Expectations expected;
  expected.breaks = "sleep_interval";
  EXPECT_THAT(unmet(expected), ElementsAre("breaks: nothing, expected sleep_interval once"));
}

TEST(Expectations, AnswersAreShownOnOneLineAndCut) {
  Expectations expected;
  expected.answer = "two\nlines \x1b[31m" + std::string(300, 'x');
  EXPECT_THAT(unmet(expected), ElementsAre("answer: \"ok\", expected \"two lines  [31m" +
                                           std::string(185, 'x') + "...\""));
}

TEST(Expectations, SuccessRateIsComparedExactly) {
  Expectations expected;
  expected.success_rate_ppm.min = 333'334;
  // 1/3 is 33.3333... %: below 33.3334 %.
  EXPECT_THAT(playback::unmet_success_rate(expected, 1, 3),
              ElementsAre("success_rate: 33.3333% of 3 runs, expected at least 33.3334%"));
  expected.success_rate_ppm.min = 333'333;
  EXPECT_THAT(playback::unmet_success_rate(expected, 1, 3), IsEmpty());
  EXPECT_THAT(playback::unmet_success_rate(expected, 0, 0), IsEmpty());
}

}  // namespace
}  // namespace squall::simulator
