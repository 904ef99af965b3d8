// SPDX-License-Identifier: MIT
//
// The parts that JSON documents share. Internal to the folder.
#pragma once

#include <optional>

#include <nlohmann/json.hpp>

#include "reports/json_report.hpp"

namespace squall::reports {

[[nodiscard]] inline std::int64_t nanoseconds(core::Duration duration) {
  return duration.count();
}

template <class T>
[[nodiscard]] Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
[[nodiscard]] inline Json or_null(const std::optional<core::Duration>& value) {
  return value ? Json(nanoseconds(*value)) : Json(nullptr);
}

/// Name, summary and policy of what was run.
void add_subject(Json& object, const Subject& subject);
/// {"checks": {name: times}, "broken": [...]}.
[[nodiscard]] Json checks_json(const playback::CheckCounts& checks);
/// Whether expectations were checked, and each with what became of it.
[[nodiscard]] Json verdict_json(const Verdict& verdict);
/// {"after_attempt", "min_ns", "max_ns"}: what schedule and jitter allow.
[[nodiscard]] Json allowed_json(core::SleepInterval interval);

/// The members of the documents "run" and "runs" after their header.
void add_run(Json& object, const RunReport& report);
void add_batch(Json& object, const BatchReport& report);

}  // namespace squall::reports
