// SPDX-License-Identifier: MIT
//
// From what the analysis found to the document of a reliability report: words, intervals, commands,
// and an honest account of what is thinned.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/reliability.hpp"
#include "core/policy.hpp"
#include "core/retry_loop.hpp"
#include "reports/gate_report.hpp"
#include "reports/reliability_report.hpp"
#include "reports/run_report.hpp"
#include "reports/verdict.hpp"
#include "scenarios/model.hpp"

namespace squall::reports::reliability {

/// A policy of the report.
struct Column {
  std::string name;
  core::RetryPolicy policy;
  /// How a command names it; empty when none can, as with a policy written into its scenario.
  std::string word;
  std::string command;  ///< makes its figures again
  /// The kinds of operation it is used for.
  std::vector<scenarios::OperationKind> kinds;
};

/// A scenario of the report.
struct Row {
  std::string name, summary;
  scenarios::OperationKind kind = scenarios::OperationKind::kAgentChat;
  std::vector<std::string> tags;
};

/// A run that is drawn.
struct DrawnRun {
  analysis::TimelinePick pick;
  RunReport report;
  std::vector<core::OrderedSleep> sleeps;  ///< as ordered, with their slots
};

/// Everything that a document is made of. What is pointed to must outlive the making.
struct Material {
  std::string version;  ///< of squall
  std::string command;  ///< makes the whole report again
  std::vector<std::string> notes;
  std::vector<Column> columns;
  std::vector<Row> rows;
  const analysis::Reliability* reliability = nullptr;
  /// By cell: what was played, and as whom the user can name it.
  std::vector<Subject> subjects;
  std::vector<const scenarios::Scenario*> played;
  std::vector<DrawnRun> drawn;
  /// What changed against a baseline; null without one.
  const GateReport* gate = nullptr;
  std::string gate_command;
};

/// Requires a cell for every column.
[[nodiscard]] Document make_document(const Material& material);

}  // namespace squall::reports::reliability
