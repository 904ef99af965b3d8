// SPDX-License-Identifier: MIT
//
// Generated cases of every kind of operation: work, policy, and a schedule that mixes the wire
// faults of all operations with answers that a model (or a connector) gives to this one. Everything
// shrinks, see generators.hpp.
#pragma once

#include <array>

#include <rapidcheck.h>

#include "core/policy.hpp"
#include "property_tests/generators.hpp"
#include "scenarios/model.hpp"

namespace squall::property_tests {

/// Every kind that is generated here; agent_chat is what generators.hpp draws.
inline constexpr std::array<scenarios::OperationKind, 6> kWorkKinds = {
    scenarios::OperationKind::kExtraction,   scenarios::OperationKind::kComment,
    scenarios::OperationKind::kSynthesis,    scenarios::OperationKind::kResearchSynthesis,
    scenarios::OperationKind::kContinuation, scenarios::OperationKind::kToolCall};

/// The policy that an operation of this kind has by itself.
[[nodiscard]] core::RetryPolicy shipped_policy(scenarios::OperationKind kind);

/// Policies that the limits of connectors allow.
[[nodiscard]] rc::Gen<core::RetryPolicy> connector_policies();

/// The shipped policy or any other.
[[nodiscard]] const rc::Gen<Case>& work_cases(scenarios::OperationKind kind);
/// The shipped policy only.
[[nodiscard]] const rc::Gen<Case>& shipped_work_cases(scenarios::OperationKind kind);
/// Any kind, any policy.
[[nodiscard]] rc::Gen<Case> any_work_cases();

}  // namespace squall::property_tests
