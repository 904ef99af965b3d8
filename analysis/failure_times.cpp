// SPDX-License-Identifier: MIT
#include "analysis/failure_times.hpp"

#include <algorithm>

namespace squall::analysis {

using core::Duration;
using namespace std::chrono_literals;

// From connections that break at once to bodies that trickle for months.
const std::array<Duration, FailureTimes::kWidths> FailureTimes::kLadder{
    1ms, 10ms, 50ms, 100ms, 250ms, 500ms, 1s,    2s,    5s, 10s,
    15s, 30s,  60s,  120s,  300s,  600s,  1800s, 3600s, 6h, 24h};

void FailureTimes::add(scenarios::FailureClass failure_class, Duration at) {
  const std::size_t index = failure_class.index();
  if (classes_.size() <= index) {
    classes_.resize(index + 1);
  }
  if (classes_[index].empty()) {
    classes_[index].emplace_back();
  }
  Class& counted = classes_[index].front();
  ++counted.count;
  for (std::size_t i = 0; i < kWidths; ++i) {
    if (const auto bin = static_cast<std::size_t>(at / kLadder[i]); bin < kBins) {
      ++counted.bins[i][bin];
    }
  }
}

void FailureTimes::merge(const FailureTimes& other) {
  if (classes_.size() < other.classes_.size()) {
    classes_.resize(other.classes_.size());
  }
  for (std::size_t index = 0; index < other.classes_.size(); ++index) {
    if (other.classes_[index].empty()) {
      continue;
    }
    if (classes_[index].empty()) {
      classes_[index].emplace_back();
    }
    Class& into = classes_[index].front();
    const Class& from = other.classes_[index].front();
    into.count += from.count;
    for (std::size_t i = 0; i < kWidths; ++i) {
      for (std::size_t bin = 0; bin < kBins; ++bin) {
        into.bins[i][bin] += from.bins[i][bin];
      }
    }
  }
}

BinnedFailures FailureTimes::binned() const {
  std::uint64_t all = 0;
  std::array<std::uint64_t, kWidths> held{};
  std::array<std::size_t, kWidths> used{};
  for (const auto& one : classes_) {
    for (const Class& counted : one) {
      all += counted.count;
      for (std::size_t i = 0; i < kWidths; ++i) {
        for (std::size_t bin = 0; bin < kBins; ++bin) {
          held[i] += counted.bins[i][bin];
          used[i] = counted.bins[i][bin] == 0 ? used[i] : std::max(used[i], bin + 1);
        }
      }
    }
  }
  std::size_t width = 0;
  while (width + 1 < kWidths && held[width] < all - all / 100) {
    ++width;
  }
  BinnedFailures binned{.width = kLadder[width], .classes = {}};
  for (std::size_t index = 0; index < classes_.size(); ++index) {
    for (const Class& counted : classes_[index]) {
      const Bins& bins = counted.bins[width];
      FailureBins of_class{
          .failure_class = scenarios::FailureClass::at(index),
          .counts = {bins.begin(), bins.begin() + static_cast<std::ptrdiff_t>(used[width])},
          .later = counted.count};
      for (const std::uint64_t count : of_class.counts) {
        of_class.later -= count;
      }
      binned.classes.push_back(std::move(of_class));
    }
  }
  return binned;
}

}  // namespace squall::analysis
