// SPDX-License-Identifier: MIT
//
// What a host tells an operation (events: facts that already happened) and what an operation tells
// its host (actions: orders). Both are small values; text they carry is only borrowed for the
// duration of the call. The same vocabulary serves every host, simulated or real.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "core/time.hpp"

namespace squall::core {

/// 1-based number of an attempt within its operation. 0 names no attempt.
using AttemptId = std::uint32_t;

/// Why an attempt broke below HTTP.
enum class ConnectionFault : std::uint8_t {
  kRefused,         ///< nothing listens
  kReset,           ///< reset before the headers were complete
  kDns,             ///< the name did not resolve
  kTls,             ///< the handshake failed
  kConnectTimeout,  ///< the connection was never accepted
  kSend,            ///< any other failure while connecting, sending or waiting for headers
  kBodyReset,       ///< reset while the body was read
  kBodyClosed,      ///< closed before the announced or chunked body was complete
};

/// What the fault is, in words without a trailing period: "connection refused".
[[nodiscard]] std::string_view describe(ConnectionFault fault);

/// The part of a response's head that decides something.
struct ResponseHead {
  /// 100 to 999.
  int status = 0;
  std::optional<std::uint64_t> content_length;
  std::optional<std::string_view> retry_after;
  std::optional<std::string_view> retry_after_ms;
};

/// The operation may begin. Sent once, before every other event.
struct OperationStarted {};
/// The attempt that `SendAttempt` ordered is under way.
struct AttemptStarted {
  AttemptId attempt = 0;
};
/// Headers are complete. `received_at` is the calendar time of their arrival.
struct HeadersReceived {
  AttemptId attempt = 0;
  ResponseHead head;
  WallInstant received_at;
};
/// More of the body arrived. Without bytes: the host keeps them back, and the wait begins anew.
struct BytesReceived {
  AttemptId attempt = 0;
  std::string_view bytes;
};
/// The body is complete as HTTP counts it.
struct BodyEnded {
  AttemptId attempt = 0;
};
/// The attempt broke. `detail` is the host's own cause chain; empty when it has none.
struct AttemptFailed {
  AttemptId attempt = 0;
  ConnectionFault fault = ConnectionFault::kSend;
  std::string_view detail;
};
/// Time reached or passed `next_wakeup()`. Early and stale ones are ignored.
struct WakeupReached {};
/// The process is stopping. Ends a sleep or a wait at once.
struct ShutdownRequested {};

/// Events about an attempt that is over are ignored by its number.
using Event = std::variant<OperationStarted, AttemptStarted, HeadersReceived, BytesReceived,
                           BodyEnded, AttemptFailed, WakeupReached, ShutdownRequested>;

/// Send the operation's current request, once. The host answers with `AttemptStarted`.
struct SendAttempt {
  AttemptId attempt = 0;
};
/// Drop the attempt: close its connection; nothing of it is wanted any more.
struct AbandonAttempt {
  AttemptId attempt = 0;
};
/// Store one failure row: `trail()[trail_index]` under the 1-based `failure_index`.
/// Ordered only for operations that carry metadata.
struct RecordFailure {
  std::uint32_t trail_index = 0;
  std::uint32_t failure_index = 0;
  /// Absent when no start was marked for the attempt.
  std::optional<Duration> attempt_duration;
};
/// Store a request row: the operation's one row at its end, or the row of a round that was accepted
/// on the way (a synthesis only). Ordered only for operations that carry metadata.
struct RecordRequest {
  Duration duration{0};
  /// The attempt that made the accepted round, always a success; 0 in the operation's own row.
  AttemptId accepted_round = 0;
};
/// The operation is over; its result can be read. Always the last action there is.
struct FinishOperation {};

using Action =
    std::variant<SendAttempt, AbandonAttempt, RecordFailure, RecordRequest, FinishOperation>;

/// The actions of one event, in the order they must be carried out. Holds at most `kCapacity`,
/// which no operation exceeds: abandon, record, record, finish.
class Actions {
 public:
  static constexpr std::size_t kCapacity = 4;

  void add(const Action& action);
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const Action* begin() const { return actions_.data(); }
  [[nodiscard]] const Action* end() const { return actions_.data() + size_; }

 private:
  std::array<Action, kCapacity> actions_{};
  std::size_t size_ = 0;
};

}  // namespace squall::core
