// SPDX-License-Identifier: MIT
#include "cli/gate_input.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "core/connector/policy.hpp"
#include "core/shipped_policies.hpp"
#include "reports/figures.hpp"
#include "scenarios/files.hpp"
#include "scenarios/loader.hpp"
#include "scenarios/wording.hpp"

namespace squall::cli {
namespace {

namespace fs = std::filesystem;

using core::Error;
using core::Expected;
using core::RetryPolicy;
using core::Unexpected;

Unexpected<Error> refuse(const std::string& file, std::string message) {
  return Unexpected<Error>(
      Error{.file = file, .line = 0, .pointer = {}, .message = std::move(message)});
}

LoadedSide side_of(std::string name, std::string source, RetryPolicy policy, std::string file) {
  return {.side = {.name = std::move(name),
                   .source = std::move(source),
                   .policy = policy,
                   .stored = nullptr},
          .file = std::move(file)};
}

PolicySet shipped_set() {
  PolicySet set;
  set.word = kShippedWord;
  for (const core::NamedPolicy& shipped : core::kShippedPolicies) {
    const std::string name(shipped.name);
    set.sides.push_back(side_of(name, name, shipped.make(), {}));
  }
  return set;
}

Expected<PolicySet, Error> folder_set(const std::string& path) {
  std::vector<std::string> files;
  std::error_code fault;
  std::error_code ignored;
  for (fs::directory_iterator at(path, fault), end; !fault && at != end; at.increment(fault)) {
    const std::string name = at->path().filename().string();
    if (at->is_regular_file(ignored) && name.ends_with(".json") &&
        !name.ends_with(".schema.json") && name != kGoldenFile) {
      files.push_back(at->path().string());
    }
  }
  if (fault) {
    return refuse(path, "cannot be read: " + fault.message());
  }
  std::sort(files.begin(), files.end());
  PolicySet set;
  set.word = path;
  for (const std::string& file : files) {
    const auto policy = scenarios::load_policy_file(file);
    if (policy) {
      set.sides.push_back(side_of(fs::path(file).stem().string(), file, *policy, file));
    } else if (!scenarios::load_scenario_file(file)) {
      return Unexpected<Error>(policy.error());
    }
  }
  if (set.sides.empty()) {
    return refuse(path, "no policy files (*.json) in this folder");
  }
  return set;
}

PolicySet stored_set(const std::string& path, analysis::StoredResults results) {
  PolicySet set;
  set.word = path;
  set.stored = std::make_unique<analysis::StoredResults>(std::move(results));
  set.single = set.stored->policies.size() == 1;
  for (const analysis::StoredPolicy& policy : set.stored->policies) {
    LoadedSide& one = set.sides.emplace_back(side_of(policy.name, path, policy.policy, {}));
    one.side.stored = &policy;
  }
  return set;
}

bool is_shipped(const std::string& name) {
  return std::any_of(core::kShippedPolicies.begin(), core::kShippedPolicies.end(),
                     [&name](const core::NamedPolicy& shipped) { return shipped.name == name; });
}

const LoadedSide* find(const PolicySet& set, const std::string& name) {
  const auto found = std::find_if(set.sides.begin(), set.sides.end(),
                                  [&name](const auto& one) { return one.side.name == name; });
  return found == set.sides.end() ? nullptr : &*found;
}

}  // namespace

Expected<PolicySet, Error> load_policy_set(const std::string& word) {
  if (word == kShippedWord) {
    return shipped_set();
  }
  std::error_code ignored;
  if (fs::is_directory(word, ignored)) {
    return folder_set(word);
  }
  if (!is_shipped(word) && fs::exists(word, ignored)) {
    const auto text = scenarios::read_file(word, analysis::kResultsBytesMax);
    if (!text) {
      return Unexpected<Error>(text.error());
    }
    if (analysis::is_squall_document(*text)) {
      auto results = analysis::read_results(*text, word);
      if (!results) {
        return Unexpected<Error>(results.error());
      }
      return stored_set(word, *std::move(results));
    }
  }
  const auto policy = load_policy(word);
  if (!policy) {
    return Unexpected<Error>(policy.error());
  }
  PolicySet set;
  set.word = word;
  set.single = true;
  set.sides.push_back(is_shipped(word)
                          ? side_of(word, word, *policy, {})
                          : side_of(fs::path(word).stem().string(), word, *policy, word));
  return set;
}

Expected<void, Error> adopt_stored(std::span<const PolicySet* const> sets, bool runs_fixed,
                                   bool seed_fixed, analysis::MeasureOptions& measure) {
  for (const PolicySet* set : sets) {
    if (set->stored == nullptr) {
      continue;
    }
    const bool other_runs = runs_fixed && measure.runs != set->stored->runs;
    const bool other_seed = seed_fixed && measure.seed != set->stored->seed;
    if (other_runs || other_seed) {
      return refuse(set->word,
                    fmt::format("holds {} of seed {}, and runs are compared one by one: give no "
                                "other --runs and --seed",
                                reports::count_of(set->stored->runs, "run"), set->stored->seed));
    }
    measure.runs = set->stored->runs;
    measure.seed = set->stored->seed;
    runs_fixed = seed_fixed = true;
  }
  return {};
}

Expected<MatchedSides, Error> match(const PolicySet& baseline, const PolicySet& candidate) {
  MatchedSides matched;
  if (baseline.single && candidate.single) {
    matched.pairs.emplace_back(0, 0);
    return matched;
  }
  for (std::size_t i = 0; i < candidate.sides.size(); ++i) {
    const std::string& name = candidate.sides[i].side.name;
    if (const LoadedSide* found = find(baseline, name)) {
      matched.pairs.emplace_back(static_cast<std::size_t>(found - baseline.sides.data()), i);
    } else {
      matched.added.push_back(i);
      matched.notes.push_back(fmt::format("{} has no baseline: not judged", name));
    }
  }
  for (const LoadedSide& one : baseline.sides) {
    if (find(candidate, one.side.name) == nullptr) {
      matched.notes.push_back(fmt::format("{} is gone: not judged", one.side.name));
    }
  }
  if (matched.pairs.empty()) {
    return refuse(candidate.word, fmt::format("none of its policies is called like one of {}",
                                              scenarios::in_quotes(baseline.word)));
  }
  return matched;
}

Expected<ScenarioPool, Error> ScenarioPool::load(std::span<const std::string> words) {
  LoadedScenarios loaded = load_scenarios(words);
  if (!loaded.errors.empty()) {
    return Unexpected<Error>(loaded.errors.front());
  }
  ScenarioPool pool;
  pool.named_ = !words.empty();
  for (LoadedScenario& one : loaded.scenarios) {
    const bool known =
        std::any_of(pool.scenarios_.begin(), pool.scenarios_.end(),
                    [&one](const auto& other) { return other.scenario.name == one.scenario.name; });
    if (known) {
      return refuse(one.reference, fmt::format("a scenario called {} is named twice",
                                               scenarios::in_quotes(one.scenario.name)));
    }
    pool.whole_folder_.push_back(one.whole_folder);
    pool.scenarios_.push_back({std::move(one.reference), std::move(one.scenario)});
  }
  return pool;
}

Expected<std::vector<const analysis::NamedScenario*>, Error> ScenarioPool::choose(
    std::span<const RetryPolicy> policies, std::span<const std::string> names,
    std::vector<std::string>& notes) const {
  const auto known = std::find_if(names.begin(), names.end(), is_shipped);
  const bool all_fit_tools =
      std::all_of(policies.begin(), policies.end(), [](const RetryPolicy& policy) {
        return core::connector::validate_connector_policy(policy).has_value();
      });
  const std::string played = known != names.end() ? *known
                             : all_fit_tools      ? "connector"
                                                  : "default";
  std::vector<const analysis::NamedScenario*> chosen;
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < scenarios_.size(); ++i) {
    const analysis::NamedScenario& one = scenarios_[i];
    if (!named_ && one.scenario.policy_name != played) {
      continue;
    }
    const auto misfit = std::find_if(
        policies.begin(), policies.end(),
        [&one](const RetryPolicy& policy) { return !analysis::fits(policy, one.scenario); });
    if (misfit == policies.end()) {
      chosen.push_back(&one);
    } else if (whole_folder_[i]) {
      ++left_out;
    } else {
      const std::string& name = names[static_cast<std::size_t>(misfit - policies.begin())];
      return refuse(
          {},
          fmt::format("{} is a tool call, which the policy {} does not fit: {}", one.reference,
                      name, core::connector::validate_connector_policy(*misfit).error().message));
    }
  }
  if (left_out > 0) {
    notes.push_back(fmt::format("{} left out, which the policies do not fit",
                                reports::count_of(left_out, "tool call")));
  }
  if (chosen.empty()) {
    return refuse({}, "no scenario to play: name some with --scenarios");
  }
  return chosen;
}

Expected<unsigned, Error> threads_from(const std::string& text) {
  if (text.empty()) {
    return std::clamp(std::thread::hardware_concurrency(), 1U, kThreadsMax);
  }
  const auto threads = parse_number("--threads", text, 1, kThreadsMax);
  if (!threads) {
    return Unexpected<Error>(threads.error());
  }
  return static_cast<unsigned>(*threads);
}

}  // namespace squall::cli
