// SPDX-License-Identifier: MIT
#include "core/jitter.hpp"

#include <algorithm>
#include <limits>

namespace squall::core {
namespace {

constexpr std::uint64_t kSaturated = std::numeric_limits<std::uint64_t>::max();

std::uint64_t saturating_sum(std::uint64_t left, std::uint64_t right) {
  return left > kSaturated - right ? kSaturated : left + right;
}

/// Uniform in [0, max] by remainder: what the shipped policies do. max = 2^64-1 takes the word.
std::uint64_t remainder_up_to(std::uint64_t word, std::uint64_t max) {
  return max == kSaturated ? word : word % (max + 1);
}

std::uint64_t apply(NoJitter, std::uint64_t base, std::uint64_t) {
  return base;
}
SleepInterval interval(NoJitter, std::uint64_t base) {
  return {base, base};
}

std::uint64_t width_of(const ProportionalJitter& kind, std::uint64_t base) {
  return std::max<std::uint64_t>(base / kind.width, 1);
}
std::uint64_t apply(const ProportionalJitter& kind, std::uint64_t base, std::uint64_t word) {
  return saturating_sum(base - base / kind.below, word % width_of(kind, base));
}
SleepInterval interval(const ProportionalJitter& kind, std::uint64_t base) {
  const std::uint64_t low = base - base / kind.below;
  return {low, saturating_sum(low, width_of(kind, base) - 1)};
}

std::uint64_t apply(EqualJitter, std::uint64_t base, std::uint64_t word) {
  return base / 2 + remainder_up_to(word, base / 2);
}
SleepInterval interval(EqualJitter, std::uint64_t base) {
  return {base / 2, base / 2 * 2};
}

std::uint64_t apply(FullJitter, std::uint64_t base, std::uint64_t word) {
  return remainder_up_to(word, base);
}
SleepInterval interval(FullJitter, std::uint64_t base) {
  return {0, base};
}

}  // namespace

std::uint64_t jittered_ms(const Jitter& jitter, std::uint64_t base_ms, std::uint64_t word) {
  return std::visit([&](const auto& kind) { return apply(kind, base_ms, word); }, jitter);
}

SleepInterval jitter_interval(const Jitter& jitter, std::uint64_t base_ms) {
  return std::visit([&](const auto& kind) { return interval(kind, base_ms); }, jitter);
}

}  // namespace squall::core
