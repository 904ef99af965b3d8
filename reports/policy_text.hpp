// SPDX-License-Identifier: MIT
//
// A retry policy in words.
#pragma once

#include <string>
#include <string_view>

#include "core/policy.hpp"
#include "reports/style.hpp"

namespace squall::reports {

/// One line without a line break: "13 calls, 5 s doubling to 60 s, jitter -25% to +25%, ...".
[[nodiscard]] std::string policy_line(const core::RetryPolicy& policy);

/// A page: what each part of the policy says, then the schedule slot by slot.
[[nodiscard]] std::string policy_page(const core::RetryPolicy& policy, std::string_view name,
                                      std::string_view summary, const Style& style);

/// The statuses of a set, classes folded: "3xx, 408, 429, 5xx".
[[nodiscard]] std::string statuses_text(const core::StatusSet& statuses);

}  // namespace squall::reports
