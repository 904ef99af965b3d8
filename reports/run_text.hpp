// SPDX-License-Identifier: MIT
//
// One run as a timeline: a header, an axis of virtual time, two lines an attempt (what came back;
// the sleep after it), and what became of it all.
#pragma once

#include <string>

#include "reports/run_report.hpp"
#include "reports/style.hpp"

namespace squall::reports {

/// The whole page.
[[nodiscard]] std::string run_text(const RunReport& report, const Style& style);

/// What came back from an attempt, in at most `columns_max` columns: "HTTP 503", "no headers for
/// 600 s", "body stalled after 137 of 512 bytes", "answer "recovered"".
[[nodiscard]] std::string came_back_text(const AttemptRow& row, const RunReport& report,
                                         std::size_t columns_max);

}  // namespace squall::reports
