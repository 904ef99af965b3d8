// SPDX-License-Identifier: MIT
#include "reports/run_text.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/bar.hpp"
#include "reports/came_back.hpp"
#include "reports/figures.hpp"
#include "reports/verdict_text.hpp"
#include "scenarios/quantities.hpp"

namespace squall::reports {
namespace {

/// Attempts shown at either end when there are more than twice as many.
constexpr std::size_t kRowsAtEitherEnd = 20;

/// The page in the making.
class Page {
 public:
  Page(const RunReport& report, const Style& style)
      : report_(report),
        style_(style),
        layout_(make_layout(report, style)),
        scale_(report.elapsed, layout_.bar) {}

  std::string draw() {
    text_ += header_text(report_.subject, style_);
    text_ += field(style_, "run", fmt::format("seed {}, run {}", report_.seed, report_.run));
    if (!report_.attempts.empty()) {
      axis();
      rows();
    }
    text_ += '\n';
    footer();
    return std::move(text_);
  }

 private:
  struct Layout {
    std::size_t time, call, took, bar, words;
    [[nodiscard]] std::size_t left() const { return 2 + time + 2 + call + 2 + took; }
  };

  static std::string call_text(const RunReport& report, std::uint32_t number) {
    return fmt::format("{}/{}", number, report.subject.policy.budgets.attempts_max);
  }

  static Layout make_layout(const RunReport& report, const Style& style) {
    constexpr std::size_t kWords = 42;
    constexpr std::size_t kBarMin = 16;
    constexpr std::size_t kBarMax = 80;
    Layout layout{.time = clock_text(report.elapsed).size(),
                  .call = 4,
                  .took = 6,
                  .bar = kBarMin,
                  .words = 0};
    for (const AttemptRow& row : report.attempts) {
      layout.call = std::max(layout.call, call_text(report, row.number).size());
      layout.took = std::max(layout.took, seconds_text(row.ended - row.started).size());
    }
    const std::size_t rest = style.width > layout.left() + 4 ? style.width - layout.left() - 4 : 0;
    layout.bar = std::clamp(rest > kWords ? rest - kWords : 0, kBarMin, kBarMax);
    layout.words = std::max<std::size_t>(rest > layout.bar ? rest - layout.bar : 0, 24);
    return layout;
  }

  void line(std::string_view left, std::string_view bar, std::string_view words) {
    std::string row = pad_right(left, layout_.left()) + "  " + pad_right(bar, layout_.bar) + "  ";
    row += words;
    row.erase(row.find_last_not_of(' ') + 1);
    text_ += row + '\n';
  }

  void axis() {
    const Axis axis = draw_axis(scale_, style_);
    std::string legend = bar_legend(style_);
    if (columns(legend) > layout_.words) {
      text_ += field(style_, "bars", std::exchange(legend, {}));
    }
    const std::string heads =
        fmt::format("  {}  {}  {}", pad_right("time", layout_.time), pad_left("call", layout_.call),
                    pad_left("took", layout_.took));
    text_ += '\n';
    line(paint(style_, Tone::kFaint, heads), paint(style_, Tone::kFaint, axis.labels),
         paint(style_, Tone::kFaint, "what came back"));
    line("", paint(style_, Tone::kFaint, axis.line), paint(style_, Tone::kFaint, legend));
  }

  void rows() {
    const std::size_t count = report_.attempts.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (count > 2 * kRowsAtEitherEnd && i == kRowsAtEitherEnd) {
        i = count - kRowsAtEitherEnd;
        line("", "", fmt::format("... {} more calls ...", count_text(i - kRowsAtEitherEnd)));
      }
      attempt(report_.attempts[i]);
    }
    if (report_.shutdown) {
      line(fmt::format("  {}", clock_text(*report_.shutdown)),
           Bar(scale_).shutdown(*report_.shutdown).draw(style_, Tone::kPlain),
           paint(style_, Tone::kNotice, "shutdown requested"));
    }
    if (report_.stopped_at_horizon) {
      line(fmt::format("  {}", clock_text(report_.elapsed)), "",
           paint(style_, Tone::kNotice, "the horizon: the run stops here"));
    }
  }

  void attempt(const AttemptRow& row) {
    const Tone tone = row.accepted || row.accepted_round ? Tone::kGood
                      : row.failure_class                ? Tone::kBad
                                                         : Tone::kNotice;
    const std::string left =
        fmt::format("  {}  {}  {}", pad_left(clock_text(row.started), layout_.time),
                    pad_left(call_text(report_, row.number), layout_.call),
                    pad_left(seconds_text(row.ended - row.started), layout_.took));
    line(left,
         Bar(scale_)
             .attempt(row.started, row.headers.value_or(row.ended), row.ended)
             .draw(style_, tone),
         paint(style_, tone,
               said_before(row) ? fmt::format("HTTP {}", *row.status)
                                : came_back_text(row, report_, layout_.words)));
    said_ = row.error_chain;
    if (!row.failure_class) {
      return;
    }
    const std::string left_class =
        pad_left(paint(style_, Tone::kFaint, label(*row.failure_class)), layout_.left());
    if (row.sleep) {
      line(left_class, Bar(scale_).sleep(row.sleep->from, row.sleep->to).draw(style_, Tone::kPlain),
           sleep_words(row));
    } else {
      line(left_class, "", paint(style_, Tone::kFaint, no_sleep_words(row)));
    }
  }

  /// Whether the provider answered exactly what it answered to the attempt before.
  [[nodiscard]] bool said_before(const AttemptRow& row) const {
    return row.failure_class && row.status && !row.retry_after_ms && row.error_chain == said_ &&
           (*row.status < 200 || *row.status > 299);
  }

