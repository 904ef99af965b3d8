// SPDX-License-Identifier: MIT
//
// squall replay: one run again, with its trace record by record.
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/runner.hpp"
#include "cli/scenario_source.hpp"
#include "reports/json_report.hpp"
#include "reports/run_text.hpp"
#include "reports/trace_text.hpp"
#include "simulator/simulation.hpp"

namespace squall::cli {
namespace {

struct Options {
  std::string scenario;
  std::string seed = "1";
  std::string run = "0";
  std::string policy;
  OutputOptions output;
};

int replay(const LoadedScenario& loaded, const std::optional<std::string>& policy_override,
           std::uint64_t seed, std::uint64_t run, const Options& options, const Console& console) {
  const playback::PreparedScenario prepared(loaded.scenario);
  simulator::Simulation simulation(prepared, console.interrupted);
  simulation.run(seed, run);
  const playback::RunResult& result = simulation.verify_determinism();
  if (result.interrupted) {
    console.err << "squall: interrupted before the run was over\n";
    return kInterrupted;
  }
  reports::CatalogueReport report{.scenarios = {}, .scenarios_asked = 1, .seed = seed, .runs = 1};
  report.scenarios.push_back(
      reports::make_run_report(subject_for(loaded, policy_override), prepared.scenario, result));
  sound_alarms(report.scenarios.front(), console);
  const auto& one = std::get<reports::RunReport>(report.scenarios.front());
  const reports::Style style = style_for(console, options.output);
  const std::string text = options.output.json ? reports::replay_json(one, result)
                                               : reports::run_text(one, style) + "\n" +
                                                     reports::trace_text(result, style);
  return emit(console, options.output, text, exit_code_for(report));
}

int replay_scenario(const Options& options, const Console& console) {
  const auto seed = parse_number("--seed", options.seed, 0, UINT64_MAX);
  if (!seed) {
    return input_error(console, seed.error());
  }
  const auto run = parse_number("--run", options.run, 0, kRunsMax - 1);
  if (!run) {
    return input_error(console, run.error());
  }
  LoadedScenarios loaded = load_scenarios({&options.scenario, 1});
  if (!loaded.errors.empty()) {
    return input_error(console, loaded.errors.front());
  }
  if (loaded.scenarios.size() != 1) {
    return usage_error(console, "replay takes one scenario, not a folder");
  }
  std::optional<std::string> policy_override;
  if (!options.policy.empty()) {
    const auto policy = load_policy(options.policy);
    if (!policy) {
      return input_error(console, policy.error());
    }
    policy_override = options.policy;
    replace_policy(loaded.scenarios.front(), *policy, options.policy);
  }
  return replay(loaded.scenarios.front(), policy_override, *seed, *run, options, console);
}

}  // namespace

void add_replay_command(CLI::App& app, const Console& console, Chosen& chosen) {
  CLI::App* const command =
      app.add_subcommand("replay", "Play one run again and print its whole trace");
  const auto options = std::make_shared<Options>();
  command->add_option("SCENARIO", options->scenario, "A shipped name or a file")
      ->type_name("")
      ->required();
  command->add_option("--seed", options->seed, "Seed of all chance (default 1)")->type_name("S");
  command->add_option("--run", options->run, "Number of the run (default 0)")->type_name("N");
  command
      ->add_option("--policy", options->policy,
                   "Run under this policy instead of the scenario's own")
      ->type_name("NAME|FILE")
      ->check(not_empty);
  add_output_options(*command, options->output);
  command->footer("Example:\n  squall replay 503-storm-nine-minutes --seed 7 --run 4711");
  command->callback([options, &console, &chosen] {
    chosen = [options, &console] { return replay_scenario(*options, console); };
  });
}

}  // namespace squall::cli
