// SPDX-License-Identifier: MIT
//
// The parts of the loader, one a section of the language. Each reads a node whose structure the
// schema has already accepted and notes what the schema cannot say in the node's findings.
// Internal to the folder.
#pragma once

#include <string>

#include "core/policy.hpp"
#include "scenarios/model.hpp"
#include "scenarios/node.hpp"

namespace squall::scenarios {

[[nodiscard]] core::RetryPolicy read_policy(const Node& node);

/// @param model  Model that good replies name when they name none.
[[nodiscard]] Server read_server(const Node& node, const std::string& model);
[[nodiscard]] Respond read_respond(const Node& node, const std::string& model);
[[nodiscard]] Time read_time(const Node& node);

[[nodiscard]] Expectations read_expectations(const Node& node);

}  // namespace squall::scenarios
