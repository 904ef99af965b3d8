// SPDX-License-Identifier: MIT
//
// The host of one operation on Boost.Asio: it carries out the operation's orders through a
// transport and tells it what happens, by the one driver that the simulator uses too. It decides
// nothing about retries, and nothing here sleeps, blocks or starts a thread.
//
//   watched.begin(prepared, draws, trace, 0, recording, core::Instant{});
//   AsioHost<std::chrono::steady_clock, HttpTransport> host(context, transport, watched, {...});
//   host.start();
//   context.run();
//
// Of several things at one instant the shutdown comes first, then the wake-up, then what the
// transport brings: a wake-up that is due is delivered before any fact, and one that was due
// earlier before a shutdown. A wake-up that the machine was slow to notice counts at the instant it
// was due: what was ordered is what is recorded, and the delay belongs to whatever follows.
//
// Everything runs in the handlers of one io_context, on one thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>

#include "core/check.hpp"
#include "core/driver.hpp"
#include "core/event.hpp"
#include "core/time.hpp"
#include "live/transport.hpp"
#include "playback/watched_operation.hpp"

namespace squall::live {

/// What a host needs beside clock and transport.
struct Surroundings {
  /// Calendar time. Never empty.
  std::function<core::WallInstant()> wall_clock;
  /// Called once, when the operation is over; it must not destroy the host. May be empty.
  std::function<void()> on_finished;
  /// Called after each fact was handled, before the orders are carried out. May be empty.
  std::function<void(const core::Event&, const playback::WatchedOperation&, core::Instant)>
      on_event;
  /// See kLatenessForgiven. A clock that runs faster than time forgives more.
  core::Duration lateness_forgiven = kLatenessForgiven;
};

template <class Clock, AttemptTransport Transport,
          class WaitTraits = boost::asio::wait_traits<Clock>>
class AsioHost {
 public:
  using Watched = playback::WatchedOperation;

  /// @param watched  begun at instant 0, not started. All three are borrowed.
  AsioHost(boost::asio::io_context& context, Transport& transport, Watched& watched,
           Surroundings surroundings)
      : timer_(context),
        transport_(transport),
        watched_(watched),
        surroundings_(std::move(surroundings)) {}
  AsioHost(const AsioHost&) = delete;
  AsioHost& operator=(const AsioHost&) = delete;
  ~AsioHost() { transport_.close(); }

  /// Starts the operation: instant 0 is now. After a shutdown was requested, that is the first
  /// thing the operation hears, and it does not start.
  void start() {
    SQUALL_CHECK(!started_);
    started_ = true;
    start_ = Clock::now();
    if (shutdown_before_start_) {
      deliver(core::ShutdownRequested{}, core::Instant{});
    } else {
      deliver(core::OperationStarted{}, core::Instant{});
    }
  }

  /// The process is stopping: ends a sleep or a wait at once. Ignored once it is over.
  void request_shutdown() {
    if (!started_) {
      shutdown_before_start_ = true;
      return;
    }
    const core::Instant reading = read_clock();
    deliver_wakeups_due(reading - core::Duration{1}, reading);
    if (!is_over()) {
      deliver(core::ShutdownRequested{}, reading);
    }
  }

  /// Stops with the operation still under way (a horizon): closes the audit, drops the attempt.
  void stop() {
    if (is_over()) {
      return;
    }
    stopped_ = true;
    now_ = std::max(now_, read_clock());
    note_request();
    transport_.close();
    timer_.cancel();
    watched_.stop(now_);
  }

  [[nodiscard]] bool is_over() const { return stopped_ || watched_.finished(); }
  /// The longest that a wake-up was noticed late.
  [[nodiscard]] core::Duration lateness_max() const { return lateness_max_; }

