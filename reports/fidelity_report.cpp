// SPDX-License-Identifier: MIT
#include "reports/fidelity_report.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "reports/figures.hpp"

namespace squall::reports {

using analysis::ComparedSleep;
using Json = nlohmann::ordered_json;

namespace {

/// The longest of a disagreement's values that is shown in full.
constexpr std::size_t kValueColumnsMax = 60;

const FidelityOfScenario* widest_of(const FidelityReport& report) {
  const FidelityOfScenario* widest = nullptr;
  for (const FidelityOfScenario& one : report.scenarios) {
    if (one.agreement.worst_sleep &&
        (widest == nullptr ||
         one.agreement.largest_deviation() > widest->agreement.largest_deviation())) {
      widest = &one;
    }
  }
  return widest;
}

std::string sleep_text(const ComparedSleep& sleep) {
  return fmt::format("slot {}: {} simulated, {} over sockets", sleep.slot + 1,
                     seconds_text(sleep.simulated), seconds_text(sleep.real));
}

std::string pace_text(const FidelityOfScenario& one) {
  if (!one.time_scale) {
    return "stepped";
  }
  return *one.time_scale == 1 ? "real time" : fmt::format("{}x", *one.time_scale);
}

void add_line(std::string& text, const FidelityOfScenario& one, std::size_t name_width,
              const Style& style) {
  const bool agrees = one.agrees();
  text += fmt::format(
      "  {}  {}  {}  {}  {}  {}  {}\n",
      paint(style, agrees ? Tone::kGood : Tone::kBad, agrees ? "agrees " : "DIFFERS"),
      pad_right(one.name, name_width), pad_left(pace_text(one), 9),
      pad_right(label(one.outcome), 13), pad_left(count_of(one.agreement.calls.size(), "call"), 8),
      pad_left(count_of(one.agreement.sleeps.size(), "sleep"), 9),
      one.agreement.worst_sleep ? pad_left(seconds_text(one.agreement.largest_deviation()), 10)
                                : pad_left("-", 10));
  if (one.looks > 1) {
    text +=
        "             looked at twice: at first it differed, on a machine that was busy perhaps\n";
  }
  for (const analysis::Disagreement& difference : one.agreement.disagreements) {
    text += fmt::format("             {}: {} simulated, {} over sockets\n", difference.what,
                        excerpt(difference.simulated, kValueColumnsMax),
                        excerpt(difference.real, kValueColumnsMax));
  }
  if (one.agreement.largest_deviation() > one.tolerance) {
    text += fmt::format("             {}; allowed {}\n",
                        sleep_text(one.agreement.sleeps[*one.agreement.worst_sleep]),
                        seconds_text(one.tolerance));
  }
}

Json sleep_json(const ComparedSleep& sleep) {
  Json json;
  json["slot"] = sleep.slot;
  json["source"] = sleep.by_retry_after ? "retry_after" : "backoff";
  json["ordered_ns"] = sleep.ordered.count();
  json["simulated_ns"] = sleep.simulated.count();
  json["real_ns"] = sleep.real.count();
  json["deviation_ns"] = sleep.deviation().count();
  return json;
}

Json scenario_json(const FidelityOfScenario& one) {
  Json json;
  json["scenario"] = one.name;
  json["agrees"] = one.agrees();
  json["pace"] = one.time_scale ? "scaled" : "stepped";
  json["time_scale"] = one.time_scale ? Json(*one.time_scale) : Json(nullptr);
  json["tolerance_ns"] = one.tolerance.count();
  json["looks"] = one.looks;
  json["outcome"] = label(one.outcome);
  json["simulated_elapsed_ns"] = one.agreement.simulated_elapsed.count();
  json["real_elapsed_ns"] = one.agreement.real_elapsed.count();
  json["largest_deviation_ns"] = one.agreement.largest_deviation().count();
  json["disagreements"] = Json::array();
  for (const analysis::Disagreement& difference : one.agreement.disagreements) {
    json["disagreements"].push_back({{"what", difference.what},
                                     {"simulated", difference.simulated},
                                     {"real", difference.real}});
  }
  json["calls"] = Json::array();
  for (const analysis::ComparedCall& call : one.agreement.calls) {
    json["calls"].push_back({{"attempt", call.attempt},
                             {"simulated_at_ns", call.simulated_at.count()},
                             {"real_at_ns", call.real_at.count()}});
  }
  json["sleeps"] = Json::array();
  for (const ComparedSleep& sleep : one.agreement.sleeps) {
    json["sleeps"].push_back(sleep_json(sleep));
  }
  return json;
}

}  // namespace

bool FidelityReport::agrees() const {
  return std::all_of(scenarios.begin(), scenarios.end(),
                     [](const FidelityOfScenario& one) { return one.agrees(); });
}

std::string fidelity_text(const FidelityReport& report, const Style& style) {
  std::string text;
  std::size_t name_width = 0;
  for (const FidelityOfScenario& one : report.scenarios) {
    name_width = std::max(name_width, one.name.size());
  }
  text += fmt::format("           {}  {}  {}  {}  {}  {}\n", pad_right("", name_width),
                      pad_left("time", 9), pad_right("outcome", 13), pad_left("calls", 8),
                      pad_left("sleeps", 9), pad_left("apart", 10));
  for (const FidelityOfScenario& one : report.scenarios) {
    add_line(text, one, name_width, style);
  }
  const auto agreeing = static_cast<std::uint64_t>(
      std::count_if(report.scenarios.begin(), report.scenarios.end(),
                    [](const FidelityOfScenario& one) { return one.agrees(); }));
  text += fmt::format("\n{}, simulated and over real sockets (seed {}): {} agree, {} differ\n",
                      count_of(report.scenarios.size(), "scenario"), report.seed,
                      count_text(agreeing), count_text(report.scenarios.size() - agreeing));
  if (agreeing < report.scenarios.size() && report.scenarios.front().time_scale) {
    text += "where it is a close race, a late machine decides: a smaller --time-scale tells\n";
  }
  if (report.scenarios.size() < report.scenarios_asked) {
    text += fmt::format("interrupted: {} of {} played\n", count_text(report.scenarios.size()),
                        count_of(report.scenarios_asked, "scenario"));
  }
  if (const FidelityOfScenario* widest = widest_of(report)) {
    const ComparedSleep& sleep = widest->agreement.sleeps[*widest->agreement.worst_sleep];
    text += sleep.deviation() == core::Duration{0}
                ? "largest deviation of a sleep: none, to the nanosecond\n"
                : fmt::format("largest deviation of a sleep: {} ({}, {})\n",
                              seconds_text(sleep.deviation()), widest->name, sleep_text(sleep));
  }
  return text;
}

std::string fidelity_json(const FidelityReport& report) {
  Json json;
  json["seed"] = report.seed;
  json["scenarios_asked"] = report.scenarios_asked;
  json["agrees"] = report.agrees();
  const FidelityOfScenario* widest = widest_of(report);
  json["largest_deviation_ns"] =
      widest == nullptr ? 0 : widest->agreement.largest_deviation().count();
  json["scenarios"] = Json::array();
  for (const FidelityOfScenario& one : report.scenarios) {
    json["scenarios"].push_back(scenario_json(one));
  }
  return json.dump(2) + "\n";
}

}  // namespace squall::reports
