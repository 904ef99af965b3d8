// SPDX-License-Identifier: MIT
//
// squall report: everything about the reliability of policies on one page, or as Markdown or JSON.
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/gate.hpp"
#include "analysis/reliability.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/gate_alarm.hpp"
#include "cli/gate_input.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "cli/report_input.hpp"
#include "reports/figures.hpp"
#include "reports/gate_report.hpp"
#include "reports/reliability_report.hpp"
#include "reports/reliability_words.hpp"
#include "reports/verdict_text.hpp"
#include "scenarios/files.hpp"
#include "scenarios/wording.hpp"

namespace squall::cli {
namespace {

namespace fs = std::filesystem;

using core::Error;
using core::Expected;
using core::Unexpected;
using reports::reliability::Document;

constexpr std::uint64_t kDefaultRuns = 1'000;

struct Options {
  ReportWords words;
  std::string runs, seed, threads;
  std::string format;
  OutputOptions output;
};

enum class Format : std::uint8_t { kHtml, kMarkdown, kJson };

Expected<Format, Error> format_from(const Options& options) {
  const auto refuse = [](std::string message) {
    return Unexpected<Error>(scenarios::error_of(std::move(message)));
  };
  static constexpr std::array<std::pair<std::string_view, Format>, 3> kNames{
      {{"html", Format::kHtml}, {"markdown", Format::kMarkdown}, {"json", Format::kJson}}};
  static constexpr std::array<std::pair<std::string_view, Format>, 5> kEndings{
      {{".html", Format::kHtml},
       {".htm", Format::kHtml},
       {".md", Format::kMarkdown},
       {".markdown", Format::kMarkdown},
       {".json", Format::kJson}}};
  std::optional<Format> format;
  if (!options.format.empty()) {
    const auto named = std::find_if(kNames.begin(), kNames.end(), [&options](const auto& one) {
      return one.first == options.format;
    });
    if (named == kNames.end()) {
      return refuse("--format: " + scenarios::found_allowed(scenarios::in_quotes(options.format),
                                                            "html, markdown, json"));
    }
    format = named->second;
  }
  if (options.output.json) {
    if (format && *format != Format::kJson) {
      return refuse("--json and --format " + options.format + " contradict each other");
    }
    format = Format::kJson;
  }
  const std::string& file = options.output.file;
  if (!format) {
    const std::string ending = fs::path(file).extension().string();
    const auto known = std::find_if(kEndings.begin(), kEndings.end(),
                                    [&ending](const auto& one) { return one.first == ending; });
    if (file.empty()) {
      return refuse(
          "--output is missing: the file that the page goes to (or --format markdown or "
          "json; see squall report --help)");
    }
    if (known == kEndings.end()) {
      return refuse(
          fmt::format("--output: {} does not say what to write, allowed: .html, .md or "
                      ".json at its end, or --format",
                      file));
    }
    format = known->second;
  }
  if (*format == Format::kHtml && file.empty()) {
    return refuse("--output is missing: a page goes to a file");
  }
  return *format;
}

/// The text of a file that squall wrote, when `word` is one; scenarios and names are none.
std::optional<std::string> squall_document(const std::string& word) {
  std::error_code ignored;
  if (!fs::is_regular_file(word, ignored)) {
    return std::nullopt;
  }
  auto text = scenarios::read_file(word, analysis::kResultsBytesMax);
  if (!text || !(reports::reliability::is_report(*text) || analysis::is_squall_document(*text))) {
    return std::nullopt;
  }
  return *std::move(text);
}

class ReportCommand {
 public:
  ReportCommand(const Options& options, const Console& console)
      : options_(options), words_(options.words), console_(console) {}

  int run() {
    const auto format = format_from(options_);
    if (!format) {
      return input_error(console_, format.error());
    }
    format_ = *format;
    if (const auto error = bad_output()) {
      return input_error(console_, *error);
    }
    for (const std::string& word : words_.scenarios) {
      if (const auto text = squall_document(word)) {
        return render_again(word, *text);
      }
    }
    if (const auto error = prepare()) {
      return input_error(console_, *error);
    }
    if (const auto error = play()) {
      return input_error(console_, *error);
    }
    if (interrupted_ || console_.is_interrupted()) {
      console_.err << "squall: interrupted: no report is written\n";
      return kInterrupted;
    }
    if (!unsound_.empty()) {
      (void)sound_alarms(unsound_, measure_.seed, console_);
    }
    return write(document());
  }

