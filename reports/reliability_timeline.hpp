// SPDX-License-Identifier: MIT
//
// A run as the document of a reliability report draws it. Internal to the folder.
#pragma once

#include <cstddef>
#include <string>

#include "core/jitter.hpp"
#include "core/policy.hpp"
#include "reports/reliability_report.hpp"
#include "reports/reliability_words.hpp"
#include "scenarios/failure_class.hpp"

namespace squall::reports::reliability {

/// "transport", "tool_transport": labels are unique within a taxonomy only.
[[nodiscard]] std::string class_name(scenarios::FailureClass failure_class);

/// What a sleep in `slot` may last: by schedule and jitter, or when a server asks for it.
[[nodiscard]] core::SleepInterval allowed_sleep(const core::RetryPolicy& policy, std::size_t slot,
                                                bool by_server);

/// A hundred attempts at most.
/// @param policy_index, scenario_index  in the document.
[[nodiscard]] Timeline timeline_of(const DrawnRun& run, std::size_t policy_index,
                                   std::size_t scenario_index, const core::RetryPolicy& policy);

}  // namespace squall::reports::reliability
