// SPDX-License-Identifier: MIT
//
// JSON laid out for people: what fits on a line stays on it. Internal to the folder.
#pragma once

#include <string>

#include "scenarios/json.hpp"

namespace squall::scenarios {

/// `value` with two spaces of indent, at most 100 columns where texts allow, no final line break.
[[nodiscard]] std::string pretty(const Json& value);

}  // namespace squall::scenarios
