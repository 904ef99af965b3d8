// SPDX-License-Identifier: MIT
//
// squall gate: whether a policy got worse, for CI.
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/gate.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/gate_alarm.hpp"
#include "cli/gate_input.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "reports/figures.hpp"
#include "reports/gate_report.hpp"
#include "scenarios/files.hpp"
#include "scenarios/json_locator.hpp"
#include "scenarios/wording.hpp"

namespace squall::cli {
namespace {

namespace fs = std::filesystem;

using analysis::GateOutcome;
using core::Error;
using core::Expected;
using core::Unexpected;

constexpr std::uint64_t kDefaultRuns = 1'000;
constexpr std::uint64_t kDefaultSeed = 1;

struct Options {
  std::string baseline, candidate;
  std::vector<std::string> scenarios;
  std::string config;
  std::string runs, seed, threads;
  std::string save, markdown, junit, sarif;
  bool github = false;
  OutputOptions output;
};

/// A file that is to be written.
struct Output {
  std::string_view option;
  const std::string* path;
};

std::array<Output, 5> outputs_of(const Options& options) {
  return {{{"--save", &options.save},
           {"--markdown", &options.markdown},
           {"--junit", &options.junit},
           {"--sarif", &options.sarif},
           {"--output", &options.output.file}}};
}

/// Says before anything is played what would go wrong at the end.
std::optional<Error> bad_outputs(const Options& options) {
  std::vector<std::pair<std::string_view, fs::path>> taken;
  std::error_code ignored;
  for (const auto& [option, path] :
       {std::pair<std::string_view, const std::string*>{"--baseline", &options.baseline},
        {"--candidate", &options.candidate},
        {"--config", &options.config}}) {
    if (!path->empty() && fs::exists(*path, ignored)) {
      taken.emplace_back(option, fs::weakly_canonical(fs::absolute(*path), ignored));
    }
  }
  for (const Output& output : outputs_of(options)) {
    if (output.path->empty()) {
      continue;
    }
    if (auto error = unwritable(output.option, *output.path)) {
      return error;
    }
    const fs::path real = fs::weakly_canonical(fs::absolute(*output.path), ignored);
    for (const auto& [option, path] : taken) {
      if (path == real) {
        return output_complaint(output.option, *output.path,
                                fmt::format("is what {} names", option));
      }
    }
    // Its content comes later, and no report has the bytes of these.
    if (auto refusal = refusal_to_replace(*output.path, {})) {
      return refusal;
    }
    taken.emplace_back(output.option, real);
  }
  if (options.github && options.output.json && options.output.file.empty()) {
    return scenarios::error_of(
        "--github and --json both print to standard output: add --output FILE");
  }
  return std::nullopt;
}

/// Runs and seed: those asked for, or those of what was stored.
Expected<analysis::MeasureOptions, Error> measure_options(const Options& options,
                                                          const std::vector<const PolicySet*>& sets,
                                                          const Console& console) {
  analysis::MeasureOptions measure{.seed = kDefaultSeed,
                                   .runs = kDefaultRuns,
                                   .threads = 1,
                                   .interrupted = console.interrupted,
                                   .progress = {}};
  const auto refuse = [](Error error) { return Unexpected<Error>(std::move(error)); };
  if (!options.runs.empty()) {
    const auto runs =
        parse_number("--runs", options.runs, analysis::kGateRunsMin, analysis::kGateRunsMax);
    if (!runs) {
      return refuse(runs.error());
    }
    measure.runs = *runs;
  }
  if (!options.seed.empty()) {
    const auto seed = parse_number("--seed", options.seed, 0, UINT64_MAX);
    if (!seed) {
      return refuse(seed.error());
    }
    measure.seed = *seed;
  }
  const auto threads = threads_from(options.threads);
  if (!threads) {
    return refuse(threads.error());
  }
  measure.threads = *threads;
  if (auto adopted = adopt_stored(sets, !options.runs.empty(), !options.seed.empty(), measure);
      !adopted) {
    return refuse(std::move(adopted.error()));
  }
  return measure;
}

Expected<analysis::GateConfig, Error> config_from(const std::string& path) {
  if (path.empty()) {
    return analysis::GateConfig();
  }
  const auto text = scenarios::read_file(path);
  if (!text) {
    return Unexpected<Error>(text.error());
  }
  return analysis::GateConfig::parse(*text, path);
}

/// Where the parts of the candidate stand.
reports::GatePlace place_of(const LoadedSide& candidate, const analysis::PolicyChange& change) {
  reports::GatePlace place{.file = candidate.file, .lines = {}};
  const auto text = candidate.file.empty() ? Expected<std::string, Error>(std::string())
                                           : scenarios::read_file(candidate.file);
  if (text && !text->empty()) {
    for (const analysis::Part part : change.parts) {
      place.lines.push_back(scenarios::line_of(*text, analysis::pointer_of(part)));
    }
  }
  return place;
}

/// A run that is planned: a pair, or a candidate without a baseline that is to be stored.
struct Planned {
  const LoadedSide* baseline = nullptr;
  const LoadedSide* candidate = nullptr;
  std::vector<const analysis::NamedScenario*> scenarios;
};

class GateCommand {
 public:
  GateCommand(const Options& options, const Console& console)
      : options_(options), console_(console) {}

