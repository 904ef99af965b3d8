// SPDX-License-Identifier: MIT
//
// How sure a success rate is.
#pragma once

#include <cstdint>

namespace squall::reports {

/// An interval of shares in millionths; both ends within [0, 1'000'000].
struct ShareInterval {
  std::uint32_t min_ppm = 0;
  std::uint32_t max_ppm = 1'000'000;

  friend bool operator==(const ShareInterval&, const ShareInterval&) = default;
};

/// The 95 % Wilson score interval for `successes` of `runs`, rounded outwards to millionths.
/// Requires successes <= runs and runs > 0. Uses + - * / and square root only, which IEEE 754
/// rounds alike everywhere.
///
/// @source Wilson, "Probable inference, the law of succession, and statistical inference" (1927).
[[nodiscard]] ShareInterval wilson_interval(std::uint64_t successes, std::uint64_t runs);

}  // namespace squall::reports
