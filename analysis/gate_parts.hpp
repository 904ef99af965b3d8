// SPDX-License-Identifier: MIT
//
// In which parts two policies differ, and what each difference does alone: a policy that is the old
// one in everything but one part tells what that part moves.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/policy.hpp"

namespace squall::analysis {

enum class Part : std::uint8_t {
  kAttempts,
  kBackoff,  ///< from one kind of schedule to another
  kBase,
  kMultiplier,
  kCap,
  kGrowthSteps,
  kJitter,
  kRetryAfterSources,
  kRetryAfterClamp,
  kRetryAfterIgnoreAbove,
  kTimeBudget,
  kIdleTimeout,
  kAttemptTimeout,
  kStatuses,
  kFailures,
};

/// Where it stands in a policy file, as a JSON pointer.
[[nodiscard]] std::string_view pointer_of(Part part);

/// The parts in which `from` and `to` differ, in the order above.
[[nodiscard]] std::vector<Part> changed_parts(const core::RetryPolicy& from,
                                              const core::RetryPolicy& to);

/// `from` with `part` as in `to`.
[[nodiscard]] core::RetryPolicy with_part(const core::RetryPolicy& from,
                                          const core::RetryPolicy& to, Part part);

}  // namespace squall::analysis
