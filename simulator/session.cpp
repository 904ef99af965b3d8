// SPDX-License-Identifier: MIT
#include "simulator/session.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/check.hpp"
#include "simulator/telemetry_rows.hpp"
#include "simulator/world.hpp"

namespace squall::simulator {

using core::Instant;
using scenarios::Outcome;

namespace {

/// More than the largest attempt budget a policy file can state needs at one instant, with sleeps
/// and latencies of zero. Beyond it, time stands still: a bug, which must not hang.
constexpr std::uint32_t kDeliveriesAtInstantMax = 10'000'000;

}  // namespace

/// The operation as the driver sees it: with the saboteur, if any, in between.
struct Session::Tampered {
  Session& session;

  core::Actions handle(const core::Event& event, Instant now) {
    if (session.saboteur_ == nullptr) {
      return session.machine_->handle(event, now);
    }
    if (!session.saboteur_->lets_through(event)) {
      return {};
    }
    return session.saboteur_->orders(session.machine_->handle(event, now));
  }
  [[nodiscard]] std::optional<Instant> next_wakeup() const {
    const std::optional<Instant> due = session.machine_->next_wakeup();
    return session.saboteur_ == nullptr ? due : session.saboteur_->wakeup(due);
  }
};

void Session::start(const PreparedScenario& prepared, core::RandomStream draws,
                    Recording recording) {
  const scenarios::Scenario& scenario = prepared.scenario;
  prepared_ = &prepared;
  saboteur_.reset();
  if (scenario.defect) {
    SQUALL_CHECK(prepared.saboteurs != nullptr, *scenario.defect);
    saboteur_ = prepared.saboteurs(*scenario.defect);
    SQUALL_CHECK(saboteur_ != nullptr, *scenario.defect);
    draws = draws.split(saboteur_->seed_offset());
  }
  machine_.emplace(scenario, draws.split("backoff").beginning_with(scenario.client.jitter_words));
  prepared.playbook.reset(provider_, draws.split("provider"));
  exchange_.close();
  audit_.begin(prepared.audited_policy(), rules_of(scenario.operation.kind()),
               scenario.operation.telemetry, now());
  recording_ = std::move(recording);
  sleeps_.clear();
  prefix_reuse_.clear();
  prefix_cache_.clear();
  failures_seen_ = 0;
  last_sent_ = 0;
  finished_ = false;
  wakeup_.reset();
  queued_at_ = core::kEndOfTime;
  delivered_at_ = now();
  deliveries_at_instant_ = 0;
  started_at_ = now();
  ended_at_ = now();
  shutdown_.reset();
  if (scenario.client.shutdown_at) {
    shutdown_ = Instant(*scenario.client.shutdown_at);
  }

  if (shutdown_ && *shutdown_ <= now()) {
    // Stopped before it began: the shutdown is the first thing the operation hears.
    shutdown_.reset();
    deliver(core::ShutdownRequested{});
  } else {
    deliver(core::OperationStarted{});
  }
  reschedule();
}

void Session::fire() {
  if (queued_at_ != now()) {
    return;  // An entry that a nearer one has replaced.
  }
  queued_at_ = core::kEndOfTime;
  if (shutdown_ && *shutdown_ <= now()) {
    shutdown_.reset();
    deliver(core::ShutdownRequested{});
  } else if (wakeup_ && *wakeup_ <= now()) {
    deliver(core::WakeupReached{});
  } else {
    // Everything the provider sends at this instant is one delivery; a next attempt's answer is
    // not part of it.
    const core::AttemptId attempt = machine_->attempt();
    while (machine_->attempt() == attempt && exchange_.next() && *exchange_.next() <= now()) {
      deliver(exchange_.take(world_.wall_clock()));
    }
  }
  reschedule();
}

void Session::stop() {
  if (finished_) {
    return;
  }
  ended_at_ = now();
  world_.trace().add(now(), id_, TraceKind::kHorizonReached);
  audit_.on_end(machine_->trail(), false, false, now());
}

Outcome Session::outcome() const {
  return finished_ ? machine_->outcome() : Outcome::kUnfinished;
}

Instant Session::now() const {
  return world_.now();
}

void Session::count_delivery() {
  deliveries_at_instant_ = delivered_at_ == now() ? deliveries_at_instant_ + 1 : 0;
  delivered_at_ = now();
  SQUALL_CHECK(deliveries_at_instant_ <= kDeliveriesAtInstantMax, deliveries_at_instant_);
}

void Session::deliver(const core::Event& event) {
  count_delivery();
  trace_event(event);
  audit_.on_event(event, now());
  Tampered machine{*this};
  core::Driver<Tampered, Session>(machine, *this).deliver(event);
}

template <class Machine>
void Session::observe(const core::Event&, const core::Actions& actions, const Machine&) {
  note_failures();
  audit_.on_actions(actions, machine_->trail(), now());
}

template <class Machine>
void Session::send_attempt(core::AttemptId attempt, const Machine&) {
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
    world_.trace().add(now(), id_, TraceKind::kAttemptSent, attempt, digest);
    audit_.on_send(attempt, request, now());
  }
  last_sent_ = attempt;
  const PreparedRespond& answer = prepared_->playbook.answer(provider_, now());
  note_prefix_reuse(request.body, answer);
  exchange_.open(attempt, answer, now(), answer.latency.sample(provider_.draws));
}

