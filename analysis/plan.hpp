// SPDX-License-Identifier: MIT
//
// A course of one operation, attempt by attempt: what the server does, how long it takes, and which
// sleep follows. The analysis finds plans that reach its bounds; a witness plays them. A plan knows
// no HTTP and no scenario.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/time.hpp"

namespace squall::analysis {

/// How an attempt ends.
enum class Way : std::uint8_t {
  kErrorWhole,  ///< an error status with a whole body
  kNoHeaders,   ///< silence until a timeout, or a connection that breaks before headers
  kErrorCut,    ///< an error status, then a body that stalls or breaks off
  kSuccessCut,  ///< a 2xx status, then a body that stalls or breaks off
  kUnusable,    ///< a whole 2xx body that is no answer
  kRejected,    ///< a whole answer that the operation does not take
  kFinal,       ///< an error that no policy retries
};

struct PlannedAttempt {
  Way way = Way::kErrorWhole;
  core::Duration lasts{0};
  /// Waits for body bytes it may consist of, beside the wait for headers.
  std::uint32_t body_waits = 0;
  /// What the server says, in milliseconds, when it says anything.
  std::optional<std::uint64_t> retry_after_ms;
  /// The sleep that follows, in milliseconds; absent after the last attempt and where the next one
  /// starts without a sleep.
  std::optional<std::uint64_t> sleep_ms;

  friend bool operator==(const PlannedAttempt&, const PlannedAttempt&) = default;
};

/// `attempt`, `times` in a row.
struct PlanStep {
  PlannedAttempt attempt;
  std::uint32_t times = 1;

  friend bool operator==(const PlanStep&, const PlanStep&) = default;
};

struct Plan {
  std::vector<PlanStep> steps;
  /// What the last failure draws for a sleep that the time budget has no room for.
  std::optional<std::uint64_t> refused_sleep_ms;

  /// Appends to the last step when it is the same attempt again. 0 times appends nothing.
  void add(const PlannedAttempt& attempt, std::uint32_t times = 1);

  [[nodiscard]] std::uint32_t calls() const;
  /// From the start to the end of the last attempt, saturating.
  [[nodiscard]] core::Duration elapsed() const;
  /// All sleeps together, saturating.
  [[nodiscard]] core::Duration slept() const;

  friend bool operator==(const Plan&, const Plan&) = default;
};

/// `left + right` and `span x times`, neither negative, saturating at Duration::max().
[[nodiscard]] core::Duration plus(core::Duration left, core::Duration right);
[[nodiscard]] core::Duration times(core::Duration span, std::uint64_t times);

}  // namespace squall::analysis
