// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/figures.hpp"
#include "reports/policy_text.hpp"
#include "reports/worst_case_report.hpp"

namespace squall::reports {
namespace {

using analysis::kNoEnd;
using analysis::LongestOperation;
using analysis::SleepTerm;
using core::Duration;

constexpr std::size_t kIndent = 14;  // As `field` does.

/// "1199.999999999 s": to the nanosecond, always in seconds.
std::string exact_text(Duration duration) {
  if (duration == kNoEnd) {
    return "more than 292 years";
  }
  constexpr std::int64_t kSecond = 1'000'000'000;
  std::string text = fmt::format("{}", duration.count() / kSecond);
  if (const std::int64_t rest = duration.count() % kSecond; rest != 0) {
    text += fmt::format(".{:09}", rest);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text + " s";
}

/// The same, and what a person would call it when that says more.
std::string exact_and_long(Duration duration) {
  constexpr Duration kMinute = std::chrono::minutes(1);
  return duration < kMinute || duration == kNoEnd
             ? exact_text(duration)
             : fmt::format("{} ({})", exact_text(duration), long_text(duration));
}

/// Of an attempt or an operation, which may have no end at all.
std::string end_text(const LongestOperation& longest, Duration duration) {
  return longest.endless ? "no end" : exact_text(duration);
}

std::string slots_text(std::uint32_t first, std::uint32_t count) {
  return count == 1 ? fmt::format("{}", first + 1)
                    : fmt::format("{} to {}", first + 1, first + count);
}

class Page {
 public:
  Page(const WorstCaseReport& report, const Style& style)
      : report_(report), worst_(report.worst), style_(style) {}

  std::string draw() {
    text_ = fmt::format("{}: the worst that one {} can take\n",
                        paint(style_, Tone::kStrong, report_.policy_name), label(worst_.kind));
    text_ += field(style_, "policy", policy_line(report_.policy));
    text_ += '\n';
    text_ += field(style_, "calls", calls_words());
    text_ += field(style_, "sleeps", sleeps_words());
    sleep_table();
    text_ += '\n';
    time_table();
    text_ += '\n';
    if (worst_.keepalive) {
      text_ += field(style_, "trickle", trickle_words(*worst_.keepalive));
    }
    if (report_.policy.budgets.time) {
      text_ += field(style_, "budget", budget_words());
    }
    text_ += field(style_, "outage", outage_words());
    if (worst_.rule_of_thumb) {
      text_ += field(style_, "rule", rule_words(*worst_.rule_of_thumb));
    }
    witnesses();
    return std::move(text_);
  }

 private:
  [[nodiscard]] std::string calls_words() const {
    std::string all =
        worst_.calls_min == worst_.calls_max
            ? count_text(worst_.calls_max)
            : fmt::format("{} to {}", count_text(worst_.calls_min), count_text(worst_.calls_max));
    const analysis::Outage& outage = worst_.outage;
    if (worst_.calls_max <= 1) {
      return all;
    }
    return outage.calls_min == outage.calls_max
               ? fmt::format("{}; {} when every call fails at once", all,
                             count_text(outage.calls_max))
               : fmt::format("{}; {} to {} when every call fails at once, as chance has it", all,
                             count_text(outage.calls_min), count_text(outage.calls_max));
  }

  [[nodiscard]] bool is_asked() const {
    return std::any_of(worst_.sleep.terms.begin(), worst_.sleep.terms.end(),
                       [](const SleepTerm& term) { return term.askable_ms.has_value(); });
  }

  [[nodiscard]] std::string sleeps_words() const {
    if (worst_.sleep.terms.empty()) {
      return "none, whatever the server says";
    }
    return exact_and_long(worst_.sleep.total) +
           (worst_.sleep.total == kNoEnd ? " in all" : " in all at most") +
           (report_.policy.budgets.time ? ", as much as the time budget holds"
            : is_asked()                ? ", the larger of jitter and Retry-After in every slot"
                                        : ", jitter at its longest in every slot");
  }

  void sleep_table() {
    if (worst_.sleep.terms.empty()) {
      return;
    }
    // More distinct waits than anybody reads; no shipped policy has more than six.
    constexpr std::size_t kLinesMax = 40;
    std::vector<std::vector<std::string>> rows{{"slot", "scheduled", "with jitter"}};
    if (is_asked()) {
      rows[0].emplace_back("Retry-After");
    }
    rows[0].emplace_back("at most");
    rows[0].emplace_back("together");
    for (const SleepTerm& term : worst_.sleep.terms) {
      if (rows.size() > kLinesMax) {
        break;
      }
      std::vector<std::string> row{slots_text(term.first_slot, term.count),
                                   milliseconds_text(term.scheduled_ms),
                                   interval_text(term.jitter)};
      if (is_asked()) {
        row.push_back("to " + milliseconds_text(term.askable_ms.value_or(0)));
      }
      const Duration chosen = core::from_milliseconds(term.chosen_ms);
      row.push_back((term.count == 1 ? "" : fmt::format("{} x ", count_text(term.count))) +
                    milliseconds_text(term.chosen_ms));
      row.push_back(exact_text(analysis::times(chosen, term.count)));
      rows.push_back(std::move(row));
    }
    table(rows, {});
    if (worst_.sleep.terms.size() > kLinesMax) {
      text_ += std::string(kIndent, ' ') +
               fmt::format("... and {} more\n", worst_.sleep.terms.size() - kLinesMax);
    }
  }

  [[nodiscard]] static std::string server_words(const LongestOperation& longest) {
    switch (longest.body_waits) {
      case 0:
        return "no wait for a body";
      case 1:
        return "late headers, then a silent body";
      default:
        return fmt::format("late headers, {} waits for the body", count_text(longest.body_waits));
    }
  }

  void time_table() {
    const bool all_alike = std::all_of(worst_.longest.begin(), worst_.longest.end(),
                                       [this](const LongestOperation& longest) {
                                         return longest.attempt == worst_.longest[0].attempt &&
                                                longest.operation == worst_.longest[0].operation;
                                       });
    std::vector<std::vector<std::string>> rows{{"the server", "one attempt", "the operation", ""}};
    for (const LongestOperation& longest : worst_.longest) {
      const bool has_end = longest.operation != kNoEnd;
      rows.push_back({all_alike ? "whatever it does" : server_words(longest),
                      end_text(longest, longest.attempt), end_text(longest, longest.operation),
                      has_end && longest.operation >= std::chrono::minutes(1)
                          ? long_text(longest.operation)
                          : ""});
      if (all_alike) {
        break;
      }
    }
    if (worst_.keepalive && !worst_.longest[0].endless) {
      rows.push_back({"a body that trickles on and on", "no end", "no end", ""});
    }
    table(rows, {0});
  }

  /// Columns two blanks apart, right-aligned but for those of `left`. The first row names them.
  void table(const std::vector<std::vector<std::string>>& rows,
             const std::vector<std::size_t>& left) {
    std::vector<std::size_t> widths(rows[0].size());
    for (const std::vector<std::string>& row : rows) {
      for (std::size_t column = 0; column < row.size(); ++column) {
        widths[column] = std::max(widths[column], columns(row[column]));
      }
    }
    for (const std::vector<std::string>& row : rows) {
      std::string line(kIndent - 2, ' ');
      for (std::size_t column = 0; column < row.size(); ++column) {
        const bool is_left = std::find(left.begin(), left.end(), column) != left.end();
        line += "  " + (is_left ? pad_right(row[column], widths[column])
                                : pad_left(row[column], widths[column]));
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text_ += (&row == &rows[0] ? paint(style_, Tone::kFaint, line) : line) + '\n';
    }
  }

  [[nodiscard]] std::string trickle_words(const analysis::Keepalive& keepalive) const {
    if (!keepalive.gap) {
      return "There is no timeout: an attempt that hears nothing, not even headers, waits without "
             "end.";
    }
    const std::string rate = keepalive.bytes_per_hour == 0
                                 ? "less than one byte an hour"
                                 : count_of(keepalive.bytes_per_hour, "byte") + " an hour";
    const std::string until =
        keepalive.cut_by_size == kNoEnd
            ? "for centuries, until it exceeds the 64 MiB a body may have"
            : fmt::format("for {}, until it exceeds the 64 MiB a body may have",
                          long_text(keepalive.cut_by_size));
    return fmt::format(
        "A body is never cut while bytes keep coming less than {} apart: one byte every {}, {}, "
        "keeps a single attempt alive {}. No number of calls bounds that.",
        seconds_text(*keepalive.gap + Duration{1}), exact_text(*keepalive.gap), rate, until);
  }

  [[nodiscard]] std::string budget_words() const {
    const Duration budget = *report_.policy.budgets.time;
    std::string words =
        fmt::format("{}: no sleep ends later, but no attempt is cut by it.", exact_text(budget));
    const LongestOperation& longest = worst_.longest.back();
    if (longest.operation != kNoEnd) {
      words +=
          fmt::format(" The last attempt starts at {} at the latest and lasts {} at most.",
                      exact_text(longest.operation - longest.attempt), exact_text(longest.attempt));
    }
    if (worst_.last_chance) {
      words += fmt::format(" An attempt that lasts longer than {} is never followed by another.",
                           exact_text(*worst_.last_chance));
    }
    return words;
  }

  [[nodiscard]] std::string outage_words() const {
    const analysis::Outage& outage = worst_.outage;
    if (worst_.calls_max == 0) {
      return "no call is made";
    }
    if (!outage.mean) {
      return "the time budget is too long to work out how long failures at once take on average";
    }
    return fmt::format(
        "When every call fails at once and nobody says Retry-After, the operation gives up after "
        "{} on average.",
        exact_and_long(*outage.mean));
  }

  [[nodiscard]] std::string rule_words(const analysis::RuleOfThumb& rule) const {
    const Duration idle = report_.policy.timeouts.idle.value_or(Duration{0});
    const std::uint32_t attempts = report_.policy.budgets.attempts_max;
    const Duration attempts_part = analysis::times(idle, attempts);
    std::string words = fmt::format(
        "\"Attempts x idle timeout + backoff\" says {} x {} + {} = {}.", count_text(attempts),
        seconds_text(idle), exact_text(rule.claim - attempts_part), exact_and_long(rule.claim));
    if (rule.excess <= Duration{0}) {
      return words + " It holds.";
    }
    words += fmt::format(" Late headers, then a silent body, exceed it by {}: {} of second waits",
                         exact_and_long(rule.excess), exact_text(rule.excess_of_attempts));
    if (rule.excess_of_sleeps > Duration{0}) {
      words += fmt::format(" and {} of jitter and Retry-After", exact_text(rule.excess_of_sleeps));
    }
    return words + ".";
  }

  void witnesses() {
    if (report_.witnesses.empty()) {
      return;
    }
    text_ += '\n';
    if (!report_.witnesses[0].file.empty()) {
      std::string key = "witnesses";
      for (const NamedWitness& witness : report_.witnesses) {
        text_ += unbroken_field(style_, std::exchange(key, {}), witness.file);
      }
      return;
    }
    text_ += field(style_, "witnesses",
                   fmt::format("{} to reach these figures to the nanosecond:",
                               count_of(report_.witnesses.size(), "scenario")));
    text_ += unbroken_field(style_, "", report_.command + " --write-witness DIR");
  }

  const WorstCaseReport& report_;
  const analysis::WorstCase& worst_;
  const Style& style_;
  std::string text_;
};

}  // namespace

std::string worst_case_text(const WorstCaseReport& report, const Style& style) {
  return Page(report, style).draw();
}

}  // namespace squall::reports
