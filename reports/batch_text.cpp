// SPDX-License-Identifier: MIT
#include "reports/batch_text.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "reports/bar.hpp"
#include "reports/figures.hpp"
#include "reports/run_report.hpp"
#include "reports/verdict_text.hpp"
#include "reports/wilson.hpp"
#include "scenarios/quantities.hpp"

namespace squall::reports {
namespace {

using simulator::BatchSummary;
using simulator::LogHistogram;
using simulator::SlotStatistics;

/// Lines of a table before the rest is summed up.
constexpr std::size_t kRowsMax = 30;

/// Sleeps are whole milliseconds.
std::string span_text(core::Duration min, core::Duration max) {
  constexpr std::int64_t kMillisecond = 1'000'000;
  return interval_text({static_cast<std::uint64_t>(min.count() / kMillisecond),
                        static_cast<std::uint64_t>(max.count() / kMillisecond)});
}

/// An interval rounded outwards to as many decimals as its width is worth.
std::string sure_text(ShareInterval sure) {
  const std::uint32_t width = sure.max_ppm - sure.min_ppm;
  const std::uint32_t unit = width >= 10'000 ? 1'000 : width >= 1'000 ? 100 : 1;
  return fmt::format("{} to {}", scenarios::format_share(sure.min_ppm / unit * unit),
                     scenarios::format_share((sure.max_ppm + unit - 1) / unit * unit));
}

class Page {
 public:
  Page(const BatchReport& report, const Style& style)
      : report_(report), summary_(report.summary), style_(style) {}

  std::string draw() {
    text_ += header_text(report_.subject, style_);
    runs();
    if (summary_.runs > 0) {
      outcomes();
      times();
      attempts();
      sleeps();
      failures();
    }
    footer();
    return std::move(text_);
  }

 private:
  void add(std::string_view key, std::string_view words) { text_ += field(style_, key, words); }
  void heading(std::string_view words) {
    std::string line(words);
    line.erase(line.find_last_not_of(' ') + 1);
    text_ += "\n  " + paint(style_, Tone::kFaint, line) + "\n";
  }
  void row(const std::string& words) {
    text_ += "  " + words;
    text_.erase(text_.find_last_not_of(' ') + 1);
    text_ += '\n';
  }

  void runs() {
    add("runs", report_.interrupted()
                    ? fmt::format("{} of {} (interrupted), seed {}", count_text(summary_.runs),
                                  count_text(summary_.runs_asked), summary_.seed)
                    : fmt::format("{}, seed {}", count_text(summary_.runs), summary_.seed));
  }

  void outcomes() {
    const ShareInterval sure = wilson_interval(summary_.successes(), summary_.runs);
    text_ += '\n';
    add("success",
        fmt::format("{} ({} of {}; 95% interval {})",
                    paint(style_, Tone::kStrong, share_text(summary_.successes(), summary_.runs)),
                    count_text(summary_.successes()), count_of(summary_.runs, "run"),
                    sure_text(sure)));
    for (std::size_t i = 1; i < summary_.outcomes.size(); ++i) {
      if (summary_.outcomes[i] > 0) {
        add(label(static_cast<scenarios::Outcome>(i)),
            fmt::format("{} ({}; the first is run {})",
                        share_text(summary_.outcomes[i], summary_.runs),
                        count_of(summary_.outcomes[i], "run"), summary_.first_run[i].value_or(0)));
      }
    }
    add("calls",
        fmt::format(
            "{}, {} an operation, {} wasted ({} failed)", count_text(summary_.calls),
            average_text(summary_.calls, summary_.runs),
            summary_.calls == 0 ? "none" : share_text(summary_.calls_wasted, summary_.calls),
            count_text(summary_.calls_wasted)));
    if (summary_.calls > summary_.runs) {
      add("prefix", fmt::format("{} of the requests' bytes were seen before",
                                      share_text(summary_.seen_bytes, summary_.request_bytes)));
    }
  }

  void times() {
    heading(fmt::format("{}  {}  {}  {}  {}", pad_right("time", 10), pad_left("p50", 16),
                        pad_left("p90", 16), pad_left("p99", 16), pad_left("max", 16)));
    time_row("elapsed", summary_.elapsed);
    time_row("slept", summary_.slept);
    if (summary_.longest_run && summary_.elapsed.min() != summary_.elapsed.max()) {
      row(fmt::format("the longest is run {}", *summary_.longest_run));
    }
  }

  void time_row(std::string_view name, const LogHistogram& times) {
    const auto at = [&](std::uint64_t percent) {
      return pad_left(long_text(times.quantile(percent, 100).value_or(core::Duration{0})), 16);
    };
    row(fmt::format("{}  {}  {}  {}  {}", pad_right(name, 10), at(50), at(90), at(99), at(100)));
  }

