// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "reports/figures.hpp"
#include "reports/gate_report.hpp"
#include "reports/gate_words.hpp"
#include "reports/markdown.hpp"

namespace squall::reports {
namespace {

using analysis::Change;

/// A comment on GitHub holds 65536 characters; a finding takes some 300 of them.
constexpr std::size_t kFindingsMax = 100;

std::string table(const GateReport& report, const std::vector<GateFinding>& findings) {
  std::string text =
      "| where | metric | before | after | change | threshold |\n|---|---|--:|--:|--:|---|\n";
  const std::size_t shown = std::min(findings.size(), kFindingsMax);
  for (std::size_t i = 0; i < shown; ++i) {
    const GateFinding& finding = findings[i];
    const auto [before, after] = before_and_after(*finding.metric);
    const std::string where = report.policies.size() > 1
                                  ? finding.of->name + ": " + place_words(finding)
                                  : place_words(finding);
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", markdown_plain(where),
                        analysis::info_of(finding.metric->metric).title, markdown_plain(before),
                        markdown_plain(after), markdown_plain(change_text(*finding.metric)),
                        markdown_plain(threshold_text(*finding.metric)));
  }
  if (findings.size() > shown) {
    text += fmt::format("\n... and {} more.\n", count_text(findings.size() - shown));
  }
  return text;
}

std::string sentences(const std::vector<GateFinding>& findings) {
  std::string text;
  for (std::size_t i = 0; i < std::min(findings.size(), kFindingsMax); ++i) {
    const GateFinding& finding = findings[i];
    text += fmt::format("- {}: {} ({}).\n", markdown_plain(place_words(finding)),
                        markdown_plain(sentence(finding)), markdown_plain(measure_words(finding)));
  }
  return text;
}

std::string folded(const GateReport& report, std::string_view title,
                   const std::vector<GateFinding>& findings) {
  return findings.empty()
             ? std::string()
             : fmt::format("\n<details><summary>{}: {}</summary>\n\n{}\n{}\n</details>\n", title,
                           count_text(findings.size()), table(report, findings),
                           sentences(findings));
}

}  // namespace

std::string gate_markdown(const GateReport& report) {
  const std::vector<GateFinding> worse = findings_of(report, Change::kRegressed);
  std::string text = fmt::format(
      "### squall gate: {}\n\n{} against {}: {}.\n\n", report.passes() ? "passes" : "regression",
      markdown_plain(report.candidate), markdown_plain(report.baseline), verdict_words(report));
  for (const analysis::PolicyChange& policy : report.policies) {
    text +=
        fmt::format("- {}: {}\n", markdown_plain(policy.name), markdown_plain(parts_words(policy)));
  }
  for (const std::string& note : report.notes) {
    text += fmt::format("- {}\n", markdown_plain(note));
  }
  if (!worse.empty()) {
    text += fmt::format("\n**Worse**\n\n{}\n{}", table(report, worse), sentences(worse));
  }
  text += folded(report, "Better", findings_of(report, Change::kImproved));
  text += folded(report, "Changed within thresholds", findings_of(report, Change::kWithin));
  text += fmt::format("\n{} each, the same seeds on both sides (seed {}).\n",
                      count_of(report.runs, "run"), report.seed);
  return text;
}

}  // namespace squall::reports
