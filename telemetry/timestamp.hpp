// SPDX-License-Identifier: MIT
//
// Calendar time as the database holds it.
#pragma once

#include <string>

#include "core/time.hpp"

namespace squall::telemetry {

/// "2026-01-31T23:59:59.123456789Z": ISO 8601 in UTC, always 30 characters, so that texts sort as
/// instants do. All instants have years of four digits (1677 to 2262).
[[nodiscard]] std::string timestamp_text(core::WallInstant instant);

}  // namespace squall::telemetry
