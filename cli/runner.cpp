// SPDX-License-Identifier: MIT
#include "cli/runner.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "cli/progress.hpp"
#include "reports/perfetto.hpp"
#include "reports/verdict_text.hpp"
#include "simulator/batch.hpp"
#include "simulator/simulation.hpp"

namespace squall::cli {
namespace {

using reports::BatchReport;
using reports::RunReport;
using reports::ScenarioReport;

/// The ids that one recording gives the operations of a scenario.
///
/// @param times_before  how often a scenario of that name was run before, in this recording.
simulator::OperationIds operation_ids(const telemetry::Store& store, const std::string& scenario,
                                      std::size_t times_before, std::uint64_t seed) {
  std::string name =
      times_before == 0 ? scenario : fmt::format("{}#{}", scenario, times_before + 1);
  return [recording = store.recording(), name = std::move(name), seed](std::uint64_t run) {
    return telemetry::operation_id(recording, name, seed, run);
  };
}

/// Draws the run as one more process of the trace, when one is wanted.
void draw(const RunPlan& plan, const RunReport& report, const playback::RunResult& result) {
  if (plan.perfetto != nullptr) {
    const auto number = static_cast<std::uint32_t>(plan.perfetto->size() + 1);
    plan.perfetto->push_back(reports::perfetto_run(report, *result.trace, number));
  }
}

/// Nothing when the run was interrupted: half a run has no verdict.
std::optional<ScenarioReport> run_once(const playback::PreparedScenario& prepared,
                                       const reports::Subject& subject, const RunPlan& plan,
                                       const simulator::OperationIds& ids, const Console& console) {
  simulator::Simulation simulation(prepared, console.interrupted);
  if (plan.store != nullptr) {
    simulation.record_to(*plan.store, ids);
  }
  simulation.run(plan.seed, 0);
  const playback::RunResult& result = simulation.verify_determinism();
  if (result.interrupted) {
    return std::nullopt;
  }
  RunReport report = reports::make_run_report(subject, prepared.scenario, result);
  draw(plan, report, result);
  return report;
}

/// The digest of the first of many runs, which has been played: plays it once more, and draws it.
std::optional<std::uint64_t> first_run_again(const playback::PreparedScenario& prepared,
                                             const reports::Subject& subject, const RunPlan& plan,
                                             const Console& console) {
  const bool has_golden = subject.golden && plan.seed == reports::kGoldenSeed;
  if (!has_golden && (plan.perfetto == nullptr || console.is_interrupted())) {
    return std::nullopt;
  }
  simulator::Simulation simulation(prepared);
  const playback::RunResult& result = simulation.run(plan.seed, 0);
  draw(plan, reports::make_run_report(subject, prepared.scenario, result), result);
  return has_golden ? std::optional(result.digest) : std::nullopt;
}

ScenarioReport run_many(const playback::PreparedScenario& prepared, const reports::Subject& subject,
                        const RunPlan& plan, const simulator::OperationIds& ids,
                        const Console& console, Progress& progress, std::uint64_t runs_before) {
  simulator::BatchOptions options;
  options.seed = plan.seed;
  options.runs = plan.runs;
  options.threads = plan.threads;
  options.verify_determinism = plan.verify_determinism;
  options.interrupted = console.interrupted;
  if (plan.store != nullptr) {
    options.sink = plan.store;
    options.operation_id = ids;
  }
  options.progress = [&](std::uint64_t done) { progress.update(runs_before + done); };
  simulator::BatchSummary summary = simulator::run_batch(prepared, options);
  const std::optional<std::uint64_t> run_zero_digest =
      first_run_again(prepared, subject, plan, console);
  return reports::make_batch_report(subject, prepared.scenario, std::move(summary),
                                    run_zero_digest);
}

/// Virtual time and words of what a run broke.
struct Broken {
  std::uint64_t run = 0;
  core::Duration at{0};
  std::vector<std::string> findings;
};

std::optional<Broken> broken_in(const RunReport& report) {
  if (report.sound()) {
    return std::nullopt;
  }
  Broken broken{.run = report.run, .at = report.internal_error_at, .findings = {}};
  if (!report.violations.empty()) {
    broken.at = report.violations.front().at.time_since_epoch();
  }
  for (const playback::Violation& violation : report.violations) {
    broken.findings.push_back(fmt::format("{}: {}", label(violation.invariant), violation.message));
  }
  if (report.internal_error) {
    broken.findings.push_back(*report.internal_error);
  }
  return broken;
}

std::optional<Broken> broken_in(const BatchReport& report) {
  const auto& unsound = report.summary.unsound;
  return unsound ? std::optional(Broken{unsound->run, unsound->at, unsound->findings})
                 : std::nullopt;
}

std::uint64_t seed_of(const RunReport& report) {
  return report.seed;
}
std::uint64_t seed_of(const BatchReport& report) {
  return report.summary.seed;
}

}  // namespace

void replace_policy(LoadedScenario& loaded, const core::RetryPolicy& policy,
                    const std::string& name) {
  loaded.scenario.policy = policy;
  loaded.scenario.policy_name = name;
  loaded.scenario.audit_policy.reset();
  loaded.scenario.expect = {};
  loaded.golden.reset();
}

reports::Subject subject_for(const LoadedScenario& loaded,
                             const std::optional<std::string>& policy_override) {
  const scenarios::Scenario& scenario = loaded.scenario;
  return {.scenario = scenario.name,
          .reference = loaded.reference,
          .summary = scenario.summary,
          .kind = scenario.operation.kind(),
          .policy_name = scenario.policy_name,
          .policy = scenario.policy,
          .policy_override = policy_override,
          .golden = loaded.golden,
          .golden_source = loaded.golden_file ? loaded.reference : "scenarios/library"};
}

reports::CatalogueReport run_all(std::vector<LoadedScenario> loaded,
                                 const std::optional<std::string>& policy_override,
                                 const RunPlan& plan, const Console& console) {
  reports::CatalogueReport report{
      .scenarios = {}, .scenarios_asked = loaded.size(), .seed = plan.seed, .runs = plan.runs};
  Progress progress(console, plan.runs * loaded.size());
  std::map<std::string, std::size_t> times_run;
  for (LoadedScenario& one : loaded) {
    if (console.is_interrupted()) {
      break;
    }
    const std::uint64_t runs_before = plan.runs * report.scenarios.size();
    const reports::Subject subject = subject_for(one, policy_override);
    const playback::PreparedScenario prepared(std::move(one.scenario));
    simulator::OperationIds ids;
    if (plan.store != nullptr) {
      ids = operation_ids(*plan.store, subject.scenario, times_run[subject.scenario]++, plan.seed);
    }
    if (plan.runs > 1) {
      report.scenarios.push_back(
          run_many(prepared, subject, plan, ids, console, progress, runs_before));
    } else if (std::optional<ScenarioReport> once =
                   run_once(prepared, subject, plan, ids, console)) {
      report.scenarios.push_back(*std::move(once));
    }
  }
  return report;
}

void sound_alarms(const ScenarioReport& report, const Console& console) {
  const std::optional<Broken> broken =
      std::visit([](const auto& one) { return broken_in(one); }, report);
  if (!broken) {
    return;
  }
  const std::uint64_t seed = std::visit([](const auto& one) { return seed_of(one); }, report);
  for (const std::string& line : reports::alarm_lines(reports::subject_of(report), seed,
                                                      broken->run, broken->at, broken->findings)) {
    console.err << line << '\n';
  }
}

int exit_code_for(const reports::CatalogueReport& report) {
  const auto any = [&report](const auto& test) {
    return std::any_of(report.scenarios.begin(), report.scenarios.end(), test);
  };
  if (any([](const ScenarioReport& one) { return !reports::is_sound(one); })) {
    return kBroken;
  }
  if (reports::is_interrupted(report)) {
    return kInterrupted;
  }
  return any([](const ScenarioReport& one) { return !reports::as_expected(one); }) ? kUnexpected
                                                                                   : kFine;
}

}  // namespace squall::cli
