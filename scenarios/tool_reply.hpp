// SPDX-License-Identifier: MIT
//
// A connector's answer as bytes: JSON-RPC 2.0 as one object or as an event stream. Internal to the
// folder.
#pragma once

#include <string>

#include "scenarios/json.hpp"

namespace squall::scenarios {

/// Renders what a `respond` object says with `result` or `error` (with neither it is the plain good
/// result, a text part "ok") and `event_stream`. Answers the request with id 1.
[[nodiscard]] std::string render_tool_answer(const Json& respond);

}  // namespace squall::scenarios
