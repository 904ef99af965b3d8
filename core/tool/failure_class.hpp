// SPDX-License-Identifier: MIT
//
// The closed list of ways in which the call of a tool can fail, as the host that runs the tool
// describes it, and what follows from each. The host names a class; nothing else decides.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace squall::core::tool {

/// What kind of failure it is.
enum class FailureClass : std::uint8_t {
  kTransient,        ///< a passing fault; how far the call got is not known
  kRateLimited,      ///< turned away unseen because too many calls come in
  kTimeout,          ///< no answer in time; how far the call got is not known
  kUnreachable,      ///< no connection came about, so that not a byte of the call was sent
  kAuth,             ///< the credentials were not accepted
  kPermission,       ///< the credentials were accepted and do not allow this
  kInvalidArgument,  ///< the arguments were not accepted
  kNotFound,         ///< what the call names does not exist
  kConflict,         ///< the call does not fit the state of what it acts on
  kSelfReported,     ///< the tool or an error of its own says that another go may succeed
  kCancelled,        ///< stopped on this side before it was done
  kInternal,         ///< this side is at fault: a defect or a wrong setting
};

/// All classes, in the order of the enumeration.
inline constexpr std::array<FailureClass, 12> kAllFailureClasses = {
    FailureClass::kTransient,       FailureClass::kRateLimited, FailureClass::kTimeout,
    FailureClass::kUnreachable,     FailureClass::kAuth,        FailureClass::kPermission,
    FailureClass::kInvalidArgument, FailureClass::kNotFound,    FailureClass::kConflict,
    FailureClass::kSelfReported,    FailureClass::kCancelled,   FailureClass::kInternal,
};

/// The stable name, in snake case. Requires one of the enumerators.
[[nodiscard]] constexpr std::string_view label(FailureClass failure_class) {
  switch (failure_class) {
    case FailureClass::kTransient:
      return "transient";
    case FailureClass::kRateLimited:
      return "rate_limited";
    case FailureClass::kTimeout:
      return "timeout";
    case FailureClass::kUnreachable:
      return "unreachable";
    case FailureClass::kAuth:
      return "auth";
    case FailureClass::kPermission:
      return "permission";
    case FailureClass::kInvalidArgument:
      return "invalid_argument";
    case FailureClass::kNotFound:
      return "not_found";
    case FailureClass::kConflict:
      return "conflict";
    case FailureClass::kSelfReported:
      return "self_reported";
    case FailureClass::kCancelled:
      return "cancelled";
    case FailureClass::kInternal:
      return "internal";
  }
  return {};
}

/// The class called `label`, spelled exactly; nothing when there is none.
[[nodiscard]] constexpr std::optional<FailureClass> failure_class_from_label(
    std::string_view text) {
  for (const FailureClass failure_class : kAllFailureClasses) {
    if (label(failure_class) == text) {
      return failure_class;
    }
  }
  return std::nullopt;
}

}  // namespace squall::core::tool
