// SPDX-License-Identifier: MIT
//
// What squall report is told on the command line: scenarios as rows, policies as columns, and the
// pairs of them that are played. And the commands that make its figures again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/comparison.hpp"
#include "analysis/gate.hpp"
#include "analysis/reliability.hpp"
#include "cli/gate_input.hpp"
#include "core/error.hpp"
#include "core/expected.hpp"
#include "playback/prepared_scenario.hpp"
#include "reports/reliability_words.hpp"
#include "reports/verdict.hpp"

namespace squall::cli {

/// The words of one invocation.
struct ReportWords {
  std::vector<std::string> scenarios;  ///< none: the whole catalogue
  std::vector<std::string> policies;   ///< none: each scenario's own
  std::string baseline;
  std::uint64_t runs = 1;
  std::uint64_t seed = 1;
};

/// Everything that is played, and what it is called.
struct ReportPlan {
  std::vector<reports::reliability::Column> columns;
  std::vector<reports::reliability::Row> rows;
  std::vector<analysis::NamedScenario> scenarios;  ///< by row, as loaded
  std::vector<std::string> notes;
  // By cell, the rows in order and in each the columns.
  std::vector<analysis::ReliabilityTask> tasks;
  std::vector<reports::Subject> subjects;
  std::vector<std::unique_ptr<playback::PreparedScenario>> prepared;  ///< what tasks point to

  /// The scenarios that `column` plays.
  [[nodiscard]] std::vector<const analysis::NamedScenario*> played_by(std::size_t column) const;
};

/// Loads scenarios and policies and pairs them. Without policies the scenarios' own make the
/// columns; a policy that is a scenario's own is judged by its expectations. Tool calls of a folder
/// that a policy does not fit are left out of its column with a note; so is, of the catalogue, what
/// is no tool call where a policy is for those.
///
/// @errors  the first defect; a scenario that is named twice; a tool call that was named alone and
///          that no policy fits; a policy that fits no scenario.
[[nodiscard]] core::Expected<ReportPlan, core::Error> plan_report(const ReportWords& words);

/// The whole report again.
[[nodiscard]] std::string report_command(const ReportWords& words);

/// The columns as the candidates of a gate, by the names that gates know policies by. Those that no
/// command can name are left out.
[[nodiscard]] PolicySet candidates_of(const ReportPlan& plan, std::vector<std::size_t>& columns);

/// squall gate for one column.
[[nodiscard]] std::string gate_command(const ReportWords& words, const std::string& candidate,
                                       const std::vector<const analysis::NamedScenario*>& played,
                                       bool by_default);

/// Whether squall gate and squall compare choose exactly the scenarios of `column` by themselves.
[[nodiscard]] bool plays_by_default(const ReportWords& words, const ReportPlan& plan,
                                    std::size_t column);

}  // namespace squall::cli
