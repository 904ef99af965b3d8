// SPDX-License-Identifier: MIT
//
// Generated work: what an operation wants beyond its request.
#pragma once

#include <cstddef>

#include <rapidcheck.h>

#include "scenarios/model.hpp"

namespace squall::property_tests {

/// Everything that an operation of this kind may want, as far as a scenario can state it.
[[nodiscard]] rc::Gen<scenarios::OperationWork> works(scenarios::OperationKind kind);

/// How many items all agents have together; 0 when it is no synthesis.
[[nodiscard]] std::size_t item_count(const scenarios::OperationWork& work);

}  // namespace squall::property_tests
