// SPDX-License-Identifier: MIT
//
// What the fault server saw of its clients: each request it read and what it answered, in the order
// of arrival. It is written by the server and read by whoever judges a client. No secret is kept:
// values of headers that carry credentials are replaced by a digest before they get here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/event.hpp"
#include "core/time.hpp"

namespace squall::live {

struct LoggedHeader {
  std::string name;  ///< as sent, case kept
  std::string value;

  friend bool operator==(const LoggedHeader&, const LoggedHeader&) = default;
};

/// The shape in which a client wants the script's answer.
enum class WireForm : std::uint8_t {
  kChat,
  kChatStream,
  kMessage,
  kMessageStream,
  kToolCall,
};

/// How an exchange ended, as the server knows it.
enum class ExchangeEnd : std::uint8_t {
  kAnswered,      ///< the whole answer was written
  kCut,           ///< the script ended it early: truncated body, reset
  kRefused,       ///< the connection was reset before a request was read
  kClientLeft,    ///< the client closed first (gave up waiting)
  kServerGaveUp,  ///< the client took nothing more of its answer, or sent too much ahead
  kServerStopped  ///< the server was stopped with the exchange under way
};

/// As in reports and logs.
[[nodiscard]] constexpr std::string_view label(ExchangeEnd end) {
  switch (end) {
    case ExchangeEnd::kAnswered:
      return "answered";
    case ExchangeEnd::kCut:
      return "cut";
    case ExchangeEnd::kRefused:
      return "refused";
    case ExchangeEnd::kClientLeft:
      return "client_left";
    case ExchangeEnd::kServerGaveUp:
      return "server_gave_up";
    case ExchangeEnd::kServerStopped:
      return "server_stopped";
  }
  return {};
}

struct LoggedExchange {
  /// Script time since the client's first connection; with a time scale, already scaled back.
  core::Instant arrived_at;  ///< the request was complete (or the connection was refused)
  core::Instant ended_at;    ///< the last byte was written, or the connection ended
  /// Which client it was: see `live/fault_server.hpp`.
  std::string client;
  std::uint64_t call = 0;  ///< 1 for the client's first call, in the order of arrival

  /// What the server took the request for; a chat when the connection was refused.
  WireForm form = WireForm::kChat;
  std::string rpc_id = {};  ///< kToolCall: the id of the call, as JSON

  std::string method;
  std::string target;
  std::vector<LoggedHeader> headers;
  std::uint64_t body_bytes = 0;
  std::uint64_t body_digest = 0;  ///< playback::digest_of
  std::string body;               ///< empty when it is larger than the log keeps

  /// Status of the answer; nothing when no head was written.
  std::optional<int> status;
  /// The answer's head as a retry policy reads it; valid when `status` is there.
  std::optional<std::string> retry_after;
  std::optional<std::string> retry_after_ms;
  std::uint64_t answer_bytes = 0;  ///< body bytes written
  std::string answer;              ///< the body written, as far as the log keeps it
  /// The scripted connection fault, if that is what the client met.
  std::optional<core::ConnectionFault> fault;
  ExchangeEnd end = ExchangeEnd::kAnswered;
};

}  // namespace squall::live
