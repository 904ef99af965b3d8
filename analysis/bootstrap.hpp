// SPDX-License-Identifier: MIT
//
// Noise or change: intervals for what differs between two sides that were played with the same
// seeds, run by run. A resample draws as many runs as there are, with repetition, and takes both
// sides of each run drawn; the spread of a figure over the resamples is its interval.
//
// Integers and a RandomStream alone: equal inputs give equal intervals everywhere. Nothing here
// knows what a value means.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/random.hpp"

namespace squall::analysis {

/// @source chosen: enough that the fifth value from either end is steady (see kOutsidePerMille).
inline constexpr std::uint32_t kResamples = 1'000;

/// Resamples outside the interval at each end, in thousandths: 5, which leaves 99 % within.
/// @source chosen: a gate asks hundreds of questions at once, and 95 % would be wrong now and then.
inline constexpr std::uint32_t kOutsidePerMille = 5;

/// How a column of values, one a run, becomes one figure.
struct Statistic {
  enum class Kind : std::uint8_t { kMean, kQuantile };

  Kind kind = Kind::kMean;
  /// kMean: what the mean is multiplied by before it is rounded towards zero.
  std::int64_t scale = 1;
  /// kQuantile: the value of rank ceil(n x numerator / denominator), at least 1. 1/1: the largest.
  std::uint32_t numerator = 1, denominator = 1;

  [[nodiscard]] static Statistic mean(std::int64_t scale) {
    return {.kind = Kind::kMean, .scale = scale};
  }
  [[nodiscard]] static Statistic quantile(std::uint32_t numerator, std::uint32_t denominator) {
    return {.kind = Kind::kQuantile, .numerator = numerator, .denominator = denominator};
  }
};

/// A closed interval.
struct Interval {
  std::int64_t low = 0;
  std::int64_t high = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// One figure of both sides. Value `i` of either side belongs to run `i`; sides of equal length,
/// at least 1. Values of a mean add up below 2^63 / scale.
struct PairedColumn {
  std::vector<std::int64_t> baseline;
  std::vector<std::int64_t> candidate;
  Statistic statistic;
};

struct PairedEstimate {
  std::int64_t baseline = 0;
  std::int64_t candidate = 0;
  /// Of a mean: the mean of the differences, rounded towards zero; else candidate - baseline.
  std::int64_t change = 0;
  Interval change_interval;
  Interval candidate_interval;
};

/// The figure of one column. Requires at least one value.
[[nodiscard]] std::int64_t value_of(std::span<const std::int64_t> values,
                                    const Statistic& statistic);

/// Figures and intervals of all columns, which must be of equal length; resample `r` is drawn from
/// `draws.split(r)`, the same for every column.
///
/// @param resamples  at least 1. The interval leaves out kOutsidePerMille of them at each end,
///                   rounded down.
/// @cost  resamples x runs x (1 + columns).
[[nodiscard]] std::vector<PairedEstimate> estimate(std::span<const PairedColumn> columns,
                                                   core::RandomStream draws,
                                                   std::uint32_t resamples = kResamples);

}  // namespace squall::analysis
