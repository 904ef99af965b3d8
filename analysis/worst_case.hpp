// SPDX-License-Identifier: MIT
//
// How bad it can get: the exact bounds that a retry policy puts on one operation, whatever the
// server does and whatever chance draws. Computed from the policy alone, in integers; nothing is
// sampled and nothing is simulated. Every bound comes with a plan that reaches it to the
// nanosecond.
//
//   const auto bounds = worst_case(core::default_policy(), OperationKind::kAgentChat);
//   bounds->calls_max                       // 13
//   bounds->longest[1].operation            // 16439.991999987 s
//
// What a bound covers: every answer over HTTP and every fault of the connection, at every
// nanosecond; every random word. Left out is what only shortens an operation: a shutdown, and
// settings of a connector that are refused before the first call.
// Duration::max() stands for "no end within 292 years", the longest time there is a number for.
// Sums of sleeps always end some day; of an attempt and an operation, `LongestOperation::endless`
// says whether they do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/plan.hpp"
#include "core/error.hpp"
#include "core/expected.hpp"
#include "core/jitter.hpp"
#include "core/policy.hpp"
#include "core/time.hpp"
#include "scenarios/model.hpp"

namespace squall::analysis {

inline constexpr core::Duration kNoEnd = core::Duration::max();

/// Slots of the schedule that are alike, and the longest sleep each of them can take.
struct SleepTerm {
  std::uint32_t first_slot = 0;  ///< 0-based
  std::uint32_t count = 1;
  std::uint64_t scheduled_ms = 0;
  core::SleepInterval jitter;
  /// The longest sleep a server can ask for; absent when it is not listened to.
  std::optional<std::uint64_t> askable_ms;
  /// The sleep taken: the larger of both where no time budget binds.
  std::uint64_t chosen_ms = 0;
  bool by_retry_after = false;

  friend bool operator==(const SleepTerm&, const SleepTerm&) = default;
};

/// The longest that all sleeps of an operation can last together.
struct LargestSleep {
  core::Duration total{0};
  std::vector<SleepTerm> terms;
  Plan plan;
};

/// The longest attempt and operation when no attempt waits more than `body_waits` times for body
/// bytes: 0 without such a wait, 1 when no byte of a body ever comes.
struct LongestOperation {
  std::uint32_t body_waits = 0;
  core::Duration attempt{0};
  core::Duration operation{0};
  /// Nothing but a shutdown ever ends the attempt, nor the operation: there is no timeout.
  bool endless = false;
  Plan plan;  ///< empty when there is no end within 292 years
};

/// A body that trickles so that no timeout ever cuts it.
struct Keepalive {
  /// The longest wait between two bytes that is not cut; nothing when silence is never cut.
  std::optional<core::Duration> gap;
  /// The fewest bytes that arrive in an hour that begins with one. 0 when none are needed.
  std::uint64_t bytes_per_hour = 0;
  /// When such an attempt ends all the same, because a body may not exceed
  /// core::Attempt::kBodyBytesMax.
  core::Duration cut_by_size{0};
};

/// An outage without end, in which every attempt fails at once and no server says Retry-After: what
/// is left to chance is the jitter alone.
struct Outage {
  std::uint32_t calls_min = 0;
  std::uint32_t calls_max = 0;
  /// The expected time until the operation gives up, over all random words; rounded down to whole
  /// nanoseconds. (A remainder of a 64-bit word is taken for uniform: it is, but for less than one
  /// part in 2^40.) Absent when a time budget makes it too long to compute.
  std::optional<core::Duration> mean;
  Plan fewest_calls, most_calls;
};

/// The rule of thumb "attempts x idle timeout + backoff", and what it misses.
struct RuleOfThumb {
  core::Duration claim{0};
  /// By how much the longest operation without body progress exceeds it.
  core::Duration excess{0};
  core::Duration excess_of_attempts{0};  ///< of it: waits for the body after late headers
  core::Duration excess_of_sleeps{0};    ///< of it: jitter and Retry-After
};

struct WorstCase {
  scenarios::OperationKind kind = scenarios::OperationKind::kAgentChat;
  std::uint32_t calls_min = 0;
  std::uint32_t calls_max = 0;
  Plan fewest_calls, most_calls;
  LargestSleep sleep;
  /// By body waits, ascending: 0, 1 and the number asked for when it is larger.
  std::vector<LongestOperation> longest;
  /// Present when an attempt can last without end.
  std::optional<Keepalive> keepalive;
  Outage outage;
  /// An attempt that lasts longer than this is never followed by another one. Only with a time
  /// budget; absent too when every failure is final.
  std::optional<core::Duration> last_chance;
  /// Present for policies of an idle timeout alone, which the rule is made for.
  std::optional<RuleOfThumb> rule_of_thumb;
};

/// Computes all bounds.
///
/// @param body_waits  waits for body bytes in an attempt, for the last entry of `longest`.
/// @errors  a policy whose bounds are not exact here: one that reads Retry-After as a date alone
///          (whole seconds against nanoseconds) and limits what it follows, or one with a time
///          budget and a timeout below a millisecond.
/// @cost    Below a millisecond for ordinary policies; linear in attempts, or in milliseconds of a
///          time budget times attempts.
[[nodiscard]] core::Expected<WorstCase, core::Error> worst_case(const core::RetryPolicy& policy,
                                                                scenarios::OperationKind kind,
                                                                std::uint32_t body_waits = 1);

}  // namespace squall::analysis