// A request counts as seen once its connection stood; whether a reset came before or after the
// provider had read it is not known, and it is taken to have been read.
void Session::note_prefix_reuse(std::string_view body, const PreparedRespond& answer) {
  prefix_reuse_.push_back({body.size(), prefix_cache_.seen_of(body)});
  const auto* failure = std::get_if<scenarios::ConnectionFailure>(&answer.respond.what);
  if (failure == nullptr || failure->fault == core::ConnectionFault::kReset) {
    prefix_cache_.see(body);
  }
}

void Session::abandon_attempt(core::AttemptId attempt) {
  world_.trace().add(now(), id_, TraceKind::kAttemptAbandoned, attempt);
  exchange_.close();
}

template <class Machine>
void Session::finish_operation(const Machine&) {
  finished_ = true;
  ended_at_ = now();
  exchange_.close();
  shutdown_.reset();
  const std::optional<std::string> answer = machine_->answer();
  world_.trace().add(now(), id_, TraceKind::kOperationFinished,
                     static_cast<std::uint32_t>(outcome()), answer ? digest_of(*answer) : 0);
  audit_.on_end(machine_->trail(), true, outcome() == Outcome::kSuccess, now());
}

void Session::record(const core::RecordFailure& order) {
  world_.trace().add(now(), id_, TraceKind::kFailureRow, order.failure_index,
                     order.attempt_duration
                         ? static_cast<std::uint64_t>(order.attempt_duration->count())
                         : ~std::uint64_t{0});
  if (recording_.sink == nullptr && saboteur_ == nullptr) {
    return;
  }
  const FailureView failure = machine_->trail()[order.trail_index];
  core::FailureRow row = failure_row(order, failure, recording_.operation_id, world_.wall_clock());
  if (saboteur_ != nullptr) {
    saboteur_->alter(row);
  }
  audit_.on_stored(row, order, failure, now());
  if (recording_.sink != nullptr) {
    recording_.sink->record(row);
  }
}

void Session::record(const core::RecordRequest& order) {
  world_.trace().add(now(), id_, TraceKind::kRequestRow, order.accepted_round,
                     static_cast<std::uint64_t>(order.duration.count()));
  if (recording_.sink == nullptr) {
    return;
  }
  const core::RequestRow row = request_row(order, prepared_->scenario.operation, *machine_,
                                           recording_.operation_id, world_.wall_clock());
  audit_.on_stored(row, order, *machine_, now());
  recording_.sink->record(row);
}

void Session::trace_event(const core::Event& event) {
  Trace& trace = world_.trace();
  if (const auto* headers = std::get_if<core::HeadersReceived>(&event)) {
    trace.add(now(), id_, TraceKind::kHeadersReceived, headers->attempt,
              static_cast<std::uint64_t>(headers->head.status));
  } else if (const auto* arrived = std::get_if<core::BytesReceived>(&event)) {
    trace.add(now(), id_, TraceKind::kBytesReceived, arrived->attempt, arrived->bytes.size());
  } else if (const auto* ended = std::get_if<core::BodyEnded>(&event)) {
    trace.add(now(), id_, TraceKind::kBodyEnded, ended->attempt);
  } else if (const auto* failed = std::get_if<core::AttemptFailed>(&event)) {
    trace.add(now(), id_, TraceKind::kConnectionBroke, failed->attempt,
              static_cast<std::uint64_t>(failed->fault));
  } else if (std::holds_alternative<core::ShutdownRequested>(event)) {
    trace.add(now(), id_, TraceKind::kShutdownRequested);
  } else if (std::holds_alternative<core::OperationStarted>(event)) {
    trace.add(now(), id_, TraceKind::kOperationStarted, 0, machine_->request().body.size());
  }
}

// Traces the failures recorded since the last look, and the sleep that follows the last of them.
void Session::note_failures() {
  const TrailView trail = machine_->trail();
  if (failures_seen_ == trail.size()) {
    return;
  }
  for (; failures_seen_ < trail.size(); ++failures_seen_) {
    const FailureView failure = trail[failures_seen_];
    if (failure.retry_after_ms) {
      world_.trace().add(now(), id_, TraceKind::kRetryAfterRead, last_sent_,
                         *failure.retry_after_ms);
    }
    world_.trace().add(now(), id_, TraceKind::kFailureRecorded,
                       static_cast<std::uint32_t>(failure.failure_class.index()),
                       digest_of(failure.error_chain));
  }
  if (const std::optional<core::OrderedSleep>& sleep = machine_->ordered_sleep();
      sleep && !machine_->is_finished()) {
    sleeps_.push_back(*sleep);
    world_.trace().add(now(), id_, TraceKind::kSleepStarted, sleep->slot,
                       static_cast<std::uint64_t>(sleep->duration.count()));
  }
}

Instant Session::due() const {
  Instant due = core::kEndOfTime;
  if (finished_) {
    return due;
  }
  if (wakeup_) {
    due = std::min(due, *wakeup_);
  }
  if (shutdown_) {
    due = std::min(due, *shutdown_);
  }
  if (const std::optional<Instant> delivery = exchange_.next()) {
    due = std::min(due, *delivery);
  }
  return due;
}

// Keeps one live entry in the queue. An entry that is too early is left: it finds nothing due and
// queues the right instant then.
void Session::reschedule() {
  const Instant next = due();
  if (next < queued_at_) {
    queued_at_ = next;
    world_.schedule(next, id_);
  }
}

}  // namespace squall::simulator
