// SPDX-License-Identifier: MIT
#include "reports/catalogue_text.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/time.hpp"
#include "reports/figures.hpp"
#include "reports/verdict_text.hpp"

namespace squall::reports {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

constexpr std::size_t kColumns = 5;
using Columns = std::array<std::string, kColumns>;

Columns columns_of(const RunReport& report) {
  const std::uint64_t sleeps = report.sleeps();
  return {report.subject.scenario, std::string(label(report.outcome)),
          count_text(report.attempts.size()), long_text(report.elapsed),
          sleeps == 0 ? "none" : fmt::format("{} in {}", long_text(report.slept()), sleeps)};
}

Columns columns_of(const BatchReport& report) {
  const simulator::BatchSummary& summary = report.summary;
  if (summary.runs == 0) {
    return {report.subject.scenario, "not run", "", "", ""};
  }
  const auto fewest = summary.attempts.begin()->first;
  const auto most = summary.attempts.rbegin()->first;
  const auto span = [](const simulator::LogHistogram& times) {
    const std::string middle = long_text(times.quantile(1, 2).value_or(core::Duration{0}));
    return fmt::format("{} / {}", middle, long_text(times.max().value_or(core::Duration{0})));
  };
  return {report.subject.scenario,
          fmt::format("{} success", share_text(summary.successes(), summary.runs)),
          fewest == most ? count_text(most)
                         : fmt::format("{}-{}", count_text(fewest), count_text(most)),
          span(summary.elapsed), span(summary.slept)};
}

/// What is wrong with a scenario and how to see it.
struct Notes {
  std::vector<std::string> findings;
  std::string replay;
};

Notes notes_of(const RunReport& report) {
  Notes notes;
  for (const playback::Violation& violation : report.violations) {
    notes.findings.push_back(fmt::format("{}: {}", label(violation.invariant), violation.message));
  }
  if (report.internal_error) {
    notes.findings.push_back(*report.internal_error);
  }
  notes.replay = replay_command(report.subject, report.seed, report.run);
  return notes;
}

Notes notes_of(const BatchReport& report) {
  Notes notes;
  std::uint64_t run = 0;
  if (report.summary.unsound) {
    notes.findings = report.summary.unsound->findings;
    run = report.summary.unsound->run;
  } else if (report.summary.unmet) {
    run = report.summary.unmet->run;
  }
  notes.replay = replay_command(report.subject, report.summary.seed, run);
  return notes;
}

const Verdict& verdict_of(const ScenarioReport& report) {
  return std::visit([](const auto& one) -> const Verdict& { return one.verdict; }, report);
}

std::string marked(const ScenarioReport& report, const Style& style) {
  if (is_sound(report) && as_expected(report)) {
    return paint(style, Tone::kGood, "ok  ");
  }
  return paint(style, Tone::kBad, is_sound(report) ? "FAIL" : "BUG ");
}

std::string notes_text(const ScenarioReport& report, const Style& style) {
  Notes notes = std::visit([](const auto& one) { return notes_of(one); }, report);
  for (const Expectation& expectation : verdict_of(report).expectations) {
    if (!expectation.met) {
      notes.findings.push_back(expectation.finding);
    }
  }
  if (notes.findings.empty()) {
    return {};
  }
  std::string text;
  for (const std::string& finding : notes.findings) {
    text += fmt::format("        {}\n", paint(style, Tone::kBad, excerpt(finding, 400)));
  }
  return text + fmt::format("        {}\n", notes.replay);
}

std::string total_text(const CatalogueReport& report, const Style& style) {
  const CatalogueTotals totals = totals_of(report);
  const bool checked =
      std::all_of(report.scenarios.begin(), report.scenarios.end(),
                  [](const ScenarioReport& scenario) { return verdict_of(scenario).checked; });
  const std::uint64_t failed = totals.unexpected + totals.unsound;
  std::string text = count_of(report.scenarios.size(), "scenario");
  if (report.runs > 1) {
    text += fmt::format(", {} each", count_of(report.runs, "run"));
  }
  text += checked ? fmt::format(
                        ": {} as expected, {} not",
                        paint(style, Tone::kGood, count_text(totals.as_expected)),
                        paint(style, failed == 0 ? Tone::kPlain : Tone::kBad, count_text(failed)))
                  : ": expectations not checked, they are written for the scenarios' own policies";
  text += fmt::format("\n{}\n{} of virtual time, seed {}\n",
                      invariants_text(totals.checks, totals.runs_unsound),
                      long_text(totals.virtual_time), report.seed);
  if (totals.success_rates_left_out > 0) {
    text += fmt::format("not judged in a single run: {} (add --runs 10k)\n",
                        count_of(totals.success_rates_left_out, "success rate"));
  }
  if (is_interrupted(report)) {
    text += fmt::format("interrupted after {} of {}\n", count_text(runs_done(report)),
                        count_of(report.runs * report.scenarios_asked, "run"));
  }
  return text;
}

void add_checks(const playback::CheckCounts& from, playback::CheckCounts& into) {
  for (std::size_t i = 0; i < into.size(); ++i) {
    into[i] += from[i];
  }
}

core::Duration saturated(simulator::LogHistogram::Wide nanoseconds) {
  const auto max = static_cast<simulator::LogHistogram::Wide>(core::Duration::max().count());
  return core::Duration{static_cast<core::Duration::rep>(std::min(nanoseconds, max))};
}

core::Duration saturating_sum(core::Duration left, core::Duration right) {
  return core::saturating_add(core::Instant(left), right).time_since_epoch();
}

}  // namespace

