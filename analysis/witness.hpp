// SPDX-License-Identifier: MIT
//
// From a bound to a scenario that reaches it: an ordinary scenario, which anybody can read, play
// and keep as a regression test. It states what it must come to, to the nanosecond, as its
// expectations. The random words that draw the sleeps are part of it, so that it does not matter
// which seed it is played with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/worst_case.hpp"
#include "core/policy.hpp"
#include "scenarios/model.hpp"

namespace squall::analysis {

/// The source that every witness names, by which one is known again.
inline constexpr std::string_view kWitnessSource = "Computed from the policy by squall worst-case.";

/// A scenario that shows one figure of a WorstCase.
struct Witness {
  /// Which: "fewest-calls", "most-calls", "longest-sleep", "no-body-wait", "silent-body",
  /// "trickling-body" (a limited number of body waits), "endless-trickle", "outage" (its mean: no
  /// words are forced), "outage-fewest-calls", "outage-most-calls".
  std::string figure;
  scenarios::Scenario scenario;
};

/// All witnesses of `worst`, in the order of the list above; those of figures that do not apply, or
/// that are no numbers, are left out.
///
/// @param policy       the one that was analysed.
/// @param policy_name  how scenarios refer to it: a shipped name, or "inline".
/// @param title        how names of scenarios begin: lower-case words joined by "-".
[[nodiscard]] std::vector<Witness> witnesses(const WorstCase& worst,
                                             const core::RetryPolicy& policy,
                                             std::string_view policy_name, std::string_view title);

}  // namespace squall::analysis
