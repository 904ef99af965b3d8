// SPDX-License-Identifier: MIT
#include "analysis/slots.hpp"

#include <algorithm>
#include <variant>

#include "core/check.hpp"

namespace squall::analysis {

std::vector<SlotGroup> slot_groups(const core::RetryPolicy& policy, std::uint32_t slots) {
  const auto* grows = std::get_if<core::ExponentialBackoff>(&policy.backoff);
  const std::uint32_t alike_from = grows == nullptr ? 0 : grows->growth_steps_max;
  std::vector<SlotGroup> groups;
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    const std::uint32_t count = slot >= alike_from ? slots - slot : 1;
    const std::uint64_t scheduled = core::scheduled_ms(policy, slot);
    if (!groups.empty() && groups.back().scheduled_ms == scheduled) {
      groups.back().count += count;
    } else {
      groups.push_back({.first = slot,
                        .count = count,
                        .scheduled_ms = scheduled,
                        .jitter = core::jitter_interval(policy.jitter, scheduled)});
    }
    if (slot >= alike_from) {
      break;
    }
  }
  return groups;
}

const SlotGroup& group_of(const std::vector<SlotGroup>& groups, std::uint32_t slot) {
  const auto after = std::upper_bound(
      groups.begin(), groups.end(), slot,
      [](std::uint32_t wanted, const SlotGroup& group) { return wanted < group.first; });
  SQUALL_CHECK(after != groups.begin(), slot);
  return *(after - 1);
}

}  // namespace squall::analysis
