// SPDX-License-Identifier: MIT
//
// Policies side by side for people and for programs: pure functions of what the analysis found.
#pragma once

#include <string>
#include <vector>

#include "analysis/comparison.hpp"
#include "reports/style.hpp"

namespace squall::reports {

struct CompareReport {
  analysis::Comparison comparison;
  /// What was asked for and not played, one sentence each.
  std::vector<std::string> notes;
};

/// A page: policies as columns. A few scenarios are shown with every figure, many with one line
/// each. The best value of a row is marked unless all are alike.
[[nodiscard]] std::string compare_text(const CompareReport& report, const Style& style);

/// kind "compare". Every figure of every cell; times in nanoseconds, null where there is none.
[[nodiscard]] std::string compare_json(const CompareReport& report);

}  // namespace squall::reports
