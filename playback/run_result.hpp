// SPDX-License-Identifier: MIT
//
// What one run of a scenario gave: everything a person, a report or a check asks of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/retry_loop.hpp"
#include "core/time.hpp"
#include "playback/audit.hpp"
#include "playback/operation.hpp"
#include "playback/prefix_cache.hpp"
#include "playback/trace.hpp"
#include "scenarios/model.hpp"

namespace squall::playback {

/// Facts of one run. Points into the simulation that made it: valid until its next run.
struct RunResult {
  std::uint64_t seed = 0;
  std::uint64_t run = 0;

  scenarios::Outcome outcome = scenarios::Outcome::kUnfinished;
  std::uint32_t attempts = 0;  ///< calls made
  core::Duration elapsed{0};   ///< from the start to the end of the operation, or the horizon
  core::Duration sleep_total{0};
  const std::vector<core::OrderedSleep>* sleeps = nullptr;
  const std::vector<PrefixReuse>* prefix_reuse = nullptr;  ///< by attempt
  /// What it was, how it ended and what it gave.
  const Operation* operation = nullptr;
  TrailView trail;
  std::uint32_t calls_wasted = 0;  ///< calls that brought nothing
  const Trace* trace = nullptr;
  std::uint64_t digest = 0;  ///< of the trace

  const std::vector<Violation>* violations = nullptr;  ///< broken invariants, in order
  const CheckCounts* checks = nullptr;
  /// A failed internal check of squall; then everything above is as far as the run came.
  std::optional<std::string> internal_error;
  core::Instant internal_error_at;  ///< virtual time of the failed check
  /// Stopped by the interrupt flag: no verdict can be made of it.
  bool interrupted = false;

  [[nodiscard]] bool sound() const { return violations->empty() && !internal_error; }
};

}  // namespace squall::playback
