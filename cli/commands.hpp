// SPDX-License-Identifier: MIT
//
// The sub-commands, one file each: every function here adds one to the parser and, when it is the
// one called, leaves in `chosen` what it does. Nothing runs while the command line is being read.
#pragma once

#include <functional>

#include "cli/console.hpp"

namespace CLI {
class App;
}

namespace squall::cli {

/// What the chosen sub-command does; returns the exit code. Empty when none was named.
using Chosen = std::function<int()>;

void add_run_command(CLI::App& app, const Console& console, Chosen& chosen);
void add_replay_command(CLI::App& app, const Console& console, Chosen& chosen);
void add_worst_case_command(CLI::App& app, const Console& console, Chosen& chosen);
void add_compare_command(CLI::App& app, const Console& console, Chosen& chosen);
void add_gate_command(CLI::App& app, const Console& console, Chosen& chosen);
void add_report_command(CLI::App& app, const Console& console, Chosen& chosen);
void add_serve_command(CLI::App& app, const Console& console, Chosen& chosen);
void add_call_command(CLI::App& app, const Console& console, Chosen& chosen);
void add_fidelity_command(CLI::App& app, const Console& console, Chosen& chosen);
void add_policies_command(CLI::App& app, const Console& console, Chosen& chosen);
void add_scenarios_command(CLI::App& app, const Console& console, Chosen& chosen);
void add_schema_command(CLI::App& app, const Console& console, Chosen& chosen);
void add_db_command(CLI::App& app, const Console& console, Chosen& chosen);

/// Adds --json, --output, --no-color and --quiet.
void add_output_options(CLI::App& command, OutputOptions& options);

}  // namespace squall::cli
