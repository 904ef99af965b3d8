// SPDX-License-Identifier: MIT
#include "core/status_set.hpp"

#include <limits>
#include <type_traits>

#include <gtest/gtest.h>

namespace squall::core {
namespace {

static_assert(std::is_trivially_copyable_v<StatusSet>);

TEST(StatusSet, IsEmptyAtFirst) {
  const StatusSet set;
  for (int status = -1; status <= 1000; ++status) {
    EXPECT_FALSE(set.contains(status)) << status;
  }
}

TEST(StatusSet, AddsOneCode) {
  const StatusSet set = StatusSet().add(0).add(503).add(999);
  for (int status = -1; status <= 1000; ++status) {
    EXPECT_EQ(set.contains(status), status == 0 || status == 503 || status == 999) << status;
  }
}

TEST(StatusSet, AddsAWholeClass) {
  const StatusSet set = StatusSet().add_class(5);
  for (int status = -1; status <= 1000; ++status) {
    EXPECT_EQ(set.contains(status), status >= 500 && status <= 599) << status;
  }
}

TEST(StatusSet, IgnoresNumbersThatAreNoStatus) {
  const StatusSet set = StatusSet()
                            .add(-1)
                            .add(1000)
                            .add(std::numeric_limits<int>::min())
                            .add(std::numeric_limits<int>::max())
                            .add_class(-1)
                            .add_class(10)
                            .add_class(std::numeric_limits<int>::max());
  EXPECT_EQ(set, StatusSet());
  EXPECT_FALSE(set.contains(std::numeric_limits<int>::max()));
}

TEST(StatusSet, TheDefaultFollowsTheLlmRule) {
  const StatusSet set = StatusSet::llm_default();
  for (int status = 0; status < 1000; ++status) {
    const bool is_success = status >= 200 && status <= 299;
    const bool is_client_error = status >= 400 && status <= 499;
    const bool is_status = status >= 100;  // Nothing below can be received.
    EXPECT_EQ(set.contains(status),
              is_status && !is_success && (!is_client_error || status == 408 || status == 429))
        << status;
  }
}

}  // namespace
}  // namespace squall::core