 private:
  /// Said before anything is played.
  [[nodiscard]] std::optional<Error> bad_output() const {
    const std::string& file = options_.output.file;
    if (file.empty()) {
      return std::nullopt;
    }
    if (auto error = unwritable("--output", file)) {
      return error;
    }
    std::error_code ignored;
    const fs::path real = fs::weakly_canonical(fs::absolute(file), ignored);
    std::vector<std::string> inputs = words_.scenarios;
    inputs.insert(inputs.end(), words_.policies.begin(), words_.policies.end());
    inputs.push_back(words_.baseline);
    for (const std::string& input : inputs) {
      if (!input.empty() && fs::exists(input, ignored) &&
          fs::weakly_canonical(fs::absolute(input), ignored) == real) {
        return output_complaint("--output", file, "is what the report is made of");
      }
    }
    return refusal_to_replace(file, {});
  }

  int render_again(const std::string& word, const std::string& text) {
    const bool alone = words_.scenarios.size() == 1 && words_.policies.empty() &&
                       words_.baseline.empty() && options_.runs.empty() && options_.seed.empty();
    if (!alone) {
      return usage_error(console_, fmt::format("{} is a finished report, which is drawn as it is: "
                                               "give neither scenarios nor --policy, --baseline, "
                                               "--runs and --seed beside it",
                                               word));
    }
    auto read = reports::reliability::from_json(text, word);
    return read ? write(*read) : input_error(console_, read.error());
  }

  std::optional<Error> prepare() {
    if (!words_.baseline.empty()) {
      if (const auto text = squall_document(words_.baseline);
          text && reports::reliability::is_report(*text)) {
        return Error{.file = words_.baseline,
                     .line = 0,
                     .pointer = {},
                     .message =
                         "is a report, allowed: a policy or results that squall gate --save "
                         "wrote"};
      }
      auto loaded = load_policy_set(words_.baseline);
      if (!loaded) {
        return loaded.error();
      }
      baseline_ = *std::move(loaded);
    }
    if (auto error = measure()) {
      return error;
    }
    words_.runs = measure_.runs;
    words_.seed = measure_.seed;
    auto plan = plan_report(words_);
    if (!plan) {
      return plan.error();
    }
    plan_ = *std::move(plan);
    return words_.baseline.empty() ? std::nullopt : pair_up();
  }

  std::optional<Error> measure() {
    measure_.runs = kDefaultRuns;
    measure_.interrupted = console_.interrupted;
    if (!options_.runs.empty()) {
      const auto runs = parse_run_count("--runs", options_.runs);
      if (!runs) {
        return runs.error();
      }
      measure_.runs = *runs;
    }
    if (!options_.seed.empty()) {
      const auto seed = parse_number("--seed", options_.seed, 0, UINT64_MAX);
      if (!seed) {
        return seed.error();
      }
      measure_.seed = *seed;
    }
    const auto threads = threads_from(options_.threads);
    if (!threads) {
      return threads.error();
    }
    measure_.threads = *threads;
    const std::array<const PolicySet*, 1> sets{&baseline_};
    if (auto adopted = adopt_stored(sets, !options_.runs.empty(), !options_.seed.empty(), measure_);
        !adopted) {
      return adopted.error();
    }
    if (!words_.baseline.empty() &&
        (measure_.runs < analysis::kGateRunsMin || measure_.runs > analysis::kGateRunsMax)) {
      return scenarios::error_of(fmt::format(
          "--runs: {}, with --baseline",
          scenarios::found_allowed(
              fmt::format("{}", measure_.runs),
              fmt::format("{} to {}", analysis::kGateRunsMin, analysis::kGateRunsMax))));
    }
    return std::nullopt;
  }

  /// A column and what it is compared with.
  struct Pair {
    const LoadedSide* baseline = nullptr;
    const LoadedSide* candidate = nullptr;
    std::size_t column = 0;
    std::vector<const analysis::NamedScenario*> scenarios;
  };

