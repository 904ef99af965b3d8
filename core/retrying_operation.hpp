// SPDX-License-Identifier: MIT
//
// What every retrying operation has in common, whatever it asks for: attempts, sleeps, shutdown and
// rows. An operation adds a strategy, a value that names what is sent and how its failures are
// called, and decides what an answer or a failure means and what is sent next; it never sees a
// clock, a timer or a host.
//
// Theory of operation. All transitions lie in this file:
//
//   Idle      --OperationStarted--> the strategy says: InFlight (attempt 1), or Finished; Finished
//                                   too when the budget is 0
//   InFlight  --attempt ends------> the strategy says: Finished, InFlight at once, or Sleeping
//                                   (Finished instead when the budget allows no further attempt)
//   Sleeping  --WakeupReached-----> InFlight   (next attempt; a sleep of 0 skips the state)
//   Idle, InFlight, Sleeping --ShutdownRequested--> Finished (in flight: the attempt is recorded)
//   Finished  --anything----------> Finished   (ignored)
//
// The machine owns no clock, timer, socket or thread. `now` must never go backwards.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "core/attempt.hpp"
#include "core/check.hpp"
#include "core/event.hpp"
#include "core/policy.hpp"
#include "core/random.hpp"
#include "core/retry_after.hpp"
#include "core/retry_loop.hpp"
#include "core/trail.hpp"

namespace squall::core {

enum class OperationState : std::uint8_t {
  kIdle,      ///< waits for OperationStarted
  kInFlight,  ///< an attempt is under way
  kSleeping,  ///< waits before the next attempt
  kFinished,  ///< the result can be read
};

/// What a strategy wants next.
struct NextStep {
  enum class Kind : std::uint8_t {
    kFinish,     ///< the operation is over
    kSendNow,    ///< another attempt without a sleep
    kSleepFirst  ///< another attempt after the sleep of `sleep_index`
  };
  Kind kind = Kind::kFinish;
  /// 1-based index into the schedule: usually the number of the attempt, for some operations the
  /// number of transport failures.
  std::uint32_t sleep_index = 0;

  static NextStep finish() { return {}; }
  static NextStep send_now() { return {.kind = Kind::kSendNow, .sleep_index = 0}; }
  static NextStep sleep_first(std::uint32_t index) {
    return {.kind = Kind::kSleepFirst, .sleep_index = index};
  }
};

/// What a strategy may see and do while it judges an attempt.
template <FailureTaxonomy Class>
class OperationContext {
 public:
  OperationContext(RetryLoop<Class>& loop, Actions& actions, AttemptId attempt,
                   Instant attempt_started, Instant now, bool metadata)
      : loop_(loop),
        actions_(actions),
        attempt_(attempt),
        attempt_started_(attempt_started),
        now_(now),
        metadata_(metadata) {}

  /// 1-based number of the attempt that ended; 0 before the first one.
  [[nodiscard]] AttemptId attempt() const { return attempt_; }
  /// Whether the attempt budget leaves room for another one.
  [[nodiscard]] bool attempts_left() const {
    return attempt_ < loop_.policy().budgets.attempts_max;
  }
  [[nodiscard]] const Trail<Class>& trail() const { return loop_.trail(); }
  /// Takes the trail out; the operation must finish with it.
  [[nodiscard]] Trail<Class> take_trail() { return loop_.take_trail(); }
  /// The class of the last record; kTransport, which every taxonomy has, when there is none.
  [[nodiscard]] Class final_class() const { return loop_.final_class(Class::kTransport); }

