// SPDX-License-Identifier: MIT
//
// Runs loaded scenarios and gathers what came of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "cli/scenario_source.hpp"
#include "core/policy.hpp"
#include "reports/catalogue_text.hpp"
#include "telemetry/store.hpp"

namespace squall::cli {

struct RunPlan {
  std::uint64_t seed = 1;
  std::uint64_t runs = 1;
  unsigned threads = 1;
  bool verify_determinism = false;
  /// Where telemetry rows go; null: nowhere.
  telemetry::Store* store = nullptr;
  /// Where the first run of each scenario is added, drawn by `reports::perfetto_run`; null:
  /// nowhere.
  std::vector<std::string>* perfetto = nullptr;
};

/// Replaces the policy of `loaded` by `policy`, which the user called `name`. The expectations,
/// written for the scenario's own policy, go.
void replace_policy(LoadedScenario& loaded, const core::RetryPolicy& policy,
                    const std::string& name);

/// What reports say about `loaded`.
[[nodiscard]] reports::Subject subject_for(const LoadedScenario& loaded,
                                           const std::optional<std::string>& policy_override);

/// Runs every scenario of `loaded` as planned, until done or interrupted.
[[nodiscard]] reports::CatalogueReport run_all(std::vector<LoadedScenario> loaded,
                                               const std::optional<std::string>& policy_override,
                                               const RunPlan& plan, const Console& console);

/// Prints what broke to standard error, if anything did; nothing when all runs are sound.
void sound_alarms(const reports::ScenarioReport& report, const Console& console);

/// What the shell is told about `report`: 3 beats 130 beats 1.
[[nodiscard]] int exit_code_for(const reports::CatalogueReport& report);

}  // namespace squall::cli