  std::optional<Error> pair_up() {
    std::vector<std::size_t> columns;
    candidates_ = candidates_of(plan_, columns);
    auto matched = match(baseline_, candidates_);
    if (!matched) {
      return matched.error();
    }
    gate_.notes = matched->notes;
    for (const auto& [before, after] : matched->pairs) {
      Pair pair{.baseline = &baseline_.sides[before],
                .candidate = &candidates_.sides[after],
                .column = columns[after],
                .scenarios = plan_.played_by(columns[after])};
      const std::size_t all = pair.scenarios.size();
      std::erase_if(pair.scenarios, [&pair](const analysis::NamedScenario* one) {
        return !analysis::fits(pair.baseline->side.policy, one->scenario);
      });
      if (pair.scenarios.empty()) {
        return scenarios::error_of(
            fmt::format("--baseline: {} fits none of the scenarios", pair.baseline->side.source));
      }
      if (pair.scenarios.size() < all) {
        gate_.notes.push_back(fmt::format(
            "{} not compared, which {} does not fit",
            reports::count_of(all - pair.scenarios.size(), "tool call"), pair.baseline->side.name));
      }
      pairs_.push_back(std::move(pair));
    }
    return std::nullopt;
  }

  std::optional<Error> play() {
    std::uint64_t total = measure_.runs * plan_.tasks.size();
    for (const Pair& pair : pairs_) {
      total +=
          measure_.runs * pair.scenarios.size() * (pair.baseline->side.stored == nullptr ? 2 : 1);
    }
    Progress progress(console_, total);
    std::uint64_t done = 0;
    measure_.progress = [&](std::uint64_t more) {
      done = std::min(done + more, total);
      progress.update(done);
    };
    reliability_ = analysis::collect(plan_.tasks, plan_.columns.size(), measure_);
    interrupted_ = reliability_.interrupted;
    if (interrupted_) {
      return std::nullopt;
    }
    for (std::size_t i = 0; i < reliability_.cells.size(); ++i) {
      if (const auto& unsound = reliability_.cells[i].summary.unsound) {
        unsound_.push_back({plan_.subjects[i].reference,
                            plan_.columns[reliability_.cells[i].policy].name, *unsound});
      }
    }
    draw();
    // What is broken is not worth comparing.
    return unsound_.empty() ? compare() : std::nullopt;
  }

  void draw() {
    for (std::size_t policy = 0; policy < plan_.columns.size(); ++policy) {
      for (const analysis::TimelinePick& pick : analysis::timelines_of(reliability_, policy)) {
        const auto& task = plan_.tasks[pick.cell];
        analysis::replay(task, measure_.seed, pick.run, [&](const playback::RunResult& result) {
          drawn_.push_back({.pick = pick,
                            .report = reports::make_run_report(plan_.subjects[pick.cell],
                                                               task.prepared->scenario, result),
                            .sleeps = *result.sleeps});
        });
      }
    }
  }

