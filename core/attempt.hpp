// SPDX-License-Identifier: MIT
//
// One HTTP exchange as a state machine: it gathers the answer and holds the attempt's timeouts. It
// knows nothing of retries or of what the answer means.
//
// Idle rule. The wait for headers and every wait for body bytes may last strictly less than the
// idle timeout. At exactly the timeout the attempt is over, whatever arrives at that instant and in
// whichever order the host reports it; one nanosecond earlier, bytes restart the wait. A body that
// keeps trickling is never cut by this rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/event.hpp"
#include "core/policy.hpp"
#include "core/time.hpp"

namespace squall::core {

/// How an attempt ended.
enum class AttemptEnd : std::uint8_t {
  kAnswered,          ///< headers and a complete body
  kConnectionFailed,  ///< broke before the headers were complete
  kHeadersTimedOut,   ///< no headers in time
  kBodyTimedOut,      ///< headers came, then the body stalled
  kBodyCut,           ///< headers came, then the body broke off
  kBodyTooLarge,      ///< more than `Attempt::kBodyBytesMax` bytes of body
};

class Attempt {
 public:
  /// Largest body an attempt keeps. @source chosen: far above any chat answer, and small enough
  /// that a hostile server cannot exhaust memory.
  static constexpr std::size_t kBodyBytesMax = std::size_t{64} << 20;

  /// Starts over as attempt number `id` at `now`.
  void begin(AttemptId id, Instant now, const Timeouts& timeouts);

  /// Takes a fact about this attempt. Facts that carry another attempt's number are ignored.
  ///
  /// @return how the attempt ended, when it did. Afterwards `begin` must be called before `handle`.
  [[nodiscard]] std::optional<AttemptEnd> handle(const Event& event, Instant now);

  /// When the attempt times out unless something arrives before; absent without a timeout.
  [[nodiscard]] std::optional<Instant> deadline() const;

  /// Whether `deadline()` is the end of the whole attempt rather than of a wait without bytes.
  /// Still true or false of the deadline that passed when `handle` has returned a timeout.
  [[nodiscard]] bool whole_attempt_is_due_first() const;

  [[nodiscard]] AttemptId id() const { return id_; }
  /// Whether the host has confirmed the start. Only the first confirmation counts, and none after
  /// the headers.
  [[nodiscard]] bool has_started() const { return has_started_; }
  [[nodiscard]] bool has_headers() const { return has_headers_; }
  /// Status of the answer; 0 before headers.
  [[nodiscard]] int status() const { return status_; }
  [[nodiscard]] std::optional<std::uint64_t> content_length() const { return content_length_; }
  /// The body received so far.
  [[nodiscard]] const std::string& body() const { return body_; }
  /// What broke the connection; meaningful after kConnectionFailed and kBodyCut.
  [[nodiscard]] ConnectionFault fault() const { return fault_; }
  /// The host's own words for it; may be empty.
  [[nodiscard]] const std::string& fault_detail() const { return fault_detail_; }

 private:
  [[nodiscard]] AttemptEnd timed_out() const {
    return has_headers_ ? AttemptEnd::kBodyTimedOut : AttemptEnd::kHeadersTimedOut;
  }

  Timeouts timeouts_;
  Instant started_{};
  Instant last_progress_{};
  std::string body_;
  std::string fault_detail_;
  std::optional<std::uint64_t> content_length_;
  AttemptId id_ = 0;
  int status_ = 0;
  ConnectionFault fault_ = ConnectionFault::kSend;
  bool has_started_ = false;
  bool has_headers_ = false;
};

}  // namespace squall::core
