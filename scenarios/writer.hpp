// SPDX-License-Identifier: MIT
//
// From a Scenario or RetryPolicy to the text of a file, members in the order of the documentation,
// canonical quantities, two spaces of indent, one line break at the end. What is written loads back
// to an equal value. Replies come out as the status and body they were rendered to.
#pragma once

#include <string>
#include <string_view>

#include "core/policy.hpp"
#include "scenarios/model.hpp"

namespace squall::scenarios {

/// Text of a scenario file. The policy is written in full when `policy_name` is "inline", else by
/// that name or path; an audit policy is always written in full. Requires texts in UTF-8, which
/// everything loaded is.
[[nodiscard]] std::string write_scenario(const Scenario& scenario);

/// Text of a policy file.
[[nodiscard]] std::string write_policy(const core::RetryPolicy& policy, std::string_view name,
                                       std::string_view summary);

}  // namespace squall::scenarios
