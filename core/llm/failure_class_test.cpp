// SPDX-License-Identifier: MIT
#include "core/llm/failure_class.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace squall::core::llm {
namespace {

TEST(FailureClass, LabelsAreTheStableOnesInOrder) {
  std::vector<std::string_view> labels;
  for (const FailureClass failure_class : kAllFailureClasses) {
    labels.push_back(label(failure_class));
  }
  EXPECT_THAT(labels, testing::ElementsAre(
                          "transport", "truncated_envelope", "parse", "out_of_range_score",
                          "membership", "completeness", "contradiction_agents", "validation_other",
                          "truncated_output", "no_response", "non_retryable", "shutdown"));
}

TEST(FailureClass, TheListFollowsTheEnumeration) {
  for (std::size_t index = 0; index < kAllFailureClasses.size(); ++index) {
    EXPECT_EQ(static_cast<std::size_t>(kAllFailureClasses[index]), index);
  }
}

TEST(FailureClass, OnlyTwoForbidAnotherAttempt) {
  std::vector<FailureClass> final_classes;
  for (const FailureClass failure_class : kAllFailureClasses) {
    if (!is_retryable(failure_class)) {
      final_classes.push_back(failure_class);
    }
  }
  EXPECT_THAT(final_classes,
              testing::ElementsAre(FailureClass::kNonRetryable, FailureClass::kShutdown));
}

TEST(FailureClass, LabelsReadBack) {
  for (const FailureClass failure_class : kAllFailureClasses) {
    EXPECT_EQ(failure_class_from_label(label(failure_class)), failure_class);
  }
  for (const std::string_view unknown : {"", "Transport", "transport ", "transpor", "unknown"}) {
    EXPECT_EQ(failure_class_from_label(unknown), std::nullopt) << unknown;
  }
}

}  // namespace
}  // namespace squall::core::llm
