// SPDX-License-Identifier: MIT
//
// From a recorded exchange to its meaning for the client: the core's judges, fed with what the
// server wrote. There is no table of statuses or bodies here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/policy.hpp"
#include "live/request_log.hpp"

namespace squall::live {

/// What may follow an exchange.
enum class Follow : std::uint8_t {
  kNothing,    ///< it was answered
  kAttempt,    ///< another attempt, while the budgets have room
  kMayFollow,  ///< another attempt or none: the client closed, or parts of a stream were passed on
  kForbidden,  ///< nothing: the failure is final
  kUnknown,    ///< the server stopped or gave up in the middle
};

struct LoggedAnswer {
  Follow follow = Follow::kUnknown;
  /// The label of the failure in its taxonomy; empty when it is none.
  std::string_view failure_class;
  /// What happened, for people: the core's own words. Empty for an answer.
  std::string error_chain;
  std::optional<int> status;
  ExchangeEnd end = ExchangeEnd::kAnswered;
  /// The Retry-After that counts, observed, in milliseconds.
  std::optional<std::uint64_t> retry_after_ms;
  /// It is a date: what it asks for depends on the calendar, which the record does not hold.
  bool retry_after_is_date = false;
};

/// Judges one exchange as `policy` would.
///
/// Beyond what the core says:
/// - A whole 2xx answer is an answer if the policy does not retry unusable ones: then what is in it
///   is the client's business. (A policy that does expects chat completions or tool results.)
/// - An answer to a request for a stream is an answer when it is whole; one that broke off
///   may be asked for again or not, since its beginning may have been passed on.
/// - So is a whole 2xx answer to a request for a message (Anthropic): the core reads none.
/// - An exchange that the client closed counts as timed out, unless the status had decided already.
/// - An answer that the record does not hold in full is an answer if it is a whole 2xx.
[[nodiscard]] LoggedAnswer judge_logged(const LoggedExchange& exchange,
                                        const core::RetryPolicy& policy);

}  // namespace squall::live