  [[nodiscard]] std::string sleep_words(const AttemptRow& row) const {
    const SleepRow& sleep = *row.sleep;
    const core::Duration taken = sleep.to - sleep.from;
    std::string text = "slept " + seconds_text(taken);
    if (taken < sleep.duration) {
      return text + " of " + seconds_text(sleep.duration);
    }
    if (sleep.by_retry_after && row.retry_after_ms) {
      const core::RetryAfterRule& rule = report_.subject.policy.retry_after;
      return core::clamp_retry_after(rule, *row.retry_after_ms) == *row.retry_after_ms
                 ? fmt::format("{} (Retry-After {})", text, milliseconds_text(*row.retry_after_ms))
                 : fmt::format("{} (Retry-After held to {})", text,
                               interval_text({rule.clamp_min_ms, rule.clamp_max_ms}));
    }
    const std::string allowed = interval_text(sleep.allowed);
    const std::string full = fmt::format("{} (slot {}: {})", text, sleep.slot, allowed);
    return columns(full) <= layout_.words ? full : fmt::format("{} ({})", text, allowed);
  }

  [[nodiscard]] std::string no_sleep_words(const AttemptRow& row) const {
    const core::Budgets& budgets = report_.subject.policy.budgets;
    if (report_.outcome == scenarios::Outcome::kShutdown && &row == &report_.attempts.back()) {
      return {};
    }
    if (!is_retryable(*row.failure_class)) {
      return "final: not retried";
    }
    if (row.number >= budgets.attempts_max) {
      return "no call left";
    }
    if (&row != &report_.attempts.back()) {
      return "no sleep";
    }
    return budgets.time && report_.exhausted
               ? fmt::format("no sleep fits the {} budget", seconds_text(*budgets.time))
               : std::string();
  }

  void footer() {
    const bool good = report_.outcome == scenarios::Outcome::kSuccess;
    text_ +=
        field(style_, "outcome",
              fmt::format("{} after {} in {}; slept {} in {}",
                          paint(style_, good ? Tone::kGood : Tone::kBad, label(report_.outcome)),
                          count_of(report_.attempts.size(), "call"), long_text(report_.elapsed),
                          long_text(report_.slept()), count_of(report_.sleeps(), "sleep")));
    const std::size_t room = 4 * style_.width;
    const bool is_tool_call = report_.subject.kind == scenarios::OperationKind::kToolCall;
    if (report_.answer) {
      text_ += field(style_, is_tool_call ? "model sees" : "answer", answer_text(report_, room));
    }
    groups();
    if (report_.exhausted && !is_tool_call) {
      text_ += field(style_, "detail", excerpt(report_.exhausted->detail, room));
    }
    if (report_.guidance) {
      const GuidanceReport& guidance = *report_.guidance;
      text_ += field(style_, "failure",
                     fmt::format("{}, code {}: {}", label(guidance.tool_class), guidance.code,
                                 paint(style_, Tone::kStrong, label(guidance.verdict))));
      text_ += field(style_, "guidance", guidance.text);
    }
    if (report_.attempts.size() > 1) {
      text_ += field(style_, "prefix", prefix_reuse_words());
    }
    text_ += field(style_, "invariants", invariants_text(report_.checks, report_.sound() ? 0 : 1));
    broken();
    text_ += verdict_text(report_.verdict, report_.subject, style_);
    text_ += field(style_, "digest", digest_text(report_.digest));
    if (!report_.subject.reference.empty()) {
      text_ += unbroken_field(style_, "replay",
                              replay_command(report_.subject, report_.seed, report_.run));
    }
  }

  /// What a synthesis put together.
  void groups() {
    if (!report_.synthesis) {
      return;
    }
    const core::llm::SynthesisRepaired& synthesis = *report_.synthesis;
    std::size_t number = 0;
    for (const core::llm::FrozenGroup& group : synthesis.groups) {
      text_ += field(style_, fmt::format("group {}", number++),
                     fmt::format("{}: items {}{}", excerpt(group.heading, style_.width),
                                 fmt::join(group.members, ", "),
                                 group.contradiction ? " (contradiction)" : ""));
    }
    if (!synthesis.remainder.empty()) {
      text_ +=
          field(style_, "remainder", fmt::format("items {}", fmt::join(synthesis.remainder, ", ")));
    }
  }

  [[nodiscard]] std::string prefix_reuse_words() const {
    std::uint64_t bytes = 0;
    std::uint64_t seen = 0;
    for (const AttemptRow& row : report_.attempts) {
      bytes += row.request.request_bytes;
      seen += row.request.seen_bytes;
    }
    return fmt::format("{} of the requests' bytes ({} of {}) were seen before",
                       scenarios::format_share(report_.prefix_reuse_ppm), count_text(seen),
                       count_text(bytes));
  }

  void broken() {
    for (const playback::Violation& violation : report_.violations) {
      text_ += field(style_, "",
                     fmt::format("{}  at {}: {}: {}", paint(style_, Tone::kBad, "BROKEN"),
                                 clock_text(violation.at.time_since_epoch()),
                                 label(violation.invariant), excerpt(violation.message, 1'000)));
    }
    if (report_.internal_error) {
      text_ += field(style_, "",
                     fmt::format("{}  {}", paint(style_, Tone::kBad, "BROKEN"),
                                 excerpt(*report_.internal_error, 1'000)));
    }
  }

  const RunReport& report_;
  const Style& style_;
  Layout layout_;
  Scale scale_;
  std::string text_;
  std::string said_;  ///< the error chain of the attempt drawn last
};

}  // namespace

std::string run_text(const RunReport& report, const Style& style) {
  return Page(report, style).draw();
}

}  // namespace squall::reports