  /// Records the attempt that ended as failed; orders its row when the operation has metadata.
  void record(FailureRecord<Class>&& failure) {
    const RecordFailure row = loop_.record(std::move(failure), now_);
    if (metadata_) {
      actions_.add(row);
    }
  }
  /// Notes that the attempt that ended brought part of the result; orders the round's own success
  /// row when the operation has metadata. An attempt is never both this and recorded as failed.
  void record_accepted_round() {
    if (metadata_) {
      actions_.add(RecordRequest{.duration = now_ - attempt_started_, .accepted_round = attempt_});
    }
  }
  /// Appends to the trail alone: no call stands behind the entry.
  void record_trail_only(FailureRecord<Class>&& failure) {
    loop_.record_trail_only(std::move(failure));
  }

 private:
  RetryLoop<Class>& loop_;
  Actions& actions_;
  AttemptId attempt_;
  Instant attempt_started_;
  Instant now_;
  bool metadata_;
};

/// What a strategy must offer. Every function that ends the operation leaves the result in the
/// strategy.
template <class S>
concept RetryStrategy = FailureTaxonomy<typename S::Class> && requires {
  S::Class::kTransport;
} && requires(S strategy, const S& view, const Attempt& attempt, AttemptEnd end,
              const RetryPolicy& policy, std::optional<std::uint64_t> retry_after_ms,
              typename S::Answer answer, typename S::Failure failure,
              OperationContext<typename S::Class>& context, bool in_flight) {
  /// The request of the next attempt; unchanged while that attempt is under way.
  { view.request() } -> std::same_as<const typename S::Request&>;
  /// The operation begins. Finishes it when there is nothing to send.
  { strategy.on_start(context) } -> std::same_as<NextStep>;
  /// From the end of an attempt to its meaning. `retry_after_ms` is the observed Retry-After of
  /// its answer, read by the policy's rule.
  {
    view.judge(attempt, end, policy, retry_after_ms)
    } -> std::same_as<std::variant<typename S::Answer, typename S::Failure>>;
  /// An answer arrived.
  { strategy.on_answer(std::move(answer), context) } -> std::same_as<NextStep>;
  /// The attempt failed. The strategy records it.
  { strategy.on_failure(std::move(failure), context) } -> std::same_as<NextStep>;
  /// No further attempt may be made, though the strategy wanted one.
  strategy.on_exhausted(context);
  /// The record of an attempt that a shutdown ended.
  { S::shutdown_failure() } -> std::same_as<FailureRecord<typename S::Class>>;
  /// A shutdown ended the operation. `in_flight`: it ended an attempt, which is recorded
  /// already.
  strategy.on_shutdown(in_flight, context);
  /// How the operation ended: a variant, `monostate` while it has not. An end that took the trail
  /// shows it as its member `trail`, or as that of its member `exhausted`.
  { view.result() } -> std::same_as<const typename S::Result&>;
  requires std::same_as<std::variant_alternative_t<0, typename S::Result>, std::monostate>;
};

/// The trail that an end of an operation holds; null when it holds none.
template <FailureTaxonomy Class, class End>
[[nodiscard]] constexpr const Trail<Class>* trail_of(const End& end) {
  if constexpr (requires { end.trail; }) {
    return &end.trail;
  } else if constexpr (requires { end.exhausted.trail; }) {
    return &end.exhausted.trail;
  } else {
    return nullptr;
  }
}

template <RetryStrategy Strategy>
class RetryingOperation {
 public:
  using State = OperationState;
  using Class = typename Strategy::Class;
  using Request = typename Strategy::Request;
  using Result = typename Strategy::Result;

  /// @param policy    copied when the operation is made.
  /// @param metadata  whether telemetry rows are ordered (RecordFailure, RecordRequest).
  RetryingOperation(const RetryPolicy& policy, Strategy strategy, RandomStream jitter,
                    bool metadata)
      : loop_(policy, jitter), strategy_(std::move(strategy)), metadata_(metadata) {}

  /// Takes a fact and returns what the host must do, in order.
  [[nodiscard]] Actions handle(const Event& event, Instant now);

  /// When `WakeupReached` is due; absent when only another event can change anything.
  [[nodiscard]] std::optional<Instant> next_wakeup() const;

