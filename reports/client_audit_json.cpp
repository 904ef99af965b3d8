// SPDX-License-Identifier: MIT
#include "core/json_text.hpp"
#include "reports/client_audit_report.hpp"
#include "reports/figures.hpp"
#include "reports/json_parts.hpp"

namespace squall::reports {
namespace {

Json gap_json(const live::ClientGap& gap) {
  Json object;
  object["measured_ns"] = nanoseconds(gap.measured);
  object["allowed"] = gap.allowed ? allowed_json(*gap.allowed) : Json(nullptr);
  object["retry_after_ms"] = or_null(gap.retry_after_ms);
  object["kept"] = gap.kept;
  return object;
}

Json body_json(const live::BodyDifference& difference) {
  return {{"first_byte", or_null(difference.byte)},
          {"pointer", or_null(difference.pointer)},
          {"same_value", difference.same_value}};
}

Json attempt_json(const live::ClientAttempt& attempt) {
  Json object;
  object["attempt"] = attempt.number;
  object["arrived_ns"] = nanoseconds(attempt.arrived_at.time_since_epoch());
  object["ended_ns"] = nanoseconds(attempt.ended_at.time_since_epoch());
  object["status"] = or_null(attempt.answer.status);
  object["end"] = live::label(attempt.answer.end);
  object["failure_class"] =
      attempt.answer.failure_class.empty() ? Json(nullptr) : Json(attempt.answer.failure_class);
  object["error_chain"] =
      attempt.answer.error_chain.empty() ? Json(nullptr) : Json(attempt.answer.error_chain);
  object["gap"] = attempt.gap ? gap_json(*attempt.gap) : Json(nullptr);
  object["body_changed"] = attempt.body ? body_json(*attempt.body) : Json(nullptr);
  object["headers_changed"] = Json::array();
  for (const live::HeaderDifference& header : attempt.headers) {
    object["headers_changed"].push_back({{"name", header.name},
                                         {"before", or_null(header.before)},
                                         {"after", or_null(header.after)}});
  }
  return object;
}

}  // namespace

std::string client_audit_json(const ClientAuditReport& report) {
  Json document;
  document["event"] = "audit";
  document["policy"] = report.policy_name;
  document["tolerance_ns"] = nanoseconds(report.tolerance);
  document["time_scale"] = report.time_scale;
  document["kept"] = report.audit.kept();
  document["checks"] = Json::object();
  for (const live::ClientRuleInfo& info : live::kClientRules) {
    document["checks"][std::string(info.name)] =
        report.audit.checks[static_cast<std::size_t>(info.rule)];
  }
  document["broken"] = Json::array();
  for (const live::ClientViolation& violation : report.audit.violations) {
    document["broken"].push_back({{"rule", live::label(violation.rule)},
                                  {"operation", violation.operation},
                                  {"attempt", violation.attempt},
                                  {"message", violation.message}});
  }
  document["operations"] = Json::array();
  for (const live::ClientOperation& operation : report.audit.operations) {
    Json object;
    object["client"] = operation.client;
    object["method"] = operation.method;
    object["target"] = operation.target;
    object["ending"] = live::label(operation.ending);
    object["attempts"] = Json::array();
    for (const live::ClientAttempt& attempt : operation.attempts) {
      object["attempts"].push_back(attempt_json(attempt));
    }
    document["operations"].push_back(std::move(object));
  }
  document["left_out"] = report.left_out;
  return core::to_text(document) + '\n';
}

}  // namespace squall::reports
