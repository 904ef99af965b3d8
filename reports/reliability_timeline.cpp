// SPDX-License-Identifier: MIT
#include "reports/reliability_timeline.hpp"

#include <cstdint>
#include <optional>
#include <vector>

#include "core/time.hpp"
#include "reports/came_back.hpp"

namespace squall::reports::reliability {
namespace {

using core::Duration;

constexpr std::size_t kRowsMax = 100;
constexpr std::size_t kTextColumns = 120;

std::int64_t nanoseconds(Duration duration) {
  return duration.count();
}

TimelineAttempt attempt_of(const AttemptRow& row, const RunReport& report) {
  TimelineAttempt attempt;
  attempt.number = row.number;
  attempt.begins_ns = nanoseconds(row.started);
  if (row.headers) {
    attempt.headers_ns = nanoseconds(*row.headers);
  }
  attempt.ends_ns = nanoseconds(row.ended);
  if (row.status) {
    attempt.status = *row.status;
  }
  if (row.failure_class) {
    attempt.failure_class = class_name(*row.failure_class);
  }
  attempt.body_bytes = row.body_bytes;
  if (row.retry_after_ms) {
    attempt.retry_after_ns = nanoseconds(core::from_milliseconds(*row.retry_after_ms));
  }
  attempt.text = came_back_text(row, report, kTextColumns);
  return attempt;
}

TimelineSleep sleep_of(const SleepRow& row, std::size_t slot, const core::RetryPolicy& policy) {
  const core::SleepInterval interval = allowed_sleep(policy, slot, row.by_retry_after);
  return {.slot = slot,
          .source = row.by_retry_after ? "retry_after" : "backoff",
          .begins_ns = nanoseconds(row.from),
          .ends_ns = nanoseconds(row.to),
          .ns = nanoseconds(row.duration),
          .low_ns = nanoseconds(core::from_milliseconds(interval.min_ms)),
          .high_ns = nanoseconds(core::from_milliseconds(interval.max_ms))};
}

}  // namespace

std::string class_name(scenarios::FailureClass failure_class) {
  const std::string name(label(failure_class));
  return failure_class.is_connector_kind() ? "tool_" + name : name;
}

core::SleepInterval allowed_sleep(const core::RetryPolicy& policy, std::size_t slot,
                                  bool by_server) {
  return by_server
             ? core::SleepInterval{policy.retry_after.clamp_min_ms, policy.retry_after.clamp_max_ms}
             : core::sleep_interval(policy, static_cast<std::uint32_t>(slot));
}

Timeline timeline_of(const DrawnRun& run, std::size_t policy_index, std::size_t scenario_index,
                     const core::RetryPolicy& policy) {
  const RunReport& report = run.report;
  Timeline timeline{.policy = policy_index,
                    .scenario = scenario_index,
                    .run = report.run,
                    .why = std::string(label(run.pick.why)),
                    .outcome = std::string(label(report.outcome)),
                    .elapsed_ns = nanoseconds(report.elapsed),
                    .shutdown_ns = std::nullopt,
                    .attempts = {},
                    .sleeps = {},
                    .command = replay_command(report.subject, report.seed, report.run)};
  if (report.shutdown) {
    timeline.shutdown_ns = nanoseconds(*report.shutdown);
  }
  const std::vector<core::OrderedSleep>& ordered = run.sleeps;
  std::size_t sleeps = 0;
  for (const AttemptRow& row : report.attempts) {
    if (timeline.attempts.size() == kRowsMax) {
      break;
    }
    timeline.attempts.push_back(attempt_of(row, report));
    if (row.sleep) {
      const std::size_t slot = sleeps < ordered.size() ? ordered[sleeps].slot : sleeps;
      ++sleeps;
      timeline.sleeps.push_back(sleep_of(*row.sleep, slot, policy));
    }
  }
  return timeline;
}

}  // namespace squall::reports::reliability
