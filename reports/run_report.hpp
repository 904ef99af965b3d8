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
#include "core/llm/chat_answer.hpp"
#include "core/llm/synthesis.hpp"
#include "core/policy.hpp"
#include "core/time.hpp"
#include "core/tool/failure.hpp"
#include "core/tool/guidance.hpp"
#include "playback/audit.hpp"
#include "playback/run_result.hpp"
#include "reports/verdict.hpp"
#include "scenarios/model.hpp"

namespace squall::reports {

/// The sleep after an attempt.
struct SleepRow {
  core::Duration duration{0};  ///< as ordered; a shutdown may have ended it early
  core::Duration from{0};      ///< virtual time, as all positions here
  core::Duration to{0};
  std::uint32_t slot = 1;  ///< of the schedule, 1-based; syntheses count failures, not attempts
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
  /// The request's bytes, and how many of its leading ones the provider had seen before.
  playback::PrefixReuse request;

  /// Absent while under way at the horizon, and when the answer was accepted.
  std::optional<scenarios::FailureClass> failure_class;
  std::string error_chain;
  std::optional<std::string> finish_reason;
  std::optional<std::uint64_t> retry_after_ms;  ///< as observed

  std::optional<SleepRow> sleep;
  bool accepted = false;        ///< its answer is the result
  bool accepted_round = false;  ///< its answer brought a part of the result
};

/// How an operation ended that did not give its full result.
struct ExhaustedReport {
  scenarios::FailureClass final_class;
  std::string detail;
  std::optional<std::string> last_raw;
};

/// What a failed tool call is to whoever runs the tool.
struct GuidanceReport {
  core::tool::FailureClass tool_class = core::tool::FailureClass::kInternal;
  std::string code;
  core::tool::Verdict verdict = core::tool::Verdict::kDoNotSendAgain;
  std::string text;  ///< as the model reads it
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
  std::optional<std::string> answer;  ///< what the caller got, as `expect.answer` compares it
  std::optional<core::llm::ChatAnswer> chat_answer;
  std::optional<core::llm::SynthesisRepaired> synthesis;
  std::optional<GuidanceReport> guidance;
  std::uint32_t prefix_reuse_ppm = 0;  ///< of all requests together
  std::optional<ExhaustedReport> exhausted;

  playback::CheckCounts checks{};
  std::vector<playback::Violation> violations;
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
                                        const playback::RunResult& result);

/// "squall replay 503-storm --seed 1 --run 17".
[[nodiscard]] std::string replay_command(const Subject& subject, std::uint64_t seed,
                                         std::uint64_t run);

}  // namespace squall::reports
