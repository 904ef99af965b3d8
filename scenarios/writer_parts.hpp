// SPDX-License-Identifier: MIT
//
// The members of a policy as JSON, for files of its own and inside scenarios. Internal to the
// folder.
#pragma once

#include "core/policy.hpp"
#include "scenarios/json.hpp"

namespace squall::scenarios {

/// Everything a policy has, without name and summary.
[[nodiscard]] Json policy_members(const core::RetryPolicy& policy);

}  // namespace squall::scenarios
