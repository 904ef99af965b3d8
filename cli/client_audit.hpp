// SPDX-License-Identifier: MIT
//
// `squall serve --audit`: listens to what the fault server records and judges it at the end. Knows
// no socket; the server tells it of every exchange.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "core/error.hpp"
#include "core/expected.hpp"
#include "core/policy.hpp"
#include "core/time.hpp"
#include "live/request_log.hpp"
#include "reports/client_audit_report.hpp"

namespace squall::cli {

/// As given on the command line.
struct ClientAuditOptions {
  std::string policy;  ///< a name or a file; empty: no audit
  std::string tolerance = "50ms";
};

/// Adds --audit and --tolerance.
void add_client_audit_options(CLI::App& command, ClientAuditOptions& options);

/// What an audit keeps of exchanges, in bytes.
inline constexpr std::uint64_t kAuditBytesMax = std::uint64_t{256} * 1024 * 1024;

class ClientAuditor {
 public:
  /// @errors no such policy, a tolerance that is no duration.
  [[nodiscard]] static core::Expected<ClientAuditor, core::Error> make(
      const ClientAuditOptions& options, std::uint64_t time_scale,
      std::uint64_t bytes_max = kAuditBytesMax);

  /// Takes an exchange that has ended just now, and keeps it: an audit needs the whole record. From
  /// the first one on that does not fit, all are left out, and the audit is one of what came
  /// before.
  void hear(const live::LoggedExchange& exchange);
  /// Exchanges that were left out.
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }

  /// What is to be said of all that was heard, until just now.
  [[nodiscard]] reports::ClientAuditReport report() &&;

 private:
  /// The end of an exchange on both clocks.
  struct Heard {
    std::chrono::steady_clock::time_point real;
    core::Instant script;
  };

  std::string policy_name_;
  core::RetryPolicy policy_;
  core::Duration tolerance_{0};
  std::uint64_t time_scale_ = 1;
  std::uint64_t bytes_max_ = kAuditBytesMax;
  std::uint64_t bytes_ = 0;  ///< kept
  std::uint64_t left_out_ = 0;
  std::vector<live::LoggedExchange> log_;    ///< in the order in which they ended
  std::map<std::string, Heard> last_heard_;  ///< by client
};

}  // namespace squall::cli
