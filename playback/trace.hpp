// SPDX-License-Identifier: MIT
//
// The trace: what happened in a run, in order, as fixed-size integer records. It is a pure function
// of the events an operation was told, the actions it ordered and the failures it recorded; equal
// runs have equal traces, byte for byte, and the digest of the records is the identity of a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/time.hpp"

namespace squall::playback {

/// What one record says. The meaning of `detail` and `value` follows the kind.
enum class TraceKind : std::uint8_t {
  kOperationStarted,  ///< value: size of the request in bytes
  kAttemptSent,       ///< detail: attempt; value: digest of the bytes sent
  kHeadersReceived,   ///< detail: attempt; value: HTTP status
  kRetryAfterRead,    ///< detail: attempt; value: milliseconds observed, before any clamp
  kBytesReceived,     ///< detail: attempt; value: number of bytes
  kBodyEnded,         ///< detail: attempt
  kConnectionBroke,   ///< detail: attempt; value: core::ConnectionFault
  kAttemptAbandoned,  ///< detail: attempt
  kFailureRecorded,   ///< detail: failure class; value: digest of the error chain
  kSleepStarted,      ///< detail: slot; value: nanoseconds to sleep
  kFailureRow,  ///< detail: failure index; value: nanoseconds of the attempt, all ones if NULL
  kRequestRow,  ///< detail: accepted round or 0; value: nanoseconds
  kShutdownRequested,  ///< -
  kOperationFinished,  ///< detail: scenarios::Outcome; value: digest of the answer's text
  kHorizonReached,     ///< the run was stopped with the operation still under way
};

/// One record: 24 bytes without padding, so that a trace can be hashed and stored as it lies.
struct TraceRecord {
  std::int64_t at_ns = 0;
  std::uint64_t value = 0;
  std::uint32_t detail = 0;
  /// Number of the operation within its world, in 24 bits, and the kind in 8.
  std::uint32_t operation_and_kind = 0;

  [[nodiscard]] TraceKind kind() const {
    return static_cast<TraceKind>(operation_and_kind & 0xffU);
  }
  [[nodiscard]] std::uint32_t operation() const { return operation_and_kind >> 8U; }
  [[nodiscard]] core::Instant at() const { return core::Instant(core::Duration(at_ns)); }

  friend bool operator==(const TraceRecord&, const TraceRecord&) = default;
};
static_assert(sizeof(TraceRecord) == 24);

/// 64-bit digest of bytes. @source XXH3, seed 0.
[[nodiscard]] std::uint64_t digest_of(std::string_view bytes);

class Trace {
 public:
  /// Most operations a trace can tell apart: the record has 24 bits for them.
  static constexpr std::uint32_t kOperationsMax = std::uint32_t{1} << 24U;

  void add(core::Instant at, std::uint32_t operation, TraceKind kind, std::uint32_t detail = 0,
           std::uint64_t value = 0) {
    records_.push_back({.at_ns = at.time_since_epoch().count(),
                        .value = value,
                        .detail = detail,
                        .operation_and_kind = operation << 8U | static_cast<std::uint32_t>(kind)});
  }

  [[nodiscard]] const std::vector<TraceRecord>& records() const { return records_; }
  [[nodiscard]] std::uint64_t digest() const;
  /// Forgets all records and keeps the memory.
  void clear() { records_.clear(); }

 private:
  std::vector<TraceRecord> records_;
};

/// Where two traces part.
struct TraceDifference {
  std::size_t record = 0;  ///< 0-based; the common length when one continues the other
  core::Instant at;        ///< virtual time of that record
};
/// The first record in which two traces differ; nothing when they are equal.
[[nodiscard]] std::optional<TraceDifference> first_difference(const Trace& left,
                                                              const Trace& right);

}  // namespace squall::playback
