// SPDX-License-Identifier: MIT
//
// The state every retrying operation shares: budget, schedule, sticky Retry-After and trail. It
// exists once, so that operations cannot drift apart. It decides how long to sleep and whether to
// sleep at all; what to send and when to stop for other reasons is the operation's own business.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "core/check.hpp"
#include "core/event.hpp"
#include "core/policy.hpp"
#include "core/random.hpp"
#include "core/time.hpp"
#include "core/trail.hpp"

namespace squall::core {

/// A sleep as an operation ordered it.
struct OrderedSleep {
  /// 0-based slot of the schedule.
  std::uint32_t slot = 0;
  Duration duration{0};
  /// A Retry-After decided it, not schedule and jitter.
  bool by_retry_after = false;

  friend bool operator==(const OrderedSleep&, const OrderedSleep&) = default;
};

template <FailureTaxonomy Class>
class RetryLoop {
 public:
  /// @param policy  copied: what happens to the original later has no effect.
  /// @param jitter  stream owned by this loop; one word is drawn for each jittered sleep and none
  ///                for a sleep that a Retry-After decides.
  RetryLoop(const RetryPolicy& policy, RandomStream jitter) : policy_(policy), jitter_(jitter) {}

  /// Marks the start of the operation; the time budget counts from here.
  void begin_operation(Instant now) {
    started_ = now;
    // One growth step instead of many for every ordinary budget.
    trail_.reserve(std::min<std::uint32_t>(policy_.budgets.attempts_max, 16));
  }

  /// Notes that the next attempt is ordered: until its own start is marked it has none, whatever
  /// became of the attempt before it.
  void order_attempt() { attempt_started_.reset(); }

  /// Marks the start of the attempt whose failure may be recorded next.
  void begin_attempt(Instant started) { attempt_started_ = started; }

  /// Records a failed attempt: replaces the sticky Retry-After (absent included), advances the
  /// 1-based failure index (saturating) and appends to the trail.
  ///
  /// @return the row to store when the operation carries metadata.
  RecordFailure record(FailureRecord<Class>&& failure, Instant now) {
    if (failures_ != std::numeric_limits<std::uint32_t>::max()) {
      ++failures_;
    }
    RecordFailure row{.trail_index = static_cast<std::uint32_t>(trail_.size()),
                      .failure_index = failures_,
                      .attempt_duration = std::nullopt};
    if (attempt_started_) {
      row.attempt_duration = now - *attempt_started_;
      attempt_started_.reset();
    }
    record_trail_only(std::move(failure));
    return row;
  }

  /// Appends to the trail and replaces the sticky Retry-After, nothing else: for entries that no
  /// call stands behind. Never advances the failure index, never makes a row.
  void record_trail_only(FailureRecord<Class>&& failure) {
    sticky_retry_after_ms_ = failure.retry_after_ms;
    trail_.push_back(std::move(failure));
  }

  /// The sleep after attempt `attempt`, or nothing when no further attempt may be made: the attempt
  /// budget is used up, or the sleep would end beyond the time budget.
  ///
  /// @param attempt  1-based; 0 is a bug of the caller (a check, never an index).
  [[nodiscard]] std::optional<Duration> sleep_after(std::uint32_t attempt, Instant now) {
    SQUALL_CHECK(attempt >= 1, attempt);
    if (attempt >= policy_.budgets.attempts_max) {
      return std::nullopt;
    }
    const std::uint64_t word = sticky_retry_after_ms_ ? 0 : jitter_.next();
    const Duration sleep =
        from_milliseconds(sleep_ms(policy_, attempt - 1, sticky_retry_after_ms_, word));
    if (policy_.budgets.time && saturating_add(now, sleep) - started_ > *policy_.budgets.time) {
      return std::nullopt;
    }
    return sleep;
  }

  /// Whether the failure recorded last carried a Retry-After, which decides the next sleep.
  [[nodiscard]] bool has_retry_after() const { return sticky_retry_after_ms_.has_value(); }

  /// Whether an attempt that starts now lies within the time budget.
  [[nodiscard]] bool within_time_budget(Instant now) const {
    return !policy_.budgets.time || now - started_ <= *policy_.budgets.time;
  }

  /// The class of the last record, or `fallback` when there is none.
  [[nodiscard]] Class final_class(Class fallback) const {
    return trail_.empty() ? fallback : trail_.back().failure_class;
  }

  [[nodiscard]] const RetryPolicy& policy() const { return policy_; }
  [[nodiscard]] const Trail<Class>& trail() const { return trail_; }
  [[nodiscard]] std::uint32_t failures() const { return failures_; }
  [[nodiscard]] Instant started() const { return started_; }

  /// Takes the trail out, at the end of the operation.
  [[nodiscard]] Trail<Class> take_trail() { return std::move(trail_); }

 private:
  RetryPolicy policy_;
  RandomStream jitter_;
  Trail<Class> trail_;
  std::optional<std::uint64_t> sticky_retry_after_ms_;
  std::optional<Instant> attempt_started_;
  Instant started_{};
  std::uint32_t failures_ = 0;
};

}  // namespace squall::core
