// SPDX-License-Identifier: MIT
#include "analysis/bootstrap.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace squall::analysis {
namespace {

using core::RandomStream;

PairedEstimate one(PairedColumn column, RandomStream draws = RandomStream(1),
                   std::uint32_t resamples = kResamples) {
  const std::array<PairedColumn, 1> columns{std::move(column)};
  return estimate(columns, draws, resamples).front();
}

TEST(Bootstrap, MeansRoundTowardsZero) {
  const std::vector<std::int64_t> values{1, 2, 2};
  // 5/3 = 1.666666...
  EXPECT_EQ(value_of(values, Statistic::mean(1'000'000)), 1'666'666);
  const std::vector<std::int64_t> negative{-1, -2, -2};
  EXPECT_EQ(value_of(negative, Statistic::mean(1'000'000)), -1'666'666);
}

TEST(Bootstrap, QuantilesAreByNearestRank) {
  std::vector<std::int64_t> values;
  for (std::int64_t value = 200; value >= 1; --value) {
    values.push_back(value * 10);
  }
  EXPECT_EQ(value_of(values, Statistic::quantile(1, 2)), 1'000);     // rank 100
  EXPECT_EQ(value_of(values, Statistic::quantile(99, 100)), 1'980);  // rank 198
  EXPECT_EQ(value_of(values, Statistic::quantile(1, 1)), 2'000);
  EXPECT_EQ(value_of(values, Statistic::quantile(0, 1)), 10);  // rank 0 counts as 1
  // Rank ceil(3 x 1/2) = 2.
  EXPECT_EQ(value_of(std::vector<std::int64_t>{30, 10, 20}, Statistic::quantile(1, 2)), 20);
}

TEST(Bootstrap, AConstantDifferenceHasNoInterval) {
  PairedColumn column{.baseline = {5, 100, 7, 30}, .candidate = {8, 103, 10, 33}, .statistic = {}};
  column.statistic = Statistic::mean(10);
  const PairedEstimate estimate = one(column);
  EXPECT_EQ(estimate.baseline, 355);   // 142 x 10 / 4
  EXPECT_EQ(estimate.candidate, 385);  // 154 x 10 / 4
  EXPECT_EQ(estimate.change, 30);
  // Unpaired, resamples would differ by up to 950; paired, every difference is 3.
  EXPECT_EQ(estimate.change_interval, (Interval{30, 30}));
}

/// The resamples of two runs, drawn here by hand: word w picks run floor(w x 2 / 2^64), which is
/// its highest bit.
TEST(Bootstrap, IntervalsOfTwoRunsByHand) {
  constexpr std::uint32_t kFew = 400;  // 2 are left out at each end
  const RandomStream draws(17);
  std::vector<std::int64_t> changes;
  for (std::uint32_t resample = 0; resample < kFew; ++resample) {
    RandomStream words = draws.split(std::uint64_t{resample});
    std::int64_t sum = 0;
    for (int i = 0; i < 2; ++i) {
      // Run 0 differs by 4, run 1 by -2.
      sum += (words.next() >> 63U) == 0 ? 4 : -2;
    }
    changes.push_back(sum * 100 / 2);
  }
  std::sort(changes.begin(), changes.end());
  const PairedEstimate estimate = one(
      {.baseline = {1, 9}, .candidate = {5, 7}, .statistic = Statistic::mean(100)}, draws, kFew);
  EXPECT_EQ(estimate.change, 100);  // (4 - 2) / 2
  EXPECT_EQ(estimate.change_interval, (Interval{changes[2], changes[397]}));
  // Of three possible changes the extremes come in a quarter of the resamples each.
  EXPECT_EQ(estimate.change_interval, (Interval{-200, 400}));
  EXPECT_EQ(estimate.candidate_interval, (Interval{500, 700}));
}

TEST(Bootstrap, TheLargestOfTwoRunsByHand) {
  const PairedEstimate estimate =
      one({.baseline = {10, 20}, .candidate = {10, 50}, .statistic = Statistic::quantile(1, 1)});
  EXPECT_EQ(estimate.change, 30);
  // Run 0 twice: 10 and 10. Otherwise 50 and 20.
  EXPECT_EQ(estimate.change_interval, (Interval{0, 30}));
  EXPECT_EQ(estimate.candidate_interval, (Interval{10, 50}));
}

TEST(Bootstrap, OneRareEventIsWithinChance) {
  // 1 of 500 runs fails on one side only: e^-1 of all resamples do not draw it.
  PairedColumn column{.baseline = std::vector<std::int64_t>(500, 1),
                      .candidate = std::vector<std::int64_t>(500, 1),
                      .statistic = Statistic::mean(1'000'000)};
  column.candidate[123] = 0;
  const PairedEstimate estimate = one(column);
  EXPECT_EQ(estimate.change, -2'000);
  EXPECT_EQ(estimate.change_interval.high, 0);
  EXPECT_LT(estimate.change_interval.low, -2'000);
}

TEST(Bootstrap, ManyEventsAreNotChance) {
  PairedColumn column{.baseline = std::vector<std::int64_t>(500, 1),
                      .candidate = std::vector<std::int64_t>(500, 1),
                      .statistic = Statistic::mean(1'000'000)};
  std::fill_n(column.candidate.begin(), 50, 0);
  const PairedEstimate estimate = one(column);
  EXPECT_EQ(estimate.change, -100'000);
  // Binomial(500, 0.1) has a standard deviation of sqrt(500 x 0.1 x 0.9) = 6.7 runs; 2.58 of them
  // are 17.3 runs, or 34'600 millionths. Half a run of slack for the resampling itself and more.
  EXPECT_NEAR(static_cast<double>(estimate.change_interval.high), -65'400, 5'000);
  EXPECT_NEAR(static_cast<double>(estimate.change_interval.low), -134'600, 5'000);
}

TEST(Bootstrap, ColumnsShareTheResamples) {
  const PairedColumn column{
      .baseline = {1, 2, 3, 4, 5}, .candidate = {2, 2, 9, 4, 1}, .statistic = Statistic::mean(60)};
  PairedColumn largest = column;
  largest.statistic = Statistic::quantile(1, 1);
  const std::array<PairedColumn, 2> both{largest, column};
  const auto estimates = estimate(both, RandomStream(3));
  EXPECT_EQ(estimates[1].change_interval, one(column, RandomStream(3)).change_interval);
  EXPECT_EQ(estimates[0].change_interval, one(largest, RandomStream(3)).change_interval);
}

}  // namespace
}  // namespace squall::analysis
