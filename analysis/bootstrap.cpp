// SPDX-License-Identifier: MIT
#include "analysis/bootstrap.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "core/check.hpp"

namespace squall::analysis {
namespace {

__extension__ using Wide = __int128;

/// How often each run is in a resample.
using Counts = std::vector<std::uint32_t>;

std::uint64_t rank_of(std::size_t size, const Statistic& statistic) {
  const auto wanted =
      (static_cast<std::uint64_t>(size) * statistic.numerator + statistic.denominator - 1) /
      statistic.denominator;
  return std::max<std::uint64_t>(wanted, 1);
}

/// One side of a column, prepared for many resamples.
class Side {
 public:
  Side(std::span<const std::int64_t> values, const Statistic& statistic)
      : values_(values), statistic_(statistic), rank_(rank_of(values.size(), statistic)) {
    if (statistic.kind == Statistic::Kind::kQuantile) {
      ascending_.resize(values.size());
      std::iota(ascending_.begin(), ascending_.end(), 0U);
      std::stable_sort(ascending_.begin(), ascending_.end(),
                       [this](std::uint32_t left, std::uint32_t right) {
                         return values_[left] < values_[right];
                       });
    }
  }

  [[nodiscard]] std::int64_t value(const Counts& counts) const {
    return statistic_.kind == Statistic::Kind::kMean
               ? mean_of(sum(counts), values_.size(), statistic_.scale)
               : quantile(counts);
  }
  [[nodiscard]] Wide sum(const Counts& counts) const {
    Wide sum = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      sum += static_cast<Wide>(values_[i]) * counts[i];
    }
    return sum;
  }
  [[nodiscard]] static std::int64_t mean_of(Wide sum, std::size_t size, std::int64_t scale) {
    return static_cast<std::int64_t>(sum * scale / static_cast<Wide>(size));
  }

 private:
  /// Counts from the nearer end: a high quantile is found after a few steps.
  [[nodiscard]] std::int64_t quantile(const Counts& counts) const {
    const std::uint64_t size = ascending_.size();
    std::uint64_t seen = 0;
    if (rank_ > size / 2) {
      const std::uint64_t from_above = size - rank_ + 1;
      for (auto at = ascending_.rbegin(); at != ascending_.rend(); ++at) {
        seen += counts[*at];
        if (seen >= from_above) {
          return values_[*at];
        }
      }
    } else {
      for (const std::uint32_t run : ascending_) {
        seen += counts[run];
        if (seen >= rank_) {
          return values_[run];
        }
      }
    }
    SQUALL_CHECK(false, seen);
  }

  std::span<const std::int64_t> values_;
  Statistic statistic_;
  std::uint64_t rank_;
  std::vector<std::uint32_t> ascending_;  ///< runs by value; of quantiles only
};

/// Both sides of a column and what the resamples gave.
struct Work {
  Work(const PairedColumn& column, std::uint32_t resamples)
      : baseline(column.baseline, column.statistic),
        candidate(column.candidate, column.statistic),
        statistic(column.statistic),
        runs(column.baseline.size()) {
    changes.reserve(resamples);
    values.reserve(resamples);
  }

  [[nodiscard]] std::pair<std::int64_t, std::int64_t> value_and_change(const Counts& counts) const {
    const std::int64_t value = candidate.value(counts);
    if (statistic.kind == Statistic::Kind::kMean) {
      return {value,
              Side::mean_of(candidate.sum(counts) - baseline.sum(counts), runs, statistic.scale)};
    }
    return {value, value - baseline.value(counts)};
  }
  void resample(const Counts& counts) {
    const auto [value, change] = value_and_change(counts);
    values.push_back(value);
    changes.push_back(change);
  }

  Side baseline, candidate;
  Statistic statistic;
  std::size_t runs;
  std::vector<std::int64_t> changes, values;
};

Interval interval_of(std::vector<std::int64_t> values) {
  std::sort(values.begin(), values.end());
  const std::size_t outside = values.size() * kOutsidePerMille / 1'000;
  return {.low = values[outside], .high = values[values.size() - 1 - outside]};
}

void draw(core::RandomStream draws, Counts& counts) {
  std::fill(counts.begin(), counts.end(), 0U);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    ++counts[static_cast<std::size_t>(draws.next_below(counts.size()))];
  }
}

}  // namespace

std::int64_t value_of(std::span<const std::int64_t> values, const Statistic& statistic) {
  SQUALL_CHECK(!values.empty());
  return Side(values, statistic).value(Counts(values.size(), 1));
}

std::vector<PairedEstimate> estimate(std::span<const PairedColumn> columns,
                                     core::RandomStream draws, std::uint32_t resamples) {
  std::vector<PairedEstimate> estimates;
  if (columns.empty()) {
    return estimates;
  }
  const std::size_t runs = columns.front().baseline.size();
  SQUALL_CHECK(runs > 0 && resamples > 0, runs, resamples);
  std::vector<Work> works;
  works.reserve(columns.size());
  for (const PairedColumn& column : columns) {
    SQUALL_CHECK(column.baseline.size() == runs && column.candidate.size() == runs, runs);
    works.emplace_back(column, resamples);
  }
  Counts counts(runs);
  for (std::uint32_t resample = 0; resample < resamples; ++resample) {
    draw(draws.split(std::uint64_t{resample}), counts);
    for (Work& work : works) {
      work.resample(counts);
    }
  }
  const Counts once(runs, 1);
  for (Work& work : works) {
    const auto [value, change] = work.value_and_change(once);
    estimates.push_back({.baseline = work.baseline.value(once),
                         .candidate = value,
                         .change = change,
                         .change_interval = interval_of(std::move(work.changes)),
                         .candidate_interval = interval_of(std::move(work.values))});
  }
  return estimates;
}

}  // namespace squall::analysis
