// SPDX-License-Identifier: MIT
//
// The farthest sum that stays within a limit, when every step adds a number out of one of a few
// closed intervals: how an operation spends a time budget to the last nanosecond. Plain integers;
// what they count is the caller's business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace squall::analysis {

/// A closed interval, 0 <= low <= high.
struct Stretch {
  std::int64_t low = 0;
  std::int64_t high = 0;

  friend bool operator==(const Stretch&, const Stretch&) = default;
};

/// What one step added, and out of which of its intervals.
struct ReachedStep {
  std::size_t choice = 0;
  std::int64_t amount = 0;

  friend bool operator==(const ReachedStep&, const ReachedStep&) = default;
};

struct Reached {
  std::int64_t sum = 0;
  std::vector<ReachedStep> parts;  ///< one a step
  std::int64_t tail = 0;           ///< what the tail added
};

struct ReachProblem {
  std::int64_t limit = 0;
  std::uint32_t steps_max = 0;
  /// The intervals of step `i` (0-based). Every step takes exactly one.
  std::function<std::vector<Stretch>(std::uint32_t)> choices;
  /// From this step on all steps have equal choices.
  std::uint32_t alike_from = 0;
  /// What may be added after `n` steps, at most; from 0 on.
  std::function<std::int64_t(std::uint32_t)> tail_max = [](std::uint32_t) {
    return std::int64_t{0};
  };
};

/// The largest sum of at most `steps_max` steps and a tail that does not exceed the limit, with as
/// few steps as it takes. Exact: nothing larger can be reached.
///
/// @cost  Steps x intervals; ends as soon as the limit itself is reached.
[[nodiscard]] Reached reach(const ReachProblem& problem);

}  // namespace squall::analysis
