// SPDX-License-Identifier: MIT
//
// Jitter spreads a scheduled wait over an interval so that clients which failed together do not
// return together. It touches the sleep only, never the request. Every kind answers two questions:
// which wait a given random word gives, and which waits are possible at all (what checks and the
// worst-case analysis rely on).
#pragma once

#include <cstdint>
#include <variant>

namespace squall::core {

/// A closed interval of milliseconds.
struct SleepInterval {
  std::uint64_t min_ms = 0;
  std::uint64_t max_ms = 0;

  [[nodiscard]] constexpr bool contains(std::uint64_t value_ms) const {
    return min_ms <= value_ms && value_ms <= max_ms;
  }
  friend constexpr bool operator==(const SleepInterval&, const SleepInterval&) = default;
};

/// The scheduled wait itself.
struct NoJitter {
  friend constexpr bool operator==(const NoJitter&, const NoJitter&) = default;
};

/// `base - base/below + word mod max(base/width, 1)`, integer division, saturating.
///
/// With {4, 2}: [75 %, 125 %) of the base; 5000 gives [3750, 6249], 4 gives {3, 4}, 0 gives {0}.
/// With {4, 4}: [75 %, 100 %), the rule of several generated SDKs.
struct ProportionalJitter {
  /// Divisor of the part taken off the base; at least 1.
  std::uint32_t below = 4;
  /// Divisor that gives the width of the interval; at least 1.
  std::uint32_t width = 2;

  friend constexpr bool operator==(const ProportionalJitter&, const ProportionalJitter&) = default;
};

/// `base/2 + uniform[0, base/2]`. @source AWS Architecture Blog, "Exponential Backoff And Jitter"
/// (2015), equal jitter.
struct EqualJitter {
  friend constexpr bool operator==(const EqualJitter&, const EqualJitter&) = default;
};

/// `uniform[0, base]`. @source the same article, full jitter.
struct FullJitter {
  friend constexpr bool operator==(const FullJitter&, const FullJitter&) = default;
};

/// Every kind of jitter there is. A new kind is a new alternative with its two functions.
using Jitter = std::variant<NoJitter, ProportionalJitter, EqualJitter, FullJitter>;

/// The wait in milliseconds for a scheduled `base_ms` and a uniform 64-bit `word`.
[[nodiscard]] std::uint64_t jittered_ms(const Jitter& jitter, std::uint64_t base_ms,
                                        std::uint64_t word);

/// All waits `jittered_ms` can return for `base_ms`; both ends are reached.
[[nodiscard]] SleepInterval jitter_interval(const Jitter& jitter, std::uint64_t base_ms);

}  // namespace squall::core
