// SPDX-License-Identifier: MIT
#include "analysis/outage.hpp"

#include <algorithm>

#include "analysis/plan.hpp"

namespace squall::analysis {
namespace {

using core::Duration;

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kMaxDuration = static_cast<std::uint64_t>(Duration::max().count());

Duration saturated(Wide nanoseconds) {
  return nanoseconds > kMaxDuration
             ? Duration::max()
             : Duration(static_cast<Duration::rep>(static_cast<std::uint64_t>(nanoseconds)));
}

/// Without a budget every sleep is taken, and means add up.
Duration sum_of_means(const std::vector<SlotGroup>& groups) {
  constexpr Wide kNanosecondsPerHalf = 500'000;
  Duration sum{0};
  for (const SlotGroup& group : groups) {
    const Wide ends = static_cast<Wide>(group.jitter.min_ms) + group.jitter.max_ms;
    const Duration mean =
        ends > kMaxDuration ? Duration::max() : saturated(ends * kNanosecondsPerHalf);
    sum = plus(sum, times(mean, group.count));
  }
  return sum;
}

/// The probability 1.
constexpr int kBinaryDigits = 96;
constexpr Wide kOne = Wide{1} << kBinaryDigits;

/// The distribution of the time slept so far, by whole milliseconds, among operations that go on.
class Walk {
 public:
  explicit Walk(std::uint64_t budget_ms) : at_(budget_ms + 1), budget_ms_(budget_ms) {
    at_[0] = kOne;
  }

  [[nodiscard]] bool is_over() const { return first_ > last_; }
  [[nodiscard]] std::uint64_t cells() const { return last_ - first_ + 1; }

  void sleep(core::SleepInterval interval) {
    const std::uint64_t low = std::min(interval.min_ms, budget_ms_ + 1);
    const std::uint64_t high = std::min(interval.max_ms, budget_ms_ + 1);
    const Wide width = static_cast<Wide>(interval.max_ms - interval.min_ms) + 1;
    std::vector<Wide> sums(last_ - first_ + 2);  // sums[i]: of the i cells from first_ on
    for (std::uint64_t cell = first_; cell <= last_; ++cell) {
      sums[cell - first_ + 1] = sums[cell - first_] + at_[cell];
      // Sleeps of more than the room left are not taken: here the operation ends.
      const std::uint64_t room = budget_ms_ - cell;
      if (interval.min_ms > room) {
        ended_ += at_[cell] * cell;
      } else if (interval.max_ms > room) {
        ended_ += at_[cell] / width * (interval.max_ms - room) * cell;
      }
      at_[cell] = 0;
    }
    if (low > budget_ms_ - first_) {
      first_ = 1;
      last_ = 0;
      return;
    }
    const std::uint64_t first = first_ + low;
    const std::uint64_t last = std::min(last_ + high, budget_ms_);
    for (std::uint64_t cell = first; cell <= last; ++cell) {
      // Came from cell - high .. cell - low, as far as those exist.
      const std::uint64_t from = cell > high + first_ ? cell - high : first_;
      const std::uint64_t to = std::min(cell - low, last_);
      at_[cell] = (sums[to - first_ + 1] - sums[from - first_]) / width;
    }
    first_ = first;
    last_ = last;
  }

  /// Ends what still goes on: no call is left.
  [[nodiscard]] Duration finish() {
    for (std::uint64_t cell = first_; cell <= last_; ++cell) {
      ended_ += at_[cell] * cell;
    }
    constexpr Wide kNanosecondsPerMillisecond = 1'000'000;
    constexpr int kSpare = 24;  // Room for the factor.
    // The walk rounds down, by less than 2^-50 ms: without this, a mean that is a whole number of
    // nanoseconds would come out one short.
    constexpr Wide kLost = Wide{1} << (kBinaryDigits - 50 - kSpare);
    const Wide shortened = (ended_ >> kSpare) + kLost;
    return saturated((shortened * kNanosecondsPerMillisecond) >> (kBinaryDigits - kSpare));
  }

 private:
  std::vector<Wide> at_;
  std::uint64_t budget_ms_;
  std::uint64_t first_ = 0, last_ = 0;  ///< cells that may be anything but 0
  Wide ended_ = 0;                      ///< probability times milliseconds of what has ended
};

}  // namespace

std::optional<Duration> mean_sleep(const std::vector<SlotGroup>& groups,
                                   const std::optional<Duration>& time_budget) {
  Duration most{0};
  for (const SlotGroup& group : groups) {
    most = plus(most, times(core::from_milliseconds(group.jitter.max_ms), group.count));
  }
  if (!time_budget || most <= *time_budget) {
    return sum_of_means(groups);
  }
  const auto budget_ms = static_cast<std::uint64_t>(*time_budget / std::chrono::milliseconds(1));
  std::uint64_t cells_left = kOutageCellsMax;
  if (budget_ms >= cells_left) {
    return std::nullopt;
  }
  Walk walk(budget_ms);
  for (const SlotGroup& group : groups) {
    for (std::uint32_t sleep = 0; sleep < group.count && !walk.is_over(); ++sleep) {
      if (cells_left <= walk.cells()) {
        return std::nullopt;
      }
      cells_left -= walk.cells();
      walk.sleep(group.jitter);
    }
  }
  return walk.finish();
}

}  // namespace squall::analysis
