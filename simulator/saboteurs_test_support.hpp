// SPDX-License-Identifier: MIT
//
// The deliberately wrong parts that must_fail scenarios name. Linked into test programs only.
#pragma once

#include "playback/saboteur.hpp"

namespace squall::simulator {

/// The saboteurs by name; null for a name that is none of them.
[[nodiscard]] std::unique_ptr<playback::Saboteur> make_saboteur(std::string_view defect);

}  // namespace squall::simulator
