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

}  // namespace squall::reports
