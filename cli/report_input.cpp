// SPDX-License-Identifier: MIT
#include "cli/report_input.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "cli/runner.hpp"
#include "cli/scenario_source.hpp"
#include "core/connector/policy.hpp"
#include "core/shipped_policies.hpp"
#include "reports/figures.hpp"
#include "reports/style.hpp"
#include "scenarios/wording.hpp"

namespace squall::cli {
namespace {

namespace fs = std::filesystem;

using analysis::NamedScenario;
using core::Error;
using core::Expected;
using core::Unexpected;
using reports::shell_word;
using reports::reliability::Column;

constexpr const char* kInline = "inline";
/// More names make a command that nobody reads; the whole report is made again instead.
constexpr std::size_t kNamesMax = 20;

bool is_shipped_policy(const std::string& name) {
  return std::any_of(core::kShippedPolicies.begin(), core::kShippedPolicies.end(),
                     [&name](const core::NamedPolicy& shipped) { return shipped.name == name; });
}

Unexpected<Error> refuse(std::string message) {
  return Unexpected<Error>(scenarios::error_of(std::move(message)));
}

/// How a command names the policy of a scenario; empty for one that is written into it.
std::string word_of(const LoadedScenario& loaded) {
  const std::string& name = loaded.scenario.policy_name;
  if (name == kInline) {
    return {};
  }
  return is_shipped_policy(name)
             ? name
             : (fs::path(loaded.reference).parent_path() / name).lexically_normal().string();
}

class Planner {
 public:
  explicit Planner(const ReportWords& words) : words_(words) {}

  Expected<ReportPlan, Error> plan() {
    LoadedScenarios loaded = load_scenarios(words_.scenarios);
    if (!loaded.errors.empty()) {
      return Unexpected<Error>(loaded.errors.front());
    }
    for (const std::string& word : words_.policies) {
      const auto policy = load_policy(word);
      if (!policy) {
        return Unexpected<Error>(policy.error());
      }
      if (std::any_of(plan_.columns.begin(), plan_.columns.end(),
                      [&word](const Column& column) { return column.word == word; })) {
        return refuse(fmt::format("--policy: {} is named twice", scenarios::in_quotes(word)));
      }
      plan_.columns.push_back(
          {.name = word, .policy = *policy, .word = word, .command = {}, .kinds = {}});
    }
    left_out_.resize(plan_.columns.size());
    for (LoadedScenario& one : loaded.scenarios) {
      if (auto error = add(one)) {
        return Unexpected<Error>(*std::move(error));
      }
    }
    return finish();
  }

 private:
  std::optional<Error> add(LoadedScenario& loaded) {
    const std::string name = loaded.scenario.name;
    if (std::any_of(plan_.rows.begin(), plan_.rows.end(),
                    [&name](const auto& row) { return row.name == name; })) {
      Error error = scenarios::error_of(
          fmt::format("a scenario called {} is named twice", scenarios::in_quotes(name)));
      error.file = loaded.reference;
      return error;
    }
    const std::size_t row = plan_.rows.size();
    plan_.rows.push_back({.name = name,
                          .summary = loaded.scenario.summary,
                          .kind = loaded.scenario.operation.kind(),
                          .tags = loaded.scenario.tags});
    plan_.scenarios.push_back({loaded.reference, loaded.scenario});
    if (words_.policies.empty()) {
      add_cell(own_column(loaded), row, loaded, std::nullopt);
      return std::nullopt;
    }
    bool played = false;
    for (std::size_t column = 0; column < plan_.columns.size(); ++column) {
      const Column& one = plan_.columns[column];
      if (!analysis::fits(one.policy, loaded.scenario)) {
        ++left_out_[column].tool_calls;
        continue;
      }
      if (is_for_others(one.policy, loaded.scenario)) {
        ++left_out_[column].others;
        continue;
      }
      played = true;
      if (one.policy == loaded.scenario.policy) {
        add_cell(column, row, loaded, std::nullopt);
      } else {
        LoadedScenario other = loaded;
        replace_policy(other, one.policy, one.word);
        add_cell(column, row, other, one.word);
      }
    }
    if (!played && !loaded.whole_folder) {
      return scenarios::error_of(
          fmt::format("{} is a tool call, which the policy {} does not fit: {}", loaded.reference,
                      plan_.columns.front().name,
                      core::connector::validate_connector_policy(plan_.columns.front().policy)
                          .error()
                          .message));
    }
    if (!played) {
      plan_.rows.pop_back();
      plan_.scenarios.pop_back();
    }
    return std::nullopt;
  }

  /// Of the catalogue a policy that fits tool calls plays those alone, as in a gate: a thousand
  /// calls within two seconds are nothing to repair an answer with.
  [[nodiscard]] bool is_for_others(const core::RetryPolicy& policy,
                                   const scenarios::Scenario& scenario) const {
    return words_.scenarios.empty() &&
           scenario.operation.kind() != scenarios::OperationKind::kToolCall &&
           core::connector::validate_connector_policy(policy).has_value();
  }

