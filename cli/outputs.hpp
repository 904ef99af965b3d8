// SPDX-License-Identifier: MIT
//
// Where a command must not write, or cannot: said before anything is written, in one place for all
// commands. What it must never replace by its report is whatever users write themselves or collect
// over time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace squall::cli {

/// One line about the file that an option names: "--save: out/b.json is a folder, not a file".
[[nodiscard]] core::Error complaint(std::string_view option, const std::string& path,
                                    std::string_view words);

/// Why the file that `option` names could not be written, as far as that can be known beforehand.
[[nodiscard]] std::optional<core::Error> unwritable(std::string_view option,
                                                    const std::string& path);

/// Why `content` must not replace the file `path`: that is a scenario, a policy or a telemetry
/// database. Nothing when the file may be written: it is something else, holds the same bytes
/// already, or is not there.
[[nodiscard]] std::optional<core::Error> refusal_to_replace(const std::string& path,
                                                            std::string_view content);

}  // namespace squall::cli
