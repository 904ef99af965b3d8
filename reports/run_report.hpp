// SPDX-License-Identifier: MIT
//
// One run as a report needs it: attempts with their times, sleeps with what was allowed, verdicts.
// Built from a RunResult while it is valid and independent of it afterwards. Text and JSON are both
// made from this value, so that they cannot tell different stories.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/jitter.hpp"
#include "core/llm/failure_class.hpp"
#include "core/policy.hpp"
#include "core/time.hpp"
#include "reports/verdict.hpp"
#include "scenarios/model.hpp"
#include "simulator/audit.hpp"
#include "simulator/run_result.hpp"

namespace squall::reports {

/// The sleep after an attempt.
struct SleepRow {
  core::Duration duration{0};  ///< as ordered; a shutdown may have ended it early
  core::Duration from{0};      ///< virtual time, as all positions here
  core::Duration to{0};
  bool by_retry_after = false;
  core::SleepInterval allowed;  ///< by schedule and jitter; not binding when `by_retry_after`
};

/// One attempt.
struct AttemptRow {
  std::uint32_t number = 0;  ///< 1-based
  core::Duration started{0};
  std::optional<core::Duration> headers;  ///< when they came
  core::Duration ended{0};
  std::optional<int> status;
  std::uint64_t body_bytes = 0;  ///< received

  /// Absent while under way at the horizon, and when the answer was accepted.
  std::optional<core::llm::FailureClass> failure_class;
  std::string error_chain;
  std::optional<std::string> finish_reason;
  std::optional<std::uint64_t> retry_after_ms;  ///< as observed

  std::optional<SleepRow> sleep;
  bool accepted = false;  ///< its answer ended the operation
};

/// How an operation ended that did not succeed.
struct ExhaustedReport {
  core::llm::FailureClass final_class = core::llm::FailureClass::kTransport;
  std::string detail;
  std::optional<std::string> last_raw;
};

struct RunReport {
  Subject subject;
  std::uint64_t seed = 0;
  std::uint64_t run = 0;

  std::vector<AttemptRow> attempts;
  std::optional<core::Duration> shutdown;  ///< when one was requested
  bool stopped_at_horizon = false;

  scenarios::Outcome outcome = scenarios::Outcome::kUnfinished;
  core::Duration elapsed{0};
  core::Duration sleep_total{0};  ///< of all sleeps as ordered
  std::uint64_t calls_wasted = 0;
  std::optional<core::llm::ChatAnswer> answer;
  std::optional<ExhaustedReport> exhausted;

  simulator::CheckCounts checks{};
  std::vector<simulator::Violation> violations;
  std::optional<std::string> internal_error;
  core::Duration internal_error_at{0};  ///< virtual time of the failed check
  std::uint64_t digest = 0;

  Verdict verdict;

  [[nodiscard]] bool sound() const { return violations.empty() && !internal_error; }
  /// Sleeps taken, cut ones included.
  [[nodiscard]] std::uint64_t sleeps() const;
  /// Time really slept: of a sleep that a shutdown cut, what came before.
  [[nodiscard]] core::Duration slept() const;
};

/// Gathers what `result` says. The verdict holds the scenario's expectations and, when given, the
/// golden digest.
[[nodiscard]] RunReport make_run_report(const Subject& subject, const scenarios::Scenario& scenario,
                                        const simulator::RunResult& result);

/// "squall replay 503-storm --seed 1 --run 17".
[[nodiscard]] std::string replay_command(const Subject& subject, std::uint64_t seed,
                                         std::uint64_t run);

}  // namespace squall::reports
