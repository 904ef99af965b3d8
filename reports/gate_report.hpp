// SPDX-License-Identifier: MIT
//
// What a gate found, for people, for pull requests and for CI systems: pure functions of the
// analysis. All formats tell the same story, because all of them are made of the same findings in
// the same words (gate_words.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/gate.hpp"
#include "reports/style.hpp"

namespace squall::reports {

/// Where the parts of a candidate stand.
struct GatePlace {
  std::string file;  ///< empty when the candidate is no policy file
  /// By PolicyChange::parts: the 1-based line of each; 0 when unknown.
  std::vector<std::size_t> lines;
};

struct GateReport {
  std::string baseline, candidate;  ///< as the user named them
  std::uint64_t seed = 1;
  std::uint64_t runs = 1;
  std::vector<analysis::PolicyChange> policies;
  std::vector<GatePlace> places;   ///< by policy
  std::vector<std::string> notes;  ///< what was not compared, one sentence each

  [[nodiscard]] std::uint64_t count(analysis::Change change) const;
  [[nodiscard]] bool passes() const { return count(analysis::Change::kRegressed) == 0; }
};

/// A page: what got worse or better, and why.
/// @param quiet  what got worse alone; nothing when nothing did.
[[nodiscard]] std::string gate_text(const GateReport& report, const Style& style, bool quiet);

/// kind "gate": every metric of every scenario. Members end in _ns, _ppm or _millionths.
[[nodiscard]] std::string gate_json(const GateReport& report);

/// For the description or a comment of a pull request. GitHub-flavoured.
[[nodiscard]] std::string gate_markdown(const GateReport& report);

/// JUnit XML: a suite a policy, a case a scenario, and one for each worst case.
[[nodiscard]] std::string gate_junit(const GateReport& report);

/// SARIF 2.1.0: one result for each regression.
/// @param version  of squall.
[[nodiscard]] std::string gate_sarif(const GateReport& report, std::string_view version);

/// Workflow commands of GitHub Actions, one line each: an error for each scenario (and worst case)
/// that got worse, a notice that sums up.
[[nodiscard]] std::string gate_annotations(const GateReport& report);

/// `text` as the message of a workflow command, and as the value of one of its properties.
/// @source GitHub, actions/toolkit, packages/core/src/command.ts: escapeData, escapeProperty.
[[nodiscard]] std::string escaped_message(std::string_view text);
[[nodiscard]] std::string escaped_property(std::string_view text);

}  // namespace squall::reports
