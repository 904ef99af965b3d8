// SPDX-License-Identifier: MIT
//
// The nine invariants of every retrying operation, checked from the outside: the audit sees only
// what crossed the boundary between an operation and its host (facts told, orders given) and what
// the operation recorded. It holds them against a policy, usually the operation's own, and never
// influences the run.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/event.hpp"
#include "core/policy.hpp"
#include "core/telemetry.hpp"
#include "core/time.hpp"
#include "playback/operation.hpp"
#include "scenarios/model.hpp"

namespace squall::playback {

enum class Invariant : std::uint8_t {
  kAttemptBudget,     ///< calls and their starts within the budgets; one call an attempt
  kRequestBytes,      ///< parameters never change; messages are sent again or added to
  kSleepInterval,     ///< each sleep lies in its slot's interval or equals the clamped Retry-After
  kNoCallAfterFinal,  ///< no call after a final failure or a shutdown
  kTrailComplete,     ///< one record a failed attempt, one row a record, indexes right
  kIdleTimeout,       ///< no wait beyond the idle timeout; nothing cut while bytes flow
  kPromptShutdown,    ///< a shutdown ends a sleep or a wait at once
  kTelemetry,         ///< rows equal the trail; none without metadata
  kDeterministic,     ///< the same seed gives the same bytes
};

struct InvariantInfo {
  Invariant invariant;
  std::string_view name;     ///< as in scenario files and reports
  std::string_view promise;  ///< one sentence
};

/// All invariants in their order; the one list of their names.
inline constexpr std::array<InvariantInfo, 9> kInvariants{{
    {Invariant::kAttemptBudget, "attempt_budget",
     "no more calls than the policy's attempts, none begun beyond its time budget, exactly one "
     "call "
     "an attempt"},
    {Invariant::kRequestBytes, "request_bytes",
     "parameters never change, and messages are sent again as they were or added to"},
    {Invariant::kSleepInterval, "sleep_interval",
     "each sleep lies in its jitter interval or equals the clamped Retry-After"},
    {Invariant::kNoCallAfterFinal, "no_call_after_final",
     "no call after a non-retryable failure or a shutdown"},
    {Invariant::kTrailComplete, "trail_complete",
     "the trail holds every failed attempt once, in order, with the right index"},
    {Invariant::kIdleTimeout, "idle_timeout",
     "no wait exceeds the idle timeout and nothing is cut while bytes flow"},
    {Invariant::kPromptShutdown, "prompt_shutdown", "a shutdown ends a sleep or a wait at once"},
    {Invariant::kTelemetry, "telemetry_equals_trail", "telemetry rows equal the trail"},
    {Invariant::kDeterministic, "deterministic", "the same seed gives the same bytes"},
}};

[[nodiscard]] constexpr std::string_view label(Invariant invariant) {
  return kInvariants[static_cast<std::size_t>(invariant)].name;
}
[[nodiscard]] std::optional<Invariant> invariant_from_label(std::string_view name);

/// One broken promise.
struct Violation {
  Invariant invariant = Invariant::kAttemptBudget;
  core::Instant at;
  std::string message;  ///< what was seen and what was allowed

  friend bool operator==(const Violation&, const Violation&) = default;
};

/// How often each invariant was checked, by its number.
using CheckCounts = std::array<std::uint64_t, kInvariants.size()>;

/// What an operation of some kind promises beyond its policy.
struct AuditRules {
  /// What a request may differ in from the ones before. After an attempt that gave no answer it
  /// never differs.
  enum class Requests : std::uint8_t {
    kSame,      ///< in nothing
    kAppended,  ///< messages after those of the request before
    kFeedback,  ///< messages after those of the first request
  };
  /// Before which attempts there is a sleep, and by which slot of the schedule.
  enum class Sleeps : std::uint8_t {
    kEveryAttempt,    ///< before each, by the number of the attempt
    kFailedExchange,  ///< after an exchange without a usable answer, by the number of those
    kNever,
  };
  Requests requests = Requests::kSame;
  Sleeps sleeps = Sleeps::kEveryAttempt;
  /// An attempt may bring part of the result and is then neither failed nor the last one.
  bool has_rounds = false;
  /// The trail may end with one record that no attempt stands behind.
  bool may_add_to_trail = false;
};

[[nodiscard]] AuditRules rules_of(scenarios::OperationKind kind);

/// Audits one operation at a time; `begin` starts over and keeps the memory.
class Audit {
 public:
  /// @param policy     what the operation is held against; must outlive the audit of it.
  /// @param rules      what its kind promises.
  /// @param telemetry  whether the operation carries metadata.
  /// @param now        start of the operation.
  void begin(const core::RetryPolicy& policy, const AuditRules& rules, bool telemetry,
             core::Instant now);

