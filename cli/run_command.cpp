// SPDX-License-Identifier: MIT
//
// squall run: plays scenarios and checks what they expect.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/arguments.hpp"
#include "cli/bless.hpp"
#include "cli/commands.hpp"
#include "cli/outputs.hpp"
#include "cli/runner.hpp"
#include "cli/scenario_source.hpp"
#include "core/connector/policy.hpp"
#include "reports/batch_text.hpp"
#include "reports/catalogue_text.hpp"
#include "reports/figures.hpp"
#include "reports/json_report.hpp"
#include "reports/perfetto.hpp"
#include "reports/run_text.hpp"
#include "scenarios/files.hpp"
#include "telemetry/store.hpp"

namespace squall::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> scenarios;
  std::string runs = "1";
  std::string seed = "1";
  std::string policy;
  std::string threads;
  std::string database;
  std::string perfetto;
  bool verify_determinism = false;
  bool bless = false;
  OutputOptions output;
};

core::Expected<RunPlan, core::Error> plan_from(const Options& options) {
  RunPlan plan{.seed = 1,
               .runs = 1,
               .threads = std::clamp(std::thread::hardware_concurrency(), 1U, kThreadsMax),
               .verify_determinism = options.verify_determinism};
  const auto runs = parse_run_count("--runs", options.runs);
  if (!runs) {
    return tl::unexpected(runs.error());
  }
  plan.runs = *runs;
  const auto seed = parse_number("--seed", options.seed, 0, UINT64_MAX);
  if (!seed) {
    return tl::unexpected(seed.error());
  }
  plan.seed = *seed;
  if (!options.threads.empty()) {
    const auto threads = parse_number("--threads", options.threads, 1, kThreadsMax);
    if (!threads) {
      return tl::unexpected(threads.error());
    }
    plan.threads = static_cast<unsigned>(*threads);
  }
  return plan;
}

std::string text_of(const reports::CatalogueReport& report, const reports::Style& style,
                    bool one_scenario, bool quiet) {
  if (!one_scenario || report.scenarios.empty()) {
    return reports::catalogue_text(report, style, quiet);
  }
  if (quiet && exit_code_for(report) == kFine) {
    return {};
  }
  const reports::ScenarioReport& only = report.scenarios.front();
  if (const auto* run = std::get_if<reports::RunReport>(&only)) {
    return reports::run_text(*run, style);
  }
  return reports::batch_text(std::get<reports::BatchReport>(only), style);
}

std::string json_of(const reports::CatalogueReport& report, bool one_scenario) {
  if (!one_scenario || report.scenarios.empty()) {
    return reports::catalogue_json(report);
  }
  const reports::ScenarioReport& only = report.scenarios.front();
  if (const auto* run = std::get_if<reports::RunReport>(&only)) {
    return reports::run_json(*run);
  }
  return reports::batch_json(std::get<reports::BatchReport>(only));
}

/// Whether the words name one scenario, as opposed to a folder that happens to hold one.
bool names_one_scenario(const std::vector<LoadedScenario>& loaded) {
  return loaded.size() == 1 && !loaded.front().whole_folder;
}

void say_left(const Console& console, const std::string& file) {
  console.err << "squall: " << file << " is left as it was: the results are not complete\n";
}

int print_report(const reports::CatalogueReport& report, bool one_scenario, const Options& options,
                 const Console& console) {
  for (const reports::ScenarioReport& scenario : report.scenarios) {
    sound_alarms(scenario, console);
  }
  const int code = exit_code_for(report);
  if (reports::is_interrupted(report)) {
    console.err << "squall: interrupted after " << reports::count_text(reports::runs_done(report))
                << " of " << reports::count_of(report.runs * report.scenarios_asked, "run") << '\n';
  }
  OutputOptions output = options.output;
  if (reports::is_interrupted(report) && !output.file.empty()) {
    say_left(console, output.file);
    output.file.clear();
  }
  return emit(console, output,
              options.output.json ? json_of(report, one_scenario)
                                  : text_of(report, style_for(console, options.output),
                                            one_scenario, options.output.quiet),
              code);
}

