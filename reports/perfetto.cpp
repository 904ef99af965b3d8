// SPDX-License-Identifier: MIT
#include "reports/perfetto.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "reports/figures.hpp"
#include "reports/json_parts.hpp"

namespace squall::reports {
namespace {

using core::Duration;
using playback::TraceKind;
using playback::TraceRecord;

enum class Track : std::uint8_t { kOperation, kAttempts, kWaits, kSleeps, kTelemetry };

constexpr std::array<std::string_view, 5> kTrackNames{"operation", "attempts", "waits", "sleeps",
                                                      "telemetry rows"};

/// Perfetto knows a thread by its number alone and gives every process a thread of the process's
/// own number: numbers of processes and threads are all different.
constexpr std::uint64_t kNumbersOfARun = 10;
static_assert(kTrackNames.size() < kNumbersOfARun);

std::string json_of(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// "1234.567": microseconds; no double is involved.
std::string microseconds(Duration duration) {
  constexpr std::int64_t kMicrosecond = 1'000;
  return fmt::format("{}.{:03}", duration.count() / kMicrosecond, duration.count() % kMicrosecond);
}

class Process {
 public:
  Process(const RunReport& report, const playback::Trace& trace, std::uint32_t number)
      : report_(report), trace_(trace), process_(number * kNumbersOfARun) {
    // Of a run that a failed check of squall stopped, the trace alone says how far it came.
    end_ = report.elapsed;
    if (!trace.records().empty()) {
      end_ = std::max(end_, trace.records().back().at().time_since_epoch());
    }
  }

  std::string draw() {
    operation();
    for (const AttemptRow& row : report_.attempts) {
      attempt(row);
    }
    for (const TraceRecord& record : trace_.records()) {
      instant(record);
    }
    broken();
    std::stable_sort(events_.begin(), events_.end(),
                     [](const Event& a, const Event& b) { return a.at < b.at; });
    names();
    for (const Event& event : events_) {
      add(event.text);
    }
    return std::move(text_);
  }

 private:
  struct Event {
    Duration at;
    std::string text;
  };

  [[nodiscard]] std::uint64_t thread(Track track) const {
    return process_ + 1 + static_cast<std::uint64_t>(track);
  }

  void add(const std::string& event) { text_ += (text_.empty() ? "" : ",\n") + event; }

  void name(std::string_view what, std::uint64_t thread, const Json& args) {
    add(fmt::format(R"({{"name":"{}","ph":"M","pid":{},"tid":{},"args":{}}})", what, process_,
                    thread, json_of(args)));
  }

  void names() {
    const std::string process = report_.subject.policy_override
                                    ? fmt::format("{} (policy {})", report_.subject.scenario,
                                                  *report_.subject.policy_override)
                                    : report_.subject.scenario;
    const std::uint64_t first = thread(Track::kOperation);
    name("process_name", first, {{"name", process}});
    name("process_sort_index", first, {{"sort_index", process_}});
    for (std::size_t track = 0; track < kTrackNames.size(); ++track) {
      name("thread_name", first + track, {{"name", kTrackNames[track]}});
      name("thread_sort_index", first + track, {{"sort_index", track}});
    }
  }

  void slice(Track track, std::string_view name, Duration from, Duration to, const Json& args) {
    events_.push_back(
        {from,
         fmt::format(R"({{"name":{},"ph":"X","ts":{},"dur":{},"pid":{},"tid":{},"args":{}}})",
                     json_of(name), microseconds(from), microseconds(std::max(to, from) - from),
                     process_, thread(track), json_of(args))});
  }

  /// @param scope  "t": on its track; "p": across all tracks of the run.
  void mark(Track track, std::string_view scope, std::string_view name, Duration at,
            const Json& args) {
    events_.push_back(
        {at, fmt::format(R"({{"name":{},"ph":"i","s":"{}","ts":{},"pid":{},"tid":{},"args":{}}})",
                         json_of(name), scope, microseconds(at), process_, thread(track),
                         json_of(args))});
  }

  void operation() {
    Json args{{"outcome", label(report_.outcome)},
              {"calls", report_.attempts.size()},
              {"policy", report_.subject.policy_override.value_or(report_.subject.policy_name)},
              {"seed", report_.seed},
              {"run", report_.run},
              {"digest", digest_text(report_.digest)},
              {"replay", replay_command(report_.subject, report_.seed, report_.run)}};
    if (report_.exhausted) {
      args["final_class"] = label(report_.exhausted->final_class);
      args["detail"] = report_.exhausted->detail;
    }
    slice(Track::kOperation,
          fmt::format("{}: {}", label(report_.subject.kind), label(report_.outcome)), Duration{0},
          end_, args);
  }

  void attempt(const AttemptRow& row) {
    const Duration ended = is_cut(row) ? end_ : row.ended;
    const Duration headers = row.headers.value_or(ended);
    Json args{{"result", result_of(row)},
              {"status", or_null(row.status)},
              {"body_bytes", row.body_bytes},
              {"request_bytes", row.request.request_bytes},
              {"request_bytes_seen_before", row.request.seen_bytes},
              {"request_digest", or_null(next_request_digest())}};
    if (row.failure_class) {
      args["class"] = label(*row.failure_class);
      args["error"] = row.error_chain;
      args["finish_reason"] = or_null(row.finish_reason);
      args["retry_after_ms"] = or_null(row.retry_after_ms);
    }
    slice(Track::kAttempts, fmt::format("attempt {}", row.number), row.started, ended, args);
    slice(Track::kWaits, "header wait", row.started, headers, Json::object());
    if (row.headers) {
      slice(Track::kWaits, "body", headers, ended, {{"bytes", row.body_bytes}});
    }
    if (row.sleep) {
      sleep(*row.sleep);
    }
  }

  /// Whether a failed check of squall stopped the run while the attempt was under way: then nothing
  /// said when it ended.
  [[nodiscard]] bool is_cut(const AttemptRow& row) const {
    return report_.internal_error && &row == &report_.attempts.back() && !row.failure_class &&
           !row.accepted && !row.accepted_round;
  }

  static std::string_view result_of(const AttemptRow& row) {
    return row.accepted         ? "accepted"
           : row.accepted_round ? "a part accepted"
           : row.failure_class  ? "failed"
                                : "without a verdict";
  }

  /// Rows and records of attempts have the same order.
  std::optional<std::string> next_request_digest() {
    const std::vector<TraceRecord>& records = trace_.records();
    while (sent_ < records.size() && records[sent_].kind() != TraceKind::kAttemptSent) {
      ++sent_;
    }
    return sent_ < records.size() ? std::optional(digest_text(records[sent_++].value))
                                  : std::nullopt;
  }

  void sleep(const SleepRow& sleep) {
    slice(Track::kSleeps, "sleep", sleep.from, std::min(sleep.to, std::max(end_, sleep.from)),
          {{"slot", sleep.slot},
           {"source", sleep.by_retry_after ? "retry_after" : "schedule"},
           {"ordered_ns", nanoseconds(sleep.duration)},
           {"allowed", interval_text(sleep.allowed)},
           {"cut_short", sleep.to - sleep.from < sleep.duration}});
  }

  void instant(const TraceRecord& record) {
    const Duration at = record.at().time_since_epoch();
    switch (record.kind()) {
      case TraceKind::kRetryAfterRead:
        mark(Track::kAttempts, "t", "Retry-After", at,
             {{"attempt", record.detail}, {"milliseconds", record.value}});
        return;
      case TraceKind::kFailureRow: {
        const bool is_null = ~record.value == 0;
        mark(Track::kTelemetry, "t", "failure row", at,
             {{"failure", record.detail},
              {"attempt_duration_ns", is_null ? Json(nullptr) : Json(record.value)}});
        return;
      }
      case TraceKind::kRequestRow:
        mark(Track::kTelemetry, "t", "request row", at,
             {{"accepted_round", record.detail == 0 ? Json(nullptr) : Json(record.detail)},
              {"duration_ns", record.value}});
        return;
      case TraceKind::kShutdownRequested:
        mark(Track::kOperation, "p", "shutdown", at, Json::object());
        return;
      case TraceKind::kHorizonReached:
        mark(Track::kOperation, "p", "horizon", at, Json::object());
        return;
      case TraceKind::kOperationStarted:
      case TraceKind::kAttemptSent:
      case TraceKind::kHeadersReceived:
      case TraceKind::kBytesReceived:
      case TraceKind::kBodyEnded:
      case TraceKind::kConnectionBroke:
      case TraceKind::kAttemptAbandoned:
      case TraceKind::kFailureRecorded:
      case TraceKind::kSleepStarted:
      case TraceKind::kOperationFinished:
        return;  // Ends of slices.
    }
  }

  void broken() {
    for (const playback::Violation& violation : report_.violations) {
      mark(Track::kOperation, "p", fmt::format("BROKEN: {}", label(violation.invariant)),
           violation.at.time_since_epoch(), {{"message", violation.message}});
    }
    if (report_.internal_error) {
      mark(Track::kOperation, "p", "BROKEN: internal check", report_.internal_error_at,
           {{"message", *report_.internal_error}});
    }
  }

  const RunReport& report_;
  const playback::Trace& trace_;
  std::uint64_t process_;
  Duration end_{0};
  std::size_t sent_ = 0;
  std::vector<Event> events_;
  std::string text_;
};

}  // namespace

std::string perfetto_run(const RunReport& report, const playback::Trace& trace,
                         std::uint32_t number) {
  return Process(report, trace, number).draw();
}

std::string perfetto_text(const std::vector<std::string>& runs) {
  std::string text = "{\"traceEvents\":[";
  std::string_view before = "\n";
  for (const std::string& run : runs) {
    text += before;
    text += run;
    before = ",\n";
  }
  return text + "\n]}\n";
}

}  // namespace squall::reports
