// SPDX-License-Identifier: MIT
//
// Which ways there are for an attempt to fail and be followed by another one, and how long each can
// take. All of it follows from the policy's timeouts, from what it retries and from the operation;
// nothing here adds attempts up.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/plan.hpp"
#include "core/policy.hpp"
#include "core/time.hpp"
#include "scenarios/model.hpp"

namespace squall::analysis {

/// A way to fail that is followed by another attempt.
struct RetriedWay {
  Way way = Way::kErrorWhole;
  /// Longest duration; every shorter one is possible too. Duration::max(): no end.
  core::Duration longest{0};
  /// Whether the next attempt comes after a sleep.
  bool sleeps = true;
  /// Whether a Retry-After that came with it decides that sleep.
  bool carries_retry_after = false;
};

/// Longest wait until headers or nothing: the nearer of the two timeouts, or Duration::max().
[[nodiscard]] core::Duration first_deadline(const core::Timeouts& timeouts);

/// Longest attempt that a timeout ends, with at most `body_waits` waits for body bytes: headers one
/// nanosecond before they are late, all bytes but the last as late, then silence. With none: no
/// headers. Duration::max(): no end.
[[nodiscard]] core::Duration longest_cut(const core::Timeouts& timeouts, std::uint32_t body_waits);

/// Longest attempt that ends by the server's doing, every wait one nanosecond below its timeout.
/// Requires first_deadline >= 1 ns.
[[nodiscard]] core::Duration longest_whole(const core::Timeouts& timeouts,
                                           std::uint32_t body_waits);

/// Whether headers can ever be in time.
[[nodiscard]] bool headers_possible(const core::Timeouts& timeouts);

/// The longest attempt of all and how it ends, whether retried or not.
[[nodiscard]] PlannedAttempt longest_attempt(const core::RetryPolicy& policy,
                                             scenarios::OperationKind kind,
                                             std::uint32_t body_waits);

/// An error status that leads to another attempt: 429 or 503 where the policy retries them, else
/// the lowest one retried of 300 to 599, what an answer over HTTP can end with. 304 does not count:
/// it answers no POST and has no body.
[[nodiscard]] std::optional<int> retried_status(const core::RetryPolicy& policy,
                                                scenarios::OperationKind kind, bool rate_limited);

/// Every way there is, in the order of `Way`.
[[nodiscard]] std::vector<RetriedWay> retried_ways(const core::RetryPolicy& policy,
                                                   scenarios::OperationKind kind,
                                                   std::uint32_t body_waits);

/// The way of the longest attempt among those that sleep (or do not), and may carry a Retry-After
/// where that is asked for. Null when there is none.
[[nodiscard]] const RetriedWay* longest_of(const std::vector<RetriedWay>& ways, bool sleeps,
                                           bool with_retry_after);

/// The first way in the order of `Way` that can last `duration`, by the same conditions.
[[nodiscard]] const RetriedWay* simplest_of(const std::vector<RetriedWay>& ways, bool sleeps,
                                            bool with_retry_after, core::Duration duration);

/// The sleeps that a server can ask for, as clamped; nothing when no header is looked at.
[[nodiscard]] std::optional<core::SleepInterval> askable_sleeps(const core::RetryAfterRule& rule);

/// What a server has to say for a sleep of `sleep_ms`, which lies in `askable_sleeps`.
[[nodiscard]] std::uint64_t retry_after_for(const core::RetryAfterRule& rule,
                                            std::uint64_t sleep_ms);

}  // namespace squall::analysis
