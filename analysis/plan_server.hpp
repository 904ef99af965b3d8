// SPDX-License-Identifier: MIT
//
// A plan as something to be played: what the server answers to each call, and the random words that
// draw the planned sleeps.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/plan.hpp"
#include "core/policy.hpp"
#include "scenarios/model.hpp"

namespace squall::analysis {

/// The server of a plan made for `policy`. Requires a plan of at least one step.
[[nodiscard]] scenarios::Server server_of(const Plan& plan, const core::RetryPolicy& policy,
                                          scenarios::OperationKind kind);

/// The words that the jitter draws, in order; sleeps that a Retry-After decides draw none.
[[nodiscard]] std::vector<std::uint64_t> jitter_words_of(const Plan& plan,
                                                         const core::RetryPolicy& policy);

/// Bytes one by one, `gap` apart, that last beyond `horizon`.
[[nodiscard]] scenarios::Server endless_trickle(core::Duration gap, core::Duration horizon);

}  // namespace squall::analysis
