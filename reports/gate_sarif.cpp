// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "playback/trace.hpp"
#include "reports/figures.hpp"
#include "reports/gate_report.hpp"
#include "reports/gate_words.hpp"
#include "reports/json_report.hpp"

namespace squall::reports {
namespace {

using analysis::Change;

/// A path as a relative URI reference: what has a meaning in URIs is percent-encoded.
std::string uri_of(std::string_view path) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
  if (path.starts_with("./")) {
    path.remove_prefix(2);
  }
  std::string uri;
  for (const char character : path) {
    if (kPlain.find(character) != std::string_view::npos) {
      uri += character;
    } else {
      uri += fmt::format("%{:02X}", static_cast<std::uint8_t>(character));
    }
  }
  return uri;
}

Json rules() {
  Json rules = Json::array();
  for (const analysis::MetricInfo& info : analysis::kMetrics) {
    rules.push_back({{"id", info.name},
                     {"shortDescription", {{"text", fmt::format("{} got worse", info.title)}}},
                     {"fullDescription", {{"text", info.meaning}}},
                     {"defaultConfiguration", {{"level", "error"}}}});
  }
  return rules;
}

Json result(const GateReport& report, const GateFinding& finding) {
  const analysis::MetricInfo& info = analysis::info_of(finding.metric->metric);
  Json object;
  object["ruleId"] = info.name;
  object["ruleIndex"] = static_cast<std::size_t>(info.metric);
  object["level"] = "error";
  object["message"]["text"] = fmt::format("{}: {}: {} ({})", finding.of->name, place_words(finding),
                                          sentence(finding), measure_words(finding));
  const GatePlace& place = report.places[finding.policy];
  if (!place.file.empty()) {
    Json physical;
    physical["artifactLocation"]["uri"] = uri_of(place.file);
    physical["region"]["startLine"] = line_of(report, finding);
    object["locations"].push_back({{"physicalLocation", std::move(physical)}});
  }
  // Tells the same finding of two uploads; not its figures, which may move.
  const std::string key =
      fmt::format("{}/{}/{}", finding.of->name, place_words(finding), info.name);
  object["partialFingerprints"]["squallGate/v1"] = digest_text(playback::digest_of(key));
  return object;
}

}  // namespace

std::string gate_sarif(const GateReport& report, std::string_view version) {
  Json driver;
  driver["name"] = "squall";
  driver["semanticVersion"] = version;
  driver["rules"] = rules();
  Json run;
  run["tool"]["driver"] = std::move(driver);
  run["columnKind"] = "utf16CodeUnits";
  run["results"] = Json::array();
  for (const GateFinding& finding : findings_of(report, Change::kRegressed)) {
    run["results"].push_back(result(report, finding));
  }
  Json document;
  document["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
  document["version"] = "2.1.0";
  document["runs"].push_back(std::move(run));
  return json_text(document);
}

}  // namespace squall::reports
