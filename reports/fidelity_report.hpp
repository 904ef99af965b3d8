// SPDX-License-Identifier: MIT
//
// How well simulation and reality agree, scenario by scenario, as text and as JSON. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/agreement.hpp"
#include "core/time.hpp"
#include "reports/style.hpp"
#include "scenarios/model.hpp"

namespace squall::reports {

/// One scenario in both worlds.
struct FidelityOfScenario {
  std::string name;
  scenarios::Outcome outcome = scenarios::Outcome::kUnfinished;  ///< the simulated one
  analysis::Agreement agreement;
  /// How many times faster than written it was played; nothing when time was stepped.
  std::optional<std::uint64_t> time_scale;
  /// How far apart a sleep may lie, in the scenario's time.
  core::Duration tolerance{0};
  /// How often it was played over sockets: again, and more patiently, when the first time differed.
  std::uint32_t looks = 1;

  [[nodiscard]] bool agrees() const { return agreement.within(tolerance); }
};

struct FidelityReport {
  std::uint64_t seed = 1;
  std::vector<FidelityOfScenario> scenarios;
  /// How many were asked for; more than there are when it was interrupted.
  std::size_t scenarios_asked = 0;

  [[nodiscard]] bool agrees() const;
};

/// A line each, everything that differs below it, and the largest deviation of all.
[[nodiscard]] std::string fidelity_text(const FidelityReport& report, const Style& style);
/// Every number with its unit in its name.
[[nodiscard]] std::string fidelity_json(const FidelityReport& report);

}  // namespace squall::reports
