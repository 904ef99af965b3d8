// SPDX-License-Identifier: MIT
//
// The parts of the loader, one a section of the language. Each reads a node whose structure the
// schema has already accepted and notes what the schema cannot say in the node's findings.
// Internal to the folder.
#pragma once

#include <string>
#include <string_view>

#include "core/policy.hpp"
#include "scenarios/model.hpp"
#include "scenarios/node.hpp"

namespace squall::scenarios {

[[nodiscard]] core::RetryPolicy read_policy(const Node& node);

[[nodiscard]] OperationSpec read_operation(const Node& node);
/// Name of the shipped policy that an operation has when the scenario names none.
[[nodiscard]] std::string_view default_policy_name(OperationKind kind);

/// @param operation  What is asked: which words an answer may use, which model a reply names, which
///                   items there are.
[[nodiscard]] Server read_server(const Node& node, const OperationSpec& operation);
[[nodiscard]] Respond read_respond(const Node& node, const OperationSpec& operation);
[[nodiscard]] Time read_time(const Node& node);

[[nodiscard]] Expectations read_expectations(const Node& node, const OperationSpec& operation);

/// ` for the kind "synthesis"`, for words that only some kinds know.
[[nodiscard]] std::string for_kind(OperationKind kind);
/// Number of items that a synthesis has; 0 for every other operation.
[[nodiscard]] std::size_t item_count(const OperationSpec& operation);

}  // namespace squall::scenarios