  std::size_t own_column(const LoadedScenario& loaded) {
    const core::RetryPolicy& policy = loaded.scenario.policy;
    const std::string word = word_of(loaded);
    std::size_t column = 0;
    while (column < plan_.columns.size() &&
           (plan_.columns[column].word != word || plan_.columns[column].policy != policy)) {
      ++column;
    }
    if (column == plan_.columns.size()) {
      plan_.columns.push_back(
          {.name = word.empty() ? fmt::format("inline ({})", loaded.scenario.name) : word,
           .policy = policy,
           .word = word,
           .command = {},
           .kinds = {}});
      left_out_.emplace_back();
    }
    return column;
  }

  void add_cell(std::size_t column, std::size_t row, const LoadedScenario& loaded,
                const std::optional<std::string>& policy_override) {
    plan_.subjects.push_back(subject_for(loaded, policy_override));
    plan_.prepared.push_back(std::make_unique<playback::PreparedScenario>(loaded.scenario));
    plan_.tasks.push_back(
        {.policy = column, .scenario = row, .prepared = plan_.prepared.back().get()});
  }

  Expected<ReportPlan, Error> finish() {
    std::vector<std::vector<const scenarios::Scenario*>> played(plan_.columns.size());
    for (const analysis::ReliabilityTask& task : plan_.tasks) {
      played[task.policy].push_back(&plan_.scenarios[task.scenario].scenario);
    }
    for (std::size_t i = 0; i < plan_.columns.size(); ++i) {
      Column& column = plan_.columns[i];
      if (played[i].empty()) {
        return refuse(fmt::format("the policy {} fits none of the scenarios", column.name));
      }
      column.kinds = analysis::kinds_of(played[i]);
      column.command = column_command(i);
      if (const std::uint64_t count = left_out_[i].tool_calls; count > 0) {
        plan_.notes.push_back(fmt::format("{} left out under {}, which does not fit them",
                                          reports::count_of(count, "tool call"), column.name));
      }
      if (const std::uint64_t count = left_out_[i].others; count > 0) {
        plan_.notes.push_back(
            fmt::format("{} left out under {}, which is for tool calls (name them to play them)",
                        reports::count_of(count, "scenario"), column.name));
      }
    }
    return std::move(plan_);
  }

  /// squall compare for one policy, where it can name what the column plays.
  [[nodiscard]] std::string column_command(std::size_t index) const {
    const Column& column = plan_.columns[index];
    const auto played = plan_.played_by(index);
    const bool by_default = plays_by_default(words_, plan_, index);
    if (column.word.empty() || words_.runs > analysis::kGateRunsMax ||
        (!by_default && played.size() > kNamesMax)) {
      return report_command(words_);
    }
    std::string command = "squall compare " + shell_word(column.word);
    if (!by_default) {
      command += " --scenarios";
      for (const NamedScenario* one : played) {
        command += " " + shell_word(one->reference);
      }
    }
    return command + fmt::format(" --runs {} --seed {}", words_.runs, words_.seed);
  }

  const ReportWords& words_;
  ReportPlan plan_;
  struct LeftOut {
    std::uint64_t tool_calls = 0, others = 0;
  };
  std::vector<LeftOut> left_out_;  ///< by column
};

}  // namespace

std::vector<const NamedScenario*> ReportPlan::played_by(std::size_t column) const {
  std::vector<const NamedScenario*> played;
  for (const analysis::ReliabilityTask& task : tasks) {
    if (task.policy == column) {
      played.push_back(&scenarios[task.scenario]);
    }
  }
  return played;
}

Expected<ReportPlan, Error> plan_report(const ReportWords& words) {
  return Planner(words).plan();
}

std::string report_command(const ReportWords& words) {
  std::string command = "squall report";
  for (const std::string& word : words.scenarios) {
    command += " " + shell_word(word);
  }
  for (const std::string& word : words.policies) {
    command += " --policy " + shell_word(word);
  }
  if (!words.baseline.empty()) {
    command += " --baseline " + shell_word(words.baseline);
  }
  return command + fmt::format(" --runs {} --seed {} --output report.html", words.runs, words.seed);
}

bool plays_by_default(const ReportWords& words, const ReportPlan& plan, std::size_t column) {
  return words.scenarios.empty() && words.policies.empty() &&
         is_shipped_policy(plan.columns[column].word);
}

PolicySet candidates_of(const ReportPlan& plan, std::vector<std::size_t>& columns) {
  PolicySet set;
  set.word = "the report";
  for (std::size_t i = 0; i < plan.columns.size(); ++i) {
    const Column& column = plan.columns[i];
    if (column.word.empty()) {
      continue;
    }
    const bool shipped = is_shipped_policy(column.word);
    set.sides.push_back(
        {.side = {.name = shipped ? column.word : fs::path(column.word).stem().string(),
                  .source = column.word,
                  .policy = column.policy,
                  .stored = nullptr},
         .file = shipped ? std::string() : column.word});
    columns.push_back(i);
  }
  set.single = plan.columns.size() == 1;
  return set;
}

std::string gate_command(const ReportWords& words, const std::string& candidate,
                         const std::vector<const NamedScenario*>& played, bool by_default) {
  if (!by_default && played.size() > kNamesMax) {
    return report_command(words);
  }
  std::string command = fmt::format("squall gate --baseline {} --candidate {}",
                                    shell_word(words.baseline), shell_word(candidate));
  if (!by_default) {
    command += " --scenarios";
    for (const NamedScenario* one : played) {
      command += " " + shell_word(one->reference);
    }
  }
  return command + fmt::format(" --runs {} --seed {}", words.runs, words.seed);
}

}  // namespace squall::cli
