// SPDX-License-Identifier: MIT
//
// Many runs of one scenario as a report needs them.
#pragma once

#include <cstdint>
#include <optional>

#include "reports/verdict.hpp"
#include "scenarios/model.hpp"
#include "simulator/batch.hpp"

namespace squall::reports {

struct BatchReport {
  Subject subject;
  simulator::BatchSummary summary;
  /// What the first run that fails its expectations finds, and what all runs together find. When
  /// more than one run fails, expectations that this first one meets are left out: another run may
  /// not meet them.
  Verdict verdict;

  [[nodiscard]] bool interrupted() const { return summary.runs < summary.runs_asked; }
  [[nodiscard]] bool sound() const { return summary.runs_unsound == 0; }
};

/// @param run_zero_digest  digest of run 0, to be held against the golden one; absent when that is
///                         not wanted.
[[nodiscard]] BatchReport make_batch_report(const Subject& subject,
                                            const scenarios::Scenario& scenario,
                                            simulator::BatchSummary summary,
                                            std::optional<std::uint64_t> run_zero_digest);

}  // namespace squall::reports
