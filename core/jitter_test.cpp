// SPDX-License-Identifier: MIT
#include "core/jitter.hpp"

#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "core/vectors_test_support.hpp"

namespace squall::core {
namespace {

constexpr std::uint64_t kMax64 = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint32_t kMax32 = std::numeric_limits<std::uint32_t>::max();

const std::vector<Jitter>& all_kinds() {
  static const std::vector<Jitter> kinds{
      NoJitter{},
      ProportionalJitter{},
      ProportionalJitter{.below = 4, .width = 4},
      ProportionalJitter{.below = 1, .width = 1},
      ProportionalJitter{.below = 3, .width = 7},
      ProportionalJitter{.below = kMax32, .width = 1},
      EqualJitter{},
      FullJitter{},
  };
  return kinds;
}

TEST(JitterVectors, JitterJson) {
  const nlohmann::json vectors = load_vectors("jitter.json");
  for (const nlohmann::json& vector : vectors) {
    EXPECT_EQ(jittered_ms(ProportionalJitter{}, unsigned_at(vector, "base_ms"),
                          unsigned_at(vector, "random")),
              unsigned_at(vector, "sleep_ms"))
        << vector;
  }
}

// The examples in the documentation of the kinds.
TEST(JitterInterval, OfKnownBases) {
  const Jitter usual = ProportionalJitter{};
  EXPECT_EQ(jitter_interval(usual, 5000), (SleepInterval{3750, 6249}));
  EXPECT_EQ(jitter_interval(usual, 60'000), (SleepInterval{45'000, 74'999}));
  EXPECT_EQ(jitter_interval(usual, 4), (SleepInterval{3, 4}));
  EXPECT_EQ(jitter_interval(usual, 3), (SleepInterval{3, 3}));
  EXPECT_EQ(jitter_interval(usual, 1), (SleepInterval{1, 1}));
  EXPECT_EQ(jitter_interval(usual, 0), (SleepInterval{0, 0}));
  const Jitter downwards = ProportionalJitter{.below = 4, .width = 4};
  EXPECT_EQ(jitter_interval(downwards, 8000), (SleepInterval{6000, 7999}));
  EXPECT_EQ(jitter_interval(EqualJitter{}, 5000), (SleepInterval{2500, 5000}));
  EXPECT_EQ(jitter_interval(EqualJitter{}, 5), (SleepInterval{2, 4}));
  EXPECT_EQ(jitter_interval(FullJitter{}, 5000), (SleepInterval{0, 5000}));
  EXPECT_EQ(jitter_interval(NoJitter{}, 5000), (SleepInterval{5000, 5000}));
}

// Every kind takes a remainder of the word by at most base + 1, so the words 0 to base give all
// values there are.
TEST(JitterInterval, IsExactlyTheSetOfReachableValues) {
  for (const Jitter& kind : all_kinds()) {
    for (std::uint64_t base = 0; base <= 300; ++base) {
      std::set<std::uint64_t> reached;
      for (std::uint64_t word = 0; word <= base; ++word) {
        reached.insert(jittered_ms(kind, base, word));
      }
      const SleepInterval interval = jitter_interval(kind, base);
      ASSERT_EQ(*reached.begin(), interval.min_ms) << kind.index() << " base " << base;
      ASSERT_EQ(*reached.rbegin(), interval.max_ms) << kind.index() << " base " << base;
      ASSERT_EQ(reached.size(), interval.max_ms - interval.min_ms + 1)
          << kind.index() << " base " << base;
    }
  }
}

TEST(JitterInterval, HoldsForAnyWordAndBase) {
  RandomStream words(11);
  for (const Jitter& kind : all_kinds()) {
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t base = words.next() >> words.next_below(64);
      const std::uint64_t word = words.next();
      const SleepInterval interval = jitter_interval(kind, base);
      ASSERT_LE(interval.min_ms, interval.max_ms);
      ASSERT_TRUE(interval.contains(jittered_ms(kind, base, word)))
          << kind.index() << " base " << base << " word " << word;
      ASSERT_TRUE(interval.contains(jittered_ms(kind, base, kMax64)));
    }
  }
}

TEST(JitterInterval, BothEndsAreReachedAtTheLargestBase) {
  // floor(2^64-1 / 4) off, then a width of 2^63-1 whose last value lies beyond 2^64-1.
  const Jitter usual = ProportionalJitter{};
  const std::uint64_t low = kMax64 - kMax64 / 4;
  EXPECT_EQ(jitter_interval(usual, kMax64), (SleepInterval{low, kMax64}));
  EXPECT_EQ(jittered_ms(usual, kMax64, 0), low);
  EXPECT_EQ(jittered_ms(usual, kMax64, kMax64 / 4), kMax64);
  EXPECT_EQ(jittered_ms(usual, kMax64, kMax64 / 4 - 1), kMax64 - 1);
  EXPECT_EQ(jittered_ms(usual, kMax64, kMax64 / 2 - 1), kMax64);

  const Jitter widest = ProportionalJitter{.below = kMax32, .width = 1};
  EXPECT_EQ(jitter_interval(widest, kMax64), (SleepInterval{kMax64 - kMax64 / kMax32, kMax64}));
  EXPECT_EQ(jittered_ms(widest, kMax64, kMax64 - 1), kMax64);

  EXPECT_EQ(jitter_interval(EqualJitter{}, kMax64), (SleepInterval{kMax64 / 2, kMax64 - 1}));
  EXPECT_EQ(jittered_ms(EqualJitter{}, kMax64, 0), kMax64 / 2);
  EXPECT_EQ(jittered_ms(EqualJitter{}, kMax64, kMax64 / 2), kMax64 - 1);

  EXPECT_EQ(jitter_interval(FullJitter{}, kMax64), (SleepInterval{0, kMax64}));
  EXPECT_EQ(jittered_ms(FullJitter{}, kMax64, 0), 0U);
  EXPECT_EQ(jittered_ms(FullJitter{}, kMax64, kMax64), kMax64);

  EXPECT_EQ(jitter_interval(NoJitter{}, kMax64), (SleepInterval{kMax64, kMax64}));
}

TEST(SleepInterval, ContainsBothEndsAndNothingBeyond) {
  const SleepInterval interval{3, 5};
  EXPECT_FALSE(interval.contains(2));
  EXPECT_TRUE(interval.contains(3));
  EXPECT_TRUE(interval.contains(5));
  EXPECT_FALSE(interval.contains(6));
}

}  // namespace
}  // namespace squall::core
