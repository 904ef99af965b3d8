// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "core/time.hpp"
#include "reports/bar.hpp"
#include "reports/figures.hpp"
#include "reports/telemetry_report.hpp"

namespace squall::reports {
namespace {

using telemetry::Count;
using telemetry::Summary;
using telemetry::Usage;

constexpr std::size_t kBarCells = 30;
/// Names come out of the file: ids, models and purposes may be of any length.
constexpr std::size_t kNameColumns = 60;

enum class Align : std::uint8_t { kLeft, kRight };

/// Rows of equally many cells; the first one is the head.
std::string table_text(const Style& style, const std::vector<Align>& aligns,
                       const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(aligns.size(), 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], columns(row[i]));
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += "  ";
      line +=
          aligns[i] == Align::kLeft ? pad_right(row[i], widths[i]) : pad_left(row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += (&row == &rows.front() ? paint(style, Tone::kFaint, line) : line) + '\n';
  }
  return text;
}

std::string duration_text(std::uint64_t milliseconds) {
  return long_text(core::from_milliseconds(milliseconds));
}

std::string or_dash(const std::optional<std::uint64_t>& count) {
  return count ? count_text(*count) : "-";
}

std::string cost_text(const std::optional<double>& cost) {
  return cost ? fmt::format("{:.6g}", *cost) : "-";
}

std::string part_text(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? count_text(part)
                    : fmt::format("{} ({})", count_text(part), share_text(part, whole));
}

std::string facts(const Summary& summary, const Style& style) {
  // A caller that got a fallback got something, but not what was asked for.
  const std::string degraded =
      summary.degraded == 0
          ? std::string()
          : fmt::format(" (of which degraded {}, with a fallback)", count_text(summary.degraded));
  std::string text = field(style, "success",
                           fmt::format("{}{}, {} of them after a retry",
                                       part_text(summary.successes, summary.operations), degraded,
                                       count_text(summary.retried_successes)));
  text += field(style, "retried", part_text(summary.retried, summary.operations));
  text += field(style, "calls",
                fmt::format("{}, {}", count_text(summary.calls),
                            count_of(summary.failures, "failed attempt")));
  if (summary.accepted_rounds > 0) {
    text += field(style, "rounds",
                  count_text(summary.accepted_rounds) + " of syntheses accepted something");
  }
  if (summary.unfinished > 0) {
    text += field(style, "unfinished",
                  count_of(summary.unfinished, "operation") + " left failures and no end");
  }
  const Usage& usage = summary.usage;
  if (usage.input_tokens || usage.output_tokens) {
    text += field(
        style, "tokens",
        fmt::format("{} in, {} out", or_dash(usage.input_tokens), or_dash(usage.output_tokens)));
  }
  if (usage.cached_tokens || usage.cache_miss_tokens) {
    text += field(style, "cache",
                  fmt::format("{} tokens hit, {} missed", or_dash(usage.cached_tokens),
                              or_dash(usage.cache_miss_tokens)));
  }
  if (usage.cost) {
    text += field(style, "cost", cost_text(usage.cost));
  }
  return text;
}

std::string head(const Style& style, std::string_view title) {
  return '\n' + paint(style, Tone::kStrong, title) + '\n';
}

/// One line for each count with its share of `whole` and a bar.
std::string counts_text(const Style& style, std::string_view title, std::string_view what,
                        const std::vector<Count>& counts, std::uint64_t whole, Align align) {
  if (counts.empty()) {
    return {};
  }
  std::uint64_t most = 0;
  for (const Count& count : counts) {
    most = std::max(most, count.count);
  }
  std::vector<std::vector<std::string>> rows{{std::string(title), std::string(what), "share", ""}};
  for (const Count& count : counts) {
    rows.push_back({excerpt(count.name, kNameColumns), count_text(count.count),
                    share_text(count.count, whole),
                    amount_bar(count.count, most, kBarCells, style)});
  }
  return '\n' + table_text(style, {align, Align::kRight, Align::kRight, Align::kLeft}, rows);
}

std::string shares_text(const Summary& summary, const Style& style) {
  std::vector<std::vector<std::string>> rows{{"purpose", "model", "operations", "success",
                                              "degraded", "calls", "tokens in", "tokens out",
                                              "cost"}};
  for (const auto& [key, share] : summary.shares) {
    rows.push_back({key.first.empty() ? "-" : excerpt(key.first, kNameColumns),
                    key.second.empty() ? "(tool call)" : excerpt(key.second, kNameColumns),
                    count_text(share.operations), share_text(share.successes, share.operations),
                    share_text(share.degraded, share.operations), count_text(share.calls),
                    or_dash(share.usage.input_tokens), or_dash(share.usage.output_tokens),
                    cost_text(share.usage.cost)});
  }
  return head(style, "by purpose and model") +
         table_text(style,
                    {Align::kLeft, Align::kLeft, Align::kRight, Align::kRight, Align::kRight,
                     Align::kRight, Align::kRight, Align::kRight, Align::kRight},
                    rows);
}

std::string slowest_text(const Summary& summary, const Style& style) {
  std::vector<std::vector<std::string>> rows{{"duration", "calls", "outcome", "operation"}};
  for (const telemetry::OperationLine& line : summary.slowest) {
    rows.push_back({duration_text(line.duration_ms), count_text(line.calls),
                    excerpt(line.outcome, kNameColumns), excerpt(line.operation_id, kNameColumns)});
  }
  return head(style, "slowest operations") +
         table_text(style, {Align::kRight, Align::kRight, Align::kLeft, Align::kLeft}, rows);
}

}  // namespace

std::string telemetry_text(const Summary& summary, std::string_view file, const Style& style) {
  constexpr std::size_t kFileColumns = 200;
  std::string text = fmt::format(
      "{}: {} in {}\n", paint(style, Tone::kStrong, excerpt(file, kFileColumns)),
      count_of(summary.operations, "operation"), count_of(summary.recordings, "recording"));
  if (summary.operations == 0 && summary.failures == 0) {
    return text;
  }
  text += facts(summary, style);
  std::vector<Count> calls;
  for (const auto& [number, operations] : summary.calls_histogram) {
    calls.push_back({count_text(number), operations});
  }
  text += counts_text(style, "outcome", "operations", summary.outcomes, summary.operations,
                      Align::kLeft);
  text += counts_text(style, "failed attempt", "times", summary.failure_classes, summary.failures,
                      Align::kLeft);
  text += counts_text(style, "calls", "operations", calls, summary.operations, Align::kRight);
  if (summary.operations > 0) {
    text += shares_text(summary, style) + slowest_text(summary, style);
  }
  return text;
}

}  // namespace squall::reports