  std::optional<Error> compare() {
    gate_.baseline = words_.baseline;
    gate_.candidate = plan_.columns.size() == 1 ? plan_.columns.front().name : "this report";
    gate_.seed = measure_.seed;
    gate_.runs = measure_.runs;
    const analysis::GateOptions options{.measure = measure_, .keep_results = false};
    std::set<std::string> known;
    for (const Pair& pair : pairs_) {
      auto outcome = analysis::gate({pair.baseline->side, pair.candidate->side, pair.scenarios},
                                    analysis::GateConfig(), options);
      if (!outcome) {
        return outcome.error();
      }
      interrupted_ = interrupted_ || outcome->interrupted;
      unsound_.insert(unsound_.end(), outcome->unsound.begin(), outcome->unsound.end());
      outcome->change.name = plan_.columns[pair.column].name;  // As everywhere in the report.
      gate_.policies.push_back(std::move(outcome->change));
      gate_.places.emplace_back();
      const bool by_default = plays_by_default(words_, plan_, pair.column) &&
                              pair.scenarios.size() == plan_.played_by(pair.column).size();
      const std::string command =
          gate_command(words_, pair.candidate->side.source, pair.scenarios, by_default);
      if (known.insert(command).second) {
        gate_commands_ += (gate_commands_.empty() ? "" : "; ") + command;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] Document document() {
    reports::reliability::Material material;
    material.version = SQUALL_VERSION;
    material.command = report_command(words_);
    material.notes = plan_.notes;
    material.notes.insert(material.notes.end(), gate_.notes.begin(), gate_.notes.end());
    material.columns = plan_.columns;
    material.rows = plan_.rows;
    material.reliability = &reliability_;
    material.subjects = plan_.subjects;
    for (const auto& prepared : plan_.prepared) {
      material.played.push_back(&prepared->scenario);
    }
    material.drawn = std::move(drawn_);
    if (!gate_.policies.empty()) {
      material.gate = &gate_;
      material.gate_command = gate_commands_;
    }
    return reports::reliability::make_document(material);
  }

  int write(const Document& document) {
    const std::string text = format_ == Format::kHtml ? reports::reliability::to_html(document)
                             : format_ == Format::kMarkdown
                                 ? reports::reliability::to_markdown(document)
                                 : reports::reliability::to_json(document);
    const std::string& state = document.verdict.state;
    // A run of the baseline may be broken while those of the report are not.
    const int code = state == "broken" || !unsound_.empty() ? kBroken
                     : state == "failed"                    ? kUnexpected
                                                            : kFine;
    const int written = emit(console_, options_.output, text, code);
    if (written == code && !options_.output.file.empty() && !options_.output.quiet) {
      console_.out << state << ": " << document.verdict.sentence << '\n';
    }
    return written;
  }

  const Options& options_;
  ReportWords words_;
  const Console& console_;
  Format format_ = Format::kHtml;
  PolicySet baseline_, candidates_;
  analysis::MeasureOptions measure_;
  ReportPlan plan_;
  std::vector<Pair> pairs_;
  analysis::Reliability reliability_;
  std::vector<reports::reliability::DrawnRun> drawn_;
  reports::GateReport gate_;
  std::string gate_commands_;
  std::vector<analysis::UnsoundRun> unsound_;
  bool interrupted_ = false;
};

}  // namespace

void add_report_command(CLI::App& app, const Console& console, Chosen& chosen) {
  CLI::App* const command = app.add_subcommand(
      "report", "Draw the reliability of policies on one page: bounds, rates, timelines");
  const auto options = std::make_shared<Options>();
  command
      ->add_option("SCENARIO|RESULTS", options->words.scenarios,
                   "Shipped names, files or folders; nothing named is the whole catalogue. Or one\n"
                   "JSON of an earlier report, which is drawn again without a run")
      ->type_name("")
      ->check(not_empty);
  command
      ->add_option("--policy", options->words.policies,
                   "A policy to be a column, again and again (default: the scenarios' own)")
      ->type_name("NAME|FILE")
      ->allow_extra_args(false)
      ->check(not_empty);
  command
      ->add_option("--baseline", options->words.baseline,
                   "Say what changed against a policy, or results kept with squall gate --save")
      ->type_name("A")
      ->check(not_empty);
  command
      ->add_option("--runs", options->runs,
                   "Runs of each scenario under each policy: 1000, 10k (default 1000)")
      ->type_name("N")
      ->check(not_empty);
  command->add_option("--seed", options->seed, "Seed of all chance (default 1)")
      ->type_name("S")
      ->check(not_empty);
  command->add_option("--threads", options->threads, "Worker threads (default: one a core)")
      ->type_name("N")
      ->check(not_empty);
  command
      ->add_option("-o,--output", options->output.file,
                   "The file to write, all of it or nothing; its ending says what: .html, .md, "
                   ".json")
      ->type_name("FILE")
      ->check(not_empty);
  command->add_option("--format", options->format, "What to write, whatever the file is called")
      ->type_name("html|markdown|json")
      ->check(not_empty);
  command->add_flag("--json", options->output.json, "Print JSON for programs, to be drawn later");
  command->add_flag("--quiet", options->output.quiet, "Do not say what was written");
  command->footer(
      "The page holds everything it needs: it can be mailed, and opens without a network. Exits\n"
      "with 1 when an expectation is not met or something got worse than the baseline.\n"
      "\nExample:\n"
      "  squall report 503-storm-nine-minutes endless-outage --baseline default \\\n"
      "    --policy docs/examples/patient.json --output build/report.html");
  command->callback([options, &console, &chosen] {
    chosen = [options, &console] { return ReportCommand(*options, console).run(); };
  });
}

}  // namespace squall::cli
