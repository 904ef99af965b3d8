// SPDX-License-Identifier: MIT
#include "reports/figures.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace squall::reports {
namespace {

using namespace std::chrono_literals;

TEST(Figures, CountsAreGroupedInThrees) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1'000), "1 000");
  EXPECT_EQ(count_text(std::numeric_limits<std::uint64_t>::max()), "18 446 744 073 709 551 615");
  EXPECT_EQ(count_of(1, "call"), "1 call");
  EXPECT_EQ(count_of(0, "call"), "0 calls");
}

TEST(Figures, SecondsKeepMillisecondsAndDropTheRest) {
  EXPECT_EQ(seconds_text(0ns), "0 s");
  EXPECT_EQ(seconds_text(999ns), "999 ns");
  EXPECT_EQ(seconds_text(1'500ns), "1.5 us");
  EXPECT_EQ(seconds_text(120ms), "120 ms");
  EXPECT_EQ(seconds_text(120ms + 40us), "120 ms");
  EXPECT_EQ(seconds_text(120ms + 340us), "120.3 ms");
  EXPECT_EQ(seconds_text(999'999'999ns), "999.9 ms");
  EXPECT_EQ(seconds_text(4'512ms + 999us), "4.512 s");
  EXPECT_EQ(seconds_text(600s), "600 s");
  EXPECT_EQ(seconds_text(core::Duration::max()), "9223372036.854 s");
}

TEST(Figures, LongTimesUseTheUnitsOfPeople) {
  EXPECT_EQ(long_text(59'999ms), "59.999 s");
  EXPECT_EQ(long_text(60s), "1 min");
  EXPECT_EQ(long_text(9min + 12'345ms), "9 min 12.345 s");
  EXPECT_EQ(long_text(60min), "1 h");
  EXPECT_EQ(long_text(3h + 2min + 59s), "3 h 2 min");
  EXPECT_EQ(long_text(24h), "1 d");
  EXPECT_EQ(long_text(987h), "41 d 3 h");
}

TEST(Figures, ClocksShowHoursWithoutEnd) {
  EXPECT_EQ(clock_text(0ns), "0:00:00.000");
  EXPECT_EQ(clock_text(9min + 12'345ms + 999us), "0:09:12.345");
  EXPECT_EQ(clock_text(100h + 1s), "100:00:01.000");
  EXPECT_EQ(exact_clock_text(1ns), "0:00:00.000000001");
}

TEST(Figures, IntervalsShareTheirUnit) {
  EXPECT_EQ(interval_text({3'750, 6'249}), "3.750 to 6.249 s");
  EXPECT_EQ(interval_text({45'000, 74'999}), "45 to 74.999 s");
  EXPECT_EQ(interval_text({5'000, 5'000}), "5 s");
  EXPECT_EQ(interval_text({3, 4}), "3 to 4 ms");
  EXPECT_EQ(interval_text({0, 0}), "0 s");
  EXPECT_EQ(milliseconds_text(std::numeric_limits<std::uint64_t>::max()),
            "18446744073709551615 ms");
}

// A reader must be able to trust "100%" and "0%".
TEST(Figures, SharesNeverRoundToAllOrNone) {
  EXPECT_EQ(share_text(0, 10), "0%");
  EXPECT_EQ(share_text(10, 10), "100%");
  EXPECT_EQ(share_text(1, 3), "33.33%");
  EXPECT_EQ(share_text(999'999, 1'000'000), "99.9999%");
  EXPECT_EQ(share_text(999'999'999, 1'000'000'000), "99.9999%");
  EXPECT_EQ(share_text(1, 1'000'000'000), "<0.0001%");
  EXPECT_EQ(share_text(3, 1'000'000), "0.0003%");
}

TEST(Figures, AveragesDoNotOverflow) {
  EXPECT_EQ(average_text(25'930, 2'000), "12.96");
  EXPECT_EQ(average_text(std::numeric_limits<std::uint64_t>::max(),
                         std::numeric_limits<std::uint64_t>::max()),
            "1.00");
}

}  // namespace
}  // namespace squall::reports
