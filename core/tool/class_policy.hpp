// SPDX-License-Identifier: MIT
//
// What each class of failure means for the next step: one row a class. `retryable` and
// `safe_to_resubmit` answer different questions, whether sending the same again is of any use and
// whether it can do harm; only together do they decide.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "core/tool/failure_class.hpp"

namespace squall::core::tool {

struct ClassPolicy {
  FailureClass failure_class = FailureClass::kInternal;
  /// Whether sending the same again is of any use.
  bool retryable = false;
  /// Whether it is of use only after a while.
  bool backoff = false;
  /// Whether a delay that the server named is passed on.
  bool surface_delay = false;
  /// Whether only a person who runs the system can mend it.
  bool needs_operator = false;
  /// Whether, unless the host says otherwise, sending the same again cannot have a second effect.
  /// True only where the server provably never accepted the call.
  bool safe_to_resubmit = false;
  /// What the situation is and what the model can change. Never a verdict on sending again, never a
  /// number, an identifier or a word of somebody's business: it goes into prompts as it stands, and
  /// the verdict is guidance()'s alone.
  std::string_view remediation;
};

/// One row for every class, in the order of the enumeration. @source rate_limited, transient,
/// timeout and self_reported: tool failure rules; the other rows follow from their principles, as
/// said at each.
inline constexpr std::array<ClassPolicy, kAllFailureClasses.size()> kClassPolicies = {{
    // A passing fault passes; the call may have been carried out before it (a broken connection, a
    // 5xx), so the class alone never calls a second one harmless.
    {.failure_class = FailureClass::kTransient,
     .retryable = true,
     .backoff = true,
     .surface_delay = false,
     .needs_operator = false,
     .safe_to_resubmit = false,
     .remediation = "The service had a passing fault. Nothing is known to be wrong with the call."},
    // Turned away before anything looked at the call; sent again at once it is turned away again.
    {.failure_class = FailureClass::kRateLimited,
     .retryable = true,
     .backoff = true,
     .surface_delay = true,
     .needs_operator = false,
     .safe_to_resubmit = true,
     .remediation = "The service turned the call away because too many calls reach it. Fewer or "
                    "larger calls ease that."},
    // Nobody knows how far it got, and a service too slow just now is not helped by more load.
    {.failure_class = FailureClass::kTimeout,
     .retryable = true,
     .backoff = true,
     .surface_delay = false,
     .needs_operator = false,
     .safe_to_resubmit = false,
     .remediation = "The service gave no answer in time. A smaller piece of work has a better "
                    "chance to finish."},
    // Not a byte left, so nothing can have happened; a service that is down needs a while.
    {.failure_class = FailureClass::kUnreachable,
     .retryable = true,
     .backoff = true,
     .surface_delay = false,
     .needs_operator = false,
     .safe_to_resubmit = true,
     .remediation = "No connection to the service could be made, so it never saw the call."},
    // The same credentials are refused again. A refusal is a sign, not a proof, that nothing
    // happened (a tool may find out half-way), so it is not called safe; nor are the rows below.
    {.failure_class = FailureClass::kAuth,
     .retryable = false,
     .backoff = false,
     .surface_delay = false,
     .needs_operator = true,
     .safe_to_resubmit = false,
     .remediation = "The service does not accept the credentials in use. No change to the call "
                    "mends that; other tools are not affected."},
    // Only who grants rights can widen them.
    {.failure_class = FailureClass::kPermission,
     .retryable = false,
     .backoff = false,
     .surface_delay = false,
     .needs_operator = true,
     .safe_to_resubmit = false,
     .remediation = "The credentials in use do not allow this action. An action that is allowed "
                    "may lead to the same goal."},
    // The same arguments are refused again; the model can change them.
    {.failure_class = FailureClass::kInvalidArgument,
     .retryable = false,
     .backoff = false,
     .surface_delay = false,
     .needs_operator = false,
     .safe_to_resubmit = false,
     .remediation = "The arguments were not accepted. Change them as the message says."},
    // What does not exist does not appear by asking; the model can look up what does.
    {.failure_class = FailureClass::kNotFound,
     .retryable = false,
     .backoff = false,
     .surface_delay = false,
     .needs_operator = false,
     .safe_to_resubmit = false,
     .remediation = "What the call names does not exist. Look up what exists and name that."},
    // The same call meets the same state; the model must look at it and decide anew.
    {.failure_class = FailureClass::kConflict,
     .retryable = false,
     .backoff = false,
     .surface_delay = false,
     .needs_operator = false,
     .safe_to_resubmit = false,
     .remediation = "The call does not fit the present state of what it acts on. Read that state "
                    "and make a call that fits it."},
    // Retryable by its own word, which says nothing of what the failed call did.
    {.failure_class = FailureClass::kSelfReported,
     .retryable = true,
     .backoff = false,
     .surface_delay = false,
     .needs_operator = false,
     .safe_to_resubmit = false,
     .remediation = "The tool itself reports that it could not do the work. Its message says why."},
    // Somebody on this side wanted it to stop.
    {.failure_class = FailureClass::kCancelled,
     .retryable = false,
     .backoff = false,
     .surface_delay = false,
     .needs_operator = false,
     .safe_to_resubmit = false,
     .remediation = "The call was stopped on purpose, unfinished. Leave this piece of work "
                    "as it is."},
    // A defect or a wrong setting stays until a person mends it.
    {.failure_class = FailureClass::kInternal,
     .retryable = false,
     .backoff = false,
     .surface_delay = false,
     .needs_operator = true,
     .safe_to_resubmit = false,
     .remediation = "The fault lies in this system, not in the call. Look for a way to the goal "
                    "without this tool."},
}};

/// The row of a class. Requires one of the enumerators.
[[nodiscard]] constexpr const ClassPolicy& policy_of(FailureClass failure_class) {
  return kClassPolicies[static_cast<std::size_t>(failure_class)];
}

}  // namespace squall::core::tool