  int run() {
    if (options_.baseline.empty() && options_.save.empty()) {
      return usage_error(
          console_,
          "--baseline is missing: what to compare with, or --save FILE alone to make "
          "one (see squall gate --help)");
    }
    if (const auto error = prepare()) {
      return input_error(console_, *error);
    }
    if (const auto error = play()) {
      return input_error(console_, *error);
    }
    if (!unsound_.empty()) {
      return sound_alarms(unsound_, measure_.seed, console_);
    }
    if (interrupted_) {
      console_.err << "squall: interrupted: nothing is written\n";
      return kInterrupted;
    }
    return write();
  }

 private:
  std::optional<Error> prepare() {
    if (auto error = bad_outputs(options_)) {
      return error;
    }
    auto config = config_from(options_.config);
    if (!config) {
      return config.error();
    }
    config_ = *std::move(config);
    for (const std::string* word : {&options_.baseline, &options_.candidate}) {
      PolicySet& set = word == &options_.baseline ? baseline_ : candidate_;
      if (word->empty()) {
        continue;
      }
      auto loaded = load_policy_set(*word);
      if (!loaded) {
        return loaded.error();
      }
      set = *std::move(loaded);
    }
    auto measure = measure_options(options_, {&baseline_, &candidate_}, console_);
    if (!measure) {
      return measure.error();
    }
    measure_ = *std::move(measure);
    auto pool = ScenarioPool::load(options_.scenarios);
    if (!pool) {
      return pool.error();
    }
    pool_ = *std::move(pool);
    report_.baseline = options_.baseline;
    report_.candidate = options_.candidate;
    report_.seed = measure_.seed;
    report_.runs = measure_.runs;
    if (auto error = plan()) {
      return error;
    }
    return unknown_names();
  }

  std::optional<Error> plan() {
    std::vector<std::size_t> alone;
    if (options_.baseline.empty()) {
      for (std::size_t i = 0; i < candidate_.sides.size(); ++i) {
        alone.push_back(i);
      }
    } else {
      auto matched = match(baseline_, candidate_);
      if (!matched) {
        return matched.error();
      }
      report_.notes = matched->notes;
      for (const auto& [before, after] : matched->pairs) {
        if (auto error = add(&baseline_.sides[before], &candidate_.sides[after])) {
          return error;
        }
      }
      alone = matched->added;
    }
    if (!options_.save.empty()) {
      for (const std::size_t index : alone) {
        if (auto error = add(nullptr, &candidate_.sides[index])) {
          return error;
        }
      }
    }
    return std::nullopt;
  }

