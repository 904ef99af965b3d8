// SPDX-License-Identifier: MIT
//
// When failures happen, counted in bins of virtual time. The bins' width suits all of them and is
// not known before the last one, so that they are counted in several widths at once and one is
// chosen at the end: nothing is rounded, and merging is addition.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/time.hpp"
#include "scenarios/failure_class.hpp"

namespace squall::analysis {

/// Failures of one class.
struct FailureBins {
  scenarios::FailureClass failure_class;
  std::vector<std::uint64_t> counts;  ///< as many for every class
  std::uint64_t later = 0;            ///< after the last bin
  friend bool operator==(const FailureBins&, const FailureBins&) = default;
};

struct BinnedFailures {
  core::Duration width{0};
  std::vector<FailureBins> classes;  ///< those that occur, by FailureClass::index
  friend bool operator==(const BinnedFailures&, const BinnedFailures&) = default;
};

class FailureTimes {
 public:
  static constexpr std::size_t kBins = 120;

  void add(scenarios::FailureClass failure_class, core::Duration at);
  void merge(const FailureTimes& other);

  /// In the smallest width whose bins hold 99 of 100 failures, empty bins at the end left out.
  [[nodiscard]] BinnedFailures binned() const;

 private:
  static constexpr std::size_t kWidths = 20;
  static const std::array<core::Duration, kWidths> kLadder;

  using Bins = std::array<std::uint64_t, kBins>;
  struct Class {
    std::uint64_t count = 0;
    std::array<Bins, kWidths> bins{};
  };
  /// By FailureClass::index, as long as the highest that occurs. Empty where none did.
  std::vector<std::vector<Class>> classes_;
};

}  // namespace squall::analysis
