// SPDX-License-Identifier: MIT
#include "reports/run_report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "playback/expectations.hpp"
#include "playback/trace.hpp"
#include "reports/style.hpp"

namespace squall::reports {
namespace {

using playback::TraceKind;
using playback::TraceRecord;

/// Reads the records of a trace into rows.
class RowReader {
 public:
  RowReader(const playback::RunResult& result, RunReport& report)
      : result_(result), report_(report) {}

  void read() {
    for (const TraceRecord& record : result_.trace->records()) {
      read(record);
    }
    if (!report_.attempts.empty() && open_) {
      report_.attempts.back().ended = result_.elapsed;
    }
  }

 private:
  void read(const TraceRecord& record) {
    const core::Duration at = record.at().time_since_epoch();
    switch (record.kind()) {
      case TraceKind::kAttemptSent:
        end_sleep(at);
        end_round();
        report_.attempts.emplace_back();
        report_.attempts.back().number = record.detail;
        report_.attempts.back().started = at;
        report_.attempts.back().ended = at;
        open_ = true;
        if (report_.attempts.size() <= result_.prefix_reuse->size()) {
          report_.attempts.back().request = (*result_.prefix_reuse)[report_.attempts.size() - 1];
        }
        return;
      case TraceKind::kHeadersReceived:
        if (open_) {
          report_.attempts.back().headers = at;
          report_.attempts.back().status = static_cast<int>(record.value);
        }
        return;
      case TraceKind::kBytesReceived:
        if (open_) {
          report_.attempts.back().body_bytes += record.value;
        }
        return;
      case TraceKind::kFailureRecorded:
        read_failure(at);
        return;
      case TraceKind::kSleepStarted:
        read_sleep(record, at);
        return;
      case TraceKind::kShutdownRequested:
        report_.shutdown = at;
        return;
      case TraceKind::kOperationFinished:
        end_sleep(at);
        end_attempt(at);
        return;
      case TraceKind::kHorizonReached:
        report_.stopped_at_horizon = true;
        end_sleep(at);
        return;
      case TraceKind::kBodyEnded:
        if (open_) {
          report_.attempts.back().ended = at;
        }
        return;
      case TraceKind::kRequestRow:
        if (record.detail != 0) {
          end_round();
        }
        return;
      case TraceKind::kOperationStarted:
      case TraceKind::kRetryAfterRead:
      case TraceKind::kConnectionBroke:
      case TraceKind::kAttemptAbandoned:
      case TraceKind::kFailureRow:
        return;
    }
  }

  // Trail and trace hold the failures in the same order.
  void read_failure(core::Duration at) {
    const std::size_t index = failures_++;
    if (!open_ || index >= result_.trail.size()) {
      return;
    }
    const playback::FailureView failure = result_.trail[index];
    AttemptRow& row = report_.attempts.back();
    row.failure_class = failure.failure_class;
    row.error_chain = failure.error_chain;
    if (failure.finish_reason) {
      row.finish_reason = std::string(*failure.finish_reason);
    }
    row.retry_after_ms = failure.retry_after_ms;
    row.ended = at;
    open_ = false;
  }

  void read_sleep(const TraceRecord& record, core::Duration at) {
    if (report_.attempts.empty()) {
      return;
    }
    const core::Duration length{static_cast<core::Duration::rep>(record.value)};
    SleepRow sleep{.duration = length,
                   .from = at,
                   .to = core::saturating_add(core::Instant(at), length).time_since_epoch(),
                   .slot = record.detail + 1,
                   .by_retry_after = false,
                   .allowed = core::sleep_interval(report_.subject.policy, record.detail)};
    if (sleeps_ < result_.sleeps->size()) {
      sleep.by_retry_after = (*result_.sleeps)[sleeps_].by_retry_after;
    }
    ++sleeps_;
    report_.attempts.back().sleep = sleep;
  }

