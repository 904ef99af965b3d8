// SPDX-License-Identifier: MIT
#include "core/check.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace squall::core {
namespace {

enum class Colour { kRed = 7 };

template <class Body>
std::string failure_of(Body body) {
  try {
    body();
  } catch (const CheckFailed& failure) {
    return failure.what();
  }
  return "no failure";
}

TEST(Check, NamesPlaceExpressionAndValues) {
  const int attempt = 0;
  const std::string text = failure_of([&] { SQUALL_CHECK(attempt >= 1, attempt); });
  const std::string line = std::to_string(__LINE__ - 1);
  EXPECT_EQ(text, "core/check_test.cpp:" + line + ": check failed: attempt >= 1 (attempt = 0)");
}

TEST(Check, ShowsValuesOfEveryKind) {
  const std::string name = "backoff";
  const Colour colour = Colour::kRed;
  EXPECT_THAT(
      failure_of([&] { SQUALL_CHECK(false, name, colour, 2U, true); }),
      testing::EndsWith(": check failed: false (name, colour, 2U, true = backoff, 7, 2, 1)"));
}

TEST(Check, NeedsNoValues) {
  EXPECT_THAT(failure_of([] { SQUALL_CHECK(1 + 1 == 3); }),
              testing::EndsWith(": check failed: 1 + 1 == 3"));
}

TEST(Check, EvaluatesTheConditionOnceAndValuesOnlyOnFailure) {
  int conditions = 0;
  int values = 0;
  const auto condition = [&](bool result) {
    ++conditions;
    return result;
  };
  const auto value = [&] { return ++values; };
  SQUALL_CHECK(condition(true), value());
  EXPECT_EQ(conditions, 1);
  EXPECT_EQ(values, 0);
  EXPECT_THROW(SQUALL_CHECK(condition(false), value()), CheckFailed);
  EXPECT_EQ(conditions, 2);
  EXPECT_EQ(values, 1);
}

TEST(Check, IsOneStatement) {
  bool reached_else = false;
  if (false)
    SQUALL_CHECK(false);
  else
    reached_else = true;
  EXPECT_TRUE(reached_else);
}

}  // namespace
}  // namespace squall::core
