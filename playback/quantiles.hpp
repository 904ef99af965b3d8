// SPDX-License-Identifier: MIT
//
// Continuous distributions of times as integer tables: a uniform 64-bit word in, whole nanoseconds
// out, the same on every compiler and CPU. Nothing here calls the math library or a distribution of
// the standard library: tables are computed with + - * / on IEEE doubles and rounded to integers,
// and a draw is integer arithmetic alone. Must be compiled without contraction of a*b+c
// (-ffp-contract=off) and without -ffast-math.
//
//   const auto table = QuantileTable::exponential(std::chrono::seconds(1));
//   const core::Duration wait = table.at(stream.next());
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/time.hpp"

namespace squall::playback {

/// Natural logarithm. Requires x positive, normal and finite.
///
/// Relative error below 1e-15 (measured against long double), near x = 1 too.
/// @source ln(m * 2^n) = n ln 2 + 2 artanh((m-1)/(m+1)), sqrt(1/2) <= m <= sqrt(2), power series.
[[nodiscard]] double natural_log(double x);

/// e to the power x. Requires |x| <= 700.
///
/// Relative error below 1e-15 (measured against long double).
/// @source e^x = 2^n e^r with |r| <= ln(2)/2, Taylor series of e^r.
[[nodiscard]] double natural_exp(double x);

/// The value that a standard normal variable exceeds with probability `tail`.
/// Requires 0 < tail <= 1/2; the result is >= 0.
///
/// Relative error below 1e-15 (measured against long double erfc).
/// @source Wichura, "Algorithm AS 241: The Percentage Points of the Normal Distribution", Applied
///         Statistics 37 (1988), routine PPND16 (stated there: about 1 part in 10^16).
[[nodiscard]] double normal_upper_quantile(double tail);

/// The quantile function of a distribution of times, tabulated over all 64-bit words.
///
/// A word w stands for the probability w / 2^64 and, counted from above, ~w / 2^64: both halves are
/// resolved alike. Each half is cut into levels of the tail probability v: level k covers
/// 2^-(k+2) <= v < 2^-(k+1) in 128 cells of equal width, k = 0..38, with linear interpolation
/// within a cell. Tails below 2^-40 (9.1e-13, once in 1.1e12 draws on either side) are cut off:
/// they give the quantile of 2^-40 or of 1 - 2^-40.
///
/// Values increase with the word, lie in [0, Duration::max()] and saturate there. Short of
/// saturation they differ from the exact quantile by at most 1 ns plus, relatively, 1.2e-5
/// (exponential) or 1.3e-5 * sigma * (sigma + 1) (lognormal, sigma <= 4); the tests derive it.
///
/// Immutable and safe to use from any number of threads; copies share the table (80 kB).
/// @cost  about a millisecond to build, constant time to read (measured: 0.3 to 1 ms, 25 ns)
class QuantileTable {
 public:
  /// -mean * ln(1 - u); from mean * 9.1e-13 to mean * 27.73. Requires mean >= 0.
  [[nodiscard]] static QuantileTable exponential(core::Duration mean);

  /// median * exp(sigma * z(u)), z the standard normal quantile, sigma = ln(p99 / median) /
  /// z(0.99); from median * exp(-7.05 sigma) to median * exp(7.05 sigma). Requires median > 0 and
  /// p99 >= median.
  [[nodiscard]] static QuantileTable lognormal(core::Duration median, core::Duration p99);

  /// The quantile that `word` stands for.
  [[nodiscard]] core::Duration at(std::uint64_t word) const;

  /// The least and the greatest value of `at`, both reached (words 0 and 2^64-1).
  [[nodiscard]] core::Duration earliest() const { return core::Duration{halves_->lower.front()}; }
  [[nodiscard]] core::Duration latest() const { return core::Duration{halves_->upper.front()}; }

 private:
  /// Quantiles in nanoseconds at the ends of the cells, by increasing tail probability.
  struct Halves {
    std::vector<std::int64_t> lower;  ///< increasing, from 2^-40 to the median
    std::vector<std::int64_t> upper;  ///< decreasing, from 1 - 2^-40 to the median
  };

  template <class PairOfTail>
  static QuantileTable build(const PairOfTail& pair_of_tail);

  explicit QuantileTable(std::shared_ptr<const Halves> halves) : halves_(std::move(halves)) {}

  std::shared_ptr<const Halves> halves_;
};

}  // namespace squall::playback
