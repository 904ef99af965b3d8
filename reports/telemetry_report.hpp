// SPDX-License-Identifier: MIT
//
// The summary of a telemetry database for people and for programs. Equal databases give equal
// bytes; the text differs in the name of the file alone.
#pragma once

#include <string>
#include <string_view>

#include "reports/style.hpp"
#include "telemetry/summary.hpp"

namespace squall::reports {

/// A page of tables headed by `file`, the name of the database as the reader gave it.
[[nodiscard]] std::string telemetry_text(const telemetry::Summary& summary, std::string_view file,
                                         const Style& style);

/// kind "telemetry": everything in the summary; "successes" include "degraded". What no row says is
/// null; the cost of several currencies is a plain sum, as in the database.
[[nodiscard]] std::string telemetry_json(const telemetry::Summary& summary);

}  // namespace squall::reports
