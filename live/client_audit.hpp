// SPDX-License-Identifier: MIT
//
// Whether a client of the fault server kept a retry policy, judged by the server's record alone.
// The client may be any program; nothing is asked of it and nothing is known of its inside. A pure
// function of record and policy: it opens no socket and reads no clock.
//
//   const ClientAudit audit = audit_client(policy, log, {.tolerance = 50ms, .time_scale = 1});
//   if (!audit.kept()) { ... audit.violations ... }
//
// What an answer means is said by the core's own judges: a `tools/call` request is judged as a call
// of a connector, everything else as a chat request. Waits are held against the core's own
// intervals, the very functions that its operations sleep by. @see live/logged_answer.hpp
//
// Operations. The record holds exchanges, and a policy speaks of operations, so they are put
// together, for each client by itself:
//
// - A request that repeats method, target and body of an operation which waits for its next attempt
//   is that attempt. A connection that was refused belongs to the operation that waits longest and
//   for which it is not too late.
// - An answer ends its operation. The same request afterwards begins another one.
// - A final failure and a spent budget end it too, and then the same request is one attempt too
//   many, unless it came before the failure had ended. A client that means to ask the same again
//   should say so in the body (a nonce, an id).
// - A request with another body is the next attempt, and a broken promise, when it carries the
//   idempotency key of an operation that waits; or when nothing else of the client is under way, a
//   single operation waits, and it arrives within that operation's interval. Otherwise it begins a
//   new operation.
//
// A client may have several operations under way, as long as their bodies differ.
//
// Gaps. A gap is the time from the end of an exchange, as the server wrote it, to the arrival of
// the next request. It holds the client's sleep and all that the client and the network do around
// it; so it can only be longer than the sleep. Hence two bounds of different kinds: a gap shorter
// than the interval by more than kClockGranularity is always broken, one longer than the interval
// is forgiven up to the tolerance. Both are real time; under a time scale of N script time runs N
// times faster, and so do they.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/jitter.hpp"
#include "core/policy.hpp"
#include "core/time.hpp"
#include "live/logged_answer.hpp"
#include "live/request_difference.hpp"
#include "live/request_log.hpp"

namespace squall::live {

/// What a client promises. Where an operation's own audit has the same rule, the name is the same.
enum class ClientRule : std::uint8_t {
  kAttemptBudget,     ///< no more attempts than the policy's, none begun beyond its time budget
  kSleepInterval,     ///< each gap lies in its slot's interval
  kRetryAfter,        ///< a gap after a Retry-After equals the clamped value
  kRequestBytes,      ///< all attempts send the same bytes
  kIdempotencyKey,    ///< all attempts carry the same idempotency key, or none
  kNoCallAfterFinal,  ///< nothing after an answer that is final
  kIdleTimeout,       ///< no exchange is left before a timeout of the policy, or much after it
  kGivenUp,           ///< what the policy retries is retried while the budgets have room
};

struct ClientRuleInfo {
  ClientRule rule;
  std::string_view name;     ///< as in reports
  std::string_view promise;  ///< one sentence
};

/// All rules in their order; the one list of their names.
inline constexpr std::array<ClientRuleInfo, 8> kClientRules{{
    {ClientRule::kAttemptBudget, "attempt_budget",
     "no more attempts than the policy's, and none begun beyond its time budget"},
    {ClientRule::kSleepInterval, "sleep_interval", "each gap lies in its jitter interval"},
    {ClientRule::kRetryAfter, "retry_after", "a Retry-After is obeyed, as far as the policy does"},
    {ClientRule::kRequestBytes, "request_bytes", "every attempt sends the same bytes"},
    {ClientRule::kIdempotencyKey, "idempotency_key",
     "every attempt carries the same idempotency key, or none does"},
    {ClientRule::kNoCallAfterFinal, "no_call_after_final", "no call after a non-retryable answer"},
    {ClientRule::kIdleTimeout, "idle_timeout",
     "no exchange is left before a timeout of the policy, or much after it"},
    {ClientRule::kGivenUp, "given_up",
     "what the policy retries is retried while its budgets have room"},
}};

[[nodiscard]] constexpr std::string_view label(ClientRule rule) {
  return kClientRules[static_cast<std::size_t>(rule)].name;
}

/// How much earlier than allowed a request may arrive, in real time. @source arithmetic: timers of
/// common runtimes count whole milliseconds; cutting the wait (437.5 to 437) and the clock it
/// starts from each cost up to one.
inline constexpr core::Duration kClockGranularity = std::chrono::milliseconds(2);

/// `real` in script time that runs `time_scale` times faster, saturating. Requires real >= 0 and
/// time_scale >= 1.
[[nodiscard]] core::Duration scaled(core::Duration real, std::uint64_t time_scale);

struct ClientAuditOptions {
  /// What a client may add to a wait, in real time: the way there and back, building the request,
  /// waking up late. Not negative.
  core::Duration tolerance = std::chrono::milliseconds(50);
  /// How many times faster than real time the record's time ran. At least 1.
  std::uint64_t time_scale = 1;
  /// How long each client could be heard, on its own time; who is not listed was heard until the
  /// last thing that is recorded of it. An operation without its next attempt counts as given up
  /// only if the attempt was overdue by then.
  std::vector<std::pair<std::string, core::Instant>> heard_until;
  /// False when exchanges are missing at the end of the record: then nobody is blamed for what did
  /// not follow.
  bool is_whole = true;
};

/// The wait before an attempt and what the policy says of it.
struct ClientGap {
  core::Duration measured{0};
  /// What the policy allows, before granularity and tolerance. Nothing where it allows no attempt
  /// at all, and after a Retry-After that is a date: the record has no calendar.
  std::optional<core::SleepInterval> allowed;
  /// The value of the Retry-After that decides the interval, in milliseconds, before its clamp.
  std::optional<std::uint64_t> retry_after_ms;
  bool kept = true;

