// SPDX-License-Identifier: MIT
//
// Every file that the build embeds, sorted by path. Defined in a generated source (embed.cmake).
// Internal to the folder.
#pragma once

#include <span>

#include "scenarios/catalogue.hpp"

namespace squall::scenarios {

[[nodiscard]] std::span<const StoredFile> embedded_files();

}  // namespace squall::scenarios
