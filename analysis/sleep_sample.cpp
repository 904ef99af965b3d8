// SPDX-License-Identifier: MIT
#include "analysis/sleep_sample.hpp"

#include <algorithm>

namespace squall::analysis {

using core::Duration;

void SleepSample::add(std::uint64_t number, Duration slept, bool within) {
  ++count_;
  beyond_ += within ? 0U : 1U;
  if (number % every_ == 0) {
    kept_.emplace_back(number, slept);
    thin(kKeptMax);
  }
}

void SleepSample::merge(const SleepSample& other) {
  count_ += other.count_;
  beyond_ += other.beyond_;
  kept_.insert(kept_.end(), other.kept_.begin(), other.kept_.end());
  keep_to(std::max(every_, other.every_));
  thin(kKeptMax);
}

// Multiples of 2k are multiples of k: whatever the order, the smallest k that keeps few enough of
// all sleeps is reached and none is passed over.
void SleepSample::thin(std::size_t kept_max) {
  constexpr std::uint64_t kEveryMax = std::uint64_t{1} << 62U;
  while (kept_.size() > kept_max && every_ < kEveryMax) {
    keep_to(every_ * 2);
  }
}

void SleepSample::keep_to(std::uint64_t every) {
  every_ = every;
  std::erase_if(kept_, [every](const auto& one) { return one.first % every != 0; });
}

std::vector<Duration> SleepSample::kept() const {
  auto sorted = kept_;
  std::sort(sorted.begin(), sorted.end());
  std::vector<Duration> kept;
  kept.reserve(sorted.size());
  for (const auto& [number, slept] : sorted) {
    kept.push_back(slept);
  }
  return kept;
}

}  // namespace squall::analysis