bool as_expected(const ScenarioReport& report) {
  return std::visit(Overloaded{[](const RunReport& run) { return run.verdict.as_expected(); },
                               [](const BatchReport& batch) {
                                 return batch.verdict.as_expected() &&
                                        (!batch.verdict.checked || batch.summary.as_expected());
                               }},
                    report);
}

bool is_sound(const ScenarioReport& report) {
  return std::visit([](const auto& one) { return one.sound(); }, report);
}

const Subject& subject_of(const ScenarioReport& report) {
  return std::visit([](const auto& one) -> const Subject& { return one.subject; }, report);
}

std::uint64_t runs_done(const CatalogueReport& report) {
  std::uint64_t runs = 0;
  for (const ScenarioReport& scenario : report.scenarios) {
    const auto* batch = std::get_if<BatchReport>(&scenario);
    runs += batch == nullptr ? 1 : batch->summary.runs;
  }
  return runs;
}

bool is_interrupted(const CatalogueReport& report) {
  return runs_done(report) < report.runs * report.scenarios_asked;
}

CatalogueTotals totals_of(const CatalogueReport& report) {
  CatalogueTotals totals;
  for (const ScenarioReport& scenario : report.scenarios) {
    if (!is_sound(scenario)) {
      ++totals.unsound;
    } else if (as_expected(scenario)) {
      ++totals.as_expected;
    } else {
      ++totals.unexpected;
    }
    totals.success_rates_left_out += verdict_of(scenario).success_rate_left_out ? 1U : 0U;
    std::visit(Overloaded{[&](const RunReport& run) {
                            add_checks(run.checks, totals.checks);
                            totals.runs_unsound += run.sound() ? 0U : 1U;
                            totals.virtual_time = saturating_sum(totals.virtual_time, run.elapsed);
                          },
                          [&](const BatchReport& batch) {
                            add_checks(batch.summary.checks, totals.checks);
                            totals.runs_unsound += batch.summary.runs_unsound;
                            totals.virtual_time = saturating_sum(
                                totals.virtual_time, saturated(batch.summary.elapsed.sum()));
                          }},
               scenario);
  }
  return totals;
}

std::string catalogue_text(const CatalogueReport& report, const Style& style, bool only_notable) {
  const bool many = report.runs > 1;
  std::vector<Columns> table;
  table.push_back({"scenario", "outcome", "calls", many ? "elapsed p50 / max" : "elapsed",
                   many ? "slept p50 / max" : "slept"});
  for (const ScenarioReport& scenario : report.scenarios) {
    table.push_back(std::visit([](const auto& one) { return columns_of(one); }, scenario));
  }
  std::array<std::size_t, kColumns> widths{};
  for (const Columns& row : table) {
    for (std::size_t i = 0; i < kColumns; ++i) {
      widths[i] = std::max(widths[i], columns(row[i]));
    }
  }
  const auto line = [&](const Columns& row) {
    std::string text = fmt::format("{}  {}  {}  {}  {}", pad_right(row[0], widths[0]),
                                   pad_right(row[1], widths[1]), pad_left(row[2], widths[2]),
                                   pad_left(row[3], widths[3]), pad_left(row[4], widths[4]));
    return text + '\n';
  };
  std::string lines;
  for (std::size_t i = 0; i < report.scenarios.size(); ++i) {
    const ScenarioReport& scenario = report.scenarios[i];
    const bool notable = !as_expected(scenario) || !is_sound(scenario);
    if (!only_notable || notable) {
      lines +=
          "  " + marked(scenario, style) + "  " + line(table[i + 1]) + notes_text(scenario, style);
    }
  }
  if (lines.empty() && only_notable) {
    return {};
  }
  const std::string heads = line(table[0]);
  return paint(style, Tone::kFaint, "        " + heads.substr(0, heads.size() - 1)) + '\n' + lines +
         '\n' + total_text(report, style);
}

}  // namespace squall::reports
