// SPDX-License-Identifier: MIT
//
// squall call: one real request under a retry policy, by the very code that the scenarios run.
//
// The API key comes from the environment and goes into one header. It is in nothing that is printed
// or stored: what a server echoes of it is masked as it arrives, and once more on the way out, for
// a key that an answer spelled otherwise (JSON's \u escapes) and that reading it put together.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/call_request.hpp"
#include "cli/call_watch.hpp"
#include "cli/commands.hpp"
#include "cli/outputs.hpp"
#include "cli/scenario_source.hpp"
#include "core/connector/policy.hpp"
#include "live/live_run.hpp"
#include "live/transport.hpp"
#include "reports/figures.hpp"
#include "reports/json_report.hpp"
#include "reports/run_text.hpp"
#include "reports/verdict_text.hpp"
#include "telemetry/store.hpp"

namespace squall::cli {
namespace {

constexpr const char* kKeyVariable = "SQUALL_API_KEY";

struct Options {
  std::string url;
  CallWords words;
  std::string policy;
  std::string seed;
  std::string ca_file;
  std::string key_variable;
  std::string database;
  OutputOptions output;
};

/// Rows on their way to the store, without the key.
class MaskingSink final : public core::TelemetrySink {
 public:
  MaskingSink(core::TelemetrySink& sink, const live::Secret& key) : sink_(sink), key_(key) {}

  void record(const core::FailureRow& row) override {
    core::FailureRow shown = row;
    shown.error_chain = live::masked(key_, row.error_chain);
    mask(shown.finish_reason);
    sink_.record(shown);
  }
  void record(const core::RequestRow& row) override {
    core::RequestRow shown = row;
    mask(shown.finish_reason);
    mask(shown.answer.upstream_provider);
    mask(shown.answer.system_fingerprint);
    sink_.record(shown);
  }

 private:
  void mask(std::optional<std::string>& text) const {
    if (text) {
      text = live::masked(key_, *text);
    }
  }

