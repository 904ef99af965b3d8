// SPDX-License-Identifier: MIT
#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "reports/gate_report.hpp"
#include "reports/gate_words.hpp"

namespace squall::reports {
namespace {

using analysis::Change;

std::string escaped(std::string_view text, std::string_view also) {
  std::string out;
  for (const char character : text) {
    if (character == '%' || character == '\r' || character == '\n' ||
        also.find(character) != std::string_view::npos) {
      out += fmt::format("%{:02X}", static_cast<unsigned>(character));
    } else {
      out += character;
    }
  }
  return out;
}

}  // namespace

std::string escaped_message(std::string_view text) {
  return escaped(text, "");
}

std::string escaped_property(std::string_view text) {
  return escaped(text, ":,");
}

std::string gate_annotations(const GateReport& report) {
  std::string text;
  // One annotation a scenario: GitHub shows ten of them a step.
  const std::vector<GateFinding> findings = findings_of(report, Change::kRegressed);
  for (std::size_t i = 0; i < findings.size();) {
    const GateFinding& finding = findings[i];
    std::string place;
    if (const std::string& file = report.places[finding.policy].file; !file.empty()) {
      place = fmt::format("file={},line={},", escaped_property(file), line_of(report, finding));
    }
    const std::string title =
        fmt::format("squall gate: {}: {}", finding.of->name, place_words(finding));
    std::string words;
    for (; i < findings.size() && findings[i].scenario == finding.scenario &&
           findings[i].bound == finding.bound;
         ++i) {
      words += words.empty() ? "" : "\n";
      words += fmt::format("{} ({})", sentence(findings[i]), measure_words(findings[i]));
    }
    text += fmt::format("::error {}title={}::{}\n", place, escaped_property(title),
                        escaped_message(words));
  }
  return text +
         fmt::format("::notice title=squall gate::{}\n", escaped_message(verdict_words(report)));
}

}  // namespace squall::reports
