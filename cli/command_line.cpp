// SPDX-License-Identifier: MIT
#include "cli/command_line.hpp"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "scenarios/wording.hpp"

namespace squall::cli {
namespace {

constexpr std::string_view kVersion = SQUALL_VERSION;

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

/// A message of the parser as the end of a line: without its line breaks and its capital letter.
std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  const auto is_capital = [&text](std::size_t at) { return text[at] >= 'A' && text[at] <= 'Z'; };
  if (text.size() > 1 && is_capital(0) && !is_capital(1)) {
    text.front() = static_cast<char>(text.front() - 'A' + 'a');
  }
  return text;
}

/// The command that `arguments` begin with, for hints.
std::string help_hint(const CLI::App& app, const std::vector<std::string>& arguments) {
  const std::vector<std::string> names = command_names(app);
  if (!arguments.empty() &&
      std::find(names.begin(), names.end(), arguments.front()) != names.end()) {
    return " (see squall " + arguments.front() + " --help)";
  }
  return " (see squall --help)";
}

}  // namespace

int run(std::span<const char* const> arguments, const Console& console) {
  CLI::App app(
      "What does a retry policy do when the provider misbehaves? Runs the real retry core\n"
      "under a virtual clock against scripted faults.",
      "squall");
  app.set_version_flag("--version", "squall " + std::string(kVersion));
  app.require_subcommand(0, 1);
  app.footer(
      "Example:\n  squall run 503-storm-nine-minutes\n"
      "\nExit codes: 0 fine; 1 an expectation is not met, or something got worse in a gate;\n"
      "2 bad input or usage; 3 an invariant broke, which is a bug; 130 interrupted.\n"
      "Under run --policy only the invariants are judged: expectations are written for the\n"
      "scenario's own policy. To gate a policy, name it in your scenario.");
  Chosen chosen;
  add_run_command(app, console, chosen);
  add_replay_command(app, console, chosen);
  add_worst_case_command(app, console, chosen);
  add_compare_command(app, console, chosen);
  add_gate_command(app, console, chosen);
  add_report_command(app, console, chosen);
  add_serve_command(app, console, chosen);
  add_call_command(app, console, chosen);
  add_fidelity_command(app, console, chosen);
  add_policies_command(app, console, chosen);
  add_scenarios_command(app, console, chosen);
  add_schema_command(app, console, chosen);
  add_db_command(app, console, chosen);

  std::vector<std::string> words(arguments.begin(), arguments.end());
  const std::vector<std::string> names = command_names(app);
  if (!words.empty() && !words.front().starts_with("-") &&
      std::find(names.begin(), names.end(), words.front()) == names.end()) {
    return usage_error(console, "unknown command " + scenarios::in_quotes(words.front()) +
                                    scenarios::did_you_mean(words.front(), names) +
                                    ", allowed: " + scenarios::join(names));
  }
  try {
    // The parser takes its words from the back.
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp& help) {
    std::ostringstream text;
    app.exit(help, text, text);
    return emit(console, {}, text.str() + "\n", kFine);
  } catch (const CLI::CallForVersion& version) {
    return emit(console, {}, std::string(version.what()) + "\n", kFine);
  } catch (const CLI::ParseError& error) {
    return usage_error(console, one_line(error.what()) + help_hint(app, words));
  }
  if (!chosen) {
    console.err << app.help() << '\n';
    return kBadInput;
  }
  return chosen();
}

}  // namespace squall::cli
