// SPDX-License-Identifier: MIT
//
// squall scenarios: lists the shipped scenarios, or prints the file of one.
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/scenario_source.hpp"
#include "reports/figures.hpp"
#include "reports/json_report.hpp"
#include "scenarios/catalogue.hpp"
#include "scenarios/wording.hpp"

namespace squall::cli {
namespace {

using reports::Tone;

struct Options {
  std::string scenario;
  std::string tag;
  OutputOptions output;
};

std::string list_text(const std::vector<const scenarios::Scenario*>& shown,
                      const reports::Style& style) {
  std::size_t width = 0;
  for (const scenarios::Scenario* scenario : shown) {
    width = std::max(width, scenario->name.size());
  }
  std::string text;
  for (const scenarios::Scenario* scenario : shown) {
    text +=
        fmt::format("  {}  {}\n  {}  {}\n",
                    paint(style, Tone::kStrong, reports::pad_right(scenario->name, width)),
                    scenario->summary, std::string(width, ' '),
                    paint(style, Tone::kFaint, fmt::format("{}", fmt::join(scenario->tags, ", "))));
  }
  return text + "\n" + reports::count_of(shown.size(), "scenario") + "\n";
}

std::string list_json(const std::vector<const scenarios::Scenario*>& shown) {
  reports::Json document = reports::json_document("scenarios");
  document["scenarios"] = reports::Json::array();
  for (const scenarios::Scenario* scenario : shown) {
    document["scenarios"].push_back({{"name", scenario->name},
                                     {"summary", scenario->summary},
                                     {"source", scenario->source},
                                     {"tags", scenario->tags},
                                     {"policy", scenario->policy_name}});
  }
  return reports::json_text(document);
}

int list(const Options& options, const Console& console) {
  const LoadedScenarios library = load_scenarios({});
  if (!library.errors.empty()) {
    return input_error(console, library.errors.front());
  }
  std::vector<const scenarios::Scenario*> shown;
  std::set<std::string> tags;
  for (const LoadedScenario& loaded : library.scenarios) {
    const std::vector<std::string>& own = loaded.scenario.tags;
    tags.insert(own.begin(), own.end());
    if (options.tag.empty() || std::find(own.begin(), own.end(), options.tag) != own.end()) {
      shown.push_back(&loaded.scenario);
    }
  }
  if (shown.empty() && !options.tag.empty()) {
    const std::vector<std::string> known(tags.begin(), tags.end());
    return usage_error(
        console, fmt::format("--tag: no scenario carries {}{}, allowed: {}",
                             scenarios::in_quotes(options.tag),
                             scenarios::did_you_mean(options.tag, known), scenarios::join(known)));
  }
  return emit(
      console, options.output,
      options.output.json ? list_json(shown) : list_text(shown, style_for(console, options.output)),
      kFine);
}

int show(const Options& options, const Console& console) {
  if (const auto file = scenarios::find_library_file(options.scenario)) {
    return emit(console, options.output, file->text, kFine);
  }
  std::vector<std::string> names;
  for (const scenarios::StoredFile& file : scenarios::library_files()) {
    names.emplace_back(file.name);
  }
  return usage_error(console, fmt::format("no scenario is called {}{}; squall scenarios lists them",
                                          scenarios::in_quotes(options.scenario),
                                          scenarios::did_you_mean(options.scenario, names)));
}

}  // namespace

void add_scenarios_command(CLI::App& app, const Console& console, Chosen& chosen) {
  CLI::App* const command =
      app.add_subcommand("scenarios", "List the shipped scenarios, or print the file of one");
  const auto options = std::make_shared<Options>();
  command->add_option("SCENARIO", options->scenario, "A shipped name")->type_name("");
  command->add_option("--tag", options->tag, "List only scenarios that carry this tag")
      ->type_name("TAG");
  add_output_options(*command, options->output);
  command->footer("Example:\n  squall scenarios healthy-answer > healthy-answer.json");
  command->callback([options, &console, &chosen] {
    chosen = [options, &console] {
      return options->scenario.empty() ? list(*options, console) : show(*options, console);
    };
  });
}

}  // namespace squall::cli
