// SPDX-License-Identifier: MIT
//
// From the words of a command line to checked scenarios and policies: shipped names, files,
// folders.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/expected.hpp"
#include "core/policy.hpp"
#include "scenarios/model.hpp"

namespace squall::cli {

/// Name of the file beside scenarios that holds their golden digests.
inline constexpr const char* kGoldenFile = "golden.json";

/// A scenario and where it came from.
struct LoadedScenario {
  scenarios::Scenario scenario;
  std::string reference;  ///< names it again: a shipped name or a path
  /// Path of the golden digests beside its file, whether there are any or not; absent when shipped.
  std::optional<std::string> golden_file;
  bool whole_folder = false;  ///< came with all scenarios of its folder, or of the library
  std::optional<std::uint64_t> golden;
};

/// What was found, and every defect: all of them, so that they can be mended at once.
struct LoadedScenarios {
  std::vector<LoadedScenario> scenarios;
  std::vector<core::Error> errors;
};

/// Loads everything `words` name, in their order; nothing named means the shipped library.
/// Scenarios with a deliberate defect are refused: only test builds have those.
[[nodiscard]] LoadedScenarios load_scenarios(std::span<const std::string> words);

/// A policy by its shipped name or the path of its file.
[[nodiscard]] core::Expected<core::RetryPolicy, core::Error> load_policy(const std::string& word);

}  // namespace squall::cli
