// SPDX-License-Identifier: MIT
//
// The parts of the writer, one a section of the language. Internal to the folder.
#pragma once

#include "core/policy.hpp"
#include "scenarios/json.hpp"
#include "scenarios/model.hpp"

namespace squall::scenarios {

/// Everything a policy has, without name and summary: for files of its own and inside scenarios.
[[nodiscard]] Json policy_members(const core::RetryPolicy& policy);

[[nodiscard]] Json operation_json(const OperationSpec& operation);
[[nodiscard]] Json server_json(const Server& server);
[[nodiscard]] Json expect_json(const Expectations& expect);

}  // namespace squall::scenarios
