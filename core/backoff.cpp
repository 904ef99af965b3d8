// SPDX-License-Identifier: MIT
#include "core/backoff.hpp"

#include <algorithm>
#include <limits>

namespace squall::core {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kSaturated = std::numeric_limits<std::uint64_t>::max();

std::uint64_t scale(std::uint64_t value, Ratio factor) {
  if (factor.denominator == 1) {  // The common case needs no wide division.
    std::uint64_t product = 0;
    return __builtin_mul_overflow(value, factor.numerator, &product) ? kSaturated : product;
  }
  const Wide product = static_cast<Wide>(value) * factor.numerator / factor.denominator;
  return product > kSaturated ? kSaturated : static_cast<std::uint64_t>(product);
}

std::uint64_t delay_of(const ConstantBackoff& backoff, std::uint32_t) {
  return backoff.delay_ms;
}

std::uint64_t delay_of(const ExponentialBackoff& backoff, std::uint32_t slot) {
  std::uint64_t delay = backoff.base_ms;
  const std::uint32_t steps = std::min(slot, backoff.growth_steps_max);
  for (std::uint32_t step = 0; step < steps; ++step) {
    const std::uint64_t grown = scale(delay, backoff.multiplier);
    if (grown == delay) {
      break;  // Saturated, zero or a factor of one: further steps change nothing.
    }
    delay = grown;
  }
  return std::min(delay, backoff.cap_ms);
}

}  // namespace

std::uint64_t delay_ms(const Backoff& backoff, std::uint32_t slot) {
  return std::visit([slot](const auto& kind) { return delay_of(kind, slot); }, backoff);
}

}  // namespace squall::core
