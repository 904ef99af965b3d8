// SPDX-License-Identifier: MIT
//
// A retry policy: one immutable value that answers every question a retry decision has. It is a
// composition of parts, each of which can be replaced alone; the shipped policies are instances
// (core/shipped_policies.hpp lists them all). An operation copies its policy when it starts, so
// that a change made elsewhere while it runs has no effect.
#pragma once

#include <cstdint>
#include <optional>

#include "core/backoff.hpp"
#include "core/jitter.hpp"
#include "core/retry_after.hpp"
#include "core/status_set.hpp"
#include "core/time.hpp"

namespace squall::core {

/// How much an operation may spend.
struct Budgets {
  /// Total calls, the first one included. 0 makes no call at all.
  std::uint32_t attempts_max = 1;
  /// When set: a sleep that would end later than this after the operation's start is not begun and
  /// the last failure is final; ending exactly then is allowed. It never cuts an attempt.
  std::optional<Duration> time;

  friend bool operator==(const Budgets&, const Budgets&) = default;
};

/// How long an attempt may take. An absent timeout never fires.
struct Timeouts {
  /// Longest wait for the response headers, and for the next bytes of the body; every arrival of
  /// bytes restarts it. A wait of exactly this length is cut; bytes one nanosecond earlier count.
  std::optional<Duration> idle;
  /// Longest duration of a whole attempt, from its start to the end of the body.
  std::optional<Duration> attempt;

  friend bool operator==(const Timeouts&, const Timeouts&) = default;
};

/// Which outcomes of an attempt are worth another one. What is not retried is final.
struct RetryOn {
  /// Non-2xx statuses. A 429 that says the quota is used up is final whatever this set says.
  StatusSet statuses = StatusSet::llm_default();
  /// Refused, reset, DNS, TLS, failed sends, and no headers in time.
  bool connection_failures = true;
  /// A body that stalled, broke off or came shorter than announced.
  bool cut_bodies = true;
  /// A complete 2xx answer that cannot be used: not a chat completion, or without a choice.
  bool unusable_answers = true;

  friend bool operator==(const RetryOn&, const RetryOn&) = default;
};

struct RetryPolicy {
  Backoff backoff;
  Jitter jitter;
  RetryAfterRule retry_after;
  Budgets budgets;
  Timeouts timeouts;
  RetryOn retry_on;

  friend bool operator==(const RetryPolicy&, const RetryPolicy&) = default;
};

/// The number of sleeps the attempt budget leaves room for: attempts_max - 1, never negative.
[[nodiscard]] constexpr std::uint32_t sleeps_max(const RetryPolicy& policy) {
  return policy.budgets.attempts_max == 0 ? 0 : policy.budgets.attempts_max - 1;
}

/// The wait before jitter in `slot`, and the waits that jitter makes of it.
[[nodiscard]] std::uint64_t scheduled_ms(const RetryPolicy& policy, std::uint32_t slot);
[[nodiscard]] SleepInterval sleep_interval(const RetryPolicy& policy, std::uint32_t slot);

/// The sleep in `slot`: the clamped Retry-After of the failure just recorded when there is one
/// (then neither schedule nor jitter count), else the schedule jittered by `word`.
[[nodiscard]] std::uint64_t sleep_ms(const RetryPolicy& policy, std::uint32_t slot,
                                     std::optional<std::uint64_t> retry_after_ms,
                                     std::uint64_t word);

/// The idle timeout of every shipped LLM policy. @source default policy: 600 s, resets while data
/// flows.
inline constexpr Duration kIdleTimeout = std::chrono::seconds(600);

/// 13 calls, 5 s doubling to 60 s. The sleeps add up to 555 s before jitter and to between 416 and
/// 694 s after it, so that an outage of nine minutes is outlasted in about three cases of four.
[[nodiscard]] RetryPolicy default_policy();
/// 3 calls, 30 s then 45 s: one proposal and up to two repair rounds.
[[nodiscard]] RetryPolicy synthesis_policy();
/// 3 calls, 5 s then 10 s: for callers that can fall back.
[[nodiscard]] RetryPolicy comment_policy();
/// 3 calls without a sleep between them.
[[nodiscard]] RetryPolicy continuation_policy();

}  // namespace squall::core
