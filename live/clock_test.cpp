// SPDX-License-Identifier: MIT
#include "live/clock.hpp"

#include <vector>

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace squall::live {
namespace {

using testing::ElementsAre;
using namespace std::chrono_literals;

/// Runs `context` until no timer is left, and says when each of its timers went off.
void run(boost::asio::io_context& context, SteppedTime& steps) {
  do {
    context.restart();
    context.poll();
  } while (steps.advance());
}

TEST(SteppedTime, TimersGoOffInTheirOrderAtTheirInstant) {
  SteppedTime steps;
  const Clock::time_point start = Clock::now();
  boost::asio::io_context context;
  std::vector<Clock::duration> heard;
  std::vector<Timer> timers;
  for (const auto wait : {3h, 1h, 2h}) {
    timers.emplace_back(context, start + wait);
  }
  for (Timer& timer : timers) {
    timer.async_wait([&](const auto&) { heard.push_back(Clock::now() - start); });
  }
  run(context, steps);
  EXPECT_THAT(heard, ElementsAre(1h, 2h, 3h));
}

TEST(SteppedTime, StandsStillWithoutATimer) {
  SteppedTime steps;
  const Clock::time_point start = Clock::now();
  EXPECT_FALSE(steps.advance());
  EXPECT_EQ(Clock::now(), start);
}

TEST(SteppedTime, GoesToTheLimitWithoutATimer) {
  SteppedTime steps;
  const Clock::time_point start = Clock::now();
  EXPECT_TRUE(steps.advance(start + 4s));
  EXPECT_EQ(Clock::now() - start, 4s);
}

TEST(SteppedTime, GoesNoFurtherThanTheLimit) {
  SteppedTime steps;
  const Clock::time_point start = Clock::now();
  boost::asio::io_context context;
  bool heard = false;
  Timer timer(context, start + 10s);
  timer.async_wait([&](const auto&) { heard = true; });
  context.poll();
  EXPECT_TRUE(steps.advance(start + 4s));
  EXPECT_EQ(Clock::now() - start, 4s);
  context.poll();
  EXPECT_FALSE(heard);
  EXPECT_TRUE(steps.advance());
  EXPECT_EQ(Clock::now() - start, 10s);
  context.poll();
  EXPECT_TRUE(heard);
}

TEST(ScaledTime, WaitsAreShorterByTheScaleAndNeverTooShort) {
  EXPECT_EQ(ClockWaitTraits::to_wait_duration(1s), 1s);
  const ScaledTime hurry(100);
  EXPECT_EQ(ClockWaitTraits::to_wait_duration(1s), 10ms);
  EXPECT_EQ(ClockWaitTraits::to_wait_duration(101ns), 2ns);
  EXPECT_EQ(ClockWaitTraits::to_wait_duration(100ns), 1ns);
  EXPECT_EQ(ClockWaitTraits::to_wait_duration(0ns), 0ns);
  EXPECT_EQ(ClockWaitTraits::to_wait_duration(-1s), -1s);
}

}  // namespace
}  // namespace squall::live
