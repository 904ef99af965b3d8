// SPDX-License-Identifier: MIT
//
// A histogram of durations over their whole range (0 to 292 years) with bounded relative error, in
// integers only. Merging is addition: any grouping and order of runs gives the same histogram.
//
//   LogHistogram elapsed;
//   elapsed.record(120ms);
//   elapsed.merge(of_another_thread);
//   const auto p99 = elapsed.quantile(99, 100);
//
// Error bound. Values up to 2047 ns have a bucket each. Above, each power of two is cut into 1024
// equal buckets, so values in one bucket differ by less than 1/1024 (0.1 %) of the smaller one. A
// bucket knows its largest recorded value, and quantiles answer with that. With `x` the exact
// quantile of all recorded values (nearest rank), the answer `q` satisfies
//
//   x <= q  and  q - x < x / 1024,
//
// is always a value that was recorded, and is exact wherever the values of a bucket are equal: for
// all values up to 2047 ns, for fixed delays, for the minimum and for the maximum.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/time.hpp"

namespace squall::simulator {

/// Counts durations in log-linear buckets. A plain value; one thread at a time.
///
/// @cost record: constant. Memory: 16 KiB per power of two in which something was recorded.
class LogHistogram {
 public:
  __extension__ using Wide = unsigned __int128;

  /// Values whose bucket is shared differ by less than one part in this many.
  static constexpr std::int64_t kBucketsPerPowerOfTwo = 1024;

  /// One non-empty bucket: how many values were recorded in [lower, upper], both possible values.
  struct Bucket {
    core::Duration lower;
    core::Duration upper;
    std::uint64_t count;
    friend bool operator==(const Bucket&, const Bucket&) = default;
  };

  /// Records `value`, `times` times. Requires value >= 0.
  void record(core::Duration value, std::uint64_t times = 1);

  /// Adds everything `other` has recorded. Associative and commutative.
  void merge(const LogHistogram& other);

  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// Number of recorded values.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// Exact sum in nanoseconds. Cannot overflow: 2^64 values below 2^63.
  [[nodiscard]] Wide sum() const { return sum_; }
  /// Exact mean, rounded down to nanoseconds. Nothing when empty.
  [[nodiscard]] std::optional<core::Duration> mean() const;
  /// Exact extremes. Nothing when empty.
  [[nodiscard]] std::optional<core::Duration> min() const;
  [[nodiscard]] std::optional<core::Duration> max() const;

  /// The value of rank ceil(count * numerator / denominator), at least 1, among the recorded values
  /// in ascending order: quantile(1, 2) is the lower median, quantile(0, 1) the minimum,
  /// quantile(1, 1) the maximum. Nothing when empty. Never falls as the fraction grows.
  ///
  /// Requires denominator >= 1 and numerator <= denominator.
  ///
  /// @cost O(buckets up to the answer)
  [[nodiscard]] std::optional<core::Duration> quantile(std::uint64_t numerator,
                                                       std::uint64_t denominator) const;

  /// All non-empty buckets in ascending order, for drawing.
  [[nodiscard]] std::vector<Bucket> buckets() const;

  /// Equal when the same counts, extremes and sum were recorded, whatever the order and grouping.
  friend bool operator==(const LogHistogram&, const LogHistogram&) = default;

 private:
  struct Cell {
    std::uint64_t count = 0;
    std::int64_t largest = 0;
    friend bool operator==(const Cell&, const Cell&) = default;
  };

  /// Page 0 holds [0, 2^10), page p >= 1 holds [2^(p+9), 2^(p+10)); 2^63 - 1 is on page 53.
  static constexpr std::size_t kPages = 54;

  /// A page is empty until something is recorded on it, then has kBucketsPerPowerOfTwo cells.
  std::array<std::vector<Cell>, kPages> pages_;
  std::uint64_t count_ = 0;
  Wide sum_ = 0;
  std::int64_t min_ = 0;  ///< Meaningless when empty; so is `max_`.
  std::int64_t max_ = 0;
};

}  // namespace squall::simulator
