// SPDX-License-Identifier: MIT
//
// From text to a checked Scenario or RetryPolicy, or to exactly one Error: the first defect, with
// file, line, JSON pointer, what was found and what is allowed. Nothing is half-loaded.
//
// Structure is judged by the published schemas (scenario.schema.json, policy.schema.json); what a
// schema cannot say (phases in order, offsets inside the body, known policies) is judged here.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/expected.hpp"
#include "core/policy.hpp"
#include "scenarios/model.hpp"

namespace squall::scenarios {

/// Gives the policy that a scenario names: a shipped name or a path ending in ".json". An Error
/// without `file` is placed at the reference in the scenario; one with `file` is passed on as it
/// is.
using PolicyResolver =
    std::function<core::Expected<core::RetryPolicy, core::Error>(std::string_view reference)>;

/// Knows the shipped policies by name and reads no files.
[[nodiscard]] PolicyResolver shipped_policies();
/// Knows the shipped policies by name and reads policy files relative to `folder`.
[[nodiscard]] PolicyResolver policies_from(std::string folder);

/// Loads a scenario file. Its `name` must equal the file's stem; policy paths are relative to it.
[[nodiscard]] core::Expected<Scenario, core::Error> load_scenario_file(const std::string& path);
/// Loads a scenario from memory. `display_name` is what errors call it.
[[nodiscard]] core::Expected<Scenario, core::Error> load_scenario(
    std::string_view text, const std::string& display_name,
    const PolicyResolver& resolver = shipped_policies());

/// Loads a policy file. Its `name` must equal the file's stem.
[[nodiscard]] core::Expected<core::RetryPolicy, core::Error> load_policy_file(
    const std::string& path);
/// Loads a policy from memory. `display_name` is what errors call it.
[[nodiscard]] core::Expected<core::RetryPolicy, core::Error> load_policy(
    std::string_view text, const std::string& display_name);

}  // namespace squall::scenarios
