// SPDX-License-Identifier: MIT
//
// The expected time of an operation whose every attempt fails at once: sums and a walk over
// milliseconds in 128-bit integers, no floating point.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/slots.hpp"
#include "core/time.hpp"

namespace squall::analysis {

/// Milliseconds times sleeps that are walked at most; beyond it there is no answer.
/// @source chosen: about a second of work, and enough for every budget of a minute.
inline constexpr std::uint64_t kOutageCellsMax = 20'000'000;

/// Expected sum of all sleeps, each uniform over the whole milliseconds of its slot.
///
/// @param time_budget  a sleep that would end later is not taken and ends the operation.
/// @return  rounded down to whole nanoseconds, saturating. Exact without a time budget; with one
///          the probabilities carry 96 binary digits, which is far below a nanosecond. Nothing when
///          the budget is too long to walk (kOutageCellsMax).
[[nodiscard]] std::optional<core::Duration> mean_sleep(
    const std::vector<SlotGroup>& groups, const std::optional<core::Duration>& time_budget);

}  // namespace squall::analysis
