// SPDX-License-Identifier: MIT
//
// A case played by the simulator, kept with everything the result points into, and how it compares
// with the reference model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "playback/prepared_scenario.hpp"
#include "playback/run_result.hpp"
#include "property_tests/generators.hpp"
#include "simulator/simulation.hpp"

namespace squall::property_tests {

/// Run 0 of a case.
struct Played {
  explicit Played(const Case& drawn)
      : prepared(drawn.scenario), simulation(prepared), result(simulation.run(drawn.seed, 0)) {}

  [[nodiscard]] const core::RetryPolicy& policy() const { return prepared.scenario.policy; }
  /// The records of one kind, in order.
  [[nodiscard]] std::vector<playback::TraceRecord> records(playback::TraceKind kind) const;

  playback::PreparedScenario prepared;
  simulator::Simulation simulation;
  const playback::RunResult& result;
};

/// What the audit or an internal check reported, as one text; nothing when the run was sound.
[[nodiscard]] std::optional<std::string> complaint(const playback::RunResult& result);

/// The first thing in which a run differs from what the reference model says must come out of it;
/// nothing when they agree. Requires a plain scenario.
[[nodiscard]] std::optional<std::string> disagreement(const playback::RunResult& result,
                                                      const scenarios::Scenario& scenario);

/// Counts a case under `tag` when the distribution was asked for: SQUALL_SHOW_DISTRIBUTION=1.
/// RapidCheck prints it after each property.
void classify(bool belongs, const std::string& tag);

}  // namespace squall::property_tests