  [[nodiscard]] State state() const { return state_; }
  /// Number of the attempt under way or last made; equals the calls made so far.
  [[nodiscard]] AttemptId attempt() const { return attempt_number_; }
  /// The request that SendAttempt orders to send.
  [[nodiscard]] const Request& request() const { return strategy_.request(); }
  /// The sleep ordered after the attempt that ended last; nothing when none followed.
  [[nodiscard]] const std::optional<OrderedSleep>& ordered_sleep() const { return ordered_sleep_; }
  /// Failures so far, also after the end.
  [[nodiscard]] const Trail<Class>& trail() const {
    const Trail<Class>* final_trail =
        std::visit([](const auto& end) { return trail_of<Class>(end); }, strategy_.result());
    return final_trail != nullptr ? *final_trail : loop_.trail();
  }
  /// How the operation ended; `monostate` while it has not.
  [[nodiscard]] const Result& result() const { return strategy_.result(); }
  [[nodiscard]] const Strategy& strategy() const { return strategy_; }

 private:
  using Context = OperationContext<Class>;

  void start_attempt(Instant now, Actions& actions);
  void end_attempt(AttemptEnd end, Instant now, Actions& actions);
  void follow(NextStep step, Context& after, Instant now, Actions& actions);
  void shut_down(Instant now, Actions& actions);
  void finish(Instant now, Actions& actions);
  void read_retry_after_of(const Event& event);
  [[nodiscard]] Context context(Instant now, Actions& actions) {
    return {loop_, actions, attempt_number_, attempt_started_, now, metadata_};
  }

