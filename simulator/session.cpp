// SPDX-License-Identifier: MIT
#include "simulator/session.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "simulator/world.hpp"

namespace squall::simulator {

using core::Instant;

namespace {

/// More than the largest attempt budget a policy file can state needs at one instant, with sleeps
/// and latencies of zero. Beyond it, time stands still: a bug, which must not hang.
constexpr std::uint32_t kDeliveriesAtInstantMax = 10'000'000;

}  // namespace

void Session::start(const playback::PreparedScenario& prepared, core::RandomStream draws,
                    playback::Recording recording) {
  prepared_ = &prepared;
  prepared.playbook.reset(
      provider_, watched_.begin(prepared, draws, world_.trace(), id_, std::move(recording), now()));
  exchange_.close();
  wakeup_.reset();
  queued_at_ = core::kEndOfTime;
  delivered_at_ = now();
  deliveries_at_instant_ = 0;
  shutdown_.reset();
  if (prepared.scenario.client.shutdown_at) {
    shutdown_ = Instant(*prepared.scenario.client.shutdown_at);
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
    const playback::Operation& operation = watched_.operation();
    const core::AttemptId attempt = operation.attempt();
    while (operation.attempt() == attempt && exchange_.next() && *exchange_.next() <= now()) {
      deliver(exchange_.take(world_.wall_clock()));
    }
  }
  reschedule();
}

void Session::stop() {
  watched_.stop(now());
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
  core::Driver<Watched, Session>(watched_, *this).deliver(event);
}

// A request counts as seen once its connection stood; whether a reset came before or after the
// provider had read it is not known, and it is taken to have been read.
void Session::send_attempt(core::AttemptId attempt, const Watched&) {
  const playback::RequestView request = watched_.send(attempt, now());
  const playback::PreparedRespond& answer = prepared_->playbook.answer(provider_, now());
  const auto* failure = std::get_if<scenarios::ConnectionFailure>(&answer.respond.what);
  watched_.note_sent(request.body,
                     failure == nullptr || failure->fault == core::ConnectionFault::kReset);
  exchange_.open(attempt, answer, now(), answer.latency.sample(provider_.draws));
}

void Session::abandon_attempt(core::AttemptId attempt) {
  watched_.abandon(attempt, now());
  exchange_.close();
}

void Session::record_failure(const core::RecordFailure& row, const Watched&) {
  watched_.record(row, now(), world_.wall_clock());
}

void Session::record_request(const core::RecordRequest& row, const Watched&) {
  watched_.record(row, now(), world_.wall_clock());
}

void Session::finish_operation(const Watched&) {
  exchange_.close();
  shutdown_.reset();
  watched_.finish(now());
}

Instant Session::due() const {
  Instant due = core::kEndOfTime;
  if (watched_.finished()) {
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
