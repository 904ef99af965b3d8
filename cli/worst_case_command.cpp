// SPDX-License-Identifier: MIT
//
// squall worst-case: the exact bounds that a policy puts on one operation, and scenarios that reach
// them.
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/witness.hpp"
#include "analysis/worst_case.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/scenario_source.hpp"
#include "core/connector/policy.hpp"
#include "core/shipped_policies.hpp"
#include "reports/worst_case_report.hpp"
#include "scenarios/files.hpp"
#include "scenarios/loader.hpp"
#include "scenarios/wording.hpp"
#include "scenarios/writer.hpp"

namespace squall::cli {
namespace {

using core::Error;
using core::Expected;
using scenarios::OperationKind;

/// A body that trickles for two hundred years at ten minutes a byte has fewer.
constexpr std::uint64_t kBodyWaitsMax = 1'000'000;

constexpr const char* kBodyWaits = "6";

struct Options {
  std::string policy;
  std::string operation;
  std::string body_waits = kBodyWaits;
  std::string witness_folder;
  OutputOptions output;
};

/// What a shipped policy is made for.
struct NaturalKind {
  std::string_view policy;
  OperationKind kind;
};
constexpr std::array<NaturalKind, 5> kNaturalKinds{{
    {"default", OperationKind::kAgentChat},
    {"synthesis", OperationKind::kSynthesis},
    {"comment", OperationKind::kComment},
    {"continuation", OperationKind::kContinuation},
    {"connector", OperationKind::kToolCall},
}};
static_assert(kNaturalKinds.size() == core::kShippedPolicies.size());

bool is_shipped(const std::string& policy) {
  for (const core::NamedPolicy& shipped : core::kShippedPolicies) {
    if (shipped.name == policy) {
      return true;
    }
  }
  return false;
}

/// The operation asked for, or the one that a shipped policy is made for.
Expected<OperationKind, Error> kind_of(const Options& options) {
  if (options.operation.empty()) {
    for (const NaturalKind& natural : kNaturalKinds) {
      if (natural.policy == options.policy) {
        return natural.kind;
      }
    }
    return OperationKind::kAgentChat;
  }
  std::vector<std::string> names;
  for (std::size_t index = 0; index < scenarios::kOperationKinds; ++index) {
    const auto kind = static_cast<OperationKind>(index);
    if (label(kind) == options.operation) {
      return kind;
    }
    names.emplace_back(label(kind));
  }
  return core::Unexpected<Error>(scenarios::error_of(
      "--operation: " +
      scenarios::found_allowed(scenarios::in_quotes(options.operation), scenarios::join(names)) +
      scenarios::did_you_mean(options.operation, names)));
}

/// How names of witnesses begin: the policy's name as a word of lower-case letters, digits and "-",
/// and the operation's when it was asked for.
std::string title_of(const Options& options) {
  std::string words = is_shipped(options.policy)
                          ? options.policy
                          : std::filesystem::path(options.policy).stem().string();
  if (!options.operation.empty()) {
    words += "-" + options.operation;
  }
  std::string title;
  for (const char character : words) {
    const bool plain =
        (character >= 'a' && character <= 'z') || (character >= '0' && character <= '9');
    const bool capital = character >= 'A' && character <= 'Z';
    const char next = plain ? character : capital ? static_cast<char>(character - 'A' + 'a') : '-';
    if (next != '-' || (!title.empty() && title.back() != '-')) {
      title += next;
    }
  }
  // The figure's name must still fit behind it.
  constexpr std::size_t kLengthMax = 60;
  title.resize(std::min(title.size(), kLengthMax));
  title.erase(title.find_last_not_of('-') + 1);
  return title.empty() ? "policy" : title;
}

/// What was asked for, to be typed again.
std::string command_of(const Options& options) {
  std::string command = "squall worst-case " + reports::shell_word(options.policy);
  if (!options.operation.empty()) {
    command += " --operation " + options.operation;
  }
  if (options.body_waits != kBodyWaits) {
    command += " --body-waits " + options.body_waits;
  }
  return command;
}

std::string path_of(const std::string& folder, const analysis::Witness& witness) {
  return (std::filesystem::path(folder) / (witness.scenario.name + ".json")).string();
}

/// Why a witness must not be written to `path`: something other than an earlier witness is there.
std::optional<Error> occupied(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::symlink_status(path, ignored);
  if (!std::filesystem::exists(status)) {
    return std::nullopt;
  }
  const auto there = std::filesystem::is_regular_file(status) ? scenarios::load_scenario_file(path)
                                                              : core::Unexpected<Error>(Error{});
  if (there && there->source == analysis::kWitnessSource) {
    return std::nullopt;
  }
  Error error = scenarios::error_of(
      "exists and is no witness of squall worst-case, so nothing was written; allowed: another "
      "folder");
  error.file = path;
  return error;
}

/// Writes every witness into the folder, which is made when it is missing.
Expected<void, Error> write(const std::vector<analysis::Witness>& witnesses,
                            const std::string& folder, std::vector<reports::NamedWitness>& named) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    Error error = scenarios::error_of("cannot make the folder: " + failed.message());
    error.file = folder;
    return core::Unexpected<Error>(std::move(error));
  }
  for (const analysis::Witness& witness : witnesses) {
    if (auto error = occupied(path_of(folder, witness))) {
      return core::Unexpected<Error>(*std::move(error));
    }
  }
  for (std::size_t index = 0; index < witnesses.size(); ++index) {
    const scenarios::Scenario& scenario = witnesses[index].scenario;
    const std::string path = path_of(folder, witnesses[index]);
    if (auto written = scenarios::write_file(path, scenarios::write_scenario(scenario)); !written) {
      return written;
    }
    named[index].file = path;
  }
  return {};
}

