// SPDX-License-Identifier: MIT
#include "telemetry/timestamp.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace squall::telemetry {
namespace {

std::string text(std::int64_t nanoseconds) {
  return timestamp_text(core::WallInstant{core::Duration{nanoseconds}});
}

TEST(Timestamp, KnownInstants) {
  EXPECT_EQ(text(0), "1970-01-01T00:00:00.000000000Z");
  // The example of RFC 9110: Sun, 06 Nov 1994 08:49:37 GMT.
  EXPECT_EQ(text(784'111'777'000'000'001), "1994-11-06T08:49:37.000000001Z");
  EXPECT_EQ(text(951'782'400'000'000'000), "2000-02-29T00:00:00.000000000Z");
}

TEST(Timestamp, BeforeTheEpochTimeStillRunsForward) {
  EXPECT_EQ(text(-1), "1969-12-31T23:59:59.999999999Z");
  EXPECT_EQ(text(-86'400'000'000'000), "1969-12-31T00:00:00.000000000Z");
}

// Wikipedia's "Year 2262 problem" and pandas' Timestamp.min and max name the same ends.
TEST(Timestamp, TheEndsOfCalendarTime) {
  EXPECT_EQ(timestamp_text(core::WallInstant::min()), "1677-09-21T00:12:43.145224192Z");
  EXPECT_EQ(timestamp_text(core::WallInstant::max()), "2262-04-11T23:47:16.854775807Z");
}

TEST(Timestamp, TextsSortAsInstantsDo) {
  std::vector<std::string> texts;
  for (const std::int64_t at :
       {INT64_MIN, std::int64_t{-86'400'000'000'001}, std::int64_t{-1}, std::int64_t{0},
        std::int64_t{999'999'999}, std::int64_t{1'000'000'000}, INT64_MAX}) {
    texts.push_back(text(at));
  }
  EXPECT_TRUE(std::is_sorted(texts.begin(), texts.end()));
}

}  // namespace
}  // namespace squall::telemetry
