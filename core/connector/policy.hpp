// SPDX-License-Identifier: MIT
//
// The retry policy of tool calls: a short, jittered second and third try inside a small time
// budget, so that one shaky connector never holds up a whole turn of the agent. It is an ordinary
// RetryPolicy; this file holds the instance that ships and the limits every one of them keeps.
#pragma once

#include <cstdint>

#include "core/error.hpp"
#include "core/expected.hpp"
#include "core/policy.hpp"

namespace squall::core::connector {

/// Calls after which even a policy whose sleeps may be zero ends. @source chosen: the time budget
/// ends a call long before (the shipped policy fits 10 attempts; a budget of 60 s with sleeps of at
/// least 250 ms fits 242), so it acts only on a base below 2 ms, where half a wait rounds to
/// nothing and a failure at once would loop for ever at one instant.
inline constexpr std::uint32_t kAttemptsBackstop = 1'024;

/// Doublings a schedule may take. @source arithmetic: from a base of 1 ms, 16 of them exceed every
/// cap allowed (2^16 ms > 60 s), so that the cap alone ends the growth.
inline constexpr std::uint32_t kGrowthStepsMax = 16;

/// Limits of every connector policy. @source connector rules.
inline constexpr Duration kBudgetMax = std::chrono::seconds(60);
inline constexpr Duration kCallTimeoutMin = std::chrono::seconds(10);
inline constexpr Duration kCallTimeoutMax = std::chrono::seconds(60);

/// Budget 2 s for all attempts of a call together, base 100 ms doubling to 500 ms, equal jitter,
/// 30 s for one attempt, Retry-After not looked at, everything retried that is of kind transport.
///
/// The waits are whole milliseconds: equal jitter of d is d/2 + [0, d/2], which is exact for the
/// even waits of this schedule (100, 200, 400, 500).
///
/// What follows: failures at once give 6 to 10 attempts; a last attempt starts at most 2 s after
/// the call and ends at most 30 s later, so a call takes 32 s at most; an attempt that takes its
/// whole 30 s is never followed by another. @source connector rules.
[[nodiscard]] RetryPolicy connector_policy();

/// What a connector policy retries: every status (100 to 999) but 2xx, 401 and 403, and everything
/// that is no answer. A policy may leave some of it out; what it leaves out is final.
[[nodiscard]] RetryOn connector_retry_on();

/// Checks base <= cap <= budget <= 60 s and 10 s <= call timeout <= 60 s. A constant schedule has
/// base and cap alike.
///
/// @errors  the first limit that is broken, a policy without a time budget or without a timeout for
///          a whole attempt.
[[nodiscard]] Expected<void, Error> validate_connector_policy(const RetryPolicy& policy);

}  // namespace squall::core::connector
