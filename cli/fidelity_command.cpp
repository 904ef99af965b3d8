// SPDX-License-Identifier: MIT
//
// squall fidelity: the same scenarios simulated and over real sockets, and how far apart they are.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "analysis/agreement.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/scenario_source.hpp"
#include "live/live_run.hpp"
#include "reports/fidelity_report.hpp"
#include "scenarios/quantities.hpp"
#include "simulator/simulation.hpp"

namespace squall::cli {
namespace {

/// More than this many times faster, a millisecond of the machine is longer than every timeout.
constexpr std::uint64_t kTimeScaleMax = 100'000;

struct Options {
  std::vector<std::string> scenarios;
  std::string seed = "1";
  std::string time_scale;
  std::string tolerance;
  OutputOptions output;
};

struct Settings {
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> time_scale;
  /// In the scenario's time.
  core::Duration tolerance{0};
};

core::Expected<Settings, core::Error> settings_of(const Options& options) {
  Settings settings;
  const auto seed = parse_number("--seed", options.seed, 0, UINT64_MAX);
  if (!seed) {
    return core::Unexpected<core::Error>(seed.error());
  }
  settings.seed = *seed;
  if (!options.time_scale.empty()) {
    const auto scale = parse_number("--time-scale", options.time_scale, 1, kTimeScaleMax);
    if (!scale) {
      return core::Unexpected<core::Error>(scale.error());
    }
    settings.time_scale = *scale;
    // What a machine that also does other things may be late.
    settings.tolerance = std::chrono::milliseconds(50) * static_cast<std::int64_t>(*scale);
  }
  if (!options.tolerance.empty()) {
    const auto tolerance = scenarios::parse_duration(options.tolerance);
    if (!tolerance) {
      core::Error error = tolerance.error();
      error.message = "--tolerance: " + error.message;
      return core::Unexpected<core::Error>(error);
    }
    settings.tolerance = *tolerance;
  }
  return settings;
}

/// Plays one scenario in both worlds.
core::Expected<reports::FidelityOfScenario, core::Error> play_both(
    const scenarios::Scenario& scenario, const Settings& settings, const Console& console,
    std::string& alarm) {
  const playback::PreparedScenario prepared(scenario);
  simulator::Simulation simulation(prepared, console.interrupted);
  const playback::RunResult& simulated = simulation.run(settings.seed, 0);
  reports::FidelityOfScenario made{.name = scenario.name,
                                   .outcome = simulated.outcome,
                                   .agreement = {},
                                   .time_scale = settings.time_scale,
                                   .tolerance = settings.tolerance};
  live::LoopbackOptions options{
      .seed = settings.seed, .time_scale = settings.time_scale, .interrupted = console.interrupted};
  // A machine that was busy elsewhere may not have moved what was on its way before time jumped. A
  // difference that is one stays one, however long nothing must move.
  constexpr std::chrono::milliseconds kLongQuiet{20};
  for (std::uint32_t look = 0; look < 2; ++look) {
    const auto real = live::run_over_loopback(prepared, options);
    if (!real) {
      return core::Unexpected<core::Error>(real.error());
    }
    made.looks = look + 1;
    made.agreement = analysis::compare_courses(
        simulated, real->result(),
        settings.time_scale ? analysis::Pace::kPassing : analysis::Pace::kStepped,
        settings.tolerance);
    alarm.clear();
    // With real time, a machine that is late breaks the promises about time: no fault of the core.
    if (real->result().internal_error || (!settings.time_scale && !real->result().sound())) {
      alarm = real->result().internal_error.value_or(
          real->result().violations->empty() ? "" : real->result().violations->front().message);
    }
    const bool is_settled = made.agrees() && alarm.empty();
    if (is_settled || settings.time_scale || real->result().internal_error) {
      break;
    }
    options.quiet = kLongQuiet;
  }
  return made;
}

int compare_worlds(const Options& options, const Console& console) {
  const auto settings = settings_of(options);
  if (!settings) {
    return input_error(console, settings.error());
  }
  const LoadedScenarios loaded = load_scenarios(options.scenarios);
  if (!loaded.errors.empty()) {
    for (const core::Error& error : loaded.errors) {
      (void)input_error(console, error);
    }
    return kBadInput;
  }
  reports::FidelityReport report{
      .seed = settings->seed, .scenarios = {}, .scenarios_asked = loaded.scenarios.size()};
  int code = kFine;
  {
    Progress progress(console, loaded.scenarios.size());
    for (const LoadedScenario& one : loaded.scenarios) {
      std::string alarm;
      auto played = play_both(one.scenario, *settings, console, alarm);
      if (console.is_interrupted()) {
        break;
      }
      if (!played) {
        return input_error(console, played.error());
      }
      if (!alarm.empty()) {
        console.err << "squall: " << one.scenario.name << " over sockets: " << alarm << "\n";
        code = kBroken;
      }
      report.scenarios.push_back(std::move(*played));
      progress.update(report.scenarios.size());
    }
  }
  if (console.is_interrupted()) {
    code = kInterrupted;
  } else if (code == kFine && !report.agrees()) {
    code = kUnexpected;
  }
  const std::string text = options.output.json
                               ? reports::fidelity_json(report)
                               : reports::fidelity_text(report, style_for(console, options.output));
  return emit(console, options.output, text, code);
}

}  // namespace

void add_fidelity_command(CLI::App& app, const Console& console, Chosen& chosen) {
  CLI::App* const command = app.add_subcommand(
      "fidelity", "Play scenarios simulated and over real sockets, and compare the two");
  const auto options = std::make_shared<Options>();
  command
      ->add_option("SCENARIO", options->scenarios,
                   "Shipped names, files or folders (default: the whole catalogue)")
      ->type_name("");
  command
      ->add_option("--time-scale", options->time_scale,
                   "Let real time pass, N times faster than written (default: time stands still "
                   "while anything moves between client and server, and jumps when nothing does)")
      ->type_name("N");
  command
      ->add_option(
          "--tolerance", options->tolerance,
          "How far apart a sleep may lie, in the scenario's time (default: not at all; with "
          "--time-scale N, N times 50 ms)")
      ->type_name("T");
  command->add_option("--seed", options->seed, "Seed of all chance (default 1)")->type_name("S");
  add_output_options(*command, options->output);
  command->footer(
      "Client and server are the production client and the fault server, in this process, over "
      "the\n"
      "loopback device. Outcome, calls and failure classes must be equal without tolerance; with "
      "real\n"
      "time, a machine that is late can change them where it is a close race.\n\n"
      "Example:\n  squall fidelity 503-storm-nine-minutes --time-scale 1000");
  command->callback([options, &console, &chosen] {
    chosen = [options, &console] { return compare_worlds(*options, console); };
  });
}

}  // namespace squall::cli
