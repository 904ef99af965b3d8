// SPDX-License-Identifier: MIT
//
// squall policies: lists the shipped policies, or tells one in words.
#include <filesystem>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/scenario_source.hpp"
#include "reports/json_report.hpp"
#include "reports/policy_text.hpp"
#include "scenarios/catalogue.hpp"
#include "scenarios/files.hpp"
#include "scenarios/loader.hpp"
#include "scenarios/writer.hpp"

namespace squall::cli {
namespace {

struct Options {
  std::string policy;
  OutputOptions output;
};

/// Name and summary as the text of a valid policy file says them.
struct Title {
  std::string name, summary;
};
Title title_of(std::string_view text) {
  const auto file = nlohmann::json::parse(text, nullptr, true, /*ignore_comments=*/true);
  return {.name = file.value("name", ""), .summary = file.value("summary", "")};
}

int list(const Options& options, const Console& console) {
  const reports::Style style = style_for(console, options.output);
  reports::Json document = reports::json_document("policies");
  document["policies"] = reports::Json::array();
  std::string text;
  std::size_t width = 0;
  for (const scenarios::StoredFile& file : scenarios::policy_files()) {
    width = std::max(width, file.name.size());
  }
  for (const scenarios::StoredFile& file : scenarios::policy_files()) {
    const Title title = title_of(file.text);
    document["policies"].push_back({{"name", title.name}, {"summary", title.summary}});
    text += fmt::format("  {}  {}\n",
                        paint(style, reports::Tone::kStrong, reports::pad_right(title.name, width)),
                        title.summary);
  }
  return emit(console, options.output, options.output.json ? reports::json_text(document) : text,
              kFine);
}

int show(const Options& options, const Console& console) {
  const auto policy = load_policy(options.policy);
  if (!policy) {
    return input_error(console, policy.error());
  }
  const auto stored = scenarios::find_policy_file(options.policy);
  std::string text;
  if (stored) {
    text = stored->text;
  } else {
    const auto read = scenarios::read_file(options.policy);
    if (!read) {
      return input_error(console, read.error());
    }
    text = *read;
  }
  const Title title = title_of(text);
  return emit(console, options.output,
              options.output.json ? scenarios::write_policy(*policy, title.name, title.summary)
                                  : reports::policy_page(*policy, title.name, title.summary,
                                                         style_for(console, options.output)),
              kFine);
}

}  // namespace

void add_policies_command(CLI::App& app, const Console& console, Chosen& chosen) {
  CLI::App* const command =
      app.add_subcommand("policies", "List the shipped policies, or show one in words");
  const auto options = std::make_shared<Options>();
  command->add_option("POLICY", options->policy, "A shipped name or a file")->type_name("");
  add_output_options(*command, options->output);
  command->footer("Example:\n  squall policies default --json > default.json");
  command->callback([options, &console, &chosen] {
    chosen = [options, &console] {
      return options->policy.empty() ? list(*options, console) : show(*options, console);
    };
  });
}

}  // namespace squall::cli
