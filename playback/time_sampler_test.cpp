// SPDX-License-Identifier: MIT
#include "playback/time_sampler.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/check.hpp"
#include "core/random.hpp"
#include "core/time.hpp"
#include "scenarios/model.hpp"

namespace squall::playback {
namespace {

using core::Duration;
using core::RandomStream;
using scenarios::EmpiricalTime;
using scenarios::ExponentialTime;
using scenarios::LognormalTime;
using scenarios::Time;
using scenarios::UniformTime;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::Pair;

constexpr std::uint64_t kLastWord = std::numeric_limits<std::uint64_t>::max();

/// Inverse of an odd number modulo 2^64: each step doubles the number of correct bits.
std::uint64_t inverse(std::uint64_t odd) {
  std::uint64_t result = odd;
  for (int step = 0; step < 6; ++step) {
    result *= 2 - odd * result;
  }
  return result;
}

std::uint64_t undo_xor_shift(std::uint64_t word, int shift) {
  std::uint64_t result = word;
  for (int done = shift; done < 64; done += shift) {
    result = word ^ (result >> shift);
  }
  return result;
}

/// A stream whose next word is `word`: the published finalizer of SplitMix64, undone.
RandomStream stream_giving(std::uint64_t word) {
  word = undo_xor_shift(word, 31) * inverse(0x94d049bb133111ebU);
  word = undo_xor_shift(word, 27) * inverse(0xbf58476d1ce4e5b9U);
  return RandomStream(undo_xor_shift(word, 30) - 0x9e3779b97f4a7c15U);
}

Duration sample_of_word(const Time& time, std::uint64_t word) {
  RandomStream stream = stream_giving(word);
  return TimeSampler(time).sample(stream);
}

TEST(StreamGiving, GivesTheWord) {
  for (const std::uint64_t word : {std::uint64_t{0}, std::uint64_t{1}, kLastWord, kLastWord / 3}) {
    EXPECT_EQ(stream_giving(word).next(), word);
  }
}

// ---- how much is drawn -----------------------------------------------------------------------

TEST(TimeSampler, FixedTimeDrawsNothing) {
  RandomStream stream(3);
  const TimeSampler sampler(Time{250ms});
  EXPECT_EQ(sampler.sample(stream), 250ms);
  EXPECT_EQ(stream, RandomStream(3));
  EXPECT_EQ(sampler.earliest(), 250ms);
  EXPECT_EQ(sampler.latest(), 250ms);
}

TEST(TimeSampler, EveryOtherTimeDrawsOneWord) {
  const std::vector<Time> times{
      UniformTime{1s, 4s},   UniformTime{1s, 1s},     UniformTime{0ns, Duration::max()},
      ExponentialTime{2s},   ExponentialTime{0ns},    LognormalTime{1s, 9s},
      LognormalTime{1s, 1s}, EmpiricalTime{{1s, 2s}}, EmpiricalTime{{3s}}};
  for (const Time& time : times) {
    RandomStream stream(99);
    RandomStream expected(99);
    (void)TimeSampler(time).sample(stream);
    (void)expected.next();
    EXPECT_EQ(stream, expected) << time.index();
  }
}

// ---- uniform ---------------------------------------------------------------------------------

TEST(TimeSampler, UniformReachesBothEnds) {
  const TimeSampler sampler(UniformTime{5ns, 8ns});
  std::map<std::int64_t, int> counts;
  RandomStream stream(11);
  for (int count = 0; count < 40'000; ++count) {
    ++counts[sampler.sample(stream).count()];
  }
  ASSERT_THAT(counts, ElementsAre(Pair(5, testing::_), Pair(6, testing::_), Pair(7, testing::_),
                                  Pair(8, testing::_)));
  for (const auto& [value, count] : counts) {
    // Binomial(40000, 1/4): standard deviation 86.6; 4.5 of them.
    EXPECT_NEAR(count, 10'000, 390) << value;
  }
  EXPECT_EQ(sampler.earliest(), 5ns);
  EXPECT_EQ(sampler.latest(), 8ns);
}

TEST(TimeSampler, UniformSplitsTheWordsEvenly) {
  // Two values: the lower half of all words gives the first, the upper half the second.
  const Time time = UniformTime{7ns, 8ns};
  EXPECT_EQ(sample_of_word(time, 0), 7ns);
  EXPECT_EQ(sample_of_word(time, (std::uint64_t{1} << 63) - 1), 7ns);
  EXPECT_EQ(sample_of_word(time, std::uint64_t{1} << 63), 8ns);
  EXPECT_EQ(sample_of_word(time, kLastWord), 8ns);
}

TEST(TimeSampler, UniformCoversAllDurations) {
  const Time time = UniformTime{0ns, Duration::max()};  // 2^63 values
  EXPECT_EQ(sample_of_word(time, 0), 0ns);
  EXPECT_EQ(sample_of_word(time, std::uint64_t{1} << 63).count(), std::int64_t{1} << 62);
  EXPECT_EQ(sample_of_word(time, kLastWord), Duration::max());
  EXPECT_EQ(sample_of_word(UniformTime{Duration::max(), Duration::max()}, kLastWord),
            Duration::max());
}

// ---- empirical -------------------------------------------------------------------------------

TEST(TimeSampler, EmpiricalGivesEveryValueAlike) {
  const EmpiricalTime time{{30ms, 10ms, 90ms}};
  EXPECT_EQ(sample_of_word(time, 0), 30ms);
  EXPECT_EQ(sample_of_word(time, std::uint64_t{1} << 63), 10ms);
  EXPECT_EQ(sample_of_word(time, kLastWord), 90ms);

  const TimeSampler sampler(time);
  EXPECT_EQ(sampler.earliest(), 10ms);
  EXPECT_EQ(sampler.latest(), 90ms);
  std::map<Duration, int> counts;
  RandomStream stream(12);
  for (int count = 0; count < 90'000; ++count) {
    ++counts[sampler.sample(stream)];
  }
  ASSERT_EQ(counts.size(), 3U);
  for (const auto& [value, count] : counts) {
    // Binomial(90000, 1/3): standard deviation 141.4; 4.5 of them.
    EXPECT_NEAR(count, 30'000, 636) << value.count();
  }
}

TEST(TimeSampler, EmpiricalGivesRepeatedValuesMoreOften) {
  const EmpiricalTime time{{1s, 1s, 1s, 2s}};
  EXPECT_EQ(sample_of_word(time, 3 * (std::uint64_t{1} << 62) - 1), 1s);
  EXPECT_EQ(sample_of_word(time, 3 * (std::uint64_t{1} << 62)), 2s);
}

// ---- exponential and lognormal ---------------------------------------------------------------

TEST(TimeSampler, TabulatedTimesOfTheFirstAndLastWord) {
  EXPECT_EQ(sample_of_word(ExponentialTime{1s}, 0), 0ns);
  EXPECT_EQ(sample_of_word(ExponentialTime{1s}, kLastWord), 27725887222ns);  // 40 ln 2
  const LognormalTime lognormal{800ms, 12s};
  const TimeSampler sampler(lognormal);
  EXPECT_EQ(sample_of_word(lognormal, 0), sampler.earliest());
  EXPECT_EQ(sample_of_word(lognormal, kLastWord), sampler.latest());
  // exp(+-7.0477 sigma) with sigma = ln(15) / 2.3263: 0.8 s * 3656, 0.8 s / 3656.
  EXPECT_NEAR(static_cast<double>(sampler.latest().count()), 0.8e9 * 3656, 0.8e9 * 40);
  EXPECT_NEAR(static_cast<double>(sampler.earliest().count()), 0.8e9 / 3656, 0.8e9 / 3656 / 90);
}

/// A million draws: their mean in seconds, and how many lie below each of `marks`.
struct Draws {
  double mean_s = 0;
  std::vector<int> below;
};

Draws million_draws(const Time& time, std::uint64_t seed, const std::vector<double>& marks_s) {
  const TimeSampler sampler(time);
  RandomStream stream(seed);
  Draws draws{0, std::vector<int>(marks_s.size())};
  for (int count = 0; count < 1'000'000; ++count) {
    const double value_s = static_cast<double>(sampler.sample(stream).count()) * 1e-9;
    draws.mean_s += value_s * 1e-6;
    for (std::size_t mark = 0; mark < marks_s.size(); ++mark) {
      draws.below[mark] += value_s < marks_s[mark] ? 1 : 0;
    }
  }
  return draws;
}

// The count of draws below the quantile q is binomial with standard deviation 1000 sqrt(q (1 - q)):
// 99.5 for 1 % and 99 %, 500 for the median, 31.6 for 99.9 %. All bounds are 4.5 of them.

TEST(TimeSampler, ExponentialHasItsMeanAndQuantiles) {
  // Quantiles -ln(1 - q) of mean 1 s.
  const Draws draws = million_draws(ExponentialTime{1s}, 21,
                                    {0.01005033585, 0.69314718056, 4.60517018599, 6.90775527898});
  EXPECT_NEAR(draws.mean_s, 1.0, 4.5e-3);  // standard deviation 1 s / sqrt(1e6)
  EXPECT_NEAR(draws.below[0], 10'000, 448);
  EXPECT_NEAR(draws.below[1], 500'000, 2250);
  EXPECT_NEAR(draws.below[2], 990'000, 448);
  EXPECT_NEAR(draws.below[3], 999'000, 143);
}

TEST(TimeSampler, LognormalHasItsMeanAndQuantiles) {
  // sigma = ln(5) / 2.3263479 = 0.691830; mean exp(sigma^2 / 2) = 1.270378 s, standard deviation
  // mean * sqrt(exp(sigma^2) - 1) = 0.995 s. Quantiles: 1/5, 1, 5 and exp(3.0902323 sigma) s.
  const Draws draws = million_draws(LognormalTime{1s, 5s}, 22, {0.2, 1.0, 5.0, 8.48175});
  EXPECT_NEAR(draws.mean_s, 1.270378, 4.48e-3);
  EXPECT_NEAR(draws.below[0], 10'000, 448);
  EXPECT_NEAR(draws.below[1], 500'000, 2250);
  EXPECT_NEAR(draws.below[2], 990'000, 448);
  EXPECT_NEAR(draws.below[3], 999'000, 143);
}

// ---- as a value ------------------------------------------------------------------------------

TEST(TimeSampler, CopyOutlivesItsOriginal) {
  for (const Time& time : {Time{LognormalTime{1s, 9s}}, Time{EmpiricalTime{{1s, 2s, 3s, 4s}}}}) {
    RandomStream stream(5);
    RandomStream same(5);
    auto original = std::make_unique<TimeSampler>(time);
    const TimeSampler copy = *original;
    const Duration expected = original->sample(stream);
    original.reset();
    EXPECT_EQ(copy.sample(same), expected);
  }
}

TEST(TimeSampler, RefusesWhatTheModelForbids) {
  const std::vector<Time> impossible{Duration{-1ns},        UniformTime{2s, 1s},
                                     UniformTime{-1s, 1s},  ExponentialTime{-1s},
                                     LognormalTime{0s, 1s}, LognormalTime{2s, 1s},
                                     EmpiricalTime{},       EmpiricalTime{{1s, -1ns}}};
  for (const Time& time : impossible) {
    EXPECT_THROW(TimeSampler{time}, core::CheckFailed) << time.index();
  }
}

// Samples of one stream. Tabulated ones were computed by this code (see the test of the tables);
// uniform and empirical ones follow from the words by hand.
TEST(TimeSampler, SamplesAreTheSameOnEveryCompiler) {
  const auto first_three = [](const Time& time) {
    const TimeSampler sampler(time);
    RandomStream stream(42);
    std::array<std::int64_t, 3> samples{};
    for (auto& sample : samples) {
      sample = sampler.sample(stream).count();
    }
    return samples;
  };
  EXPECT_THAT(first_three(ExponentialTime{1s}), ElementsAre(1353116788, 174246845, 326563917));
  EXPECT_THAT(first_three(LognormalTime{800ms, 12s}),
              ElementsAre(1701301836, 251277215, 403952818));
  EXPECT_THAT(first_three(UniformTime{1s, 4s}), ElementsAre(3224694637, 1479731178, 1835803391));
  EXPECT_THAT(first_three(EmpiricalTime{{10ns, 20ns, 30ns, 40ns}}), ElementsAre(30, 10, 20));
}

}  // namespace
}  // namespace squall::playback
