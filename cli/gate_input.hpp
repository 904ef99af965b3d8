// SPDX-License-Identifier: MIT
//
// What squall compare and squall gate are told on the command line: policies, sets of policies, and
// the scenarios that suit them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/comparison.hpp"
#include "analysis/gate.hpp"
#include "cli/scenario_source.hpp"
#include "core/error.hpp"
#include "core/expected.hpp"
#include "core/policy.hpp"

namespace squall::cli {

/// The word that means every shipped policy, as the program itself holds them.
inline constexpr const char* kShippedWord = "shipped";

/// One policy of a set.
struct LoadedSide {
  analysis::GateSide side;
  std::string file;  ///< its policy file; empty for a shipped name and for stored results
};

/// What one word names: a policy, a folder of them, or stored results.
struct PolicySet {
  std::string word;
  bool single = false;  ///< one policy, whatever its name
  std::vector<LoadedSide> sides;
  /// What `sides` point into; null unless the word names stored results.
  std::unique_ptr<analysis::StoredResults> stored;
};

/// Loads what `word` names: a shipped name, kShippedWord, a policy file, a folder of policy files
/// (scenarios among them are passed over), or a file that squall gate --save wrote.
[[nodiscard]] core::Expected<PolicySet, core::Error> load_policy_set(const std::string& word);

/// Makes runs and seed those of the stored results among `sets`.
/// @param runs_fixed, seed_fixed  whether `measure` has them from the user.
/// @errors  results of other runs or another seed than that, or than other results.
[[nodiscard]] core::Expected<void, core::Error> adopt_stored(std::span<const PolicySet* const> sets,
                                                             bool runs_fixed, bool seed_fixed,
                                                             analysis::MeasureOptions& measure);

/// Two sides to be compared: indices into the sets.
struct MatchedSides {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  std::vector<std::size_t> added;  ///< candidates without a baseline
  std::vector<std::string> notes;  ///< what has no counterpart
};

/// Matches by name; two single policies are a pair whatever they are called.
/// @errors  nothing matches.
[[nodiscard]] core::Expected<MatchedSides, core::Error> match(const PolicySet& baseline,
                                                              const PolicySet& candidate);

/// The scenarios to choose from, loaded once.
class ScenarioPool {
 public:
  /// @param words  as for squall run; none: the shipped library.
  /// @errors  the first defect of the scenarios.
  [[nodiscard]] static core::Expected<ScenarioPool, core::Error> load(
      std::span<const std::string> words);

  /// The scenarios for all of `policies`: those named, or, when none was, the shipped ones that
  /// play the first of `names` that is a shipped policy; failing that those of "connector" for
  /// policies that fit tool calls, else those of "default". Tool calls of a folder that a policy
  /// does not fit are left out with a note.
  ///
  /// @errors  a scenario that was named on its own and that a policy does not fit; none left.
  [[nodiscard]] core::Expected<std::vector<const analysis::NamedScenario*>, core::Error> choose(
      std::span<const core::RetryPolicy> policies, std::span<const std::string> names,
      std::vector<std::string>& notes) const;

 private:
  std::vector<analysis::NamedScenario> scenarios_;
  std::vector<bool> whole_folder_;
  bool named_ = false;
};

/// Number of worker threads: what `text` says, or one a core when it is empty.
[[nodiscard]] core::Expected<unsigned, core::Error> threads_from(const std::string& text);

}  // namespace squall::cli
