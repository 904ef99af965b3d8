// SPDX-License-Identifier: MIT
#include "cli/call_watch.hpp"

#include <variant>

#include <fmt/format.h>

#include "reports/figures.hpp"
#include "reports/style.hpp"

namespace squall::cli {

std::vector<std::string> CallWatch::lines(const core::Event& event,
                                          const playback::WatchedOperation& watched,
                                          core::Instant now) {
  constexpr std::size_t kDetailColumns = 200;
  std::vector<std::string> lines;
  const auto tell = [&lines, now](const std::string& words) {
    lines.push_back(fmt::format("  {}  {}", reports::clock_text(now.time_since_epoch()), words));
  };
  if (const auto* started = std::get_if<core::AttemptStarted>(&event)) {
    body_bytes_ = 0;
    tell(fmt::format("call {} sent", started->attempt));
  } else if (const auto* headers = std::get_if<core::HeadersReceived>(&event)) {
    tell(fmt::format("HTTP {}", headers->head.status));
  } else if (const auto* bytes = std::get_if<core::BytesReceived>(&event)) {
    body_bytes_ += bytes->bytes.size();
  } else if (std::holds_alternative<core::BodyEnded>(event)) {
    tell("body complete, " + reports::count_of(body_bytes_, "byte"));
  } else if (std::holds_alternative<core::ShutdownRequested>(event)) {
    tell("shutdown requested");
  }
  const playback::TrailView trail = watched.operation().trail();
  for (; failures_told_ < trail.size(); ++failures_told_) {
    const playback::FailureView failure = trail[failures_told_];
    tell(fmt::format("{}: {}", label(failure.failure_class),
                     reports::excerpt(failure.error_chain, kDetailColumns)));
  }
  for (; sleeps_told_ < watched.sleeps().size(); ++sleeps_told_) {
    const core::OrderedSleep& sleep = watched.sleeps()[sleeps_told_];
    tell(fmt::format("sleeping {}{}", reports::seconds_text(sleep.duration),
                     sleep.by_retry_after ? " (Retry-After)" : ""));
  }
  return lines;
}

}  // namespace squall::cli
