// SPDX-License-Identifier: MIT
//
// The worst case of a policy for people and for programs: pure functions of what the analysis
// found. Nothing here computes a bound.
#pragma once

#include <string>
#include <vector>

#include "analysis/worst_case.hpp"
#include "core/policy.hpp"
#include "reports/style.hpp"

namespace squall::reports {

/// A scenario that reaches a figure.
struct NamedWitness {
  std::string figure;    ///< as in analysis::Witness
  std::string scenario;  ///< its name
  std::string file;      ///< where it was written; empty when it was not
};

struct WorstCaseReport {
  std::string policy_name;  ///< a shipped name or a path
  core::RetryPolicy policy;
  analysis::WorstCase worst;
  /// What prints this report, for hints.
  std::string command;
  std::vector<NamedWitness> witnesses;
};

/// A page.
[[nodiscard]] std::string worst_case_text(const WorstCaseReport& report, const Style& style);

/// kind "worst-case". Times in nanoseconds, null where there is no end.
[[nodiscard]] std::string worst_case_json(const WorstCaseReport& report);

}  // namespace squall::reports
