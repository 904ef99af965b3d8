// SPDX-License-Identifier: MIT
//
// Time as the core sees it: integer nanoseconds on a timeline that cannot be read, only received.
//
// `Instant` is a time point of `Timeline`, a clock without `now()`: code that tries to read the
// real clock inside the core does not compile. `WallInstant` is the calendar reading that goes with
// it (nanoseconds since the Unix epoch, leap seconds ignored); only HTTP dates need it.
// All arithmetic that can leave the representable range (about 292 years) saturates.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>

namespace squall::core {

using Duration = std::chrono::nanoseconds;

/// The clock tag of all instants. Deliberately has no `now()`.
struct Timeline {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  using time_point = std::chrono::time_point<Timeline, Duration>;
  static constexpr bool is_steady = true;
};

/// Nanoseconds since the start of a run (simulator) or of the process's epoch (live); never
/// negative.
using Instant = Timeline::time_point;

/// The clock tag of calendar time. Deliberately has no `now()`.
struct WallTimeline {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  using time_point = std::chrono::time_point<WallTimeline, Duration>;
  static constexpr bool is_steady = false;
};

/// Nanoseconds since 1970-01-01T00:00:00Z.
using WallInstant = WallTimeline::time_point;

/// The last instant there is. A wake-up at this instant never comes.
inline constexpr Instant kEndOfTime = Instant::max();

/// `milliseconds` as a duration, saturating at Duration::max() (2^63-1 ns).
[[nodiscard]] constexpr Duration from_milliseconds(std::uint64_t milliseconds) {
  constexpr std::uint64_t kNanosecondsPerMillisecond = 1'000'000;
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<Duration::rep>::max()) /
                        kNanosecondsPerMillisecond;
  return milliseconds > kMax
             ? Duration::max()
             : Duration{static_cast<Duration::rep>(milliseconds * kNanosecondsPerMillisecond)};
}

/// `start + wait`, saturating at `kEndOfTime`. Requires wait >= 0; an Instant is never negative.
[[nodiscard]] constexpr Instant saturating_add(Instant start, Duration wait) {
  return wait > kEndOfTime - start ? kEndOfTime : start + wait;
}

/// `start + offset`, saturating at both ends of calendar time. `offset` may be negative.
[[nodiscard]] constexpr WallInstant saturating_add(WallInstant start, Duration offset) {
  if (offset > Duration{0} && start > WallInstant::max() - offset) {
    return WallInstant::max();
  }
  if (offset < Duration{0} && start < WallInstant::min() - offset) {
    return WallInstant::min();
  }
  return start + offset;
}

}  // namespace squall::core
