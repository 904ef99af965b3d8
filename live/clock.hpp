// SPDX-License-Identifier: MIT
//
// The clock of everything that waits in this folder, and its timer. It is the steady clock of the
// machine, unless this thread asked for another pace:
//
//   ScaledTime hurry(100);          // a hundred times faster, for client and server alike
//
//   SteppedTime steps;              // stands still, and jumps when it is told to
//   do { context.poll(); } while (steps.advance());
//
// Both are scopes: they hold for the thread that made them, for as long as they live, and do not
// nest. Policies, scripts and hosts know nothing of it: a sleep of a minute is a minute of this
// clock.
#pragma once

#include <chrono>
#include <cstdint>

#include <boost/asio/basic_waitable_timer.hpp>

#include "core/time.hpp"

namespace squall::live {

struct Clock {
  using duration = core::Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<Clock, duration>;
  static constexpr bool is_steady = true;

  [[nodiscard]] static time_point now();
};

/// What Asio asks before it waits: how long a wait on the clock above is in real time.
struct ClockWaitTraits {
  [[nodiscard]] static Clock::duration to_wait_duration(const Clock::duration& wait);
  [[nodiscard]] static Clock::duration to_wait_duration(const Clock::time_point& until);
};

using Timer = boost::asio::basic_waitable_timer<Clock, ClockWaitTraits>;

/// Time on this thread passes `scale` times faster than real time. Requires scale >= 1.
class ScaledTime {
 public:
  explicit ScaledTime(std::uint64_t scale);
  ~ScaledTime();
  ScaledTime(const ScaledTime&) = delete;
  ScaledTime& operator=(const ScaledTime&) = delete;
};

/// Time on this thread stands still between calls of `advance`.
class SteppedTime {
 public:
  SteppedTime();
  ~SteppedTime();
  SteppedTime(const SteppedTime&) = delete;
  SteppedTime& operator=(const SteppedTime&) = delete;

  /// Jumps to the nearest expiry that a timer has waited for since the last jump, or to `limit`
  /// when that is nearer or no timer waits. To be called when nothing is left to do at this
  /// instant.
  /// @returns false, and time stays, when there is neither.
  bool advance(Clock::time_point limit = Clock::time_point::max());
};

}  // namespace squall::live
