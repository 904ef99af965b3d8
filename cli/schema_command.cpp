// SPDX-License-Identifier: MIT
//
// squall schema: prints the published JSON Schemas, or their reference as Markdown.
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "scenarios/catalogue.hpp"
#include "scenarios/describe.hpp"
#include "scenarios/wording.hpp"

namespace squall::cli {
namespace {

struct Options {
  std::string kind = "scenario";
  bool markdown = false;
  OutputOptions output;
};

int print_schema(const Options& options, const Console& console) {
  if (options.markdown) {
    return emit(console, options.output, scenarios::describe_format(), kFine);
  }
  if (options.kind != "scenario" && options.kind != "policy") {
    return usage_error(console,
                       "schema: " + scenarios::found_allowed(scenarios::in_quotes(options.kind),
                                                             "scenario or policy"));
  }
  return emit(console, options.output,
              scenarios::schema_text(options.kind == "policy" ? scenarios::SchemaKind::kPolicy
                                                              : scenarios::SchemaKind::kScenario),
              kFine);
}

}  // namespace

void add_schema_command(CLI::App& app, const Console& console, Chosen& chosen) {
  CLI::App* const command =
      app.add_subcommand("schema", "Print the JSON Schema of scenario or policy files");
  const auto options = std::make_shared<Options>();
  command->add_option("KIND", options->kind, "scenario (default) or policy")->type_name("");
  command->add_flag("--markdown", options->markdown,
                    "Print the reference of both kinds of files as Markdown");
  command
      ->add_option("--output", options->output.file,
                   "Write to FILE what would be printed, all of it or nothing")
      ->type_name("FILE");
  command->footer("Example:\n  squall schema scenario --output scenario.schema.json");
  command->callback([options, &console, &chosen] {
    chosen = [options, &console] { return print_schema(*options, console); };
  });
}

}  // namespace squall::cli
