// SPDX-License-Identifier: MIT
//
// From the bytes of a client to its requests: HTTP/1.x within limits, or the status that says why
// not. Holds no socket and no clock, so that any bytes can be tried on it.
//
//   RequestReader reader(limits);
//   input += bytes;
//   switch (reader.feed(input)) { case kComplete: use(reader.take()); ... }
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "live/request_log.hpp"

namespace squall::live {

struct RequestLimits {
  std::uint32_t head_bytes = 64 * 1024;  ///< request line and headers; more is answered with 431
  std::uint64_t body_bytes = std::uint64_t{16} * 1024 * 1024;  ///< more is answered with 413
};

struct ReceivedRequest {
  std::string method;
  std::string target;
  std::vector<LoggedHeader> headers;  ///< as sent, credentials included
  std::string body;
  /// Whether the connection may be used again, as the client says.
  bool keep_alive = false;
  /// HTTP/1.0 knows no chunks.
  bool knows_chunks = true;

  /// Value of the first header of that name, compared without case; null when there is none.
  [[nodiscard]] const std::string* header(const char* name) const;
};

/// Why a request cannot be read. The connection is of no use afterwards.
struct UnreadableRequest {
  int status = 400;
  std::string reason;  ///< a sentence without period
};

class RequestReader {
 public:
  enum class State : std::uint8_t {
    kIdle,      ///< nothing of a request yet
    kReading,   ///< some of it
    kComplete,  ///< `take` gives it
    kRefused    ///< `refusal` says why
  };

  explicit RequestReader(RequestLimits limits);
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;
  ~RequestReader();

  /// Reads on with all of `input` that belongs to this request, and removes it. What follows a
  /// complete request stays.
  State feed(std::string& input);

  [[nodiscard]] State state() const { return state_; }
  /// Bytes of the body that are held for a request which is being read or complete.
  [[nodiscard]] std::uint64_t body_bytes() const;
  /// True once, when the head is there and the client waits for a word before it sends the body.
  [[nodiscard]] bool take_continue_wish();
  /// Requires kComplete; the reader is idle again.
  [[nodiscard]] ReceivedRequest take();
  /// Requires kRefused.
  [[nodiscard]] const UnreadableRequest& refusal() const { return refusal_; }
  /// Lets go of what was read and refuses it.
  void refuse(int status, std::string reason);

 private:
  struct Parser;

  RequestLimits limits_;
  std::unique_ptr<Parser> parser_;  ///< null while idle: an idle connection costs little
  State state_ = State::kIdle;
  bool wish_told_ = false;
  UnreadableRequest refusal_;
};

}  // namespace squall::live