  std::optional<Error> add(const LoadedSide* baseline, const LoadedSide* candidate) {
    std::vector<core::RetryPolicy> policies;
    std::vector<std::string> names;
    for (const LoadedSide* side : {baseline, candidate}) {
      if (side != nullptr) {
        policies.push_back(side->side.policy);
        names.push_back(side->side.name);
      }
    }
    auto chosen = pool_.choose(policies, names, report_.notes);
    if (!chosen) {
      return chosen.error();
    }
    planned_.push_back({baseline, candidate, *std::move(chosen)});
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Error> unknown_names() const {
    std::vector<std::string> scenarios;
    std::vector<std::string> tags;
    for (const Planned& one : planned_) {
      for (const analysis::NamedScenario* named : one.scenarios) {
        scenarios.push_back(named->scenario.name);
        tags.insert(tags.end(), named->scenario.tags.begin(), named->scenario.tags.end());
      }
    }
    return config_.unknown_name(scenarios, tags);
  }

  [[nodiscard]] std::uint64_t runs_planned() const {
    std::uint64_t total = 0;
    for (const Planned& one : planned_) {
      for (const LoadedSide* side : {one.baseline, one.candidate}) {
        total += side == nullptr || side->side.stored != nullptr
                     ? 0
                     : measure_.runs * one.scenarios.size();
      }
    }
    return std::max<std::uint64_t>(total, 1);
  }

  std::optional<Error> play() {
    const std::uint64_t total = runs_planned();
    Progress progress(console_, total);
    std::uint64_t done = 0;
    analysis::GateOptions options{.measure = measure_, .keep_results = !options_.save.empty()};
    options.measure.progress = [&](std::uint64_t more) {
      done = std::min(done + more, total);
      progress.update(done);
    };
    results_.seed = measure_.seed;
    results_.runs = measure_.runs;
    for (const Planned& one : planned_) {
      if (one.baseline == nullptr) {
        take(analysis::play(one.candidate->side, one.scenarios, options));
      } else {
        auto outcome = analysis::gate({one.baseline->side, one.candidate->side, one.scenarios},
                                      config_, options);
        if (!outcome) {
          return outcome.error();
        }
        report_.places.push_back(place_of(*one.candidate, outcome->change));
        report_.policies.push_back(outcome->change);
        take(*std::move(outcome));
      }
      if (interrupted_) {
        break;
      }
    }
    return std::nullopt;
  }

  void take(GateOutcome outcome) {
    interrupted_ = interrupted_ || outcome.interrupted;
    unsound_.insert(unsound_.end(), outcome.unsound.begin(), outcome.unsound.end());
    if (!options_.save.empty()) {
      results_.policies.push_back(std::move(outcome.results));
    }
  }

  /// Everything is made before the first file is touched.
  int write() {
    std::vector<std::pair<const std::string*, std::string>> files;
    const auto add_file = [&files](const std::string& path, auto make) {
      if (!path.empty()) {
        files.emplace_back(&path, make());
      }
    };
    const bool judged = !options_.baseline.empty();
    add_file(options_.save, [this] { return analysis::write_results(results_); });
    add_file(options_.markdown, [this] { return reports::gate_markdown(report_); });
    add_file(options_.junit, [this] { return reports::gate_junit(report_); });
    add_file(options_.sarif, [this] { return reports::gate_sarif(report_, SQUALL_VERSION); });
    const std::string text =
        !judged                ? fmt::format("{} of {} in {} (seed {}): nothing to compare with\n",
                                             reports::count_of(measure_.runs, "run"), options_.candidate,
                                             options_.save, measure_.seed)
        : options_.output.json ? reports::gate_json(report_)
                               : reports::gate_text(report_, style_for(console_, options_.output),
                                                    options_.output.quiet);
    const std::string annotations =
        options_.github && judged ? reports::gate_annotations(report_) : std::string();
    for (const auto& [path, content] : files) {
      if (const auto written = scenarios::write_file(*path, content); !written) {
        return input_error(console_, written.error());
      }
    }
    const int code = emit(console_, options_.output, text, report_.passes() ? kFine : kUnexpected);
    return annotations.empty() || code == kBadInput ? code : emit(console_, {}, annotations, code);
  }

  const Options& options_;
  const Console& console_;
  analysis::GateConfig config_;
  PolicySet baseline_, candidate_;
  analysis::MeasureOptions measure_;
  ScenarioPool pool_;
  std::vector<Planned> planned_;
  reports::GateReport report_;
  analysis::StoredResults results_;
  std::vector<analysis::UnsoundRun> unsound_;
  bool interrupted_ = false;
};

void add_file_options(CLI::App& command, Options& options) {
  command
      .add_option("--save", options.save,
                  "Keep the candidate's results in FILE, to be a baseline later; without\n"
                  "--baseline that is all that is done")
      ->type_name("FILE")
      ->check(not_empty);
  command.add_option("--markdown", options.markdown, "Write a page for a pull request")
      ->type_name("FILE")
      ->check(not_empty);
  command.add_option("--junit", options.junit, "Write JUnit XML")
      ->type_name("FILE")
      ->check(not_empty);
  command.add_option("--sarif", options.sarif, "Write SARIF 2.1.0")
      ->type_name("FILE")
      ->check(not_empty);
  command.add_flag("--github", options.github,
                   "Also print annotations for a workflow of GitHub Actions");
}

}  // namespace

void add_gate_command(CLI::App& app, const Console& console, Chosen& chosen) {
  CLI::App* const command = app.add_subcommand(
      "gate", "Judge a change of policies by thresholds, for CI: 1 when something got worse");
  const auto options = std::make_shared<Options>();
  command
      ->add_option("--baseline", options->baseline,
                   "A shipped name, a policy file, a folder of them, \"shipped\" (all shipped\n"
                   "policies as the program holds them), or results kept with --save")
      ->type_name("A")
      ->check(not_empty);
  command->add_option("--candidate", options->candidate, "The same; folders are matched by name")
      ->type_name("B")
      ->required()
      ->check(not_empty);
  command
      ->add_option("--scenarios", options->scenarios,
                   "Shipped names, files or folders (default: the shipped ones that play the\n"
                   "policy by its name, else those of the default policy)")
      ->type_name("NAME|FOLDER...")
      ->check(not_empty);
  command->add_option("--config", options->config, "Thresholds (see docs/gate.md)")
      ->type_name("FILE")
      ->check(not_empty);
  command
      ->add_option("--runs", options->runs, "Runs of each scenario, 100 to 100000 (default 1000)")
      ->type_name("N")
      ->check(not_empty);
  command->add_option("--seed", options->seed, "Seed of all chance (default 1)")
      ->type_name("S")
      ->check(not_empty);
  command->add_option("--threads", options->threads, "Worker threads (default: one a core)")
      ->type_name("N")
      ->check(not_empty);
  add_file_options(*command, *options);
  add_output_options(*command, options->output);
  command->add_flag("--quiet", options->output.quiet, "Print only what got worse");
  command->footer(
      "A metric that is sampled is worse only when chance is excluded: the same runs on both\n"
      "sides, and the whole 99% interval beyond the threshold.\n"
      "\nExample:\n"
      "  squall gate --baseline default --candidate docs/examples/impatient.json");
  command->callback([options, &console, &chosen] {
    chosen = [options, &console] { return GateCommand(*options, console).run(); };
  });
}

}  // namespace squall::cli
