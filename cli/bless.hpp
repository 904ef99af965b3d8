// SPDX-License-Identifier: MIT
//
// Rewrites golden digests after a wanted change of behaviour: the only place that does.
#pragma once

#include <vector>

#include "cli/console.hpp"
#include "cli/scenario_source.hpp"

namespace squall::cli {

/// Runs each scenario (run 0 of the golden seed, twice) and makes its digest the golden one, in the
/// scenarios and in the files beside them. A folder's file holds exactly the folder's scenarios
/// afterwards; of a scenario named alone only its own digest changes. Says on standard error what
/// was written.
///
/// @return kFine; kBadInput for shipped scenarios or files that cannot be written; kBroken when a
///         run is not sound: then nothing is written.
[[nodiscard]] int bless(std::vector<LoadedScenario>& loaded, const Console& console);

}  // namespace squall::cli
