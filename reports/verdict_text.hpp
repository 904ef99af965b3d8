// SPDX-License-Identifier: MIT
//
// Verdicts, invariants and findings in words: the same wherever they appear.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/time.hpp"
#include "playback/audit.hpp"
#include "reports/style.hpp"
#include "reports/verdict.hpp"

namespace squall::reports {

/// "9 invariants checked 143 times: all hold" (or how many runs broke one), and the names of those
/// that there was no occasion to check; "no invariant was checked" when nothing was.
[[nodiscard]] std::string invariants_text(const playback::CheckCounts& checks,
                                          std::uint64_t runs_unsound);

/// One line for each expectation, met or not, or why there are none; as fields of a list.
[[nodiscard]] std::string verdict_text(const Verdict& verdict, const Subject& subject,
                                       const Style& style);

/// Everything an invariant or internal check found broken, as plain lines for the error stream:
/// where (scenario, seed, run, virtual time), what, and the command that shows it again.
[[nodiscard]] std::vector<std::string> alarm_lines(const Subject& subject, std::uint64_t seed,
                                                   std::uint64_t run, core::Duration at,
                                                   const std::vector<std::string>& findings);

/// "name: summary" in the header of a page, then the policy.
[[nodiscard]] std::string header_text(const Subject& subject, const Style& style);

}  // namespace squall::reports
