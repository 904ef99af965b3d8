// SPDX-License-Identifier: MIT
#include "core/tool/guidance.hpp"

#include <algorithm>

#include "core/seconds.hpp"
#include "core/tool/class_policy.hpp"

namespace squall::core::tool {
namespace {

Verdict verdict_on(const ClassPolicy& policy, bool is_safe, Duration delay) {
  if (policy.needs_operator) {
    return Verdict::kOperatorNeeded;
  }
  if (!policy.retryable) {
    return Verdict::kDoNotSendAgain;
  }
  if (!is_safe) {
    return Verdict::kConfirmFirst;
  }
  if (delay > Duration{0}) {
    return Verdict::kSendAgainAfterDelay;
  }
  return policy.backoff ? Verdict::kSendAgainAfterBackoff : Verdict::kSendAgainNow;
}

std::string_view sentence_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kSendAgainNow:
      return "The same call can be sent again now.";
    case Verdict::kSendAgainAfterBackoff:
      return "The same call can be sent again after a short pause.";
    case Verdict::kSendAgainAfterDelay:
      return "The same call can be sent again once the service's delay is over.";
    case Verdict::kConfirmFirst:
      return "Before the same call is sent again, find out whether the last one took effect.";
    case Verdict::kDoNotSendAgain:
      return "Do not send the same call again.";
    case Verdict::kOperatorNeeded:
      return "Do not send the same call again: an operator has to act first.";
  }
  return {};
}

}  // namespace

std::string_view label(Verdict verdict) {
  switch (verdict) {
    case Verdict::kSendAgainNow:
      return "send_again_now";
    case Verdict::kSendAgainAfterBackoff:
      return "send_again_after_backoff";
    case Verdict::kSendAgainAfterDelay:
      return "send_again_after_delay";
    case Verdict::kConfirmFirst:
      return "confirm_first";
    case Verdict::kDoNotSendAgain:
      return "do_not_send_again";
    case Verdict::kOperatorNeeded:
      return "operator_needed";
  }
  return {};
}

bool is_safe_to_resubmit(const Failure& failure) {
  switch (failure.idempotency) {
    case Idempotency::kIdempotent:
      return true;
    case Idempotency::kNotIdempotent:
      return false;
    case Idempotency::kUnspecified:
      break;
  }
  return policy_of(failure.failure_class).safe_to_resubmit;
}

Guidance guidance(const Failure& failure) {
  const ClassPolicy& policy = policy_of(failure.failure_class);
  const Duration delay =
      policy.surface_delay ? std::max(failure.retry_after, Duration{0}) : Duration{0};
  return {.verdict = verdict_on(policy, is_safe_to_resubmit(failure), delay),
          .delay = delay,
          .remediation = failure.remediation_override.empty() ? std::string(policy.remediation)
                                                              : failure.remediation_override};
}

std::string to_text(const Guidance& guidance) {
  std::string text = guidance.remediation;
  if (!text.empty()) {
    text += ' ';
  }
  text += sentence_of(guidance.verdict);
  if (guidance.delay > Duration{0}) {
    text += " The service asks for a delay of ";
    append_seconds(text, guidance.delay);
    text += '.';
  }
  return text;
}

}  // namespace squall::core::tool
