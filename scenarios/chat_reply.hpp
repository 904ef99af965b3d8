// SPDX-License-Identifier: MIT
//
// A good answer as the bytes of a chat completion, in the shape of the OpenAI API and the many that
// follow it. Internal to the folder.
#pragma once

#include <string>

#include "scenarios/json.hpp"

namespace squall::scenarios {

/// Renders the `reply` object of a scenario, whose structure the schema has accepted; an empty one
/// is the plain good reply.
///
/// @param model  Model to name when the reply names none.
[[nodiscard]] std::string render_reply(const Json& reply, const std::string& model);

}  // namespace squall::scenarios
