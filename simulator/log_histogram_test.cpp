// SPDX-License-Identifier: MIT
#include "simulator/log_histogram.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "core/check.hpp"
#include "core/random.hpp"

namespace squall::simulator {
namespace {

using core::Duration;
using core::RandomStream;
using namespace std::chrono_literals;

constexpr Duration kLongest = Duration::max();

/// Durations of all magnitudes: a random number of random bits.
std::vector<Duration> random_durations(RandomStream stream, std::size_t count) {
  std::vector<Duration> values;
  for (std::size_t i = 0; i != count; ++i) {
    const std::uint64_t word = stream.next();
    values.emplace_back(static_cast<std::int64_t>((word >> 1) >> stream.next_below(63)));
  }
  return values;
}

LogHistogram histogram_of(const std::vector<Duration>& values) {
  LogHistogram histogram;
  for (const Duration value : values) {
    histogram.record(value);
  }
  return histogram;
}

TEST(LogHistogram, EmptyHasNoStatistics) {
  const LogHistogram histogram;
  EXPECT_TRUE(histogram.empty());
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_TRUE(histogram.sum() == 0);
  EXPECT_EQ(histogram.min(), std::nullopt);
  EXPECT_EQ(histogram.max(), std::nullopt);
  EXPECT_EQ(histogram.mean(), std::nullopt);
  EXPECT_EQ(histogram.quantile(1, 2), std::nullopt);
  EXPECT_TRUE(histogram.buckets().empty());
}

TEST(LogHistogram, SmallValuesAreExact) {
  LogHistogram histogram;
  for (std::int64_t value = 2047; value >= 0; --value) {
    histogram.record(Duration{value});
  }
  // 2048 values, value v has rank v + 1.
  for (std::uint64_t rank = 1; rank <= 2048; ++rank) {
    EXPECT_EQ(histogram.quantile(rank, 2048), Duration{static_cast<std::int64_t>(rank) - 1});
  }
  EXPECT_EQ(histogram.mean(), 1023ns);  // 1023.5, rounded down
}

TEST(LogHistogram, FixedDelaysAreExact) {
  LogHistogram histogram;
  histogram.record(120ms, 90);
  histogram.record(5s, 9);
  histogram.record(13min);
  EXPECT_EQ(histogram.count(), 100U);
  EXPECT_EQ(histogram.quantile(0, 1), 120ms);
  EXPECT_EQ(histogram.quantile(90, 100), 120ms);
  EXPECT_EQ(histogram.quantile(91, 100), 5s);
  EXPECT_EQ(histogram.quantile(99, 100), 5s);
  EXPECT_EQ(histogram.quantile(999, 1000), 13min);
  EXPECT_EQ(histogram.quantile(1, 1), 13min);
  // 90 * 0.12 s + 9 * 5 s + 780 s = 835.8 s
  EXPECT_TRUE(histogram.sum() == 835'800'000'000U);
  EXPECT_EQ(histogram.mean(), 8'358ms);
}

TEST(LogHistogram, SharedBucketAnswersWithItsLargestValue) {
  LogHistogram histogram;
  // From 2^20 to 2^21 a bucket is 2^10 wide.
  constexpr std::int64_t kLower = (1 << 20) + 5 * 1024;
  for (const std::int64_t offset : {700, 3, 1023, 512}) {
    histogram.record(Duration{kLower + offset});
  }
  histogram.record(Duration{kLower + 1024});
  EXPECT_EQ(histogram.quantile(0, 1), Duration{kLower + 3});
  EXPECT_EQ(histogram.quantile(1, 5), Duration{kLower + 3});
  EXPECT_EQ(histogram.quantile(2, 5), Duration{kLower + 1023});
  EXPECT_EQ(histogram.quantile(4, 5), Duration{kLower + 1023});
  EXPECT_EQ(histogram.quantile(1, 1), Duration{kLower + 1024});
  const std::vector<LogHistogram::Bucket> expected = {
      {Duration{kLower}, Duration{kLower + 1023}, 4},
      {Duration{kLower + 1024}, Duration{kLower + 2047}, 1}};
  EXPECT_EQ(histogram.buckets(), expected);
}

TEST(LogHistogram, ExtremesOfTheRange) {
  LogHistogram histogram;
  histogram.record(kLongest, 3);
  histogram.record(0ns);
  EXPECT_EQ(histogram.min(), 0ns);
  EXPECT_EQ(histogram.max(), kLongest);
  EXPECT_EQ(histogram.quantile(1, 4), 0ns);
  EXPECT_EQ(histogram.quantile(1, 2), kLongest);
  EXPECT_TRUE(histogram.sum() == LogHistogram::Wide{3} * 0x7fffffffffffffffU);
  ASSERT_EQ(histogram.buckets().size(), 2U);
  EXPECT_EQ(histogram.buckets()[1].upper, kLongest);
}

TEST(LogHistogram, RecordingNothingChangesNothing) {
  LogHistogram histogram;
  histogram.record(5s, 0);
  EXPECT_EQ(histogram, LogHistogram{});
}

TEST(LogHistogram, RefusesNegativeValuesAndImproperFractions) {
  LogHistogram histogram;
  EXPECT_THROW(histogram.record(-1ns), core::CheckFailed);
  EXPECT_EQ(histogram, LogHistogram{});
  EXPECT_THROW((void)histogram.quantile(2, 1), core::CheckFailed);
  EXPECT_THROW((void)histogram.quantile(0, 0), core::CheckFailed);
}

// The law of the header against exact quantiles of the sorted values.
TEST(LogHistogram, QuantilesObeyTheErrorBound) {
  for (std::uint64_t round = 0; round != 50; ++round) {
    const RandomStream stream = RandomStream(11).split(round);
    std::vector<Duration> values =
        random_durations(stream, 1 + RandomStream(12).split(round).next_below(3000));
    // Half the rounds stay within one power of two, where buckets really are shared.
    if (round % 2 == 1) {
      for (Duration& value : values) {
        value = Duration{(1LL << 34) + value.count() % (1LL << 24)};
      }
    }
    const LogHistogram histogram = histogram_of(values);
    std::ranges::sort(values);
    ASSERT_EQ(histogram.min(), values.front());
    ASSERT_EQ(histogram.max(), values.back());
    LogHistogram::Wide sum = 0;
    for (const Duration value : values) {
      sum += static_cast<std::uint64_t>(value.count());
    }
    ASSERT_TRUE(histogram.sum() == sum);
    for (std::uint64_t thousandth = 0; thousandth <= 1000; thousandth += 8) {
      const std::uint64_t rank =
          std::max<std::uint64_t>(1, (values.size() * thousandth + 999) / 1000);
      const std::int64_t exact = values[rank - 1].count();
      const std::int64_t answer = histogram.quantile(thousandth, 1000).value().count();
      ASSERT_GE(answer, exact);
      // q - x < x / 1024, without dividing; values of zero are exact.
      ASSERT_TRUE(answer == exact || static_cast<LogHistogram::Wide>(answer - exact) * 1024 <
                                         static_cast<LogHistogram::Wide>(exact))
          << answer << " for " << exact;
      ASSERT_TRUE(std::ranges::binary_search(values, Duration{answer}));
    }
  }
}

TEST(LogHistogram, BucketsContainWhatWasRecorded) {
  std::vector<Duration> values = random_durations(RandomStream(21), 5000);
  const std::vector<LogHistogram::Bucket> buckets = histogram_of(values).buckets();
  std::ranges::sort(values);
  std::size_t next = 0;
  for (const LogHistogram::Bucket& bucket : buckets) {
    for (std::uint64_t i = 0; i != bucket.count; ++i, ++next) {
      ASSERT_LT(next, values.size());
      ASSERT_GE(values[next], bucket.lower);
      ASSERT_LE(values[next], bucket.upper);
    }
  }
  EXPECT_EQ(next, values.size());
}

TEST(LogHistogram, MergingIsRecordingInAnyOrderAndGrouping) {
  const std::vector<Duration> values = random_durations(RandomStream(31), 4000);
  const LogHistogram whole = histogram_of(values);
  for (std::uint64_t round = 0; round != 20; ++round) {
    RandomStream stream = RandomStream(32).split(round);
    std::vector<LogHistogram> parts(1 + stream.next_below(7));
    for (const Duration value : values) {
      parts[stream.next_below(parts.size())].record(value);
    }
    // A random binary tree of merges; an empty part among them.
    parts.emplace_back();
    while (parts.size() > 1) {
      const std::size_t from = stream.next_below(parts.size());
      const LogHistogram part = parts[from];
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(from));
      parts[stream.next_below(parts.size())].merge(part);
    }
    ASSERT_EQ(parts.front(), whole);
  }
}

TEST(LogHistogram, MergingWithEmptyChangesNothing) {
  LogHistogram histogram;
  histogram.record(3s);
  LogHistogram merged;
  merged.merge(histogram);
  EXPECT_EQ(merged, histogram);
  EXPECT_EQ(merged.min(), 3s);
  merged.merge(LogHistogram{});
  EXPECT_EQ(merged, histogram);
}

TEST(LogHistogram, MergingIntoItselfDoubles) {
  LogHistogram histogram;
  histogram.record(3s);
  histogram.merge(histogram);
  LogHistogram twice;
  twice.record(3s, 2);
  EXPECT_EQ(histogram, twice);
}

}  // namespace
}  // namespace squall::simulator
