// SPDX-License-Identifier: MIT
#include "reports/wilson.hpp"

#include <algorithm>
#include <cmath>

#include "core/check.hpp"

namespace squall::reports {

ShareInterval wilson_interval(std::uint64_t successes, std::uint64_t runs) {
  SQUALL_CHECK(runs > 0 && successes <= runs, successes, runs);
  // 97.5 % quantile of the standard normal distribution.
  constexpr double kZ = 1.959963984540054;
  constexpr double kMillion = 1e6;
  const auto n = static_cast<double>(runs);
  const double share = static_cast<double>(successes) / n;
  const double scale = 1.0 + kZ * kZ / n;
  const double center = (share + kZ * kZ / (2.0 * n)) / scale;
  const double half = kZ * std::sqrt(share * (1.0 - share) / n + kZ * kZ / (4.0 * n * n)) / scale;
  const double low = std::floor(std::clamp(center - half, 0.0, 1.0) * kMillion);
  const double high = std::ceil(std::clamp(center + half, 0.0, 1.0) * kMillion);
  // At the ends the interval touches 0 and 1 exactly; rounding must not take it away.
  return {.min_ppm = successes == 0 ? 0U : static_cast<std::uint32_t>(low),
          .max_ppm = successes == runs ? 1'000'000U : static_cast<std::uint32_t>(high)};
}

}  // namespace squall::reports
