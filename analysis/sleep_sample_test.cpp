// SPDX-License-Identifier: MIT
#include "analysis/sleep_sample.hpp"

#include <chrono>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace squall::analysis {
namespace {

using core::Duration;
using testing::ElementsAre;

/// Sleeps of the operations from `first` on, each as many nanoseconds as its number.
SleepSample sample_of(std::uint64_t first, std::uint64_t last) {
  SleepSample sample;
  for (std::uint64_t number = first; number < last; ++number) {
    sample.add(number, Duration{static_cast<Duration::rep>(number)}, /*within=*/true);
  }
  return sample;
}

TEST(SleepSample, FewAreAllKept) {
  SleepSample sample;
  sample.add(1, Duration{7}, true);
  sample.add(0, Duration{5}, false);
  EXPECT_EQ(sample.count(), 2U);
  EXPECT_EQ(sample.beyond(), 1U);
  EXPECT_EQ(sample.every(), 1U);
  EXPECT_THAT(sample.kept(), ElementsAre(Duration{5}, Duration{7}));
}

// 1000 operations: of every second one there are 500, of every fourth one 250.
TEST(SleepSample, OfManyEveryFourthIsKept) {
  const SleepSample sample = sample_of(0, 1000);
  EXPECT_EQ(sample.count(), 1000U);
  EXPECT_EQ(sample.every(), 4U);
  const std::vector<Duration> kept = sample.kept();
  ASSERT_EQ(kept.size(), 250U);
  EXPECT_EQ(kept[0], Duration{0});
  EXPECT_EQ(kept[1], Duration{4});
  EXPECT_EQ(kept[249], Duration{996});
}

TEST(SleepSample, WhoSawWhatDoesNotShow) {
  const SleepSample whole = sample_of(0, 5000);
  for (const std::uint64_t cut : {1U, 399U, 2500U, 4999U}) {
    SleepSample backwards = sample_of(cut, 5000);
    backwards.merge(sample_of(0, cut));
    EXPECT_EQ(backwards.kept(), whole.kept()) << cut;
    EXPECT_EQ(backwards.every(), whole.every()) << cut;
    EXPECT_EQ(backwards.count(), 5000U);
  }
}

TEST(SleepSample, ThinningFurtherKeepsTheRule) {
  SleepSample sample = sample_of(0, 100);
  sample.thin(13);  // Of every eighth operation there are 13, of every fourth 25.
  EXPECT_EQ(sample.every(), 8U);
  EXPECT_EQ(sample.kept().size(), 13U);
  EXPECT_EQ(sample.count(), 100U);
}

}  // namespace
}  // namespace squall::analysis
