// SPDX-License-Identifier: MIT
//
// Many runs of one scenario on one page: how often it succeeds and how sure that is, how long it
// takes, what each sleep was against what is allowed, and what failed.
#pragma once

#include <string>

#include "reports/batch_report.hpp"
#include "reports/style.hpp"

namespace squall::reports {

/// The whole page.
[[nodiscard]] std::string batch_text(const BatchReport& report, const Style& style);

}  // namespace squall::reports
