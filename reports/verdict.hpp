// SPDX-License-Identifier: MIT
//
// What a report is about (Subject) and whether it came out as expected (Verdict).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/policy.hpp"
#include "scenarios/model.hpp"

namespace squall::reports {

/// Golden digests are those of run 0 of this seed.
inline constexpr std::uint64_t kGoldenSeed = 1;

/// The scenario and policy that were run, in the user's words.
struct Subject {
  std::string scenario;  ///< name
  /// How the user can name it again: a shipped name or a path. Empty for what cannot be run again
  /// (a real call).
  std::string reference;
  std::string summary;
  scenarios::OperationKind kind = scenarios::OperationKind::kAgentChat;
  std::string policy_name;
  core::RetryPolicy policy;
  /// Set when `policy` replaces the scenario's own: how the user named it. Then neither
  /// expectations nor golden digests apply, which were written for the scenario's own.
  std::optional<std::string> policy_override;
  /// Digest that run 0 of kGoldenSeed must have, where one is stored.
  std::optional<std::uint64_t> golden;
  /// What `squall run --bless` must be given to rewrite it.
  std::string golden_source;
};

/// One expectation and what became of it.
struct Expectation {
  std::string name;    ///< "attempts", as in scenario files; "digest" for golden digests
  std::string wanted;  ///< "at most 13"
  bool met = true;
  std::string finding;  ///< when not met: one sentence with the value found
};

struct Verdict {
  bool checked = true;  ///< false under another policy: then there are no expectations here
  std::vector<Expectation> expectations;
  /// Set when a success rate is expected and there is one run only: not judged.
  bool success_rate_left_out = false;

  [[nodiscard]] bool as_expected() const;
};

/// The expectations a scenario states, in the order of its language, each met unless `unmet` has a
/// sentence that begins with its name ("attempts: 3, expected at most 1").
///
/// @param many  whether there are several runs, so that a success rate can be judged.
[[nodiscard]] Verdict judge(const scenarios::Expectations& expected,
                            const std::vector<std::string>& unmet, bool many);

/// Adds the golden digest as one more expectation.
///
/// @param source  see Subject::golden_source.
void judge_digest(Verdict& verdict, std::uint64_t golden, std::uint64_t found,
                  std::string_view source);

}  // namespace squall::reports
