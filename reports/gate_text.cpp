// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "reports/compare_table.hpp"
#include "reports/figures.hpp"
#include "reports/gate_report.hpp"
#include "reports/gate_words.hpp"

namespace squall::reports {
namespace {

using analysis::Change;

/// More of one kind than anybody reads on a terminal; the other formats list all.
constexpr std::size_t kRowsMax = 40;
constexpr std::size_t kNameColumns = 60;

class Page {
 public:
  Page(const GateReport& report, const Style& style) : report_(report), style_(style) {}

  std::string draw(bool quiet) {
    if (quiet && report_.passes()) {
      return {};
    }
    header();
    std::vector<TableRow> rows{
        {.cells = {"", "where", "metric", "before", "after", "change", "threshold"}}};
    add(rows, Change::kRegressed, paint(style_, Tone::kBad, "WORSE"));
    if (!quiet) {
      add(rows, Change::kImproved, paint(style_, Tone::kGood, "better"));
      // Of what changed within its threshold, the few figures that are exact.
      add(rows, Change::kWithin, "within", /*only_bounds=*/true);
    }
    if (rows.size() > 1) {
      const std::vector<Align> aligns{Align::kLeft,  Align::kLeft,  Align::kLeft, Align::kRight,
                                      Align::kRight, Align::kRight, Align::kLeft};
      text_ += '\n' + aligned_table(style_, aligns, rows);
    }
    verdict();
    return std::move(text_);
  }

 private:
  void header() {
    text_ = fmt::format("{} against {}\n",
                        paint(style_, Tone::kStrong, excerpt(report_.candidate, kNameColumns)),
                        excerpt(report_.baseline, kNameColumns));
    std::size_t scenarios = 0;
    for (const analysis::PolicyChange& policy : report_.policies) {
      text_ += name_field(style_, excerpt(policy.name, kNameColumns), parts_words(policy));
      scenarios += policy.scenarios.size();
    }
    text_ += field(
        style_, "played",
        fmt::format("{}, {} each, the same seeds on both sides (seed {})",
                    count_of(scenarios, "scenario"), count_of(report_.runs, "run"), report_.seed));
    for (const std::string& note : report_.notes) {
      text_ += field(style_, "note", note);
    }
  }

  void add(std::vector<TableRow>& rows, Change change, const std::string& mark,
           bool only_bounds = false) const {
    std::vector<GateFinding> findings = findings_of(report_, change);
    if (only_bounds) {
      std::erase_if(findings, [](const GateFinding& one) { return one.bound == nullptr; });
    }
    const std::size_t shown = std::min(findings.size(), kRowsMax);
    for (std::size_t i = 0; i < shown; ++i) {
      const GateFinding& finding = findings[i];
      const auto [before, after] = before_and_after(*finding.metric);
      std::string where = place_words(finding);
      if (report_.policies.size() > 1) {
        where = finding.of->name + ": " + where;
      }
      TableRow row{.cells = {mark, where,
                             std::string(analysis::info_of(finding.metric->metric).title), before,
                             after, change_text(*finding.metric), threshold_text(*finding.metric)}};
      // What is said of this row and of the next ones alike is said once, below the last of them.
      const std::string cause = cause_words(finding);
      if (i + 1 == shown || cause_words(findings[i + 1]) != cause) {
        row.below = paint(style_, Tone::kFaint, wrapped(style_, kBelowIndent, cause));
      }
      rows.push_back(std::move(row));
    }
    if (findings.size() > shown) {
      rows.push_back({.cells = {mark, fmt::format("... and {} more (--json lists all)",
                                                  count_text(findings.size() - shown))}});
    }
  }

  void verdict() {
    for (const GateFinding& finding : findings_of(report_, Change::kUnknown)) {
      text_ += field(
          style_, "not judged",
          fmt::format("worst case of {}: {}", place_words(finding), finding.bound->not_computed));
    }
    text_ += fmt::format("\n{}: {}\n",
                         report_.passes() ? paint(style_, Tone::kGood, "passes")
                                          : paint(style_, Tone::kBad, "regression"),
                         verdict_words(report_));
  }

  const GateReport& report_;
  const Style& style_;
  std::string text_;
};

}  // namespace

std::string gate_text(const GateReport& report, const Style& style, bool quiet) {
  return Page(report, style).draw(quiet);
}

}  // namespace squall::reports
