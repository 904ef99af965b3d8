// SPDX-License-Identifier: MIT
#include "reports/wilson.hpp"

#include <gtest/gtest.h>

namespace squall::reports {
namespace {

struct Published {
  std::uint64_t successes, runs;
  std::uint32_t min, max;  ///< in ten-thousandths, as printed
};

// Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I, method 3.
constexpr Published kTable[] = {
    {81, 263, 2553, 3662}, {15, 148, 624, 1605}, {0, 20, 0, 1611}, {1, 29, 61, 1718}};

TEST(Wilson, AgreesWithPublishedIntervals) {
  for (const Published& row : kTable) {
    const ShareInterval found = wilson_interval(row.successes, row.runs);
    EXPECT_EQ((found.min_ppm + 50) / 100, row.min) << row.successes << " of " << row.runs;
    EXPECT_EQ((found.max_ppm + 49) / 100, row.max) << row.successes << " of " << row.runs;
  }
}

TEST(Wilson, IsSymmetricAndTouchesTheEnds) {
  for (std::uint64_t successes = 0; successes <= 50; ++successes) {
    const ShareInterval one = wilson_interval(successes, 50);
    const ShareInterval other = wilson_interval(50 - successes, 50);
    EXPECT_EQ(one.min_ppm + other.max_ppm, 1'000'000U) << successes;
    EXPECT_LE(one.min_ppm, successes * 20'000);
    EXPECT_GE(one.max_ppm, successes * 20'000);
  }
  EXPECT_EQ(wilson_interval(0, 50).min_ppm, 0U);
  EXPECT_EQ(wilson_interval(50, 50).max_ppm, 1'000'000U);
}

TEST(Wilson, ABillionRunsNarrowItToTheShare) {
  const ShareInterval found = wilson_interval(500'000'000, 1'000'000'000);
  // Half width: 1.96 x sqrt(0.25 / 1e9) = 31 millionths.
  EXPECT_EQ(found.min_ppm, 499'969U);
  EXPECT_EQ(found.max_ppm, 500'031U);
}

}  // namespace
}  // namespace squall::reports
