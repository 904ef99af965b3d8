// SPDX-License-Identifier: MIT
#include "live/client_scripts.hpp"

#include <gtest/gtest.h>

namespace squall::live {
namespace {

TEST(LoggedTarget, ShowsNoSecretThatATargetMayHold) {
  EXPECT_EQ(without_query_values("/v1/chat/completions"), "/v1/chat/completions");
  EXPECT_EQ(without_query_values("/v1?key=SECRET&beta=true#frag"), "/v1?key=&beta=");
  EXPECT_EQ(without_query_values("/v1?SECRET"), "/v1");
  EXPECT_EQ(without_query_values("/v1?SECRET&a=b"), "/v1?a=");
  EXPECT_EQ(without_query_values("/v1#SECRET"), "/v1");
  EXPECT_EQ(without_query_values("http://u:SECRET@h/v1?a=b"), "http://h/v1?a=");
  EXPECT_EQ(without_query_values("http://h/v1/a@b"), "http://h/v1/a@b");
}

}  // namespace
}  // namespace squall::live
