// SPDX-License-Identifier: MIT
//
// What a telemetry database says about all operations in it. Reads only: the file may be recorded
// into at the same time, and a file that nobody may write (an archive) can be read too.
//
// An operation is one operation_id, and its own row is the last one it has; the rows before it are
// accepted rounds of a synthesis (see telemetry/schema.hpp). What the answers of an operation used
// (tokens, cost) is taken from the rows of its rounds when they say anything, else from its own, so
// no answer is counted twice. Equal databases give equal summaries: every list has a fixed order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/expected.hpp"

namespace squall::telemetry {

/// How many slowest operations a summary names. Chosen.
inline constexpr std::size_t kSlowestMax = 10;

struct Count {
  std::string name;
  std::uint64_t count = 0;

  friend bool operator==(const Count&, const Count&) = default;
};

/// Sums of what providers said; absent when no row says anything. Tokens saturate.
struct Usage {
  std::optional<std::uint64_t> input_tokens;
  std::optional<std::uint64_t> output_tokens;
  std::optional<std::uint64_t> cached_tokens;
  std::optional<std::uint64_t> cache_miss_tokens;
  std::optional<double> cost;

  friend bool operator==(const Usage&, const Usage&) = default;
};

struct OperationLine {
  std::string operation_id;
  std::uint64_t duration_ms = 0;
  std::uint64_t calls = 0;
  std::string outcome;

  friend bool operator==(const OperationLine&, const OperationLine&) = default;
};

/// The operations of one purpose and model.
struct Share {
  std::uint64_t operations = 0;
  std::uint64_t successes = 0;
  std::uint64_t degraded = 0;  ///< of the successes, as in Summary
  std::uint64_t calls = 0;
  Usage usage;

  friend bool operator==(const Share&, const Share&) = default;
};

struct Summary {
  std::uint64_t recordings = 0;
  std::uint64_t operations = 0;
  /// Rows that say so: operations that gave something, be it a fallback.
  std::uint64_t successes = 0;
  /// Those of them that name the class that ended them: the caller got a fallback.
  std::uint64_t degraded = 0;
  /// Operations of more than one call, and those of them that succeeded.
  std::uint64_t retried = 0;
  std::uint64_t retried_successes = 0;
  /// Rows of accepted rounds, in addition to one row an operation.
  std::uint64_t accepted_rounds = 0;
  /// Operations with failures but no row of their own: cut off, or their row was dropped.
  std::uint64_t unfinished = 0;
  std::uint64_t calls = 0;
  std::uint64_t failures = 0;
  Usage usage;

  /// "success"; "degraded", which is no "success" here; else the label of the final class. Largest
  /// count first, then by name.
  std::vector<Count> outcomes;
  /// Failed attempts by class, in the same order.
  std::vector<Count> failure_classes;
  /// Calls an operation made -> operations.
  std::map<std::uint64_t, std::uint64_t> calls_histogram;
  /// By purpose ("" when unset) and model ("" for a tool call, which asks none).
  std::map<std::pair<std::string, std::string>, Share> shares;
  /// Longest first, then by id; at most kSlowestMax.
  std::vector<OperationLine> slowest;
};

/// @errors no such file, an empty file, no database of ours (see Store::open), locked, damaged
[[nodiscard]] core::Expected<Summary, core::Error> summarize(const std::string& path);

}  // namespace squall::telemetry
