// SPDX-License-Identifier: MIT
#include "core/tool/failure_mapping.hpp"

#include "core/check.hpp"
#include "core/time.hpp"
#include "core/trail.hpp"

namespace squall::core::tool {
namespace {

bool is_stopped(const connector::ToolCallFailure& failure) {
  return failure.ending == connector::CallEnding::kStopped;
}

/// What a trail leaves behind: its entries as causes, and the delay of the last one.
template <FailureTaxonomy Class>
void take_over(const Trail<Class>& trail, Failure& failure) {
  failure.causes.reserve(trail.size());
  for (auto entry = trail.rbegin(); entry != trail.rend(); ++entry) {
    failure.causes.push_back({.message = entry->error_chain, .reporter = nullptr});
  }
  if (!trail.empty()) {
    failure.retry_after = from_milliseconds(trail.back().retry_after_ms.value_or(0));
  }
}

}  // namespace

FailureClass class_of(llm::FailureClass failure_class) {
  switch (failure_class) {
    case llm::FailureClass::kTransport:
    case llm::FailureClass::kTruncatedEnvelope:
      return FailureClass::kTransient;
    case llm::FailureClass::kParse:
    case llm::FailureClass::kOutOfRangeScore:
    case llm::FailureClass::kMembership:
    case llm::FailureClass::kCompleteness:
    case llm::FailureClass::kContradictionAgents:
    case llm::FailureClass::kValidationOther:
    case llm::FailureClass::kTruncatedOutput:
    case llm::FailureClass::kNoResponse:
      return FailureClass::kSelfReported;
    case llm::FailureClass::kNonRetryable:
      return FailureClass::kInternal;
    case llm::FailureClass::kShutdown:
      return FailureClass::kCancelled;
  }
  SQUALL_CHECK(false, failure_class);
  return FailureClass::kInternal;
}

FailureClass class_of(connector::Kind kind) {
  switch (kind) {
    case connector::Kind::kTransport:
      return FailureClass::kTransient;
    case connector::Kind::kAuth:
      return FailureClass::kAuth;
    case connector::Kind::kApplication:
      return FailureClass::kInvalidArgument;
    case connector::Kind::kConfig:
      return FailureClass::kInternal;
  }
  SQUALL_CHECK(false, kind);
  return FailureClass::kInternal;
}

FailureClass class_of(const connector::ToolCallFailure& failure) {
  if (is_stopped(failure)) {
    return FailureClass::kCancelled;
  }
  if (failure.kind != connector::Kind::kTransport) {
    return class_of(failure.kind);
  }
  if (!failure.may_have_taken_effect) {
    return failure.last_reach == connector::Reach::kTurnedAway ? FailureClass::kRateLimited
                                                               : FailureClass::kUnreachable;
  }
  return failure.last_reach == connector::Reach::kTimedOut ? FailureClass::kTimeout
                                                           : FailureClass::kTransient;
}

Failure failure_of(const connector::ToolCallFailure& failure, Idempotency idempotency) {
  Failure described{
      .failure_class = class_of(failure),
      .code = std::string(is_stopped(failure) ? "shutdown" : token(failure.kind)),
      .message = failure.trail.empty() ? failure.message : failure.trail.back().error_chain,
      .remediation_override = {},
      .idempotency = idempotency,
      .retry_after = Duration{0},
      .causes = {}};
  if (!is_stopped(failure) && failure.kind == connector::Kind::kApplication) {
    described.remediation_override =
        "The tool answered that the call failed. Change the call as its message says.";
  }
  take_over(failure.trail, described);
  return described;
}

Failure failure_of(const llm::LlmExhausted& failure, Idempotency idempotency) {
  Failure described{.failure_class = class_of(failure.final_class),
                    .code = std::string(label(failure.final_class)),
                    .message = failure.detail,
                    .remediation_override = {},
                    .idempotency = idempotency,
                    .retry_after = Duration{0},
                    .causes = {}};
  take_over(failure.trail, described);
  return described;
}

}  // namespace squall::core::tool
