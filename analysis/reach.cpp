// SPDX-License-Identifier: MIT
#include "analysis/reach.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/check.hpp"

namespace squall::analysis {
namespace {

/// Disjoint, ascending, with a gap of at least one number between any two.
using Stretches = std::vector<Stretch>;

std::int64_t plus(std::int64_t left, std::int64_t right) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  return left > kMax - right ? kMax : left + right;
}

Stretches merged(Stretches stretches) {
  std::sort(stretches.begin(), stretches.end(),
            [](const Stretch& left, const Stretch& right) { return left.low < right.low; });
  Stretches result;
  for (const Stretch& stretch : stretches) {
    if (!result.empty() && stretch.low <= plus(result.back().high, 1)) {
      result.back().high = std::max(result.back().high, stretch.high);
    } else {
      result.push_back(stretch);
    }
  }
  return result;
}

/// Everything that one of `choices` makes of `from`, up to `limit`.
Stretches extended(const Stretches& from, const std::vector<Stretch>& choices, std::int64_t limit) {
  Stretches all;
  for (const Stretch& choice : choices) {
    for (const Stretch& stretch : from) {
      if (const std::int64_t low = plus(stretch.low, choice.low); low <= limit) {
        all.push_back({low, std::min(plus(stretch.high, choice.high), limit)});
      }
    }
  }
  return merged(std::move(all));
}

/// The largest element within [low, high].
std::optional<std::int64_t> largest_within(const Stretches& stretches, std::int64_t low,
                                           std::int64_t high) {
  for (auto stretch = stretches.rbegin(); stretch != stretches.rend(); ++stretch) {
    const std::int64_t largest = std::min(stretch->high, high);
    if (largest >= stretch->low) {
      return largest >= low ? std::optional(largest) : std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace

Reached reach(const ReachProblem& problem) {
  // after[n]: the sums of n steps. Spelled out: compilers disagree on what nested braces mean here.
  std::vector<Stretches> after(1, Stretches(1, Stretch{0, 0}));
  Reached best{.sum = -1, .parts = {}, .tail = 0};
  std::size_t best_steps = 0;
  for (std::uint32_t steps = 0;; ++steps) {
    const Stretches& sums = after.back();
    if (sums.empty()) {
      break;
    }
    const std::int64_t sum =
        std::min(plus(sums.back().high, problem.tail_max(steps)), problem.limit);
    if (sum > best.sum) {
      best.sum = sum;
      best_steps = steps;
    }
    if (best.sum == problem.limit || steps == problem.steps_max) {
      break;
    }
    Stretches next = extended(sums, problem.choices(steps), problem.limit);
    if (steps >= problem.alike_from && next == sums) {
      break;  // Steps that add nothing, for ever.
    }
    after.push_back(std::move(next));
  }

  const std::optional<std::int64_t> before_tail = largest_within(after[best_steps], 0, best.sum);
  SQUALL_CHECK(before_tail.has_value(), best.sum);
  best.tail = best.sum - *before_tail;
  std::int64_t left = *before_tail;
  for (std::size_t step = best_steps; step > 0; --step) {
    const std::vector<Stretch> choices = problem.choices(static_cast<std::uint32_t>(step - 1));
    std::optional<std::int64_t> before;
    for (std::size_t choice = 0; choice < choices.size() && !before; ++choice) {
      if (left < choices[choice].low) {
        continue;
      }
      before = largest_within(after[step - 1],
                              left > choices[choice].high ? left - choices[choice].high : 0,
                              left - choices[choice].low);
      if (before) {
        best.parts.push_back({.choice = choice, .amount = left - *before});
      }
    }
    SQUALL_CHECK(before.has_value(), step, left);
    left = *before;
  }
  std::reverse(best.parts.begin(), best.parts.end());
  return best;
}

}  // namespace squall::analysis