/// Has every scenario run under `policy`. A tool call takes policies of its own kind only: one that
/// came with its folder is left out, one that was named is an error.
core::Expected<void, core::Error> replace_policies(std::vector<LoadedScenario>& loaded,
                                                   const core::RetryPolicy& policy,
                                                   const std::string& name,
                                                   const Console& console) {
  const auto fits_tool_calls = core::connector::validate_connector_policy(policy);
  std::size_t left_out = 0;
  std::vector<LoadedScenario> kept;
  for (LoadedScenario& one : loaded) {
    const bool is_tool_call = one.scenario.operation.kind() == scenarios::OperationKind::kToolCall;
    if (is_tool_call && !fits_tool_calls) {
      if (!one.whole_folder) {
        core::Error error = fits_tool_calls.error();
        error.message = one.reference + " is a tool call, which the policy " + name +
                        " does not fit: " + error.message;
        return tl::unexpected(std::move(error));
      }
      ++left_out;
      continue;
    }
    replace_policy(one, policy, name);
    kept.push_back(std::move(one));
  }
  if (left_out > 0) {
    console.err << "squall: left out " << reports::count_of(left_out, "tool call")
                << ", which the policy " << name << " does not fit\n";
  }
  loaded = std::move(kept);
  return {};
}

/// Runs are what they are without their rows; but whoever asked for rows must hear that some are
/// missing.
int with_losses(telemetry::Store& store, const std::string& file, int code,
                const Console& console) {
  store.flush();
  if (store.dropped() == 0) {
    return code;
  }
  console.err << "squall: " << file << ": " << reports::count_of(store.dropped(), "row")
              << " could not be stored and are missing\n";
  return code == kFine ? kBadInput : code;
}

/// Says before anything is run why the trace cannot go where it is wanted.
std::optional<core::Error> bad_trace_file(const Options& options) {
  constexpr std::string_view kOption = "--perfetto";
  const std::string& path = options.perfetto;
  if (path.empty()) {
    return std::nullopt;
  }
  if (auto error = unwritable(kOption, path)) {
    return error;
  }
  std::error_code ignored;
  const auto real = [&ignored](const std::string& file) {
    return fs::weakly_canonical(fs::absolute(file), ignored);
  };
  for (const auto& [option, file] :
       {std::pair<std::string_view, const std::string&>{"--output", options.output.file},
        {"--db", options.database}}) {
    if (!file.empty() && real(file) == real(path)) {
      return output_complaint(kOption, path, "is what " + std::string(option) + " names");
    }
  }
  // Its content comes later, and no trace has the bytes of these.
  return refusal_to_replace(path, {});
}

/// Writes the runs as a trace, unless some are missing. @return `code`, or kBadInput after one
/// line.
int write_trace(const std::string& path, const std::vector<std::string>& runs, bool complete,
                int code, const Console& console) {
  if (!complete) {
    say_left(console, path);
    return code;
  }
  const auto written = scenarios::write_file(path, reports::perfetto_text(runs));
  return written ? code : input_error(console, written.error());
}