  void attempts() {
    constexpr std::size_t kCells = 40;
    heading("calls an operation");
    std::uint64_t most = 0;
    for (const auto& [calls, count] : summary_.attempts) {
      most = std::max(most, count);
    }
    std::size_t shown = 0;
    std::uint64_t left_out = 0;
    for (const auto& [calls, count] : summary_.attempts) {
      if (++shown > kRowsMax) {
        left_out += count;
        continue;
      }
      row(fmt::format("{}  {}  {}  {}", pad_left(count_text(calls), 10),
                      pad_right(amount_bar(count, most, kCells, style_), kCells),
                      pad_left(count_text(count), 11),
                      pad_left(share_text(count, summary_.runs), 9)));
    }
    if (left_out > 0) {
      row(fmt::format("{}  {}", pad_left("more", 10), count_of(left_out, "run")));
    }
  }

  void sleeps() {
    if (summary_.slots.empty()) {
      return;
    }
    const bool by_server =
        std::any_of(summary_.slots.begin(), summary_.slots.end(),
                    [](const SlotStatistics& slot) { return slot.by_retry_after > 0; });
    heading(fmt::format("{}  {}  {}  {}  {}", pad_left("sleep", 10), pad_right("allowed", 18),
                        pad_right("observed", 18), pad_left("by schedule", 11),
                        by_server ? "by Retry-After" : ""));
    for (std::size_t i = 0; i < std::min(summary_.slots.size(), kRowsMax); ++i) {
      slot(i, summary_.slots[i]);
    }
    if (summary_.slots.size() > kRowsMax) {
      row(fmt::format("{}  {}", pad_left("more", 10),
                      count_of(summary_.slots.size() - kRowsMax, "slot")));
    }
  }

  void slot(std::size_t index, const SlotStatistics& slot) {
    const core::SleepInterval allowed =
        core::sleep_interval(report_.subject.policy, static_cast<std::uint32_t>(index));
    const std::string observed =
        slot.jittered == 0 ? "-" : span_text(slot.jittered_min, slot.jittered_max);
    std::string by_server;
    if (slot.by_retry_after > 0) {
      by_server = fmt::format("{} ({})", count_text(slot.by_retry_after),
                              span_text(slot.retry_after_min, slot.retry_after_max));
    }
    row(fmt::format("{}  {}  {}  {}  {}", pad_left(fmt::format("{}", index + 1), 10),
                    pad_right(interval_text(allowed), 18), pad_right(observed, 18),
                    pad_left(count_text(slot.jittered), 11), by_server));
  }

  void failures() {
    std::vector<std::pair<std::uint64_t, scenarios::FailureClass>> found;
    for (std::size_t i = 0; i < summary_.failures.size(); ++i) {
      if (const auto count = summary_.failures[i]; count > 0) {
        found.emplace_back(count, scenarios::FailureClass::at(i));
      }
    }
    if (found.empty()) {
      return;
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& left, const auto& right) { return left.first > right.first; });
    heading("failed attempts");
    for (const auto& [count, failure_class] : found) {
      row(fmt::format("{}  {}", pad_right(label(failure_class), 20),
                      pad_left(count_text(count), 11)));
    }
  }

  void footer() {
    text_ += '\n';
    add("invariants", invariants_text(summary_.checks, summary_.runs_unsound));
    if (summary_.unsound) {
      for (const std::string& finding : summary_.unsound->findings) {
        add("", fmt::format("{}  run {} at {}: {}", paint(style_, Tone::kBad, "BROKEN"),
                            summary_.unsound->run, clock_text(summary_.unsound->at),
                            excerpt(finding, 1'000)));
      }
    }
    text_ += verdict_text(report_.verdict, report_.subject, style_);
    if (summary_.unmet && report_.verdict.checked) {
      add("",
          fmt::format("not met by {} of {}; the first is run {}", count_text(summary_.runs_unmet),
                      count_of(summary_.runs, "run"), summary_.unmet->run));
    }
    add("digest", digest_text(summary_.digest));
    text_ += unbroken_field(style_, "replay",
                            replay_command(report_.subject, summary_.seed, run_to_look_at()));
  }

  /// The run that explains the verdict: a broken one, an unmet one, one that lowers a success rate.
  [[nodiscard]] std::uint64_t run_to_look_at() const {
    if (summary_.unsound) {
      return summary_.unsound->run;
    }
    if (!report_.verdict.checked) {
      return 0;
    }
    return summary_.unmet ? summary_.unmet->run : summary_.first_unsuccessful().value_or(0);
  }

  const BatchReport& report_;
  const BatchSummary& summary_;
  const Style& style_;
  std::string text_;
};

}  // namespace

std::string batch_text(const BatchReport& report, const Style& style) {
  return Page(report, style).draw();
}

}  // namespace squall::reports
