// SPDX-License-Identifier: MIT
//
// squall db: what a telemetry database says about the operations in it.
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include <CLI/CLI.hpp>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "reports/telemetry_report.hpp"
#include "telemetry/summary.hpp"

namespace squall::cli {
namespace {

struct Options {
  std::string file;
  OutputOptions output;
};

int summarize(const Options& options, const Console& console) {
  std::error_code ignored;  // when one of them does not exist they are not the same
  if (std::filesystem::equivalent(options.file, options.output.file, ignored)) {
    return usage_error(console, "--output would replace the database itself");
  }
  const auto summary = telemetry::summarize(options.file);
  if (!summary) {
    return input_error(console, summary.error());
  }
  return emit(console, options.output,
              options.output.json ? reports::telemetry_json(*summary)
                                  : reports::telemetry_text(*summary, options.file,
                                                            style_for(console, options.output)),
              kFine);
}

}  // namespace

void add_db_command(CLI::App& app, const Console& console, Chosen& chosen) {
  CLI::App* const command =
      app.add_subcommand("db", "Sum up a telemetry database: outcomes, failures, calls, cost");
  const auto options = std::make_shared<Options>();
  command->add_option("FILE", options->file, "A database that squall recorded")
      ->type_name("")
      ->required()
      ->check(not_empty);
  add_output_options(*command, options->output);
  command->footer("Example:\n  squall db telemetry.db --json --output telemetry.json");
  command->callback([options, &console, &chosen] {
    chosen = [options, &console] { return summarize(*options, console); };
  });
}

}  // namespace squall::cli
