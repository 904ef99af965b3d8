// SPDX-License-Identifier: MIT
//
// A policy's schedule as stretches of equal slots, so that sums over a million slots stay short.
#pragma once

#include <cstdint>
#include <vector>

#include "core/jitter.hpp"
#include "core/policy.hpp"

namespace squall::analysis {

struct SlotGroup {
  std::uint32_t first = 0;
  std::uint32_t count = 1;
  std::uint64_t scheduled_ms = 0;
  core::SleepInterval jitter;
};

/// Slots 0 to `slots` - 1.
[[nodiscard]] std::vector<SlotGroup> slot_groups(const core::RetryPolicy& policy,
                                                 std::uint32_t slots);

/// The group that slot `slot` belongs to. Requires one.
[[nodiscard]] const SlotGroup& group_of(const std::vector<SlotGroup>& groups, std::uint32_t slot);

}  // namespace squall::analysis
