// SPDX-License-Identifier: MIT
//
// Results kept for later: what policies came to, run by run, as a JSON document that a later gate
// takes as its baseline. A baseline of policies shows what a change of the policy does; a stored
// one shows as well what a change of the code that plays it does.
//
//   { "squall": { "schema": 1, "kind": "gate-results" }, "seed": 1, "runs": 1000, "policies": [
//     { "name": "default", "policy": {...}, "scenarios": [
//       { "name": "503-storm", "digest": "0123456789abcdef",
//         "success": [...], "calls": [...], "wasted": [...], "elapsed_ns": [...] } ] } ] }
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/comparison.hpp"
#include "core/error.hpp"
#include "core/expected.hpp"
#include "core/policy.hpp"
#include "scenarios/model.hpp"

namespace squall::analysis {

/// Grows when a member changes its meaning; documents of another version are refused.
inline constexpr std::uint64_t kResultsSchema = 1;
/// Largest document that is read: 100 000 runs of a hundred scenarios.
inline constexpr std::uint64_t kResultsBytesMax = std::uint64_t{512} * 1024 * 1024;

struct StoredScenario {
  std::string name;
  std::uint64_t digest = 0;  ///< see scenario_digest
  std::vector<RunFacts> runs;
  friend bool operator==(const StoredScenario&, const StoredScenario&) = default;
};

struct StoredPolicy {
  std::string name;
  core::RetryPolicy policy;
  std::vector<StoredScenario> scenarios;
  friend bool operator==(const StoredPolicy&, const StoredPolicy&) = default;
};

struct StoredResults {
  std::uint64_t seed = 1;
  std::uint64_t runs = 1;
  std::vector<StoredPolicy> policies;
  friend bool operator==(const StoredResults&, const StoredResults&) = default;
};

/// Everything of a scenario that its runs depend on: neither its policy nor what it expects.
[[nodiscard]] std::uint64_t scenario_digest(const scenarios::Scenario& scenario);

/// One line a scenario, one line break at the end.
[[nodiscard]] std::string write_results(const StoredResults& results);

/// Whether `text` is a document of squall (of any kind and version), as opposed to a policy file.
[[nodiscard]] bool is_squall_document(std::string_view text);

/// @errors  another kind or version, no policies, members missing or of the wrong type, columns of
///          another length than `runs`; `Error::file` is `display_name`.
[[nodiscard]] core::Expected<StoredResults, core::Error> read_results(
    std::string_view text, const std::string& display_name);

}  // namespace squall::analysis
