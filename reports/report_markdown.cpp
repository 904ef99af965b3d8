// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/time.hpp"
#include "reports/figures.hpp"
#include "reports/markdown.hpp"
#include "reports/reliability_report.hpp"

namespace squall::reports::reliability {
namespace {

// What a reader scrolls through; all of it is in the JSON, and the page says what is left out.
constexpr std::size_t kCdfRows = 20;

std::string time_text(std::int64_t nanoseconds) {
  return long_text(core::Duration{nanoseconds});
}

std::string rate_text(const Rate& rate) {
  return rate.of == 0 ? std::string("-") : share_text(rate.count, rate.of);
}

/// "73.3% to 75.1%".
std::string interval(const Rate& rate) {
  constexpr std::uint64_t kMillion = 1'000'000;
  return fmt::format("{} to {}", share_text(rate.low.value, kMillion),
                     share_text(rate.high.value, kMillion));
}

std::string pairs_text(const Attempts& attempts) {
  std::string text;
  for (const auto& [calls, operations] : attempts) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", calls, count_text(operations));
  }
  return text;
}

std::string pairs_text(const Failures& failures) {
  std::string text;
  for (const auto& [name, count] : failures) {
    text +=
        fmt::format("{}{}: {}", text.empty() ? "" : ", ", markdown_plain(name), count_text(count));
  }
  return text.empty() ? "none" : text;
}

std::string source_words(const std::string& source) {
  return source == "retry_after" ? "Retry-After" : "schedule";
}

class Page {
 public:
  explicit Page(const Document& document) : document_(document) {}

  std::string draw() {
    first_screen();
    changes();
    policies();
    heat_map();
    for (const Policy& policy : document_.policies) {
      one_policy(policy);
    }
    timelines();
    invariants();
    closing();
    return std::move(text_);
  }

 private:
  template <class... Parts>
  void add(fmt::format_string<Parts...> format, Parts&&... parts) {
    text_ += fmt::format(format, std::forward<Parts>(parts)...);
  }
  [[nodiscard]] const std::string& policy_name(std::size_t index) const {
    return document_.policies[index].name;
  }
  [[nodiscard]] const std::string& scenario_name(std::size_t index) const {
    return document_.scenarios[index].name;
  }

  void first_screen() {
    const State& verdict = document_.verdict;
    add("# squall report: {}\n\n{}.\n\n", markdown_plain(verdict.state),
        markdown_plain(verdict.sentence));
    for (const std::string& reason : verdict.reasons) {
      add("- {}\n", markdown_plain(reason));
    }
    text_ += verdict.reasons.empty() ? "" : "\n";
    add("{} of each scenario, seed {}, squall {}. Made again by\n\n    {}\n",
        count_of(document_.runs, "run"), document_.seed, markdown_plain(document_.squall),
        document_.command);
    text_ += document_.notes.empty() ? "" : "\n";
    for (const std::string& note : document_.notes) {
      add("- {}\n", markdown_plain(note));
    }
  }

  void changes() {
    text_ += "\n## What changed\n\n";
    if (!document_.changes) {
      text_ += "Nothing to compare with: no baseline was given.\n";
      return;
    }
    const Changes& changes = *document_.changes;
    add("Against {}: {}.\n\n", markdown_plain(changes.baseline), markdown_plain(changes.sentence));
    for (const ChangeSentence& one : changes.sentences) {
      add("- {}: {}{}: {}\n", one.kind, markdown_plain(one.policy),
          one.scenario ? ", " + markdown_plain(*one.scenario) : "", markdown_plain(one.text));
    }
    add("\n{}\n", markdown_code(changes.command));
  }

  void policies() {
    text_ +=
        "\n## Policies\n\n| policy | worst case | success | 95% interval | operations | calls an "
        "operation | p50 | p90 | p99 | longest |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
    for (const Policy& policy : document_.policies) {
      const std::string worst = !policy.worst_case ? "not computed"
                                : !policy.worst_case->longest_ns
                                    ? "no end"
                                    : time_text(*policy.worst_case->longest_ns);
      add("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", markdown_plain(policy.name),
          worst, rate_text(policy.success), interval(policy.success), count_text(policy.operations),
          average_text(policy.calls, policy.operations), time_text(policy.elapsed.p50_ns),
          time_text(policy.elapsed.p90_ns), time_text(policy.elapsed.p99_ns),
          time_text(policy.elapsed.max_ns));
    }
  }

