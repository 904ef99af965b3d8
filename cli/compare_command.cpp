// SPDX-License-Identifier: MIT
//
// squall compare: policies side by side in the same runs.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/comparison.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/gate_alarm.hpp"
#include "cli/gate_input.hpp"
#include "cli/progress.hpp"
#include "cli/scenario_source.hpp"
#include "reports/compare_report.hpp"

namespace squall::cli {
namespace {

struct Options {
  std::vector<std::string> policies;
  std::vector<std::string> scenarios;
  std::string runs = "1000";
  std::string seed = "1";
  std::string threads;
  OutputOptions output;
};

core::Expected<analysis::MeasureOptions, core::Error> measure_options(const Options& options,
                                                                      const Console& console) {
  const auto runs = parse_number("--runs", options.runs, 1, analysis::kGateRunsMax);
  if (!runs) {
    return core::Unexpected<core::Error>(runs.error());
  }
  const auto seed = parse_number("--seed", options.seed, 0, UINT64_MAX);
  if (!seed) {
    return core::Unexpected<core::Error>(seed.error());
  }
  const auto threads = threads_from(options.threads);
  if (!threads) {
    return core::Unexpected<core::Error>(threads.error());
  }
  return analysis::MeasureOptions{.seed = *seed,
                                  .runs = *runs,
                                  .threads = *threads,
                                  .interrupted = console.interrupted,
                                  .progress = {}};
}

int compare_policies(const Options& options, const Console& console) {
  auto measure = measure_options(options, console);
  if (!measure) {
    return input_error(console, measure.error());
  }
  std::vector<analysis::NamedPolicy> named;
  std::vector<core::RetryPolicy> policies;
  for (const std::string& word : options.policies) {
    const auto policy = load_policy(word);
    if (!policy) {
      return input_error(console, policy.error());
    }
    named.push_back({word, *policy});
    policies.push_back(*policy);
  }
  const auto pool = ScenarioPool::load(options.scenarios);
  if (!pool) {
    return input_error(console, pool.error());
  }
  reports::CompareReport report;
  const auto chosen = pool->choose(policies, options.policies, report.notes);
  if (!chosen) {
    return input_error(console, chosen.error());
  }
  std::vector<analysis::NamedScenario> scenarios;
  for (const analysis::NamedScenario* one : *chosen) {
    scenarios.push_back(*one);
  }
  {
    Progress progress(console, measure->runs * scenarios.size() * named.size());
    std::uint64_t done = 0;
    measure->progress = [&](std::uint64_t more) { progress.update(done += more); };
    report.comparison = analysis::compare(named, scenarios, *measure);
  }
  if (!report.comparison.unsound.empty()) {
    return sound_alarms(report.comparison.unsound, measure->seed, console);
  }
  if (report.comparison.interrupted) {
    console.err << "squall: interrupted: half a comparison says nothing\n";
    return kInterrupted;
  }
  return emit(console, options.output,
              options.output.json
                  ? reports::compare_json(report)
                  : reports::compare_text(report, style_for(console, options.output)),
              kFine);
}

}  // namespace

void add_compare_command(CLI::App& app, const Console& console, Chosen& chosen) {
  CLI::App* const command = app.add_subcommand(
      "compare", "Put policies side by side: the same scenarios, the same seeds, run by run");
  const auto options = std::make_shared<Options>();
  command->add_option("POLICY", options->policies, "Shipped names or policy files")
      ->type_name("")
      ->required()
      ->check(not_empty);
  command
      ->add_option("--scenarios", options->scenarios,
                   "Shipped names, files or folders (default: the shipped ones that play the\n"
                   "first shipped policy named, else those of the default policy)")
      ->type_name("NAME|FOLDER...")
      ->check(not_empty);
  command->add_option("--runs", options->runs, "Runs of each scenario, up to 100000 (default 1000)")
      ->type_name("N");
  command->add_option("--seed", options->seed, "Seed of all chance (default 1)")->type_name("S");
  command->add_option("--threads", options->threads, "Worker threads (default: one a core)")
      ->type_name("N")
      ->check(not_empty);
  add_output_options(*command, options->output);
  command->footer(
      "The best of a row is marked with *. Recovery is the time from the start of the last phase\n"
      "of a scenario to the end of a successful operation that was still under way then.\n"
      "\nExample:\n"
      "  squall compare default docs/examples/impatient.json --scenarios 503-storm-nine-minutes");
  command->callback([options, &console, &chosen] {
    chosen = [options, &console] { return compare_policies(*options, console); };
  });
}

}  // namespace squall::cli
