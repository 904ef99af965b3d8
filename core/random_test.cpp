// SPDX-License-Identifier: MIT
#include "core/random.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace squall::core {
namespace {

std::vector<std::uint64_t> first_words(RandomStream stream, int count) {
  std::vector<std::uint64_t> words;
  for (int index = 0; index < count; ++index) {
    words.push_back(stream.next());
  }
  return words;
}

// Words of the published SplitMix64 reference generator for these seeds.
TEST(RandomStream, GivesTheReferenceWords) {
  EXPECT_EQ(first_words(RandomStream(1'234'567), 5),
            (std::vector<std::uint64_t>{6'457'827'717'110'365'317U, 3'203'168'211'198'807'973U,
                                        9'817'491'932'198'370'423U, 4'593'380'528'125'082'431U,
                                        16'408'922'859'458'223'821U}));
  EXPECT_EQ(
      first_words(RandomStream(0), 3),
      (std::vector<std::uint64_t>{0xe220a8397b1dcdafU, 0x6e789e6aa1b965f4U, 0x06c45d188009454fU}));
}

TEST(RandomStream, ACopyContinuesWithTheSameWords) {
  RandomStream stream(3);
  (void)stream.next();
  EXPECT_EQ(first_words(stream, 10), first_words(RandomStream(stream), 10));
}

TEST(RandomStream, GivesTheWordsItBeginsWithAndThenItsOwn) {
  const std::vector<std::uint64_t> words = {0, std::numeric_limits<std::uint64_t>::max(), 7};
  const RandomStream own(3);
  std::vector<std::uint64_t> expected = words;
  for (const std::uint64_t word : first_words(own, 3)) {
    expected.push_back(word);
  }
  RandomStream stream = own.beginning_with(words);
  EXPECT_EQ(first_words(stream, 6), expected);
  // A copy made half-way goes on where it was made.
  (void)stream.next();
  EXPECT_EQ(first_words(RandomStream(stream), 5),
            (std::vector(expected.begin() + 1, expected.end())));
  // Bounded draws use them up like any other: the high part of 2^64-1 times 6.
  EXPECT_EQ(stream.next_below(6), 5U);
}

TEST(RandomStream, BeginningWithNoWordsChangesNothing) {
  EXPECT_EQ(first_words(RandomStream(3).beginning_with({}), 4), first_words(RandomStream(3), 4));
}

TEST(RandomStream, WordsToBeginWithDoNotReachSplitStreams) {
  const std::vector<std::uint64_t> words = {1, 2};
  const RandomStream stream = RandomStream(3).beginning_with(words);
  EXPECT_EQ(stream.split("a"), RandomStream(3).split("a"));
  EXPECT_EQ(stream.split(17), RandomStream(3).split(17));
}

TEST(RandomStream, SplittingDrawsNothing) {
  const RandomStream untouched(3);
  RandomStream stream(3);
  (void)stream.split("backoff");
  (void)stream.split(17);
  EXPECT_EQ(stream, untouched);
}

TEST(RandomStream, ALabelIsTheNumberOfItsFnvHash) {
  // Published FNV-1a test values for "", "a" and "foobar".
  const RandomStream stream(3);
  EXPECT_EQ(stream.split(""), stream.split(0xcbf29ce484222325U));
  EXPECT_EQ(stream.split("a"), stream.split(0xaf63dc4c8601ec8cU));
  EXPECT_EQ(stream.split("foobar"), stream.split(0x85944171f73967e8U));
}

TEST(RandomStream, StreamsDifferByLabelIndexOrderAndSeed) {
  const RandomStream stream(3);
  const std::vector<RandomStream> streams = {
      stream,
      stream.split("a"),
      stream.split("b"),
      stream.split(0),
      stream.split(1),
      stream.split("a").split("b"),
      stream.split("b").split("a"),
      stream.split("ab"),
      RandomStream(4).split("a"),
  };
  for (std::size_t left = 0; left < streams.size(); ++left) {
    for (std::size_t right = left + 1; right < streams.size(); ++right) {
      EXPECT_NE(first_words(streams[left], 4), first_words(streams[right], 4))
          << left << " " << right;
    }
  }
}

TEST(RandomStream, BoundedDrawsTakeTheHighPartOfOneWord) {
  RandomStream bounded(3);
  RandomStream words(3);
  for (int trial = 0; trial < 1'000; ++trial) {
    // For a power of two the multiply-and-shift keeps the leading bits.
    ASSERT_EQ(bounded.next_below(std::uint64_t{1} << 10), words.next() >> 54);
  }
  EXPECT_EQ(bounded, words);
  EXPECT_EQ(bounded.next_below(1), 0U);
}

TEST(RandomStream, BoundedDrawsStayBelowAndReachEveryValue) {
  RandomStream stream(5);
  std::vector<int> counts(6);
  for (int trial = 0; trial < 6'000; ++trial) {
    ++counts.at(stream.next_below(6));
  }
  for (const int count : counts) {
    // 1000 expected, standard deviation 29: eight of them is out of reach of chance.
    EXPECT_NEAR(count, 1'000, 240);
  }
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  for (int trial = 0; trial < 1'000; ++trial) {
    ASSERT_LT(stream.next_below(kMax), kMax);
  }
}

}  // namespace
}  // namespace squall::core
