// SPDX-License-Identifier: MIT
//
// Sleeps of many operations, thinned so that a page can draw them: every one is counted, and those
// of every k-th operation are kept. Which are kept follows from the operations' numbers alone, not
// from who ran what or in which order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/time.hpp"

namespace squall::analysis {

class SleepSample {
 public:
  /// Adds the sleep of operation `number`, which adds one at most.
  void add(std::uint64_t number, core::Duration slept, bool within);
  /// Adds everything `other` has. The operations of the two are different ones.
  void merge(const SleepSample& other);
  /// Keeps `kept_max` sleeps at most, by raising k.
  void thin(std::size_t kept_max);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// Sleeps that were not within their interval.
  [[nodiscard]] std::uint64_t beyond() const { return beyond_; }
  /// k, a power of two: kept are the operations whose number it divides.
  [[nodiscard]] std::uint64_t every() const { return every_; }
  /// In the order of the operations.
  [[nodiscard]] std::vector<core::Duration> kept() const;

  /// Most sleeps kept. @source chosen: as many dots as can be told apart on a line.
  static constexpr std::size_t kKeptMax = 400;

 private:
  void keep_to(std::uint64_t every);

  std::uint64_t count_ = 0;
  std::uint64_t beyond_ = 0;
  std::uint64_t every_ = 1;
  std::vector<std::pair<std::uint64_t, core::Duration>> kept_;
};

}  // namespace squall::analysis