  RetryLoop<Class> loop_;
  Strategy strategy_;
  Attempt in_flight_;
  std::optional<std::uint64_t> observed_retry_after_ms_;
  std::optional<OrderedSleep> ordered_sleep_;
  Instant now_{};
  Instant sleep_ends_{};
  Instant attempt_started_{};
  AttemptId attempt_number_ = 0;
  State state_ = State::kIdle;
  bool metadata_;
};

template <RetryStrategy Strategy>
Actions RetryingOperation<Strategy>::handle(const Event& event, Instant now) {
  SQUALL_CHECK(now >= now_, now.time_since_epoch().count(), now_.time_since_epoch().count());
  now_ = now;
  Actions actions;
  if (state_ == State::kFinished) {
    return actions;
  }
  if (std::holds_alternative<ShutdownRequested>(event)) {
    shut_down(now, actions);
    return actions;
  }
  switch (state_) {
    case State::kIdle:
      if (std::holds_alternative<OperationStarted>(event)) {
        loop_.begin_operation(now);
        Context at_start = context(now, actions);
        follow(strategy_.on_start(at_start), at_start, now, actions);
      }
      break;
    case State::kInFlight:
      read_retry_after_of(event);
      if (const auto* started = std::get_if<AttemptStarted>(&event);
          started != nullptr && started->attempt == in_flight_.id() && !in_flight_.has_started()) {
        loop_.begin_attempt(now);
        attempt_started_ = now;
      }
      if (const std::optional<AttemptEnd> end = in_flight_.handle(event, now)) {
        end_attempt(*end, now, actions);
      }
      break;
    case State::kSleeping:
      // An early wake-up is one that was armed for something already over: not yet time.
      if (std::holds_alternative<WakeupReached>(event) && now >= sleep_ends_) {
        start_attempt(now, actions);
      }
      break;
    case State::kFinished:
      break;
  }
  return actions;
}

template <RetryStrategy Strategy>
std::optional<Instant> RetryingOperation<Strategy>::next_wakeup() const {
  switch (state_) {
    case State::kInFlight:
      return in_flight_.deadline();
    case State::kSleeping:
      return sleep_ends_;
    case State::kIdle:
    case State::kFinished:
      return std::nullopt;
  }
  return std::nullopt;
}

template <RetryStrategy Strategy>
void RetryingOperation<Strategy>::read_retry_after_of(const Event& event) {
  const auto* headers = std::get_if<HeadersReceived>(&event);
  if (headers != nullptr && headers->attempt == in_flight_.id() && !in_flight_.has_headers()) {
    observed_retry_after_ms_ = read_retry_after(
        {.retry_after = headers->head.retry_after, .retry_after_ms = headers->head.retry_after_ms},
        loop_.policy().retry_after, headers->received_at);
  }
}

template <RetryStrategy Strategy>
void RetryingOperation<Strategy>::start_attempt(Instant now, Actions& actions) {
  ++attempt_number_;
  state_ = State::kInFlight;
  attempt_started_ = now;  // Until the host confirms the start.
  loop_.order_attempt();
  observed_retry_after_ms_.reset();
  in_flight_.begin(attempt_number_, now, loop_.policy().timeouts);
  actions.add(SendAttempt{attempt_number_});
}

template <RetryStrategy Strategy>
void RetryingOperation<Strategy>::end_attempt(AttemptEnd end, Instant now, Actions& actions) {
  if (end == AttemptEnd::kHeadersTimedOut || end == AttemptEnd::kBodyTimedOut ||
      end == AttemptEnd::kBodyTooLarge) {
    actions.add(AbandonAttempt{attempt_number_});
  }
  ordered_sleep_.reset();
  Context judged_in = context(now, actions);
  auto judged = strategy_.judge(in_flight_, end, loop_.policy(), observed_retry_after_ms_);
  auto* answer = std::get_if<typename Strategy::Answer>(&judged);
  const NextStep step =
      answer != nullptr ? strategy_.on_answer(std::move(*answer), judged_in)
                        : strategy_.on_failure(
                              std::get<typename Strategy::Failure>(std::move(judged)), judged_in);
  follow(step, judged_in, now, actions);
}

template <RetryStrategy Strategy>
void RetryingOperation<Strategy>::follow(NextStep step, Context& after, Instant now,
                                         Actions& actions) {
  if (step.kind == NextStep::Kind::kFinish) {
    finish(now, actions);
    return;
  }
  std::optional<Duration> sleep;
  if (after.attempts_left()) {
    if (step.kind == NextStep::Kind::kSleepFirst) {
      sleep = loop_.sleep_after(step.sleep_index, now);
    } else if (loop_.within_time_budget(now)) {
      sleep = Duration{0};
    }
  }
  if (sleep && step.kind == NextStep::Kind::kSleepFirst) {
    // No sleep lasts beyond the end of time.
    ordered_sleep_ = OrderedSleep{step.sleep_index - 1, saturating_add(now, *sleep) - now,
                                  loop_.has_retry_after()};
  }
  if (!sleep) {
    strategy_.on_exhausted(after);
    finish(now, actions);
  } else if (*sleep == Duration{0}) {
    start_attempt(now, actions);
  } else {
    state_ = State::kSleeping;
    sleep_ends_ = saturating_add(now, *sleep);
  }
}

template <RetryStrategy Strategy>
void RetryingOperation<Strategy>::shut_down(Instant now, Actions& actions) {
  const bool in_flight = state_ == State::kInFlight;
  Context stopped_in = context(now, actions);
  if (in_flight) {
    actions.add(AbandonAttempt{attempt_number_});
    stopped_in.record(Strategy::shutdown_failure());
  } else if (state_ == State::kIdle) {
    loop_.begin_operation(now);
  }
  strategy_.on_shutdown(in_flight, stopped_in);
  finish(now, actions);
}

template <RetryStrategy Strategy>
void RetryingOperation<Strategy>::finish(Instant now, Actions& actions) {
  state_ = State::kFinished;
  if (metadata_) {
    actions.add(RecordRequest{.duration = now - loop_.started()});
  }
  actions.add(FinishOperation{});
}

}  // namespace squall::core
