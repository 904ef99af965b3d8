// SPDX-License-Identifier: MIT
#include "analysis/agreement.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "playback/trace.hpp"
#include "scenarios/model.hpp"
#include "scenarios/quantities.hpp"

namespace squall::analysis {

using core::Duration;
using playback::TraceKind;
using playback::TraceRecord;

namespace {

/// What a trace says of when things happened.
struct Course {
  std::vector<Duration> sent;
  std::vector<Duration> slept;
  std::uint64_t answer_digest = 0;
};

Course course_of(const playback::RunResult& run) {
  Course course;
  std::optional<core::Instant> asleep_since;
  core::Instant start{};
  const auto wake = [&](core::Instant at) {
    if (const auto since = std::exchange(asleep_since, std::nullopt)) {
      course.slept.push_back(at - *since);
    }
  };
  for (const TraceRecord& record : run.trace->records()) {
    switch (record.kind()) {
      case TraceKind::kOperationStarted:
        start = record.at();
        break;
      case TraceKind::kSleepStarted:
        asleep_since = record.at();
        break;
      case TraceKind::kAttemptSent:
        wake(record.at());
        course.sent.push_back(record.at() - start);
        break;
      case TraceKind::kOperationFinished:
        course.answer_digest = record.value;
        wake(record.at());
        break;
      case TraceKind::kHorizonReached:
        wake(record.at());
        break;
      default:
        break;
    }
  }
  return course;
}

std::string class_at(const playback::RunResult& run, std::size_t index) {
  return index < run.trail.size() ? std::string(label(run.trail[index].failure_class)) : "none";
}

std::string retry_after_at(const playback::RunResult& run, std::size_t index) {
  const auto read = index < run.trail.size() ? run.trail[index].retry_after_ms : std::nullopt;
  return read ? fmt::format("{} ms", *read) : "none";
}

bool same_retry_after(const playback::RunResult& simulated, const playback::RunResult& real,
                      std::size_t index, Duration tolerance) {
  if (index >= simulated.trail.size() || index >= real.trail.size()) {
    return true;  // Told as a class that is missing.
  }
  const auto left = simulated.trail[index].retry_after_ms;
  const auto right = real.trail[index].retry_after_ms;
  if (!left || !right) {
    return left == right;
  }
  const std::uint64_t apart = std::max(*left, *right) - std::min(*left, *right);
  return apart <= static_cast<std::uint64_t>(
                      std::chrono::ceil<std::chrono::milliseconds>(tolerance).count());
}

class Comparison {
 public:
  Comparison(const playback::RunResult& simulated, const playback::RunResult& real)
      : simulated_(simulated), real_(real) {}

  Agreement made(Pace pace, Duration tolerance) {
    const Course simulated = course_of(simulated_);
    const Course real = course_of(real_);
    must_equal("outcome", std::string(label(simulated_.outcome)),
               std::string(label(real_.outcome)));
    must_equal("calls", fmt::to_string(simulated.sent.size()), fmt::to_string(real.sent.size()));
    compare_trails(tolerance);
    if (simulated_.outcome == real_.outcome && simulated.answer_digest != real.answer_digest &&
        simulated_.outcome == scenarios::Outcome::kSuccess) {
      must_equal("answer", simulated_.operation->answer().value_or(""),
                 real_.operation->answer().value_or(""));
    }
    compare_times(simulated, real);
    if (pace == Pace::kStepped) {
      times_must_equal();
    }
    return std::move(made_);
  }

 private:
  void must_equal(std::string what, std::string simulated, std::string real) {
    if (simulated != real) {
      made_.disagreements.push_back({std::move(what), std::move(simulated), std::move(real)});
    }
  }

  void compare_trails(Duration tolerance) {
    const std::size_t failures = std::max(simulated_.trail.size(), real_.trail.size());
    for (std::size_t i = 0; i < failures; ++i) {
      must_equal(fmt::format("class of failure {}", i + 1), class_at(simulated_, i),
                 class_at(real_, i));
      if (!same_retry_after(simulated_, real_, i, tolerance)) {
        must_equal(fmt::format("Retry-After of failure {}", i + 1), retry_after_at(simulated_, i),
                   retry_after_at(real_, i));
      }
    }
  }

  void compare_times(const Course& simulated, const Course& real) {
    for (std::size_t i = 0; i < std::min(simulated.sent.size(), real.sent.size()); ++i) {
      made_.calls.push_back({static_cast<core::AttemptId>(i + 1), simulated.sent[i], real.sent[i]});
    }
    const std::vector<core::OrderedSleep>& ordered = *simulated_.sleeps;
    const std::vector<core::OrderedSleep>& again = *real_.sleeps;
    must_equal("sleeps", fmt::to_string(ordered.size()), fmt::to_string(again.size()));
    for (std::size_t i = 0; i < std::min(ordered.size(), again.size()); ++i) {
      must_equal(fmt::format("slot of sleep {}", i + 1), fmt::to_string(ordered[i].slot),
                 fmt::to_string(again[i].slot));
      must_equal(fmt::format("source of sleep {}", i + 1), source_of(ordered[i]),
                 source_of(again[i]));
      if (i < simulated.slept.size() && i < real.slept.size()) {
        made_.sleeps.push_back({.slot = ordered[i].slot,
                                .by_retry_after = ordered[i].by_retry_after,
                                .ordered = ordered[i].duration,
                                .simulated = simulated.slept[i],
                                .real = real.slept[i]});
      }
    }
    const auto worst = std::max_element(
        made_.sleeps.begin(), made_.sleeps.end(),
        [](const auto& left, const auto& right) { return left.deviation() < right.deviation(); });
    if (worst != made_.sleeps.end()) {
      made_.worst_sleep = static_cast<std::size_t>(worst - made_.sleeps.begin());
    }
    made_.simulated_elapsed = simulated_.elapsed;
    made_.real_elapsed = real_.elapsed;
  }

  static std::string source_of(const core::OrderedSleep& sleep) {
    return sleep.by_retry_after ? "Retry-After" : "schedule";
  }

  void times_must_equal() {
    for (const ComparedCall& call : made_.calls) {
      must_equal(fmt::format("time of call {}", call.attempt),
                 scenarios::format_duration(call.simulated_at),
                 scenarios::format_duration(call.real_at));
    }
    must_equal("elapsed", scenarios::format_duration(made_.simulated_elapsed),
               scenarios::format_duration(made_.real_elapsed));
  }

  const playback::RunResult& simulated_;
  const playback::RunResult& real_;
  Agreement made_;
};

}  // namespace

Agreement compare_courses(const playback::RunResult& simulated, const playback::RunResult& real,
                          Pace pace, Duration tolerance) {
  return Comparison(simulated, real).made(pace, tolerance);
}

}  // namespace squall::analysis
