// SPDX-License-Identifier: MIT
#include "cli/client_audit.hpp"

#include <algorithm>
#include <utility>

#include "cli/arguments.hpp"
#include "cli/scenario_source.hpp"
#include "live/client_audit.hpp"
#include "scenarios/quantities.hpp"

namespace squall::cli {

void add_client_audit_options(CLI::App& command, ClientAuditOptions& options) {
  CLI::Option* audit =
      command
          .add_option("--audit", options.policy,
                      "Say at the end whether the clients kept this policy; exit 1 if one did not")
          ->type_name("POLICY")
          ->check(not_empty);
  command
      .add_option("--tolerance", options.tolerance,
                  "What a client may add to each wait, in real time (default 50ms)")
      ->type_name("TIME")
      ->check(not_empty)
      ->needs(audit);
}

core::Expected<ClientAuditor, core::Error> ClientAuditor::make(const ClientAuditOptions& options,
                                                               std::uint64_t time_scale) {
  ClientAuditor auditor;
  core::Expected<core::RetryPolicy, core::Error> policy = load_policy(options.policy);
  if (!policy) {
    return core::Unexpected<core::Error>(std::move(policy.error()));
  }
  scenarios::Parsed<core::Duration> tolerance = scenarios::parse_duration(options.tolerance);
  if (!tolerance) {
    tolerance.error().message = "--tolerance: " + tolerance.error().message;
    return core::Unexpected<core::Error>(std::move(tolerance.error()));
  }
  auditor.policy_name_ = options.policy;
  auditor.policy_ = *policy;
  auditor.tolerance_ = *tolerance;
  auditor.time_scale_ = time_scale;
  return auditor;
}

void ClientAuditor::hear(const live::LoggedExchange& exchange) {
  log_.push_back(exchange);
  last_heard_.insert_or_assign(exchange.client, Heard{.real = std::chrono::steady_clock::now(),
                                                      .script = exchange.ended_at});
}

reports::ClientAuditReport ClientAuditor::report() && {
  // Each client has a time of its own; only the order among its own exchanges matters.
  std::stable_sort(log_.begin(), log_.end(),
                   [](const live::LoggedExchange& one, const live::LoggedExchange& other) {
                     return one.arrived_at < other.arrived_at;
                   });
  live::ClientAuditOptions options{
      .tolerance = tolerance_, .time_scale = time_scale_, .heard_until = {}};
  const auto now = std::chrono::steady_clock::now();
  for (const auto& [client, heard] : last_heard_) {
    options.heard_until.emplace_back(
        client, core::saturating_add(heard.script, live::scaled(now - heard.real, time_scale_)));
  }
  return {.policy_name = policy_name_,
          .policy = policy_,
          .tolerance = tolerance_,
          .time_scale = time_scale_,
          .audit = live::audit_client(policy_, log_, options)};
}

}  // namespace squall::cli
