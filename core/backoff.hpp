// SPDX-License-Identifier: MIT
//
// How long to wait before the next attempt, before jitter. A backoff is a value that maps a slot
// (0 for the sleep after the first attempt) to milliseconds; it holds no state and knows nothing of
// attempts, jitter or Retry-After.
#pragma once

#include <cstdint>
#include <variant>

namespace squall::core {

/// An exact positive factor, `numerator / denominator`. Both at least 1.
struct Ratio {
  std::uint32_t numerator = 1;
  std::uint32_t denominator = 1;

  friend constexpr bool operator==(const Ratio&, const Ratio&) = default;
};

/// The same wait in every slot.
struct ConstantBackoff {
  std::uint64_t delay_ms = 0;

  friend constexpr bool operator==(const ConstantBackoff&, const ConstantBackoff&) = default;
};

/// min(cap, base x multiplier^min(slot, growth_steps_max)), every product rounded down to whole
/// milliseconds and saturating at 2^64-1.
struct ExponentialBackoff {
  std::uint64_t base_ms = 0;
  std::uint64_t cap_ms = 0;
  Ratio multiplier{.numerator = 2, .denominator = 1};
  /// The schedule stops growing after this many steps, even below the cap. @source default policy:
  /// the exponent is held at 6, so a base of 5 s never exceeds 320 s before the cap.
  std::uint32_t growth_steps_max = 6;

  friend constexpr bool operator==(const ExponentialBackoff&, const ExponentialBackoff&) = default;
};

/// Every kind of schedule there is. A new kind is a new alternative with its own `delay_ms`.
using Backoff = std::variant<ConstantBackoff, ExponentialBackoff>;

/// Returns the wait of `slot` in milliseconds, before jitter.
///
/// @param slot  0-based number of the sleep. Any value; late slots repeat the last growth step.
/// @cost        O(growth_steps_max) at most, no allocation.
[[nodiscard]] std::uint64_t delay_ms(const Backoff& backoff, std::uint32_t slot);

}  // namespace squall::core