int tell(const Options& options, const Console& console) {
  const auto policy = load_policy(options.policy);
  if (!policy) {
    return input_error(console, policy.error());
  }
  const auto kind = kind_of(options);
  if (!kind) {
    return input_error(console, kind.error());
  }
  const auto body_waits = parse_number("--body-waits", options.body_waits, 0, kBodyWaitsMax);
  if (!body_waits) {
    return input_error(console, body_waits.error());
  }
  if (*kind == OperationKind::kToolCall) {
    if (const auto valid = core::connector::validate_connector_policy(*policy); !valid) {
      Error error = valid.error();
      error.file = options.policy;
      return input_error(console, error);
    }
  }
  const auto worst = analysis::worst_case(*policy, *kind, static_cast<std::uint32_t>(*body_waits));
  if (!worst) {
    Error error = worst.error();
    error.file = options.policy;
    return input_error(console, error);
  }
  const std::vector<analysis::Witness> witnesses = analysis::witnesses(
      *worst, *policy, is_shipped(options.policy) ? options.policy : "inline", title_of(options));
  reports::WorstCaseReport report{.policy_name = options.policy,
                                  .policy = *policy,
                                  .worst = *worst,
                                  .command = command_of(options),
                                  .witnesses = {}};
  for (const analysis::Witness& witness : witnesses) {
    report.witnesses.push_back(
        {.figure = witness.figure, .scenario = witness.scenario.name, .file = {}});
  }
  if (!options.witness_folder.empty()) {
    if (const auto written = write(witnesses, options.witness_folder, report.witnesses); !written) {
      return input_error(console, written.error());
    }
  }
  return emit(console, options.output,
              options.output.json
                  ? reports::worst_case_json(report)
                  : reports::worst_case_text(report, style_for(console, options.output)),
              kFine);
}

}  // namespace

void add_worst_case_command(CLI::App& app, const Console& console, Chosen& chosen) {
  CLI::App* const command = app.add_subcommand(
      "worst-case",
      "Bound one operation exactly: calls, sleeps, time, and what reaches the bounds");
  const auto options = std::make_shared<Options>();
  command->add_option("POLICY", options->policy, "A shipped name or a file")
      ->type_name("")
      ->required();
  command
      ->add_option("--operation", options->operation,
                   "What the policy is used for: agent_chat, extraction, comment, synthesis,\n"
                   "research_synthesis, continuation or tool_call (default: what a shipped policy\n"
                   "is for, else agent_chat)")
      ->type_name("KIND")
      ->check(not_empty);
  command
      ->add_option("--body-waits", options->body_waits,
                   "Also bound attempts that wait N times for bytes of the body (default 6)")
      ->type_name("N")
      ->check(not_empty);
  command
      ->add_option("--write-witness", options->witness_folder,
                   "Write the scenarios that reach the bounds into the folder DIR")
      ->type_name("DIR")
      ->check(not_empty);
  add_output_options(*command, options->output);
  command->footer(
      "Every figure is exact, and each but the mean is reached by a witness to the nanosecond:\n"
      "  squall worst-case default --write-witness witnesses && squall run witnesses\n"
      "\nExample:\n  squall worst-case default");
  command->callback([options, &console, &chosen] {
    chosen = [options, &console] { return tell(*options, console); };
  });
}

}  // namespace squall::cli