  core::TelemetrySink& sink_;
  const live::Secret& key_;
};

/// Everything a call needs, read and checked before anything is sent.
struct Plan {
  live::Endpoint endpoint;
  scenarios::Scenario scenario;
  live::Secret key;
  std::optional<live::TlsSettings> tls;
  std::uint64_t seed = 0;
};

/// What a shell can set (POSIX: XBD 8.1, "name"). A key that is given by mistake rarely looks so.
bool is_variable_name(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  };
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

/// No key unless one is asked for or there.
core::Expected<live::Secret, core::Error> read_key(const std::string& variable) {
  if (!variable.empty() && !is_variable_name(variable)) {
    core::Error error;
    error.message =
        "--api-key-env takes the NAME of a variable (letters, digits and _), never the key itself";
    return tl::unexpected(std::move(error));
  }
  const std::string name = variable.empty() ? kKeyVariable : variable;
  const char* const value = std::getenv(name.c_str());
  if (value == nullptr || *value == '\0') {
    if (variable.empty()) {
      return live::Secret();
    }
    core::Error error;
    error.message = "the environment variable " + name + ", named by --api-key-env, is not set";
    return tl::unexpected(std::move(error));
  }
  return live::Secret::make(value, name);
}

core::Expected<std::uint64_t, core::Error> read_seed(const std::string& text) {
  if (!text.empty()) {
    return parse_number("--seed", text, 0, UINT64_MAX);
  }
  // Many clients that were cut off at once must not come back at once.
  // 32 bits are enough for that, and can be typed again.
  return std::uint64_t{std::random_device()()};
}

core::Expected<void, core::Error> choose_policy(scenarios::Scenario& scenario,
                                                const std::string& asked) {
  const bool is_tool_call = scenario.operation.kind() == scenarios::OperationKind::kToolCall;
  scenario.policy_name = !asked.empty() ? asked : is_tool_call ? "connector" : "default";
  const auto policy = load_policy(scenario.policy_name);
  if (!policy) {
    return tl::unexpected(policy.error());
  }
  scenario.policy = *policy;
  if (is_tool_call) {
    if (const auto fits = core::connector::validate_connector_policy(*policy); !fits) {
      core::Error error = fits.error();
      error.message =
          "the policy " + scenario.policy_name + " does not fit a tool call: " + error.message;
      return tl::unexpected(std::move(error));
    }
  }
  return {};
}

core::Expected<Plan, core::Error> plan_from(const Options& options) {
  Plan plan;
  auto endpoint = live::parse_endpoint(options.url);
  if (!endpoint) {
    return tl::unexpected(endpoint.error());
  }
  plan.endpoint = *std::move(endpoint);
  auto operation = make_operation(options.words, plan.endpoint);
  if (!operation) {
    return tl::unexpected(operation.error());
  }
  scenarios::Scenario& scenario = plan.scenario;
  scenario.name = "call";
  scenario.operation = *std::move(operation);
  scenario.summary = (scenario.operation.kind() == scenarios::OperationKind::kToolCall
                          ? "the tool " + options.words.tool + " at "
                          : "one chat with " + scenario.operation.model + " at ") +
                     plan.endpoint.display();
  // Nobody scripts a real server, and only the user ends the waiting.
  const scenarios::Respond nothing{.what = scenarios::SilentHeaders{}};
  const scenarios::Step step{.mix = {{.respond = nothing}}};
  scenario.server.phases = {{.until = std::nullopt, .sequence = {step}}};
  scenario.horizon = core::Duration::max();
  if (const auto chosen = choose_policy(scenario, options.policy); !chosen) {
    return tl::unexpected(chosen.error());
  }
  auto key = read_key(options.key_variable);
  if (!key) {
    return tl::unexpected(key.error());
  }
  plan.key = *std::move(key);
  if (!options.ca_file.empty()) {
    auto tls = live::TlsSettings::trusting(options.ca_file);
    if (!tls) {
      return tl::unexpected(tls.error());
    }
    plan.tls = *std::move(tls);
  }
  const auto seed = read_seed(options.seed);
  if (!seed) {
    return tl::unexpected(seed.error());
  }
  plan.seed = *seed;
  return plan;
}

reports::RunReport report_of(const Plan& plan, const playback::RunResult& result) {
  const scenarios::Scenario& scenario = plan.scenario;
  return reports::make_run_report({.scenario = scenario.name,
                                   .reference = {},
                                   .summary = scenario.summary,
                                   .kind = scenario.operation.kind(),
                                   .policy_name = scenario.policy_name,
                                   .policy = scenario.policy,
                                   .policy_override = std::nullopt,
                                   .golden = std::nullopt,
                                   .golden_source = {}},
                                  scenario, result);
}

/// Says what broke, if anything did. @return whether squall itself is to blame.
bool sound_alarm(const reports::RunReport& report, const live::LiveRun& run, const Plan& plan,
                 const Console& console) {
  if (report.sound()) {
    return false;
  }
  if (!report.internal_error && run.lateness_max() > live::kLatenessForgiven) {
    console.err << "squall: this process was halted for " << reports::long_text(run.lateness_max())
                << ", so that its times are not those that were ordered\n";
    return false;
  }
  std::vector<std::string> findings;
  for (const playback::Violation& violation : report.violations) {
    findings.push_back(fmt::format("{}: {}", label(violation.invariant), violation.message));
  }
  core::Duration at = report.internal_error_at;
  if (!report.violations.empty()) {
    at = report.violations.front().at.time_since_epoch();
  }
  if (report.internal_error) {
    findings.push_back(*report.internal_error);
  }
  for (const std::string& line :
       reports::alarm_lines(report.subject, report.seed, report.run, at, findings)) {
    console.err << live::masked(plan.key, line) << '\n';
  }
  return true;
}

/// The key may be read on the way, by anybody.
bool is_exposed(const Plan& plan) {
  const std::string& host = plan.endpoint.host;
  return !plan.key.empty() && !plan.endpoint.tls && host != "localhost" && host != "::1" &&
         !(plan.endpoint.host_is_address && host.starts_with("127."));
}

/// Why the result cannot go where it is wanted, said before anything is sent.
std::optional<core::Error> bad_output(const Options& options) {
  namespace fs = std::filesystem;
  constexpr std::string_view kOption = "--output";
  const std::string& path = options.output.file;
  if (path.empty()) {
    return std::nullopt;
  }
  if (auto error = unwritable(kOption, path)) {
    return error;
  }
  std::error_code ignored;
  const auto real = [&ignored](const std::string& file) {
    return fs::weakly_canonical(fs::absolute(file), ignored);
  };
  const std::array<std::pair<std::string_view, const std::string&>, 3> others{
      {{"--db", options.database},
       {"--request", options.words.request_file},
       {"--cacert", options.ca_file}}};
  for (const auto& [option, file] : others) {
    if (!file.empty() && real(file) == real(path)) {
      return output_complaint(kOption, path, "is what " + std::string(option) + " names");
    }
  }
  return refusal_to_replace(path, {});
}

int call(const Options& options, const Console& console) {
  if (const auto error = bad_output(options)) {
    return input_error(console, *error);
  }
  auto plan = plan_from(options);
  if (!plan) {
    return input_error(console, plan.error());
  }
  std::unique_ptr<telemetry::Store> store;
  std::optional<MaskingSink> sink;
  live::LiveOptions how;
  if (!options.database.empty()) {
    auto opened = telemetry::Store::open(options.database, [&console](const std::string& words) {
      console.err << "squall: " << words << '\n';
    });
    if (!opened) {
      return input_error(console, opened.error());
    }
    store = *std::move(opened);
    sink.emplace(*store, plan->key);
    how.recording = {
        .sink = &*sink,
        .operation_id = telemetry::operation_id(store->recording(), "call", plan->seed, 0)};
  }
  if (is_exposed(*plan)) {
    console.err << "squall: the API key goes to " << plan->endpoint.authority()
                << " unencrypted; https would keep it secret\n";
  }
  how.seed = plan->seed;
  how.key = plan->key;
  how.tls = plan->tls;
  how.interrupted = console.interrupted;
  CallWatch watch;
  if (console.err_is_terminal && !options.output.quiet) {
    how.on_event = [&](const core::Event& event, const playback::WatchedOperation& watched,
                       core::Instant now) {
      for (const std::string& line : watch.lines(event, watched, now)) {
        console.err << live::masked(plan->key, line) << '\n' << std::flush;
      }
    };
  }
  const playback::PreparedScenario prepared(plan->scenario);
  const live::LiveRun run = live::run_live(prepared, plan->endpoint, std::move(how));
  const reports::RunReport report = report_of(*plan, run.result());

  int code = report.outcome == scenarios::Outcome::kSuccess ? kFine : kUnexpected;
  OutputOptions output = options.output;
  if (report.outcome == scenarios::Outcome::kShutdown) {
    code = kInterrupted;
    if (!output.file.empty()) {
      console.err << "squall: " << output.file << " is left as it was: the call was interrupted\n";
      output.file.clear();
    }
  }
  if (sound_alarm(report, run, *plan, console)) {
    code = kBroken;
  }
  const std::string text = output.json ? reports::call_json(report, plan->endpoint.display())
                                       : reports::run_text(report, style_for(console, output));
  code = emit(console, output, live::masked(plan->key, text), code);
  if (store != nullptr && !store->flush()) {
    console.err << "squall: " << options.database << ": rows could not be stored and are missing\n";
    return code == kFine ? kBadInput : code;
  }
  return code;
}

}  // namespace

void add_call_command(CLI::App& app, const Console& console, Chosen& chosen) {
  CLI::App* const command = app.add_subcommand(
      "call", "Send one real chat or tool call under a retry policy and show what became of it");
  const auto options = std::make_shared<Options>();
  command
      ->add_option("URL", options->url,
                   "Where to: http:// or https://, with the whole path "
                   "(https://HOST/v1/chat/completions)")
      ->type_name("")
      ->required();
  command->add_option("--message", options->words.message, "Chat: what the user says")
      ->type_name("TEXT")
      ->check(not_empty);
  command->add_option("--model", options->words.model, "Chat: the model, beside --message")
      ->type_name("NAME")
      ->check(not_empty);
  command
      ->add_option("--request", options->words.request_file,
                   "Chat: the whole request as JSON, with model and messages")
      ->type_name("FILE")
      ->check(not_empty);
  command->add_option("--tool", options->words.tool, "MCP: the tool to call")
      ->type_name("NAME")
      ->check(not_empty);
  command
      ->add_option("--arguments", options->words.arguments,
                   "MCP: the tool's arguments, a JSON object (default {})")
      ->type_name("JSON")
      ->check(not_empty);
  command
      ->add_option("--policy", options->policy,
                   "The retry policy (default: default for a chat, connector for a tool)")
      ->type_name("NAME|FILE")
      ->check(not_empty);
  command
      ->add_option("--api-key-env", options->key_variable,
                   std::string("Environment variable that holds the API key (default ") +
                       kKeyVariable + ", which may be unset)")
      ->type_name("NAME")
      ->check(not_empty);
  command
      ->add_option("--cacert", options->ca_file,
                   "Trust the certificate authorities in this PEM file and no others")
      ->type_name("FILE")
      ->check(not_empty);
  command->add_option("--seed", options->seed, "Seed of the jitter (default: fresh for every call)")
      ->type_name("S")
      ->check(not_empty);
  command
      ->add_option("--db", options->database,
                   "Add the telemetry of the call to this database (see squall db)")
      ->type_name("FILE")
      ->check(not_empty);
  add_output_options(*command, options->output);
  command->add_flag("--quiet", options->output.quiet, "No lines while the call is under way");
  command->footer(
      "Example:\n"
      "  squall call http://127.0.0.1:8080/v1/chat/completions --model m --message \"Hello\"\n"
      "\nExit codes: 0 the result that was wanted; 1 the operation failed; 2 bad input or usage;\n"
      "3 an invariant broke, which is a bug; 130 interrupted: the wait ends at once.\n"
      "The API key is read from the environment only and is masked wherever a server echoes it.\n"
      "Redirects are not followed and proxies not used.");
  command->callback([options, &console, &chosen] {
    chosen = [options, &console] { return call(*options, console); };
  });
}

}  // namespace squall::cli
