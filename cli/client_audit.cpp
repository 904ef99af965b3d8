// SPDX-License-Identifier: MIT
#include "cli/client_audit.hpp"

#include <algorithm>
#include <utility>

#include "cli/arguments.hpp"
#include "cli/scenario_source.hpp"
#include "live/client_audit.hpp"
#include "scenarios/quantities.hpp"

namespace squall::cli {
namespace {

/// About what an exchange costs in memory.
std::uint64_t bytes_of(const live::LoggedExchange& exchange) {
  std::uint64_t bytes = sizeof exchange + exchange.client.size() + exchange.target.size() +
                        exchange.body.size() + exchange.answer.size();
  for (const live::LoggedHeader& header : exchange.headers) {
    bytes += sizeof header + header.name.size() + header.value.size();
  }
  return bytes;
}

}  // namespace

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
                                                               std::uint64_t time_scale,
                                                               std::uint64_t bytes_max) {
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
  auditor.bytes_max_ = bytes_max;
  return auditor;
}

void ClientAuditor::hear(const live::LoggedExchange& exchange) {
  const std::uint64_t bytes = bytes_of(exchange);
  if (left_out_ > 0 || bytes > bytes_max_ - bytes_) {
    ++left_out_;
    return;
  }
  bytes_ += bytes;
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
  live::ClientAuditOptions options{.tolerance = tolerance_,
                                   .time_scale = time_scale_,
                                   .heard_until = {},
                                   .is_whole = left_out_ == 0};
  const auto now = std::chrono::steady_clock::now();
  for (const auto& [client, heard] : last_heard_) {
    options.heard_until.emplace_back(
        client, core::saturating_add(heard.script, live::scaled(now - heard.real, time_scale_)));
  }
  return {.policy_name = policy_name_,
          .policy = policy_,
          .tolerance = tolerance_,
          .time_scale = time_scale_,
          .audit = live::audit_client(policy_, log_, options),
          .left_out = left_out_};
}

}  // namespace squall::cli
