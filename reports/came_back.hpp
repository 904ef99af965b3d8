// SPDX-License-Identifier: MIT
//
// What came back from an attempt, in the few words that a row of a timeline has room for.
#pragma once

#include <cstddef>
#include <string>

#include "reports/run_report.hpp"

namespace squall::reports {

/// What came back from an attempt, in at most `columns_max` columns: "HTTP 503", "no headers for
/// 600 s", "body stalled after 137 of 512 bytes", "answer "recovered"".
[[nodiscard]] std::string came_back_text(const AttemptRow& row, const RunReport& report,
                                         std::size_t columns_max);

/// What the caller got, in at most `columns_max` columns: its text in quotes, then the tool calls
/// of a chat answer. Requires that it got something.
[[nodiscard]] std::string answer_text(const RunReport& report, std::size_t columns_max);

}  // namespace squall::reports
