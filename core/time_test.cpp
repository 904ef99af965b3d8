// SPDX-License-Identifier: MIT
#include "core/time.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <gtest/gtest.h>

namespace squall::core {
namespace {

using namespace std::chrono_literals;

template <class Clock>
concept Readable = requires {
  Clock::now();
};

// The promise the whole core rests on: there is no clock to read, and no way in from a real one.
static_assert(Readable<std::chrono::steady_clock>);
static_assert(!Readable<Timeline>);
static_assert(!Readable<WallTimeline>);
static_assert(!std::is_constructible_v<Instant, std::chrono::steady_clock::time_point>);
static_assert(!std::is_constructible_v<WallInstant, std::chrono::system_clock::time_point>);
static_assert(!std::is_constructible_v<Instant, WallInstant>);
static_assert(!std::is_constructible_v<WallInstant, Instant>);

TEST(Time, MillisecondsAreExactUpToTheLargestDuration) {
  EXPECT_EQ(from_milliseconds(0), 0ns);
  EXPECT_EQ(from_milliseconds(1), 1'000'000ns);
  EXPECT_EQ(from_milliseconds(600'000), 10min);
  // 2^63-1 ns are 9223372036854.775807 ms.
  EXPECT_EQ(from_milliseconds(9'223'372'036'854), 9'223'372'036'854'000'000ns);
}

TEST(Time, LongerMillisecondsSaturate) {
  EXPECT_EQ(from_milliseconds(9'223'372'036'855), Duration::max());
  EXPECT_EQ(from_milliseconds(std::numeric_limits<std::uint64_t>::max()), Duration::max());
}

TEST(Time, AdditionSaturatesAtTheEndOfTime) {
  const Instant start{5s};
  EXPECT_EQ(saturating_add(start, 0ns), start);
  EXPECT_EQ(saturating_add(start, 2s), Instant{7s});
  EXPECT_EQ(saturating_add(start, Duration::max() - 5s), kEndOfTime);
  EXPECT_EQ(saturating_add(start, Duration::max() - 5s - 1ns), kEndOfTime - 1ns);
  EXPECT_EQ(saturating_add(start, Duration::max()), kEndOfTime);
  EXPECT_EQ(saturating_add(kEndOfTime, 1ns), kEndOfTime);
}

}  // namespace
}  // namespace squall::core
