// SPDX-License-Identifier: MIT
#include "analysis/gate_parts.hpp"

#include <chrono>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/shipped_policies.hpp"

namespace squall::analysis {
namespace {

using core::RetryPolicy;
using testing::ElementsAre;
using testing::IsEmpty;

RetryPolicy with_cap(std::uint64_t cap_ms) {
  RetryPolicy policy = core::default_policy();
  std::get<core::ExponentialBackoff>(policy.backoff).cap_ms = cap_ms;
  return policy;
}

TEST(GateParts, OnePartIsOnePart) {
  EXPECT_THAT(changed_parts(core::default_policy(), core::default_policy()), IsEmpty());
  EXPECT_THAT(changed_parts(core::default_policy(), with_cap(90'000)), ElementsAre(Part::kCap));
  EXPECT_EQ(pointer_of(Part::kCap), "/backoff/cap");
}

TEST(GateParts, AnotherKindOfScheduleIsOnePart) {
  RetryPolicy constant = core::default_policy();
  constant.backoff = core::ConstantBackoff{.delay_ms = 5'000};
  EXPECT_THAT(changed_parts(core::default_policy(), constant), ElementsAre(Part::kBackoff));
  EXPECT_THAT(changed_parts(constant, core::default_policy()), ElementsAre(Part::kBackoff));
  RetryPolicy other = constant;
  other.backoff = core::ConstantBackoff{.delay_ms = 6'000};
  EXPECT_THAT(changed_parts(constant, other), ElementsAre(Part::kBackoff));
}

TEST(GateParts, PartsAddUpToTheWholeDifference) {
  for (const core::NamedPolicy& from : core::kShippedPolicies) {
    for (const core::NamedPolicy& to : core::kShippedPolicies) {
      RetryPolicy mixed = from.make();
      for (const Part part : changed_parts(from.make(), to.make())) {
        mixed = with_part(mixed, to.make(), part);
      }
      EXPECT_EQ(mixed, to.make()) << from.name << " to " << to.name;
    }
  }
}

TEST(GateParts, APartAloneLeavesTheRest) {
  RetryPolicy to = with_cap(90'000);
  to.budgets.attempts_max = 3;
  to.timeouts.attempt = std::chrono::seconds(9);
  EXPECT_THAT(changed_parts(core::default_policy(), to),
              ElementsAre(Part::kAttempts, Part::kCap, Part::kAttemptTimeout));
  EXPECT_EQ(with_part(core::default_policy(), to, Part::kCap), with_cap(90'000));
}

}  // namespace
}  // namespace squall::analysis