  /// Whatever comes next ends a sleep, early or on time.
  void end_sleep(core::Duration at) {
    if (!report_.attempts.empty() && report_.attempts.back().sleep) {
      SleepRow& sleep = *report_.attempts.back().sleep;
      sleep.to = std::min(sleep.to, at);
    }
  }

  /// An attempt that neither failed nor ended the operation brought a part of the result.
  void end_round() {
    if (open_) {
      report_.attempts.back().accepted_round = true;
      open_ = false;
    }
  }

  void end_attempt(core::Duration at) {
    if (open_) {
      report_.attempts.back().ended = at;
      report_.attempts.back().accepted = result_.outcome == scenarios::Outcome::kSuccess;
      open_ = false;
    }
  }

  const playback::RunResult& result_;
  RunReport& report_;
  std::size_t failures_ = 0;
  std::size_t sleeps_ = 0;
  bool open_ = false;
};

/// What the operation gave.
void add_result(RunReport& report, const playback::Operation& operation) {
  report.answer = operation.answer();
  if (const core::llm::ChatAnswer* answer = operation.chat_answer()) {
    report.chat_answer = *answer;
  }
  if (const core::llm::SynthesisRepaired* synthesis = operation.synthesis()) {
    report.synthesis = *synthesis;
  }
  if (const std::optional<playback::ShortfallView> shortfall = operation.shortfall()) {
    report.exhausted = ExhaustedReport{.final_class = shortfall->final_class,
                                       .detail = std::string(shortfall->detail),
                                       .last_raw = std::nullopt};
    if (shortfall->last_raw) {
      report.exhausted->last_raw = std::string(*shortfall->last_raw);
    }
  }
  if (const std::optional<core::tool::Failure> failure = operation.as_tool_failure()) {
    const core::tool::Guidance guidance = core::tool::guidance(*failure);
    report.guidance = GuidanceReport{.tool_class = failure->failure_class,
                                     .code = failure->code,
                                     .verdict = guidance.verdict,
                                     .text = to_text(guidance)};
  }
}

}  // namespace

RunReport make_run_report(const Subject& subject, const scenarios::Scenario& scenario,
                          const playback::RunResult& result) {
  RunReport report;
  report.subject = subject;
  report.seed = result.seed;
  report.run = result.run;
  RowReader(result, report).read();
  report.outcome = result.outcome;
  report.elapsed = result.elapsed;
  report.sleep_total = result.sleep_total;
  report.calls_wasted = result.calls_wasted;
  add_result(report, *result.operation);
  report.prefix_reuse_ppm = playback::prefix_reuse_ppm(*result.prefix_reuse);
  report.checks = *result.checks;
  report.violations = *result.violations;
  report.internal_error = result.internal_error;
  report.internal_error_at = result.internal_error_at.time_since_epoch();
  report.digest = result.digest;
  if (subject.policy_override) {
    report.verdict.checked = false;
    return report;
  }
  report.verdict = judge(scenario.expect, playback::unmet_expectations(scenario.expect, result),
                         /*many=*/false);
  if (subject.golden && result.seed == kGoldenSeed && result.run == 0) {
    judge_digest(report.verdict, *subject.golden, result.digest, subject.golden_source);
  }
  return report;
}

std::uint64_t RunReport::sleeps() const {
  return static_cast<std::uint64_t>(
      std::count_if(attempts.begin(), attempts.end(),
                    [](const AttemptRow& row) { return row.sleep.has_value(); }));
}

core::Duration RunReport::slept() const {
  core::Duration total{0};
  for (const AttemptRow& row : attempts) {
    total += row.sleep ? row.sleep->to - row.sleep->from : core::Duration{0};
  }
  return total;
}

std::string replay_command(const Subject& subject, std::uint64_t seed, std::uint64_t run) {
  std::string command =
      fmt::format("squall replay {} --seed {} --run {}", shell_word(subject.reference), seed, run);
  if (subject.policy_override) {
    command += " --policy " + shell_word(*subject.policy_override);
  }
  return command;
}

}  // namespace squall::reports