  // ---- the host's side of the driver ----
  /// One reading for everything that a delivery brings about.
  [[nodiscard]] core::Instant now() const { return now_; }
  void observe(const core::Event& event, const core::Actions&, const Watched&) {
    if (surroundings_.on_event) {
      surroundings_.on_event(event, watched_, now_);
    }
  }
  void send_attempt(core::AttemptId attempt, const Watched&) {
    under_way_ = attempt;
    request_ = watched_.send(attempt, now_).body;
    transport_.send(attempt, request_,
                    [this, attempt](const core::Event& fact) { receive(attempt, fact); });
  }
  void abandon_attempt(core::AttemptId attempt) {
    watched_.abandon(attempt, now_);
    note_request();
    transport_.close();
  }
  void record_failure(const core::RecordFailure& order, const Watched&) {
    watched_.record(order, now_, surroundings_.wall_clock());
  }
  void record_request(const core::RecordRequest& order, const Watched&) {
    watched_.record(order, now_, surroundings_.wall_clock());
  }
  void finish_operation(const Watched&) {
    note_request();
    transport_.close();
    timer_.cancel();
    watched_.finish(now_);
  }
  void arm_wakeup(std::optional<core::Instant> wakeup) {
    wakeup_ = wakeup;
    // A timer that is too early is left: it finds nothing due and is armed anew then, so that a
    // body of a million pieces does not arm a million timers.
    if (wakeup_ && *wakeup_ < core::kEndOfTime && (!armed_for_ || *wakeup_ < *armed_for_)) {
      arm(*wakeup_);
    }
  }

 private:
  /// More than any policy can have due at once. Beyond it, time stands still: a bug, which must not
  /// hang.
  static constexpr std::uint32_t kDueAtOnceMax = 10'000'000;

  using Timer = boost::asio::basic_waitable_timer<Clock, WaitTraits>;

  [[nodiscard]] core::Instant read_clock() const {
    return core::Instant(std::chrono::duration_cast<core::Duration>(Clock::now() - start_));
  }

  void deliver(const core::Event& event, core::Instant at) {
    now_ = std::max(now_, at);
    core::Driver<Watched, AsioHost>(watched_, *this).deliver(event);
    if (watched_.finished() && surroundings_.on_finished) {
      std::exchange(surroundings_.on_finished, nullptr)();
    }
  }

  void deliver_due_wakeups(core::Instant reading) { deliver_wakeups_due(reading, reading); }

  /// Those that were due at `last` or earlier. It is `reading` now.
  void deliver_wakeups_due(core::Instant last, core::Instant reading) {
    for (std::uint32_t due = 0; !is_over() && wakeup_ && *wakeup_ <= last; ++due) {
      SQUALL_CHECK(due <= kDueAtOnceMax, due);
      const core::Duration late = reading - *wakeup_;
      lateness_max_ = std::max(lateness_max_, late);
      deliver(core::WakeupReached{}, late <= surroundings_.lateness_forgiven ? *wakeup_ : reading);
    }
  }

  void receive(core::AttemptId attempt, const core::Event& fact) {
    const core::Instant reading = read_clock();
    deliver_due_wakeups(reading);
    if (is_over() || attempt != under_way_) {
      return;  // The wake-up was the end of it.
    }
    if (std::holds_alternative<core::BodyEnded>(fact) ||
        std::holds_alternative<core::AttemptFailed>(fact)) {
      note_request();
    }
    if (const auto* headers = std::get_if<core::HeadersReceived>(&fact)) {
      core::HeadersReceived stamped = *headers;
      stamped.received_at = surroundings_.wall_clock();
      deliver(stamped, reading);
    } else {
      deliver(fact, reading);
    }
  }

  /// The attempt is over: notes what became of its request.
  void note_request() {
    if (std::exchange(under_way_, 0) != 0) {
      watched_.note_sent(request_, transport_.request_reached());
    }
  }

  void arm(core::Instant wakeup) {
    using Ticks = typename Clock::duration;
    const auto wait = std::chrono::ceil<Ticks>(wakeup.time_since_epoch());
    armed_for_ = wakeup;
    timer_.expires_at(wait > Clock::time_point::max() - start_ ? Clock::time_point::max()
                                                               : start_ + wait);
    timer_.async_wait([this, alive = std::weak_ptr<const bool>(alive_)](const auto& cancelled) {
      if (cancelled || alive.expired()) {
        return;  // Armed anew, over, or gone.
      }
      armed_for_.reset();
      deliver_due_wakeups(read_clock());
      if (!is_over() && !armed_for_) {
        arm_wakeup(wakeup_);
      }
    });
  }

  Timer timer_;
  Transport& transport_;
  Watched& watched_;
  Surroundings surroundings_;
  /// Goes with the host: what handlers look at that run after it.
  std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
  typename Clock::time_point start_{};
  core::Instant now_{};
  std::optional<core::Instant> wakeup_;
  std::optional<core::Instant> armed_for_;
  std::string request_;
  core::Duration lateness_max_{0};
  core::AttemptId under_way_ = 0;
  bool started_ = false;
  bool stopped_ = false;
  bool shutdown_before_start_ = false;
};

}  // namespace squall::live