  void heat_map() {
    text_ +=
        "\n## Policies and scenarios\n\n| scenario | policy | success | 95% interval | "
        "expectations "
        "| usual outcome | p50 | p99 | longest | calls: operations | failures | again |\n"
        "|---|---|--:|--:|---|---|--:|--:|--:|---|---|---|\n";
    for (const Cell& cell : document_.cells) {
      add("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
          markdown_plain(scenario_name(cell.scenario)), markdown_plain(policy_name(cell.policy)),
          rate_text(cell.success), interval(cell.success), markdown_plain(cell.expectations),
          markdown_plain(cell.outcome), time_text(cell.elapsed.p50_ns),
          time_text(cell.elapsed.p99_ns), time_text(cell.elapsed.max_ns), pairs_text(cell.attempts),
          pairs_text(cell.failures), markdown_code(cell.command, /*in_table=*/true));
    }
  }

  void one_policy(const Policy& policy) {
    add("\n## Policy {}\n\n{}\n\n", markdown_plain(policy.name), markdown_plain(policy.summary));
    if (!policy.command.empty()) {
      add("{}\n", markdown_code(policy.command));
    }
    if (policy.worst_case) {
      worst_case(*policy.worst_case);
    }
    add("\n### Calls an operation\n\n{}\n", pairs_text(policy.attempts));
    elapsed(policy);
    sleeps(policy);
    failures(policy.failures_over_time);
  }

  void worst_case(const Bound& bound) {
    add("\n### Worst case\n\n{}.\n\n", markdown_plain(bound.sentence));
    if (!bound.parts.empty()) {
      text_ += "| part | takes |\n|---|--:|\n";
      for (const BoundPart& part : bound.parts) {
        add("| {} | {} |\n", markdown_plain(part.label), time_text(part.ns));
      }
      text_ += "\n";
    }
    add("{} to {}.\n", count_text(bound.calls_min), count_of(bound.calls_max, "call"));
    if (!bound.command.empty()) {
      add("\n{}\n", markdown_code(bound.command));
    }
  }

  void elapsed(const Policy& policy) {
    text_ += "\n### Elapsed\n\n| at most | operations |\n|--:|--:|\n";
    const Cdf& cdf = policy.elapsed_cdf;
    const std::size_t rows = std::min(kCdfRows, cdf.size());
    for (std::size_t row = 1; row <= rows; ++row) {
      const auto& [within, operations] = cdf[row * cdf.size() / rows - 1];
      add("| {} | {} |\n", time_text(within), count_text(operations));
    }
    if (rows < cdf.size()) {
      add("\n{} of {} points.\n", count_text(rows), count_text(cdf.size()));
    }
  }

  void sleeps(const Policy& policy) {
    text_ += "\n### Sleeps\n\n";
    if (policy.sleeps.empty()) {
      text_ += "None.\n";
      return;
    }
    text_ +=
        "| slot | by | allowed | sleeps | outside | drawn | of these from | to "
        "|\n|--:|---|---|--:|--:|--:|--:|--:|\n";
    for (const SlotSleeps& slot : policy.sleeps) {
      const auto [least, most] = std::minmax_element(slot.kept_ns.begin(), slot.kept_ns.end());
      const bool any = !slot.kept_ns.empty();
      add("| {} | {} | {} to {} | {} | {} | {} | {} | {} |\n", slot.slot + 1,
          source_words(slot.source), time_text(slot.low_ns), time_text(slot.high_ns),
          count_text(slot.count), count_text(slot.beyond), count_text(slot.kept_ns.size()),
          any ? time_text(*least) : "-", any ? time_text(*most) : "-");
    }
  }

