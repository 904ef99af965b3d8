// SPDX-License-Identifier: MIT
//
// What a command must never replace by its report: whatever users write themselves or collect over
// time. Said before anything is written, in one place for all commands.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace squall::cli {

/// Why `content` must not replace the file `path`: that is a scenario, a policy or a telemetry
/// database. Nothing when the file may be written: it is something else, holds the same bytes
/// already, or is not there.
[[nodiscard]] std::optional<core::Error> refusal_to_replace(const std::string& path,
                                                            std::string_view content);

}  // namespace squall::cli
