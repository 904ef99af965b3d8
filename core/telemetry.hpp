// SPDX-License-Identifier: MIT
//
// What is kept of operations for later questions: one request row an operation (and one more for
// each accepted round of a synthesis), one failure row a failed attempt. A host fills the rows from
// the operation's orders and hands them to a sink; where they end up is the sink's business, and no
// sink can make an operation fail or wait.
//
// Nothing is written for an operation without metadata: it orders no row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/time.hpp"

namespace squall::core {

/// Who asked, and what for. Empty texts are stored as NULL, except `routing`.
struct RequestMetadata {
  std::string purpose;
  std::string agent_id;
  std::string role;
  std::string workspace;
  std::string ticket_id;
  std::string routing = "default";

  friend bool operator==(const RequestMetadata&, const RequestMetadata&) = default;
};

/// What a provider says about a chat answer; absent values are NULL. All absent unless the row is a
/// success.
struct AnswerFacts {
  std::optional<std::uint64_t> input_tokens;
  std::optional<std::uint64_t> output_tokens;
  std::optional<std::uint64_t> cached_tokens;
  std::optional<std::uint64_t> cache_miss_tokens;
  /// In the provider's currency, as a decimal number.
  std::optional<double> cost;
  std::optional<std::string> upstream_provider;
  std::optional<std::string> system_fingerprint;

  friend bool operator==(const AnswerFacts&, const AnswerFacts&) = default;
};

/// One row of `llm_requests`.
struct RequestRow {
  WallInstant recorded_at;
  std::string operation_id;
  RequestMetadata metadata;
  std::string model;
  AnswerFacts answer;
  Duration duration{0};
  /// Calls made: 1 means no retry. In the row of an accepted round, the number of that attempt.
  std::uint32_t retry_attempts = 0;
  std::optional<std::string> finish_reason;
  /// Label of the final class; absent when the full result was given.
  std::optional<std::string> failure_class;
  /// Whether the caller goes on as planned. With a failure class beside it, it does so without the
  /// full result: the operation is degraded.
  bool success = false;

  friend bool operator==(const RequestRow&, const RequestRow&) = default;
};

/// One row of `llm_failures`.
struct FailureRow {
  WallInstant recorded_at;
  std::string operation_id;
  /// 1-based index among the operation's failed attempts.
  std::uint32_t attempt = 0;
  /// Label of the failure class.
  std::string failure_class;
  std::optional<std::string> finish_reason;
  std::optional<std::uint64_t> retry_after_ms;
  std::string error_chain;
  /// Absent when no start was marked.
  std::optional<Duration> attempt_duration;

  friend bool operator==(const FailureRow&, const FailureRow&) = default;
};

/// Where rows go. Must not throw and must not block for long: what cannot be stored is dropped.
class TelemetrySink {
 public:
  TelemetrySink() = default;
  TelemetrySink(const TelemetrySink&) = delete;
  TelemetrySink& operator=(const TelemetrySink&) = delete;
  virtual ~TelemetrySink() = default;

  virtual void record(const FailureRow& row) = 0;
  virtual void record(const RequestRow& row) = 0;
};

}  // namespace squall::core