  /// A fact the host is about to tell the operation.
  void on_event(const core::Event& event, core::Instant now);
  /// The operation's answer to it: its orders, and the trail as it stands now.
  void on_actions(const core::Actions& actions, const TrailView& trail, core::Instant now);
  /// The bytes of a call, as the host sends them.
  void on_send(core::AttemptId attempt, const RequestView& request, core::Instant now);
  /// A failure row as the host stores it, beside the order and the record it was made of.
  void on_stored(const core::FailureRow& row, const core::RecordFailure& order,
                 const FailureView& failure, core::Instant now);
  /// A request row as the host stores it, beside the order and what the operation came to.
  void on_stored(const core::RequestRow& row, const core::RecordRequest& order,
                 const Operation& operation, core::Instant now);
  /// The operation is over, or the horizon was reached (`finished` is false then).
  ///
  /// @param succeeded  whether the operation gave its full result.
  void on_end(const TrailView& trail, bool finished, bool succeeded, core::Instant now);

  /// Calls seen so far; the host's count, not the operation's own.
  [[nodiscard]] std::uint32_t calls() const { return calls_; }
  /// Calls whose attempt brought nothing: it failed, or was under way when the run stopped.
  [[nodiscard]] std::uint32_t calls_wasted() const;
  [[nodiscard]] const std::vector<Violation>& violations() const { return violations_; }
  [[nodiscard]] const CheckCounts& checks() const { return checks_; }

 private:
  /// Counts the check and keeps a violation when it fails; the message is only made then.
  template <class Message>
  void check(Invariant invariant, bool holds, core::Instant now, Message&& message);

  void check_gap(core::Instant now);
  void check_wait(core::Instant now, bool progress);
  void on_request_row(const core::RecordRequest& row, core::Instant now);
  void note_answer(core::Instant now);
  void note_end_of_attempt(core::Instant now);
  void check_request(const RequestView& request, core::Instant now);
  void on_accepted_round(const core::RecordRequest& row, core::Instant now);
  void on_failure(const FailureView& failure, bool finishes, core::Instant now);
  void on_row(const core::RecordFailure& row, core::Instant now);
  void on_abandon(core::Instant now);
  void check_cut(core::Instant now);
  [[nodiscard]] bool is_left_out() const;

  const core::RetryPolicy* policy_ = nullptr;
  AuditRules rules_;
  bool telemetry_ = false;

  // The operation so far.
  std::uint32_t calls_ = 0;
  std::uint32_t attempts_ = 0;
  std::uint32_t failures_ = 0;
  std::uint32_t rows_ = 0;
  std::uint32_t request_rows_ = 0;
  std::uint32_t accepted_rounds_ = 0;
  std::uint32_t added_to_trail_ = 0;
  std::uint32_t failed_exchanges_ = 0;
  bool succeeded_ = false;
  core::Instant started_at_{};
  bool final_seen_ = false;
  std::optional<core::Instant> shutdown_at_;
  bool shutdown_judged_ = false;
  std::string first_request_;
  std::string previous_request_;

  // The attempt under way or just over.
  bool open_ = false;
  core::Instant attempt_started_{};
  core::Instant last_progress_{};
  core::Instant ended_at_{};
  std::uint64_t body_bytes_ = 0;
  std::string body_;       ///< kept only where it decides about the next sleep
  bool answered_ = false;  ///< a complete chat answer arrived
  bool ended_ = false;     ///< the exchange came to an end of its own
  bool complete_ = false;  ///< ... with a whole body
  std::optional<std::uint64_t> announced_bytes_;
  int status_ = 0;
  std::optional<std::uint64_t> retry_after_ms_;

  std::vector<Violation> violations_;
  CheckCounts checks_{};
};

}  // namespace squall::playback
