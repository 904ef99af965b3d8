// SPDX-License-Identifier: MIT
#include "live/clock.hpp"

#include <algorithm>
#include <optional>

#include "core/check.hpp"

namespace squall::live {

namespace {

using Steady = std::chrono::steady_clock;

enum class Pace : std::uint8_t { kReal, kScaled, kStepped };

struct State {
  Pace pace = Pace::kReal;
  std::int64_t scale = 1;
  Steady::time_point began{};
  Clock::time_point now{};
  std::optional<Clock::time_point> next_expiry;
};

thread_local State state;

Clock::duration real_now() {
  return std::chrono::duration_cast<Clock::duration>(Steady::now().time_since_epoch());
}

Clock::duration scaled(Clock::duration real, std::int64_t scale) {
  return real > Clock::duration::max() / scale ? Clock::duration::max() : real * scale;
}

void enter(Pace pace) {
  SQUALL_CHECK(state.pace == Pace::kReal);
  state = {};
  state.pace = pace;
  state.began = Steady::now();
  // Stepped time begins at 0, with all of time before it.
  state.now = Clock::time_point(pace == Pace::kStepped ? Clock::duration::zero() : real_now());
}

}  // namespace

Clock::time_point Clock::now() {
  switch (state.pace) {
    case Pace::kReal:
      break;
    case Pace::kScaled:
      return state.now +
             std::min(scaled(std::chrono::duration_cast<duration>(Steady::now() - state.began),
                             state.scale),
                      time_point::max() - state.now);
    case Pace::kStepped:
      return state.now;
  }
  return time_point(real_now());
}

Clock::duration ClockWaitTraits::to_wait_duration(const Clock::duration& wait) {
  switch (state.pace) {
    case Pace::kReal:
      break;
    case Pace::kScaled:
      // Rounded up: a timer that is early only asks again.
      return wait <= Clock::duration::zero()
                 ? wait
                 : (wait - Clock::duration(1)) / state.scale + Clock::duration(1);
    case Pace::kStepped:
      // A timer armed with the descriptor of the system would not notice the jump: Asio is told
      // that no time is left, and asks again.
      if (wait > Clock::duration::zero()) {
        const auto expiry = wait > Clock::time_point::max() - state.now ? Clock::time_point::max()
                                                                        : state.now + wait;
        state.next_expiry = std::min(state.next_expiry.value_or(expiry), expiry);
      }
      return Clock::duration::zero();
  }
  return wait;
}

Clock::duration ClockWaitTraits::to_wait_duration(const Clock::time_point& until) {
  return to_wait_duration(until - Clock::now());
}

ScaledTime::ScaledTime(std::uint64_t scale) {
  SQUALL_CHECK(scale >= 1, scale);
  enter(Pace::kScaled);
  state.scale = static_cast<std::int64_t>(
      std::min<std::uint64_t>(scale, static_cast<std::uint64_t>(Clock::duration::max().count())));
}

ScaledTime::~ScaledTime() {
  state = {};
}

SteppedTime::SteppedTime() {
  enter(Pace::kStepped);
}

SteppedTime::~SteppedTime() {
  state = {};
}

bool SteppedTime::advance(Clock::time_point limit) {
  const Clock::time_point target =
      std::min(state.next_expiry.value_or(Clock::time_point::max()), limit);
  if (target == Clock::time_point::max()) {
    return false;
  }
  state.now = std::max(state.now, target);
  state.next_expiry.reset();
  return true;
}

}  // namespace squall::live
