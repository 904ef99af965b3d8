// SPDX-License-Identifier: MIT
//
// The virtual world: a clock that jumps from event to event, the queue that orders them, the trace,
// and any number of operations at once. Nothing of an operation lives here; nothing of the world is
// global. `reset` starts over and keeps all memory, so that a million runs allocate like one.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>

#include "core/time.hpp"
#include "playback/trace.hpp"
#include "simulator/event_queue.hpp"
#include "simulator/session.hpp"

namespace squall::simulator {

class World {
 public:
  /// Back to instant 0 without operations. `epoch` is the calendar time of instant 0.
  void reset(core::WallInstant epoch);

  /// Adds an operation that starts at the current instant.
  /// @param recording  where its rows go; by default nowhere.
  Session& add_operation(const playback::PreparedScenario& prepared, core::RandomStream draws,
                         playback::Recording recording = {});

  /// The operation added as number `index`, 0-based.
  [[nodiscard]] const Session& operation(std::uint32_t index) const { return sessions_[index]; }

  /// Plays everything due up to and including `horizon`, then stops what is still under way. Stops
  /// early, at the instant it is at, once `*interrupted` is set.
  void run_until(core::Instant horizon, const std::atomic<bool>* interrupted = nullptr);

  [[nodiscard]] core::Instant now() const { return now_; }
  [[nodiscard]] core::WallInstant wall_clock() const {
    return core::saturating_add(epoch_, now_.time_since_epoch());
  }
  [[nodiscard]] playback::Trace& trace() { return trace_; }
  [[nodiscard]] const playback::Trace& trace() const { return trace_; }

  /// Wakes session `session` at `at`, which is not in the past.
  void schedule(core::Instant at, std::uint32_t session) { queue_.push(at, session); }

 private:
  EventQueue<std::uint32_t> queue_;
  playback::Trace trace_;
  std::deque<Session> sessions_;  // Addresses stay valid; more than `active_` are kept for reuse.
  std::uint32_t active_ = 0;
  core::Instant now_{};
  core::WallInstant epoch_{};
};

}  // namespace squall::simulator
