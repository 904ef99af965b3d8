// SPDX-License-Identifier: MIT
//
// Whether clients of the fault server kept a policy, for people and for programs: pure functions of
// the audit.
#pragma once

#include <cstdint>
#include <string>

#include "core/policy.hpp"
#include "core/time.hpp"
#include "live/client_audit.hpp"
#include "reports/style.hpp"

namespace squall::reports {

struct ClientAuditReport {
  std::string policy_name;  ///< as the user named it
  core::RetryPolicy policy;
  core::Duration tolerance{0};  ///< real time
  std::uint64_t time_scale = 1;
  live::ClientAudit audit;
  /// Exchanges at the end that were not kept for it: the audit is a partial one if there are any.
  std::uint64_t left_out = 0;
};

/// A page: each operation with its attempts, what the gaps were and what they may be, which headers
/// changed, and the verdict. Of very many operations those that broke the policy alone.
[[nodiscard]] std::string client_audit_text(const ClientAuditReport& report, const Style& style);

/// One object on one line, as all that `squall serve` prints for programs: {"event": "audit", ...}.
/// All times are script time but `tolerance_ns`; operations are counted from 0.
[[nodiscard]] std::string client_audit_json(const ClientAuditReport& report);

}  // namespace squall::reports