int run_scenarios(const Options& options, const Console& console) {
  auto plan = plan_from(options);
  if (!plan) {
    return input_error(console, plan.error());
  }
  if (options.bless && (!options.policy.empty() || plan->seed != reports::kGoldenSeed)) {
    return usage_error(console,
                       "--bless goes with neither --policy nor another --seed: golden "
                       "digests are those of seed 1 under the scenario's own policy");
  }
  if (const auto bad = bad_trace_file(options)) {
    return input_error(console, *bad);
  }
  LoadedScenarios loaded = load_scenarios(options.scenarios);
  if (!loaded.errors.empty()) {
    for (const core::Error& error : loaded.errors) {
      (void)input_error(console, error);
    }
    return kBadInput;
  }
  std::optional<std::string> policy_override;
  if (!options.policy.empty()) {
    const auto policy = load_policy(options.policy);
    if (!policy) {
      return input_error(console, policy.error());
    }
    policy_override = options.policy;
    if (const auto replaced = replace_policies(loaded.scenarios, *policy, options.policy, console);
        !replaced) {
      return input_error(console, replaced.error());
    }
  }
  if (options.bless) {
    if (const int code = bless(loaded.scenarios, console); code != kFine) {
      return code;
    }
  }
  std::unique_ptr<telemetry::Store> store;
  if (!options.database.empty()) {
    auto opened = telemetry::Store::open(options.database, [&console](const std::string& words) {
      console.err << "squall: " << words << '\n';
    });
    if (!opened) {
      return input_error(console, opened.error());
    }
    store = *std::move(opened);
    plan->store = store.get();
  }
  std::vector<std::string> traces;
  plan->perfetto = options.perfetto.empty() ? nullptr : &traces;
  const bool one_scenario = names_one_scenario(loaded.scenarios);
  const reports::CatalogueReport report =
      run_all(std::move(loaded.scenarios), policy_override, *plan, console);
  int code = print_report(report, one_scenario, options, console);
  if (plan->perfetto != nullptr) {
    code = write_trace(options.perfetto, traces, !reports::is_interrupted(report), code, console);
  }
  return store == nullptr ? code : with_losses(*store, options.database, code, console);
}

}  // namespace

void add_output_options(CLI::App& command, OutputOptions& options) {
  command.add_flag("--json", options.json, "Print JSON for programs");
  command
      .add_option("--output", options.file,
                  "Write to FILE what would be printed, all of it or nothing")
      ->type_name("FILE")
      ->check(not_empty);
  command.add_flag("--no-color", options.no_color, "No colours, as with NO_COLOR set");
}

void add_run_command(CLI::App& app, const Console& console, Chosen& chosen) {
  CLI::App* const command =
      app.add_subcommand("run", "Run scenarios under the virtual clock and check what they expect");
  const auto options = std::make_shared<Options>();
  command
      ->add_option("SCENARIO", options->scenarios,
                   "Shipped names, files or folders; nothing named runs every shipped scenario")
      ->type_name("");
  command
      ->add_option(
          "--runs", options->runs,
          "Runs of each scenario: 1000, 10k, 1M (default 1); more than one judges success_rate")
      ->type_name("N");
  command->add_option("--seed", options->seed, "Seed of all chance (default 1)")->type_name("S");
  command
      ->add_option("--policy", options->policy,
                   "Run under this policy instead of the scenario's own; judges invariants only")
      ->type_name("NAME|FILE")
      ->check(not_empty);
  command->add_option("--threads", options->threads, "Worker threads (default: one a core)")
      ->type_name("N")
      ->check(not_empty);
  command
      ->add_option("--db", options->database,
                   "Add the telemetry of every run to this database (see squall db)")
      ->type_name("FILE")
      ->check(not_empty);
  command
      ->add_option("--perfetto", options->perfetto,
                   "Write the first run of each scenario to FILE as a trace for ui.perfetto.dev or "
                   "chrome://tracing")
      ->type_name("FILE")
      ->check(not_empty);
  command->add_flag("--verify-determinism", options->verify_determinism,
                    "Play every run twice and compare");
  command->add_flag("--bless", options->bless,
                    "Rewrite the golden digests beside the scenarios, after a wanted change");
  add_output_options(*command, options->output);
  command->add_flag("--quiet", options->output.quiet, "Print only what is not as expected");
  command->footer("Example:\n  squall run 503-storm-nine-minutes --runs 100k --seed 7");
  command->callback([options, &console, &chosen] {
    chosen = [options, &console] { return run_scenarios(*options, console); };
  });
}

}  // namespace squall::cli
