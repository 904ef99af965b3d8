// SPDX-License-Identifier: MIT
#include "analysis/agreement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "playback/scenarios_test_support.hpp"
#include "simulator/simulation.hpp"

namespace squall::analysis {
namespace {

using playback::answer;
using playback::completion;
using playback::good;
using playback::overloaded;
using playback::sequence;
using playback::step;
using testing::ElementsAre;
using testing::FieldsAre;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

/// A scenario, its one run, and everything the result points at.
struct Played {
  explicit Played(scenarios::Server server, std::uint64_t base_ms = 5'000)
      : prepared(playback::scenario(std::move(server), policy(base_ms))), simulation(prepared) {
    simulation.run(1, 0);
  }
  static core::RetryPolicy policy(std::uint64_t base_ms) {
    core::RetryPolicy made = core::default_policy();
    made.jitter = core::NoJitter{};
    std::get<core::ExponentialBackoff>(made.backoff).base_ms = base_ms;
    return made;
  }
  [[nodiscard]] const playback::RunResult& result() const { return simulation.result(); }

  playback::PreparedScenario prepared;
  simulator::Simulation simulation;
};

scenarios::Server two_failures(core::Duration latency) {
  return sequence({step(2, overloaded(latency)), step(1, good(1s))});
}

TEST(Agreement, RunAgreesWithItself) {
  const Played run(two_failures(120ms));
  const Agreement made = compare_courses(run.result(), run.result(), Pace::kStepped, 0ns);
  EXPECT_TRUE(made.within(0ns));
  EXPECT_THAT(made.disagreements, IsEmpty());
  // 0.12 s, 5 s of sleep, 0.12 s, 10 s of sleep, 1 s.
  ASSERT_THAT(made.calls, SizeIs(3));
  EXPECT_EQ(made.calls[2].simulated_at, 15'240ms);
  EXPECT_EQ(made.calls[2].real_at, 15'240ms);
  EXPECT_EQ(made.real_elapsed, 16'240ms);
}

TEST(Agreement, TimesMustBeEqualWhereTimeIsStepped) {
  const Played fast(two_failures(120ms));
  const Played slow(two_failures(150ms));
  EXPECT_THAT(compare_courses(fast.result(), slow.result(), Pace::kStepped, 1h).disagreements,
              ElementsAre(FieldsAre("time of call 2", "5s120ms", "5s150ms"),
                          FieldsAre("time of call 3", "15s240ms", "15s300ms"),
                          FieldsAre("elapsed", "16s240ms", "16s300ms")));
}

TEST(Agreement, WhatDecidedASleepMustBeEqual) {
  auto limited = answer(429, "slow down", 120ms);
  std::get<scenarios::HttpAnswer>(limited.what).headers = {{"retry-after", std::string("5")}};
  const Played simulated(sequence({step(1, overloaded()), step(1, good(1s))}));
  const Played real(sequence({step(1, limited), step(1, good(1s))}));
  EXPECT_THAT(compare_courses(simulated.result(), real.result(), Pace::kPassing, 0ns).disagreements,
              testing::Contains(FieldsAre("source of sleep 1", "schedule", "Retry-After")));
}

// What the provider takes longer moves all that follows, and no sleep.
TEST(Agreement, SlowerProviderMovesCallsAndNoSleep) {
  const Played fast(two_failures(120ms));
  const Played slow(two_failures(150ms));
  const Agreement made = compare_courses(fast.result(), slow.result(), Pace::kPassing, 0ns);
  EXPECT_TRUE(made.within(0ns));
  EXPECT_EQ(made.calls[2].simulated_at, 15'240ms);
  EXPECT_EQ(made.calls[2].real_at, 15'300ms);
}

TEST(Agreement, LongestSleepApartDecides) {
  const Played simulated(two_failures(120ms));
  const Played real(two_failures(120ms), 5'300);
  const Agreement made = compare_courses(simulated.result(), real.result(), Pace::kPassing, 0ns);
  EXPECT_THAT(made.disagreements, IsEmpty());
  // Slots of 5.3 and 10.6 s instead of 5 and 10 s.
  ASSERT_THAT(made.sleeps, SizeIs(2));
  EXPECT_EQ(made.sleeps[0].deviation(), 300ms);
  EXPECT_EQ(made.worst_sleep, 1U);
  EXPECT_EQ(made.largest_deviation(), 600ms);
  EXPECT_EQ(
      compare_courses(real.result(), simulated.result(), Pace::kPassing, 0ns).largest_deviation(),
      600ms);
  EXPECT_TRUE(made.within(600ms));
  EXPECT_FALSE(made.within(600ms - 1ns));
}

TEST(Agreement, EverythingDecidedOtherwiseIsNamed) {
  const Played simulated(two_failures(120ms));
  const Played real(
      sequence({step(1, overloaded()), step(1, answer(200, "<html>", core::Duration{0})),
                step(1, answer(401, "no", core::Duration{0}))}));
  const Agreement made = compare_courses(simulated.result(), real.result(), Pace::kPassing, 1h);
  EXPECT_FALSE(made.within(1h));
  EXPECT_THAT(made.disagreements,
              ElementsAre(FieldsAre("outcome", "success", "non_retryable"),
                          FieldsAre("class of failure 2", "transport", "parse"),
                          FieldsAre("class of failure 3", "none", "non_retryable")));
}

TEST(Agreement, AnswersAreCompared) {
  const Played simulated(sequence({step(1, answer(200, completion("left"), 1s))}));
  const Played real(sequence({step(1, answer(200, completion("right"), 1s))}));
  EXPECT_THAT(compare_courses(simulated.result(), real.result(), Pace::kPassing, 0ns).disagreements,
              ElementsAre(FieldsAre("answer", "left", "right")));
}

TEST(Agreement, RetryAfterMayLieApartByTheTolerance) {
  const auto limited = [](const std::string& wait) {
    auto respond = answer(429, "slow down", core::Duration{0});
    std::get<scenarios::HttpAnswer>(respond.what).headers = {{"retry-after-ms", wait}};
    return sequence({step(1, respond), step(1, good(0s))});
  };
  const Played simulated(limited("7000"));
  const Played real(limited("7020"));
  EXPECT_THAT(
      compare_courses(simulated.result(), real.result(), Pace::kPassing, 20ms).disagreements,
      IsEmpty());
  EXPECT_THAT(
      compare_courses(simulated.result(), real.result(), Pace::kPassing, 19ms).disagreements,
      ElementsAre(FieldsAre("Retry-After of failure 1", "7000 ms", "7020 ms")));
}

}  // namespace
}  // namespace squall::analysis