  friend bool operator==(const ClientGap&, const ClientGap&) = default;
};

/// One attempt as the server saw it.
struct ClientAttempt {
  std::size_t exchange = 0;  ///< index into the record
  std::uint32_t number = 0;  ///< 1-based within its operation
  core::Instant arrived_at;
  core::Instant ended_at;
  LoggedAnswer answer;
  /// The wait before it; nothing before the first one.
  std::optional<ClientGap> gap;
  /// What differs from the attempt before; nothing when the bytes are the same.
  std::optional<BodyDifference> body;
  std::vector<HeaderDifference> headers;
};

/// How an operation stands at the end of the record.
enum class ClientEnding : std::uint8_t {
  kAnswered,  ///< an answer arrived
  kFinal,     ///< a failure that the policy holds for final
  kSpent,     ///< a retryable failure, and no budget left
  kGivenUp,   ///< a retryable failure, and the next attempt is overdue
  kLeft,      ///< the client closed its last exchange, or a stream broke off; nothing was due
  kOpen,      ///< the record ends before the next attempt was overdue, or in an exchange
};

[[nodiscard]] constexpr std::string_view label(ClientEnding ending) {
  switch (ending) {
    case ClientEnding::kAnswered:
      return "answered";
    case ClientEnding::kFinal:
      return "final";
    case ClientEnding::kSpent:
      return "spent";
    case ClientEnding::kGivenUp:
      return "given_up";
    case ClientEnding::kLeft:
      return "left";
    case ClientEnding::kOpen:
      return "open";
  }
  return {};
}

struct ClientOperation {
  std::string client;
  std::string method, target;  ///< empty when only refused connections are known of it
  std::vector<ClientAttempt> attempts;
  ClientEnding ending = ClientEnding::kOpen;
};

/// One broken promise.
struct ClientViolation {
  ClientRule rule = ClientRule::kAttemptBudget;
  std::size_t operation = 0;  ///< index into ClientAudit::operations
  std::uint32_t attempt = 0;  ///< 1-based number in it
  std::string message;        ///< one sentence: what was seen and what was allowed

  friend bool operator==(const ClientViolation&, const ClientViolation&) = default;
};

struct ClientAudit {
  /// In the order of their first exchange in the record.
  std::vector<ClientOperation> operations;
  /// By operation, then by attempt.
  std::vector<ClientViolation> violations;
  /// How often each rule was checked, by its number.
  std::array<std::uint64_t, kClientRules.size()> checks{};

  [[nodiscard]] bool kept() const { return violations.empty(); }
};

/// Holds the record of any number of clients against `policy`.
///
/// @param exchanges  in the order of arrival.
/// @cost             Linear in the bytes; per exchange linear in what its client has under way.
[[nodiscard]] ClientAudit audit_client(const core::RetryPolicy& policy,
                                       std::span<const LoggedExchange> exchanges,
                                       const ClientAuditOptions& options);

}  // namespace squall::live
