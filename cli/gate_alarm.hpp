// SPDX-License-Identifier: MIT
//
// What squall compare and squall gate say when a run broke an invariant.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/comparison.hpp"
#include "cli/console.hpp"
#include "reports/verdict.hpp"
#include "reports/verdict_text.hpp"

namespace squall::cli {

/// Prints what broke and how to see it again. @return kBroken.
[[nodiscard]] inline int sound_alarms(std::span<const analysis::UnsoundRun> unsound,
                                      std::uint64_t seed, const Console& console) {
  for (const analysis::UnsoundRun& one : unsound) {
    reports::Subject subject;
    subject.scenario = one.scenario;
    subject.reference = one.scenario;
    subject.policy_name = one.policy;
    subject.policy_override = one.policy;
    for (const std::string& line :
         reports::alarm_lines(subject, seed, one.run.run, one.run.at, one.run.findings)) {
      console.err << line << '\n';
    }
  }
  return kBroken;
}

}  // namespace squall::cli
