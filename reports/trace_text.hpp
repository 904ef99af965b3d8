// SPDX-License-Identifier: MIT
//
// The trace of a run, record by record: for a person who wants to know exactly what happened.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "playback/run_result.hpp"
#include "reports/style.hpp"

namespace squall::reports {

/// One line a record: time to the nanosecond, what happened, details.
[[nodiscard]] std::string trace_text(const playback::RunResult& result, const Style& style);

/// The records as an array: {"at_ns", "what", "detail", "value"}, `value` of a digest as hex.
[[nodiscard]] nlohmann::ordered_json trace_json(const playback::RunResult& result);

}  // namespace squall::reports
