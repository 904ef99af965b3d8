// SPDX-License-Identifier: MIT
#include "core/backoff.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "core/vectors_test_support.hpp"

namespace squall::core {
namespace {

constexpr std::uint64_t kMax64 = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint32_t kMax32 = std::numeric_limits<std::uint32_t>::max();

std::vector<std::uint64_t> first_delays(const Backoff& backoff, std::uint32_t count) {
  std::vector<std::uint64_t> delays;
  for (std::uint32_t slot = 0; slot < count; ++slot) {
    delays.push_back(delay_ms(backoff, slot));
  }
  return delays;
}

TEST(BackoffVectors, BackoffJson) {
  const nlohmann::json vectors = load_vectors("backoff.json");
  for (const nlohmann::json& vector : vectors) {
    const ExponentialBackoff backoff{.base_ms = unsigned_at(vector, "base_backoff_ms"),
                                     .cap_ms = unsigned_at(vector, "max_backoff_ms")};
    const nlohmann::json& sleeps = vector.at("sleeps_ms");
    const std::uint64_t attempts = unsigned_at(vector, "max_attempts");
    ASSERT_EQ(sleeps.size(), attempts == 0 ? 0 : attempts - 1) << vector;
    for (std::size_t slot = 0; slot < sleeps.size(); ++slot) {
      ASSERT_TRUE(sleeps[slot].is_number_unsigned()) << vector;
      EXPECT_EQ(delay_ms(backoff, static_cast<std::uint32_t>(slot)),
                sleeps[slot].get<std::uint64_t>())
          << vector << " slot " << slot;
    }
  }
}

TEST(ConstantBackoff, IsTheSameInEverySlot) {
  for (const std::uint64_t delay : {std::uint64_t{0}, std::uint64_t{250}, kMax64}) {
    for (const std::uint32_t slot : {0U, 1U, 6U, 7U, kMax32}) {
      EXPECT_EQ(delay_ms(ConstantBackoff{delay}, slot), delay);
    }
  }
}

// 1000, 1500, 2250, 3375, then 5062.5 and 7593 rounded down at each step.
TEST(ExponentialBackoff, GrowsByThreeHalvesRoundedDownAtEachStep) {
  const ExponentialBackoff backoff{
      .base_ms = 1000, .cap_ms = kMax64, .multiplier = {.numerator = 3, .denominator = 2}};
  EXPECT_EQ(first_delays(backoff, 6),
            (std::vector<std::uint64_t>{1000, 1500, 2250, 3375, 5062, 7593}));
}

TEST(ExponentialBackoff, ABaseTooSmallForTheFactorStaysWhereItIs) {
  const ExponentialBackoff backoff{
      .base_ms = 1, .cap_ms = 10, .multiplier = {.numerator = 3, .denominator = 2}};
  EXPECT_EQ(first_delays(backoff, 4), (std::vector<std::uint64_t>{1, 1, 1, 1}));
}

TEST(ExponentialBackoff, AFactorBelowOneShrinks) {
  const ExponentialBackoff backoff{
      .base_ms = 100, .cap_ms = 60, .multiplier = {.numerator = 1, .denominator = 2}};
  EXPECT_EQ(first_delays(backoff, 8), (std::vector<std::uint64_t>{60, 50, 25, 12, 6, 3, 1, 1}));
}

TEST(ExponentialBackoff, SaturatesInsteadOfWrapping) {
  const ExponentialBackoff doubling{.base_ms = (kMax64 >> 1) + 1, .cap_ms = kMax64};
  EXPECT_EQ(first_delays(doubling, 3),
            (std::vector<std::uint64_t>{(kMax64 >> 1) + 1, kMax64, kMax64}));

  // The widest product there is: (2^64-1) x (2^32-1).
  const ExponentialBackoff widest{
      .base_ms = kMax64, .cap_ms = kMax64, .multiplier = {.numerator = kMax32, .denominator = 1}};
  EXPECT_EQ(delay_ms(widest, 1), kMax64);

  // The product needs more than 64 bits, the quotient does not: no saturation.
  const ExponentialBackoff exact{
      .base_ms = 1'000'000'000'000'000'000U,
      .cap_ms = kMax64,
      .multiplier = {.numerator = 3'000'000'000U, .denominator = 2'000'000'000U}};
  EXPECT_EQ(delay_ms(exact, 1), 1'500'000'000'000'000'000U);
}

TEST(ExponentialBackoff, GrowthStopsAfterTheLastStep) {
  ExponentialBackoff backoff{.base_ms = 10, .cap_ms = kMax64};
  EXPECT_EQ(delay_ms(backoff, 5), 320U);
  EXPECT_EQ(delay_ms(backoff, 6), 640U);
  EXPECT_EQ(delay_ms(backoff, 7), 640U);

  backoff.growth_steps_max = 2;
  EXPECT_EQ(first_delays(backoff, 5), (std::vector<std::uint64_t>{10, 20, 40, 40, 40}));

  backoff.growth_steps_max = 0;
  EXPECT_EQ(first_delays(backoff, 3), (std::vector<std::uint64_t>{10, 10, 10}));
}

// Without the early end of the growth these two would take 2^32 steps each, and the test would be
// seen to hang.
TEST(ExponentialBackoff, HugeSlotsAreCheap) {
  ExponentialBackoff backoff{.base_ms = 1, .cap_ms = kMax64, .growth_steps_max = kMax32};
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(delay_ms(backoff, kMax32), kMax64);
  }
  EXPECT_EQ(delay_ms(backoff, 63), std::uint64_t{1} << 63);
  EXPECT_EQ(delay_ms(backoff, 64), kMax64);

  backoff.multiplier = {.numerator = 7, .denominator = 7};
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(delay_ms(backoff, kMax32), 1U);
  }
  EXPECT_EQ(delay_ms(ExponentialBackoff{.base_ms = 5'000, .cap_ms = 60'000}, kMax32), 60'000U);
}

}  // namespace
}  // namespace squall::core
