// SPDX-License-Identifier: MIT
//
// The tables of a telemetry database, and how a file is known to be one. Internal to the folder;
// readers of the file need SQLite alone:
//
//   llm_requests  one row an operation, and before it one for each round of a synthesis that
//                 accepted anything. Both kinds are successes under the same operation_id and no
//                 column tells them apart: an operation's own row is the last one it has, in the
//                 order of rowid.
//   llm_failures  one row a failed attempt
//   recordings    one row each time the file was opened for writing
//
// recorded_at is text in UTC, "2026-01-31T23:59:59.123456789Z": fixed width, so that it sorts as
// time does. Columns ending in _ms are whole milliseconds, rounded down. Numbers beyond 2^63-1, the
// largest that SQLite holds, are stored as that.
#pragma once

#include <cstdint>
#include <string>

namespace squall::telemetry {

/// `PRAGMA application_id` of our files: "SQUL" in ASCII. Chosen.
inline constexpr std::int32_t kApplicationId = 0x5351554C;
/// `PRAGMA user_version`; grows with any change of a table.
inline constexpr std::int32_t kSchemaVersion = 1;

/// Makes tables and indices.
inline constexpr const char* kTablesSql = R"(
CREATE TABLE llm_requests (
  recorded_at TEXT NOT NULL,
  operation_id TEXT NOT NULL,
  purpose TEXT,
  agent_id TEXT,
  role TEXT,
  workspace TEXT,
  ticket_id TEXT,
  model TEXT NOT NULL,
  routing TEXT NOT NULL DEFAULT 'default',
  input_tokens INTEGER,
  output_tokens INTEGER,
  cached_tokens INTEGER,
  cache_miss_tokens INTEGER,
  cost REAL,
  upstream_provider TEXT,
  system_fingerprint TEXT,
  duration_ms INTEGER NOT NULL,
  retry_attempts INTEGER NOT NULL,
  finish_reason TEXT,
  failure_class TEXT,
  success INTEGER NOT NULL CHECK (success IN (0, 1))
) STRICT;
CREATE INDEX llm_requests_by_operation ON llm_requests (operation_id);
CREATE TABLE llm_failures (
  recorded_at TEXT NOT NULL,
  operation_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  class TEXT NOT NULL,
  finish_reason TEXT,
  retry_after_ms INTEGER,
  error_chain TEXT NOT NULL,
  attempt_duration_ms INTEGER
) STRICT;
CREATE INDEX llm_failures_by_operation ON llm_failures (operation_id);
CREATE TABLE recordings (recording INTEGER PRIMARY KEY) STRICT;
)";

/// Makes tables, indices and both identifying numbers in an empty database.
[[nodiscard]] inline std::string schema_sql() {
  return std::string(kTablesSql) + "PRAGMA application_id = " + std::to_string(kApplicationId) +
         ";\nPRAGMA user_version = " + std::to_string(kSchemaVersion) + ";\n";
}

}  // namespace squall::telemetry
