// SPDX-License-Identifier: MIT
//
// What can be said of a command's output files before anything is written, in one place for all
// commands: that they could not be written, and that they would replace what users write themselves
// or collect over time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace squall::cli {

/// "--markdown: out.md is a folder, not a file".
[[nodiscard]] core::Error output_complaint(std::string_view option, const std::string& path,
                                           std::string_view words);

/// Why the file `path` that `option` names could not be written, as far as that can be known
/// beforehand. Nothing when it looks as if it could.
[[nodiscard]] std::optional<core::Error> unwritable(std::string_view option,
                                                    const std::string& path);

/// Why `content` must not replace the file `path`: that is a scenario, golden digests, a policy
/// or a telemetry database. Nothing when the file may be written: it is something else, holds the
/// same bytes already, or is not there.
[[nodiscard]] std::optional<core::Error> refusal_to_replace(const std::string& path,
                                                            std::string_view content);

}  // namespace squall::cli
