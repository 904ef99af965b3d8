// SPDX-License-Identifier: MIT
//
// The reference of the scenario language, written from the published schemas:
// docs/scenario-format.md is exactly this text, so that it cannot fall behind.
#pragma once

#include <string>

namespace squall::scenarios {

/// The reference as Markdown.
[[nodiscard]] std::string describe_format();

}  // namespace squall::scenarios
