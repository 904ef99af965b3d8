// SPDX-License-Identifier: MIT
#include "reports/trace_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/event.hpp"
#include "playback/trace.hpp"
#include "reports/figures.hpp"

namespace squall::reports {
namespace {

using playback::TraceKind;
using playback::TraceRecord;

std::string_view name_of(TraceKind kind) {
  switch (kind) {
    case TraceKind::kOperationStarted:
      return "operation_started";
    case TraceKind::kAttemptSent:
      return "attempt_sent";
    case TraceKind::kHeadersReceived:
      return "headers_received";
    case TraceKind::kRetryAfterRead:
      return "retry_after_read";
    case TraceKind::kBytesReceived:
      return "bytes_received";
    case TraceKind::kBodyEnded:
      return "body_ended";
    case TraceKind::kConnectionBroke:
      return "connection_broke";
    case TraceKind::kAttemptAbandoned:
      return "attempt_abandoned";
    case TraceKind::kFailureRecorded:
      return "failure_recorded";
    case TraceKind::kSleepStarted:
      return "sleep_started";
    case TraceKind::kFailureRow:
      return "failure_row";
    case TraceKind::kRequestRow:
      return "request_row";
    case TraceKind::kShutdownRequested:
      return "shutdown_requested";
    case TraceKind::kOperationFinished:
      return "operation_finished";
    case TraceKind::kHorizonReached:
      return "horizon_reached";
  }
  return "unknown";
}

std::string nanoseconds(std::uint64_t value) {
  return seconds_text(core::Duration(static_cast<std::int64_t>(value)));
}

/// Tells the records of one trace; knows how many failures it has told.
class Teller {
 public:
  explicit Teller(const playback::RunResult& result) : result_(result) {}

  std::string details(const TraceRecord& record) {
    const auto attempt = [&record] { return fmt::format("attempt {}", record.detail); };
    switch (record.kind()) {
      case TraceKind::kOperationStarted:
        return fmt::format("request of {}", count_of(record.value, "byte"));
      case TraceKind::kAttemptSent:
        return fmt::format("{}, request {}", attempt(), digest_text(record.value));
      case TraceKind::kHeadersReceived:
        return fmt::format("{}, HTTP {}", attempt(), record.value);
      case TraceKind::kRetryAfterRead:
        return fmt::format("{}, {}", attempt(), milliseconds_text(record.value));
      case TraceKind::kBytesReceived:
        return fmt::format("{}, {}", attempt(), count_of(record.value, "byte"));
      case TraceKind::kBodyEnded:
      case TraceKind::kAttemptAbandoned:
        return attempt();
      case TraceKind::kConnectionBroke:
        return fmt::format("{}, {}", attempt(),
                           describe(static_cast<core::ConnectionFault>(record.value)));
      case TraceKind::kFailureRecorded:
        return failure(record);
      case TraceKind::kSleepStarted:
        return fmt::format("slot {}, {}", record.detail + 1, nanoseconds(record.value));
      case TraceKind::kFailureRow:
        return fmt::format("failure {}, {}", record.detail,
                           ~record.value == 0 ? "NULL" : nanoseconds(record.value));
      case TraceKind::kRequestRow:
        return record.detail == 0
                   ? nanoseconds(record.value)
                   : fmt::format("round {} accepted, {}", record.detail, nanoseconds(record.value));
      case TraceKind::kOperationFinished:
        return std::string(label(static_cast<scenarios::Outcome>(record.detail)));
      case TraceKind::kShutdownRequested:
      case TraceKind::kHorizonReached:
        break;
    }
    return {};
  }

 private:
  std::string failure(const TraceRecord& record) {
    const std::string_view name = label(scenarios::FailureClass::at(record.detail));
    if (told_ >= result_.trail.size()) {
      return std::string(name);
    }
    const std::string chain(result_.trail[told_++].error_chain);
    return fmt::format("{}: {}", name, excerpt(chain, 1'000));
  }

  const playback::RunResult& result_;
  std::size_t told_ = 0;
};

bool value_is_digest(TraceKind kind) {
  return kind == TraceKind::kAttemptSent || kind == TraceKind::kFailureRecorded ||
         kind == TraceKind::kOperationFinished;
}

}  // namespace

std::string trace_text(const playback::RunResult& result, const Style& style) {
  Teller teller(result);
  const std::size_t width = exact_clock_text(result.elapsed).size();
  std::string text;
  for (const TraceRecord& record : result.trace->records()) {
    std::string line = fmt::format(
        "  {}  {}  {}", pad_left(exact_clock_text(record.at().time_since_epoch()), width),
        pad_right(paint(style, Tone::kStrong, name_of(record.kind())), 18), teller.details(record));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

nlohmann::ordered_json trace_json(const playback::RunResult& result) {
  auto records = nlohmann::ordered_json::array();
  for (const TraceRecord& record : result.trace->records()) {
    nlohmann::ordered_json object;
    object["at_ns"] = record.at_ns;
    object["what"] = name_of(record.kind());
    object["detail"] = record.detail;
    if (value_is_digest(record.kind())) {
      object["value"] = digest_text(record.value);
    } else {
      object["value"] = record.value;
    }
    records.push_back(std::move(object));
  }
  return records;
}

}  // namespace squall::reports
