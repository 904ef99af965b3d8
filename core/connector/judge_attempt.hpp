// SPDX-License-Identifier: MIT
//
// From the end of an attempt of a tool call to its meaning: a result, or one failure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "core/attempt.hpp"
#include "core/connector/answer.hpp"
#include "core/connector/kind.hpp"
#include "core/error.hpp"
#include "core/policy.hpp"

namespace squall::core::connector {

/// Bytes of foreign text that an error chain quotes. @source chosen: enough for every error object,
/// small enough for a log line.
inline constexpr std::size_t kQuotedBytesMax = 512;

/// How far a failed attempt is known to have got. What cannot be proved counts as sent.
enum class Reach : std::uint8_t {
  kNothingSent,  ///< no connection came about: refused, DNS, TLS, never accepted
  kTurnedAway,   ///< HTTP 429: too many calls, this one was not looked at
  kSent,         ///< the request, or a part of it, may have arrived
  kTimedOut,     ///< the request may have arrived and no whole answer came in time
};

/// Whether an attempt that got this far may have had its effect.
[[nodiscard]] constexpr bool may_have_taken_effect(Reach reach) {
  return reach == Reach::kSent || reach == Reach::kTimedOut;
}

/// One failed attempt.
struct CallFailure {
  Kind kind = Kind::kTransport;
  /// The connector's own message for the model; empty unless the kind is kApplication.
  std::string own_message;
  /// For people: what happened, outermost first, joined by ": ".
  std::string error_chain;
  Reach reach = Reach::kSent;
  /// The Retry-After of an error status, as observed.
  std::optional<std::uint64_t> retry_after_ms;
  /// Whether kind and policy allow another attempt.
  bool is_retried = false;

  friend bool operator==(const CallFailure&, const CallFailure&) = default;
};

/// Judges a finished attempt of the request `request_id`.
///
/// A status other than 2xx decides alone, whatever the body. An event stream that broke off after
/// the answer had arrived whole has answered: asking again would risk a second effect for nothing.
///
/// @param end             how the attempt ended.
/// @param retry_after_ms  observed Retry-After of the answer, already read by the policy's rule.
/// @return                a result without `is_error`, or the failure.
[[nodiscard]] std::variant<ToolResult, CallFailure> judge_attempt(
    const Attempt& attempt, AttemptEnd end, std::uint64_t request_id, const RetryPolicy& policy,
    std::optional<std::uint64_t> retry_after_ms);

/// The failure of an attempt that a shutdown ended.
[[nodiscard]] CallFailure shutdown_failure();

/// The failure of a call that was never made because its connector's settings cannot be used.
///
/// @param defect  which setting is wrong, and why. @see check_settings
[[nodiscard]] CallFailure settings_failure(const Error& defect);

}  // namespace squall::core::connector
