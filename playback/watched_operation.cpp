// SPDX-License-Identifier: MIT
#include "playback/watched_operation.hpp"

#include <utility>
#include <variant>

#include "core/check.hpp"
#include "playback/telemetry_rows.hpp"

namespace squall::playback {

using core::Instant;
using scenarios::Outcome;

core::RandomStream WatchedOperation::begin(const PreparedScenario& prepared,
                                           core::RandomStream draws, Trace& trace, std::uint32_t id,
                                           Recording recording, Instant now) {
  const scenarios::Scenario& scenario = prepared.scenario;
  prepared_ = &prepared;
  trace_ = &trace;
  id_ = id;
  saboteur_.reset();
  if (scenario.defect) {
    SQUALL_CHECK(prepared.saboteurs != nullptr, *scenario.defect);
    saboteur_ = prepared.saboteurs(*scenario.defect);
    SQUALL_CHECK(saboteur_ != nullptr, *scenario.defect);
    draws = draws.split(saboteur_->seed_offset());
  }
  machine_.emplace(scenario, draws.split("backoff").beginning_with(scenario.client.jitter_words));
  audit_.begin(prepared.audited_policy(), rules_of(scenario.operation.kind()),
               scenario.operation.telemetry, now);
  recording_ = std::move(recording);
  sleeps_.clear();
  prefix_reuse_.clear();
  prefix_cache_.clear();
  first_request_seen_ = false;
  failures_seen_ = 0;
  last_sent_ = 0;
  finished_ = false;
  started_at_ = now;
  ended_at_ = now;
  return draws.split("provider");
}

core::Actions WatchedOperation::handle(const core::Event& event, Instant now) {
  // That an attempt is under way is the echo of the order to send it, which was noted by then.
  if (!std::holds_alternative<core::AttemptStarted>(event)) {
    trace_event(event, now);
    audit_.on_event(event, now);
  }
  const core::Actions actions =
      saboteur_ == nullptr ? machine_->handle(event, now) : handle_tampered(event, now);
  note_failures(now);
  audit_.on_actions(actions, machine_->trail(), now);
  return actions;
}

core::Actions WatchedOperation::handle_tampered(const core::Event& event, Instant now) {
  return saboteur_->lets_through(event) ? saboteur_->orders(machine_->handle(event, now))
                                        : core::Actions{};
}

std::optional<Instant> WatchedOperation::next_wakeup() const {
  const std::optional<Instant> due = machine_->next_wakeup();
  return saboteur_ == nullptr ? due : saboteur_->wakeup(due);
}

RequestView WatchedOperation::send(core::AttemptId attempt, Instant now) {
  RequestView request = machine_->request();
  int calls = 1;
  if (saboteur_ != nullptr) {
    request = saboteur_->request(attempt, request);
    calls = saboteur_->calls_per_send();
  }
  // The bytes of the first request live as long as the scenario, and so does their digest.
  const std::uint64_t digest = request.body.data() == prepared_->first_request.body.data()
                                   ? prepared_->request_digest
                                   : digest_of(request.body);
  for (int call = 0; call < calls; ++call) {
    trace_->add(now, id_, TraceKind::kAttemptSent, attempt, digest);
    audit_.on_send(attempt, request, now);
  }
  last_sent_ = attempt;
  return request;
}

void WatchedOperation::note_sent(std::string_view body, bool reached) {
  // The bytes of the first request live as long as the scenario: the same place is the same bytes.
  const bool is_first_request = body.data() == prepared_->first_request.body.data() &&
                                body.size() == prepared_->first_request.body.size();
  if (is_first_request && first_request_seen_) {
    prefix_reuse_.push_back({body.size(), body.size()});
    return;
  }
  first_request_seen_ = first_request_seen_ || (is_first_request && reached);
  prefix_reuse_.push_back({body.size(), prefix_cache_.seen_of(body)});
  if (reached) {
    prefix_cache_.see(body);
  }
}

void WatchedOperation::abandon(core::AttemptId attempt, Instant now) {
  trace_->add(now, id_, TraceKind::kAttemptAbandoned, attempt);
}

void WatchedOperation::finish(Instant now) {
  finished_ = true;
  ended_at_ = now;
  const std::optional<std::string> answer = machine_->answer();
  trace_->add(now, id_, TraceKind::kOperationFinished, static_cast<std::uint32_t>(outcome()),
              answer ? digest_of(*answer) : 0);
  audit_.on_end(machine_->trail(), true, outcome() == Outcome::kSuccess, now);
}

void WatchedOperation::stop(Instant now) {
  if (finished_) {
    return;
  }
  ended_at_ = now;
  trace_->add(now, id_, TraceKind::kHorizonReached);
  audit_.on_end(machine_->trail(), false, false, now);
}

Outcome WatchedOperation::outcome() const {
  return finished_ ? machine_->outcome() : Outcome::kUnfinished;
}

void WatchedOperation::record(const core::RecordFailure& order, Instant now,
                              core::WallInstant wall_clock) {
  trace_->add(now, id_, TraceKind::kFailureRow, order.failure_index,
              order.attempt_duration ? static_cast<std::uint64_t>(order.attempt_duration->count())
                                     : ~std::uint64_t{0});
  if (recording_.sink == nullptr && saboteur_ == nullptr) {
    return;
  }
  const FailureView failure = machine_->trail()[order.trail_index];
  core::FailureRow row = failure_row(order, failure, recording_.operation_id, wall_clock);
  if (saboteur_ != nullptr) {
    saboteur_->alter(row);
  }
  audit_.on_stored(row, order, failure, now);
  if (recording_.sink != nullptr) {
    recording_.sink->record(row);
  }
}

void WatchedOperation::record(const core::RecordRequest& order, Instant now,
                              core::WallInstant wall_clock) {
  trace_->add(now, id_, TraceKind::kRequestRow, order.accepted_round,
              static_cast<std::uint64_t>(order.duration.count()));
  if (recording_.sink == nullptr) {
    return;
  }
  const core::RequestRow row = request_row(order, prepared_->scenario.operation, *machine_,
                                           recording_.operation_id, wall_clock);
  audit_.on_stored(row, order, *machine_, now);
  recording_.sink->record(row);
}

void WatchedOperation::trace_event(const core::Event& event, Instant now) {
  if (const auto* headers = std::get_if<core::HeadersReceived>(&event)) {
    trace_->add(now, id_, TraceKind::kHeadersReceived, headers->attempt,
                static_cast<std::uint64_t>(headers->head.status));
  } else if (const auto* arrived = std::get_if<core::BytesReceived>(&event)) {
    trace_->add(now, id_, TraceKind::kBytesReceived, arrived->attempt, arrived->bytes.size());
  } else if (const auto* ended = std::get_if<core::BodyEnded>(&event)) {
    trace_->add(now, id_, TraceKind::kBodyEnded, ended->attempt);
  } else if (const auto* failed = std::get_if<core::AttemptFailed>(&event)) {
    trace_->add(now, id_, TraceKind::kConnectionBroke, failed->attempt,
                static_cast<std::uint64_t>(failed->fault));
  } else if (std::holds_alternative<core::ShutdownRequested>(event)) {
    trace_->add(now, id_, TraceKind::kShutdownRequested);
  } else if (std::holds_alternative<core::OperationStarted>(event)) {
    trace_->add(now, id_, TraceKind::kOperationStarted, 0, machine_->request().body.size());
  }
}

// Traces the failures recorded since the last look, and the sleep that follows the last of them.
void WatchedOperation::note_failures(Instant now) {
  const TrailView trail = machine_->trail();
  if (failures_seen_ == trail.size()) {
    return;
  }
  for (; failures_seen_ < trail.size(); ++failures_seen_) {
    const FailureView failure = trail[failures_seen_];
    if (failure.retry_after_ms) {
      trace_->add(now, id_, TraceKind::kRetryAfterRead, last_sent_, *failure.retry_after_ms);
    }
    trace_->add(now, id_, TraceKind::kFailureRecorded,
                static_cast<std::uint32_t>(failure.failure_class.index()),
                digest_of(failure.error_chain));
  }
  if (const std::optional<core::OrderedSleep>& sleep = machine_->ordered_sleep();
      sleep && !machine_->is_finished()) {
    sleeps_.push_back(*sleep);
    trace_->add(now, id_, TraceKind::kSleepStarted, sleep->slot,
                static_cast<std::uint64_t>(sleep->duration.count()));
  }
}

void WatchedOperation::describe(RunResult& result) const {
  result.outcome = outcome();
  result.attempts = audit_.calls();
  result.calls_wasted = audit_.calls_wasted();
  result.elapsed = elapsed();
  result.sleeps = &sleeps_;
  result.sleep_total = core::Duration{0};
  for (const core::OrderedSleep& sleep : sleeps_) {
    result.sleep_total = sleep.duration > core::Duration::max() - result.sleep_total
                             ? core::Duration::max()
                             : result.sleep_total + sleep.duration;
  }
  result.prefix_reuse = &prefix_reuse_;
  result.operation = &*machine_;
  result.trail = machine_->trail();
  result.trace = trace_;
  result.digest = trace_->digest();
}

}  // namespace squall::playback
