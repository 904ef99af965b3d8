// SPDX-License-Identifier: MIT
//
// Every file of this folder that the build embeds, sorted by path. Defined in a generated source
// (scenarios/embed.cmake). Internal to the folder.
#pragma once

#include <span>

#include "scenarios/catalogue.hpp"

namespace squall::reports {

[[nodiscard]] std::span<const scenarios::StoredFile> embedded_files();

}  // namespace squall::reports
