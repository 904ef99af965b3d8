// SPDX-License-Identifier: MIT
#include "playback/prefix_cache.hpp"

#include <gmock/gmock.h>

namespace squall::playback {
namespace {

TEST(PrefixCache, NothingIsSeenAtFirst) {
  EXPECT_EQ(PrefixCache().seen_of("abc"), 0U);
  EXPECT_EQ(PrefixCache().seen_of(""), 0U);
}

TEST(PrefixCache, LongestSeenPrefixCounts) {
  PrefixCache cache;
  cache.see("abc]}");
  EXPECT_EQ(cache.seen_of("abc]}"), 5U);
  EXPECT_EQ(cache.seen_of("abc,d]}"), 3U);  // All but the closing brackets.
  EXPECT_EQ(cache.seen_of("ab"), 2U);
  EXPECT_EQ(cache.seen_of("xbc]}"), 0U);
  cache.see("abc,d]}");
  EXPECT_EQ(cache.seen_of("abc,d,e]}"), 5U);
  EXPECT_EQ(cache.seen_of("abc]}"), 5U);  // The first one is not forgotten.
  cache.clear();
  EXPECT_EQ(cache.seen_of("abc]}"), 0U);
}

TEST(PrefixCache, BodyThatContinuesASeenOneReplacesIt) {
  PrefixCache cache;
  cache.see("ab");
  cache.see("abcd");
  cache.see("abc");
  EXPECT_EQ(cache.seen_of("abcdef"), 4U);
}

TEST(PrefixCache, ReuseIsTheShareOfAllBytes) {
  EXPECT_EQ(prefix_reuse_ppm({}), 0U);
  EXPECT_EQ(prefix_reuse_ppm({{.request_bytes = 200, .seen_bytes = 0}}), 0U);
  // 200 of 200 + 200, and 100 of 300 more: 300 / 700 = 0.428571...
  EXPECT_EQ(prefix_reuse_ppm({{200, 0}, {200, 200}, {300, 100}}), 428'571U);
}

}  // namespace
}  // namespace squall::playback