  void failures(const FailuresOverTime& over) {
    add("\n### Failures over virtual time\n\n");
    if (over.classes.empty()) {
      text_ += "None.\n";
      return;
    }
    add("In bins of {}; empty ones are left out.\n\n| class | failures from |\n|---|---|\n",
        time_text(over.bin_ns));
    for (const ClassCounts& one : over.classes) {
      std::string bins;
      std::int64_t from = 0;
      for (const std::uint64_t count : one.counts) {
        if (count > 0) {
          bins +=
              fmt::format("{}{}: {}", bins.empty() ? "" : ", ", time_text(from), count_text(count));
        }
        from += over.bin_ns;
      }
      if (one.later > 0) {
        bins += fmt::format("{}later: {}", bins.empty() ? "" : ", ", count_text(one.later));
      }
      add("| {} | {} |\n", markdown_plain(one.failure_class), bins);
    }
  }

  void timelines() {
    text_ += "\n## Timelines\n";
    for (const Timeline& timeline : document_.timelines) {
      add("\n### {} under {}, run {} ({})\n\n{} after {}\n\n",
          markdown_plain(scenario_name(timeline.scenario)),
          markdown_plain(policy_name(timeline.policy)), timeline.run, markdown_plain(timeline.why),
          markdown_plain(timeline.outcome), time_text(timeline.elapsed_ns));
      rows_of(timeline);
      add("\n{}\n", markdown_code(timeline.command));
    }
  }

  void rows_of(const Timeline& timeline) {
    text_ += "| at | what | took | |\n|--:|---|--:|---|\n";
    std::size_t next = 0;
    const auto sleeps_before = [&](std::int64_t at) {
      for (; next < timeline.sleeps.size() && timeline.sleeps[next].begins_ns < at; ++next) {
        const TimelineSleep& sleep = timeline.sleeps[next];
        add("| {} | sleep {} by {} | {} | allowed {} to {} |\n",
            clock_text(core::Duration{sleep.begins_ns}), sleep.slot + 1, source_words(sleep.source),
            time_text(sleep.ns), time_text(sleep.low_ns), time_text(sleep.high_ns));
      }
    };
    for (const TimelineAttempt& attempt : timeline.attempts) {
      sleeps_before(attempt.begins_ns);
      add("| {} | call {} | {} | {}{} |\n", clock_text(core::Duration{attempt.begins_ns}),
          attempt.number, time_text(attempt.ends_ns - attempt.begins_ns),
          attempt.failure_class ? markdown_plain(*attempt.failure_class) + ": " : "",
          markdown_plain(attempt.text));
    }
    sleeps_before(core::Duration::max().count());
    if (timeline.shutdown_ns) {
      add("| {} | shutdown | | |\n", clock_text(core::Duration{*timeline.shutdown_ns}));
    }
  }

  void invariants() {
    text_ +=
        "\n## Invariants\n\n| | invariant | promise | checked | broken in "
        "|\n|--:|---|---|--:|--:|\n";
    for (const InvariantLine& line : document_.invariants) {
      add("| {} | {} | {} | {} | {} |\n", line.number, markdown_plain(line.name),
          markdown_plain(line.promise), count_text(line.checked), count_of(line.broken, "run"));
    }
  }

  void closing() {
    text_ += "\n## Scenarios\n\n| scenario | kind | tags | what it shows |\n|---|---|---|---|\n";
    for (const ScenarioLine& line : document_.scenarios) {
      add("| {} | {} | {} | {} |\n", markdown_plain(line.name), markdown_plain(line.kind),
          markdown_plain(fmt::format("{}", fmt::join(line.tags, ", "))),
          markdown_plain(line.summary));
    }
    text_ +=
        "\n## Thinned\n\nWhat is drawn of more than there is. Points of curves and single "
        "sleeps are in the JSON.\n\n| what | shown | of |\n|---|--:|--:|\n";
    for (const Thinned& one : document_.thinned) {
      add("| {} | {} | {} |\n", markdown_plain(one.what), count_text(one.shown),
          count_text(one.of));
    }
  }

  const Document& document_;
  std::string text_;
};

}  // namespace

std::string to_markdown(const Document& document) {
  return Page(document).draw();
}

}  // namespace squall::reports::reliability
