// SPDX-License-Identifier: MIT
#include "simulator/log_histogram.hpp"

#include <algorithm>
#include <bit>

#include "core/check.hpp"

namespace squall::simulator {
namespace {

constexpr unsigned kPrecisionBits = 10;
static_assert(LogHistogram::kBucketsPerPowerOfTwo == 1 << kPrecisionBits);

std::size_t page_of(std::int64_t value) {
  const auto width = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(value)));
  return width <= kPrecisionBits ? 0 : width - kPrecisionBits;
}

/// Logarithm of the width of the buckets on a page.
unsigned shift_of(std::size_t page) {
  return page <= 1 ? 0 : static_cast<unsigned>(page) - 1;
}

std::size_t cell_of(std::int64_t value, std::size_t page) {
  constexpr auto kMask = static_cast<std::size_t>(LogHistogram::kBucketsPerPowerOfTwo - 1);
  return static_cast<std::size_t>(value >> shift_of(page)) & kMask;
}

}  // namespace

void LogHistogram::record(core::Duration duration, std::uint64_t times) {
  const std::int64_t value = duration.count();
  SQUALL_CHECK(value >= 0, value);
  if (times == 0) {
    return;
  }
  const std::size_t page = page_of(value);
  std::vector<Cell>& cells = pages_[page];
  if (cells.empty()) {
    cells.resize(static_cast<std::size_t>(kBucketsPerPowerOfTwo));
  }
  Cell& cell = cells[cell_of(value, page)];
  cell.count += times;
  cell.largest = std::max(cell.largest, value);
  min_ = empty() ? value : std::min(min_, value);
  max_ = std::max(max_, value);
  count_ += times;
  sum_ += static_cast<Wide>(value) * times;
}

void LogHistogram::merge(const LogHistogram& other) {
  if (other.empty()) {
    return;
  }
  for (std::size_t page = 0; page != kPages; ++page) {
    const std::vector<Cell>& theirs = other.pages_[page];
    std::vector<Cell>& ours = pages_[page];
    if (ours.empty()) {
      ours = theirs;
      continue;
    }
    for (std::size_t cell = 0; cell != theirs.size(); ++cell) {
      ours[cell].count += theirs[cell].count;
      ours[cell].largest = std::max(ours[cell].largest, theirs[cell].largest);
    }
  }
  min_ = empty() ? other.min_ : std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  count_ += other.count_;
  sum_ += other.sum_;
}

std::optional<core::Duration> LogHistogram::mean() const {
  if (empty()) {
    return std::nullopt;
  }
  return core::Duration{static_cast<std::int64_t>(sum_ / count_)};
}

std::optional<core::Duration> LogHistogram::min() const {
  return empty() ? std::nullopt : std::optional(core::Duration{min_});
}

std::optional<core::Duration> LogHistogram::max() const {
  return empty() ? std::nullopt : std::optional(core::Duration{max_});
}

std::optional<core::Duration> LogHistogram::quantile(std::uint64_t numerator,
                                                     std::uint64_t denominator) const {
  SQUALL_CHECK(denominator >= 1 && numerator <= denominator, numerator, denominator);
  if (empty()) {
    return std::nullopt;
  }
  const Wide product = static_cast<Wide>(count_) * numerator;
  const Wide rank = product / denominator + (product % denominator == 0 ? 0 : 1);
  if (rank <= 1) {
    return core::Duration{min_};
  }
  std::uint64_t passed = 0;
  for (const std::vector<Cell>& cells : pages_) {
    for (const Cell& cell : cells) {
      passed += cell.count;
      if (passed >= rank) {
        return core::Duration{cell.largest};
      }
    }
  }
  SQUALL_CHECK(false, passed, count_);
  return std::nullopt;
}

std::vector<LogHistogram::Bucket> LogHistogram::buckets() const {
  std::vector<Bucket> found;
  for (std::size_t page = 0; page != kPages; ++page) {
    const unsigned shift = shift_of(page);
    const std::int64_t base = page == 0 ? 0 : kBucketsPerPowerOfTwo;
    for (std::size_t cell = 0; cell != pages_[page].size(); ++cell) {
      if (const std::uint64_t count = pages_[page][cell].count; count != 0) {
        const std::int64_t lower = (base + static_cast<std::int64_t>(cell)) << shift;
        const std::int64_t upper = lower + ((std::int64_t{1} << shift) - 1);
        found.push_back({core::Duration{lower}, core::Duration{upper}, count});
      }
    }
  }
  return found;
}

}  // namespace squall::simulator
