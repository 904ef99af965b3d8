// SPDX-License-Identifier: MIT
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
  for (const GateFinding& finding : findings_of(report, Change::kRegressed)) {
    std::string place;
    if (const std::string& file = report.places[finding.policy].file; !file.empty()) {
      place = fmt::format("file={},line={},", escaped_property(file), line_of(report, finding));
    }
    const std::string title =
        fmt::format("squall gate: {}: {}", finding.of->name, place_words(finding));
    text += fmt::format(
        "::error {}title={}::{}\n", place, escaped_property(title),
        escaped_message(fmt::format("{} ({})", sentence(finding), measure_words(finding))));
  }
  return text +
         fmt::format("::notice title=squall gate::{}\n", escaped_message(verdict_words(report)));
}

}  // namespace squall::reports
