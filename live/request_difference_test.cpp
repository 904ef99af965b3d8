// SPDX-License-Identifier: MIT
#include "live/request_difference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "live/client_log_test_support.hpp"

namespace squall::live {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

std::optional<BodyDifference> between(const std::string& before, const std::string& after) {
  return body_difference(posted(0ms, 0ms, before), posted(0ms, 0ms, after));
}

TEST(RequestDifference, Bodies) {
  EXPECT_EQ(between("abc", "abc"), std::nullopt);
  EXPECT_EQ(between("abc", "abd"), (BodyDifference{2, std::nullopt, false}));
  EXPECT_EQ(between("abc", "abcd"), (BodyDifference{3, std::nullopt, false}));
  EXPECT_EQ(between(R"({"a":1})", R"({"a":2})"), (BodyDifference{5, "/a", false}));
  EXPECT_EQ(between(R"({"a":[1,2]})", R"({"a":[1,3]})"), (BodyDifference{8, "/a/1", false}));
  EXPECT_EQ(between(R"({"a":1})", R"({"a":1,"b":2})"), (BodyDifference{6, "/b", false}));
  EXPECT_EQ(between(R"({"a":1,"b":2})", R"({"b":2,"a":1})"),
            (BodyDifference{2, std::nullopt, true}));
}

TEST(RequestDifference, BodiesTooLargeToKeep) {
  LoggedExchange before = posted(0ms, 0ms, "abc");
  LoggedExchange after = posted(0ms, 0ms, "abd");
  before.body.clear();
  after.body.clear();
  EXPECT_EQ(body_difference(before, after), BodyDifference{});
  after.body_digest = before.body_digest;
  EXPECT_EQ(body_difference(before, after), std::nullopt);
}

TEST(RequestDifference, Headers) {
  LoggedExchange before;
  before.headers = {{"Accept", "*/*"}, {"X-Retry", "0"}, {"Old", "o"}, {"Via", "a"}, {"via", "b"}};
  LoggedExchange after;
  after.headers = {{"via", "a"}, {"new", "n"}, {"x-retry", "1"}, {"ACCEPT", "*/*"}};
  EXPECT_THAT(
      header_differences(before, after),
      ElementsAre(HeaderDifference{"new", std::nullopt, "n"},
                  HeaderDifference{"old", "o", std::nullopt}, HeaderDifference{"via", "a, b", "a"},
                  HeaderDifference{"x-retry", "0", "1"}));
}

TEST(RequestDifference, IdempotencyKey) {
  LoggedExchange exchange;
  EXPECT_EQ(idempotency_key(exchange), std::nullopt);
  exchange.headers = {{"X-Idempotency-Key", "old"}};
  EXPECT_EQ(idempotency_key(exchange), "old");
  exchange.headers.push_back({"Idempotency-Key", "new"});
  EXPECT_EQ(idempotency_key(exchange), "new");
}

}  // namespace
}  // namespace squall::live
