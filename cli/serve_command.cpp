// SPDX-License-Identifier: MIT
//
// squall serve: plays a scenario's provider to any HTTP client.
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include "cli/arguments.hpp"
#include "cli/client_audit.hpp"
#include "cli/commands.hpp"
#include "cli/outputs.hpp"
#include "cli/scenario_source.hpp"
#include "cli/serve_lines.hpp"
#include "live/serving.hpp"
#include "reports/figures.hpp"
#include "scenarios/wording.hpp"

namespace squall::cli {
namespace {

using core::Error;
using core::Expected;
using live::FaultServerOptions;

/// A script of thirty days is over in two and a half seconds.
constexpr std::uint64_t kTimeScaleMax = 1'000'000;

struct Options {
  std::string scenario;
  std::string listen = "127.0.0.1:0";
  std::string time_scale = "1";
  std::string seed = "1";
  std::string per = "client";
  std::string requests;
  std::string log_file;
  bool is_public = false;
  ClientAuditOptions audit;
  OutputOptions output;
};

core::Unexpected<Error> refused(const std::string& message) {
  return core::Unexpected<Error>(scenarios::error_of(message));
}

Expected<void, Error> read_address(const Options& options, FaultServerOptions& server) {
  const std::size_t colon = options.listen.rfind(':');
  std::string address =
      colon == std::string::npos ? std::string() : options.listen.substr(0, colon);
  if (address.size() > 2 && address.front() == '[' && address.back() == ']') {
    address = address.substr(1, address.size() - 2);
  }
  const std::optional<bool> is_loopback = live::is_loopback(address);
  if (!is_loopback) {
    return refused("--listen: " +
                   scenarios::found_allowed(scenarios::in_quotes(options.listen),
                                            "an IP address and a port, such as 127.0.0.1:8080 or "
                                            "[::1]:8080; port 0 takes any free one"));
  }
  const auto port = parse_number("--listen", options.listen.substr(colon + 1), 0, UINT16_MAX);
  if (!port) {
    return core::Unexpected<Error>(port.error());
  }
  if (!*is_loopback && !options.is_public) {
    return refused("--listen: " + scenarios::in_quotes(options.listen) +
                   " can be reached from other machines; add --public if that is wanted");
  }
  server.address = std::move(address);
  server.port = static_cast<std::uint16_t>(*port);
  return {};
}

Expected<FaultServerOptions, Error> server_options(const Options& options) {
  FaultServerOptions server;
  if (const auto read = read_address(options, server); !read) {
    return core::Unexpected<Error>(read.error());
  }
  const auto scale = parse_number("--time-scale", options.time_scale, 1, kTimeScaleMax);
  if (!scale) {
    return core::Unexpected<Error>(scale.error());
  }
  const auto seed = parse_number("--seed", options.seed, 0, UINT64_MAX);
  if (!seed) {
    return core::Unexpected<Error>(seed.error());
  }
  server.time_scale = *scale;
  server.seed = *seed;
  if (options.per == "client") {
    server.per = live::Per::kClient;
  } else if (options.per == "connection") {
    server.per = live::Per::kConnection;
  } else if (options.per == "server") {
    server.per = live::Per::kServer;
  } else {
    return refused("--per: " + scenarios::found_allowed(scenarios::in_quotes(options.per),
                                                        "client, connection or server"));
  }
  return server;
}

/// What cannot be as it is said in the scenario.
std::string caveat(const scenarios::Scenario& scenario, live::Per per) {
  const std::vector<std::string> names = live::faults_shown_as_reset(scenario.server);
  if (names.empty()) {
    return {};
  }
  return "squall: note: " + scenarios::join(names) +
         " of this scenario can only be shown as a reset connection" +
         (per == live::Per::kClient ? ", after the request; with --per server before it\n" : "\n");
}

int serve_scenario(const Options& options, const Console& console) {
  const auto server = server_options(options);
  if (!server) {
    return input_error(console, server.error());
  }
  std::uint64_t requests = UINT64_MAX;
  if (!options.requests.empty()) {
    const auto limit = parse_number("--requests", options.requests, 1, UINT64_MAX);
    if (!limit) {
      return input_error(console, limit.error());
    }
    requests = *limit;
  }
  std::optional<ClientAuditor> auditor;
  if (!options.audit.policy.empty()) {
    auto made = ClientAuditor::make(options.audit, server->time_scale);
    if (!made) {
      return input_error(console, made.error());
    }
    auditor = *std::move(made);
  }
  LoadedScenarios loaded = load_scenarios({&options.scenario, 1});
  if (!loaded.errors.empty()) {
    return input_error(console, loaded.errors.front());
  }
  if (loaded.scenarios.size() != 1) {
    return usage_error(console, "serve takes one scenario, not a folder");
  }
  const scenarios::Scenario& scenario = loaded.scenarios.front().scenario;
  std::ofstream log;
  bool cannot_log = false;
  if (!options.log_file.empty()) {
    if (const auto complaint = unwritable("--log", options.log_file)) {
      return input_error(console, *complaint);
    }
    if (const auto refusal = refusal_to_replace(options.log_file, {})) {
      return input_error(console, *refusal);
    }
  }

  const reports::Style style = style_for(console, options.output);
  const auto say = [&](const std::string& json, const std::string& text) {
    log << json << std::flush;
    console.out << (options.output.json ? json : text) << std::flush;
  };
  ServeSummary summary;
  live::allow_many_connections();
  const auto served = live::serve(
      scenario, *server,
      {.on_listening =
           [&](const live::FaultServer& running) {
             // Not sooner: what an earlier run logged is lost with it.
             if (!options.log_file.empty()) {
               log.open(options.log_file);
               cannot_log = !log;
             }
             if (cannot_log) {
               return;
             }
             if (!live::is_loopback(server->address).value_or(false)) {
               console.err << "squall: warning: whoever reaches " << running.url()
                           << " can call this server\n";
             }
             console.err << caveat(scenario, server->per) << std::flush;
             say(greeting_json(scenario, running.url(), server->time_scale, server->seed),
                 greeting_text(scenario, running.url(), server->time_scale));
           },
       .on_exchange =
           [&](const live::LoggedExchange& exchange) {
             summary.count(exchange);
             if (auditor) {
               auditor->hear(exchange);
               if (auditor->left_out() == 1) {
                 console.err << "squall: note: the audit is full: it leaves out what ends from now "
                                "on\n"
                             << std::flush;
               }
             }
             say(exchange_json(exchange),
                 options.output.quiet ? "" : exchange_text(exchange, style));
           },
       .on_outside =
           [&](const live::OutsideExchange& exchange) {
             summary.count(exchange);
             say(outside_json(exchange), options.output.quiet ? "" : outside_text(exchange, style));
           },
       .is_over =
           [&] {
             return cannot_log || console.is_interrupted() || summary.exchanges() >= requests;
           }});
  if (!served) {
    return input_error(console, served.error());
  }
  if (cannot_log) {
    return input_error(console, output_complaint("--log", options.log_file, "cannot be written"));
  }
  say(summary.json(), summary.text());
  bool is_kept = true;
  if (auditor) {
    const reports::ClientAuditReport audit = (*std::move(auditor)).report();
    is_kept = audit.audit.kept();
    say(reports::client_audit_json(audit), '\n' + reports::client_audit_text(audit, style));
  }
  if (!options.log_file.empty() && !log) {
    Error error = scenarios::error_of("could not be written to the end");
    error.file = options.log_file;
    return input_error(console, error);
  }
  return is_kept ? kFine : kUnexpected;
}

}  // namespace

void add_serve_command(CLI::App& app, const Console& console, Chosen& chosen) {
  CLI::App* const command =
      app.add_subcommand("serve", "Play a scenario's provider to any HTTP client, in real time");
  const auto options = std::make_shared<Options>();
  command->add_option("SCENARIO", options->scenario, "A shipped name or a file")
      ->type_name("")
      ->required();
  command
      ->add_option("--listen", options->listen,
                   "Where to listen (default 127.0.0.1:0, any free port)")
      ->type_name("ADDRESS:PORT")
      ->check(not_empty);
  command
      ->add_option("--time-scale", options->time_scale,
                   "Run the script's times N times faster (default 1)")
      ->type_name("N")
      ->check(not_empty);
  command->add_option("--seed", options->seed, "Seed of all chance (default 1), as in squall run")
      ->type_name("S")
      ->check(not_empty);
  command
      ->add_option("--per", options->per,
                   "Who has a script of their own: each client (default; known by the header\n"
                   "x-squall-client, else by its credentials), each connection, or the server,\n"
                   "one for all")
      ->type_name("WHO")
      ->check(not_empty);
  add_client_audit_options(*command, options->audit);
  command->add_flag("--public", options->is_public, "Allow an address that others can reach");
  command->add_option("--requests", options->requests, "End after N calls")
      ->type_name("N")
      ->check(not_empty);
  command->add_option("--log", options->log_file, "Write one JSON object a line to FILE as well")
      ->type_name("FILE")
      ->check(not_empty);
  command->add_flag("--json", options->output.json, "Print one JSON object a line, for programs");
  command->add_flag("--no-color", options->output.no_color, "No colours, as with NO_COLOR set");
  command->add_flag("--quiet", options->output.quiet, "Print no line for each request");
  command->footer(
      "Answers POST .../chat/completions and .../messages (streams too), or tools/call of MCP "
      "over\n"
      "streamable HTTP. Ctrl-C ends it as it is meant to end: exit code 0, or 1 when a client\n"
      "did not keep the policy of --audit.\n"
      "\nExample:\n  squall serve 503-storm-nine-minutes --listen 127.0.0.1:8080 --time-scale 100");
  command->callback([options, &console, &chosen] {
    chosen = [options, &console] { return serve_scenario(*options, console); };
  });
}

}  // namespace squall::cli
