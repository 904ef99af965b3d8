// SPDX-License-Identifier: MIT
//
// Many scenarios, one line each, and a total.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "reports/batch_report.hpp"
#include "reports/run_report.hpp"
#include "reports/style.hpp"

namespace squall::reports {

/// What became of one scenario: one run of it or many.
using ScenarioReport = std::variant<RunReport, BatchReport>;

[[nodiscard]] bool as_expected(const ScenarioReport& report);
[[nodiscard]] bool is_sound(const ScenarioReport& report);
[[nodiscard]] const Subject& subject_of(const ScenarioReport& report);

/// All scenarios of one invocation, those done before an interrupt.
struct CatalogueReport {
  std::vector<ScenarioReport> scenarios;
  std::size_t scenarios_asked = 0;
  std::uint64_t seed = 0;
  std::uint64_t runs = 1;  ///< of each scenario
};

/// Runs made, of all scenarios.
[[nodiscard]] std::uint64_t runs_done(const CatalogueReport& report);
/// Whether fewer runs were made than asked for.
[[nodiscard]] bool is_interrupted(const CatalogueReport& report);

struct CatalogueTotals {
  std::uint64_t as_expected = 0;
  std::uint64_t unexpected = 0;  ///< sound, but an expectation is not met
  std::uint64_t unsound = 0;     ///< broke an invariant or an internal check
  std::uint64_t success_rates_left_out = 0;
  std::uint64_t runs_unsound = 0;
  playback::CheckCounts checks{};
  core::Duration virtual_time{0};  ///< of all runs together, saturating
};
[[nodiscard]] CatalogueTotals totals_of(const CatalogueReport& report);

/// @param only_notable  leave out the lines of scenarios that are as expected, and the total when
///                      there is nothing else.
[[nodiscard]] std::string catalogue_text(const CatalogueReport& report, const Style& style,
                                         bool only_notable = false);

}  // namespace squall::reports
