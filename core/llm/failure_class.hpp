// SPDX-License-Identifier: MIT
//
// The closed list of ways in which an attempt of an LLM operation can fail. The labels are a
// contract: they appear in traces, reports, telemetry and scenario files and never change.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace squall::core::llm {

/// Why one attempt failed.
enum class FailureClass : std::uint8_t {
  /// The exchange failed or the server asked for patience: connection refused or reset, DNS, TLS,
  /// no headers in time, a retryable error status.
  kTransport,
  /// The answer's body ended early: read error, idle timeout, fewer bytes than announced.
  kTruncatedEnvelope,
  /// The whole body arrived but is not what was asked for: no chat completion, or text that does
  /// not parse as the target.
  kParse,
  /// Parsed, but the validator rejected the value (a score outside [0, 10]).
  kOutOfRangeScore,
  /// Synthesis: an item id is out of range, repeated, or already placed or pinned.
  kMembership,
  /// Synthesis: a proposal leaves out items that are not placed yet.
  kCompleteness,
  /// Synthesis: a contradiction or reference cites fewer than two distinct agents.
  kContradictionAgents,
  /// Synthesis: any other rejected part (blank heading, missing summary, unknown group).
  kValidationOther,
  /// The text was cut at the provider's output limit (finish_reason "length").
  kTruncatedOutput,
  /// A valid answer without text.
  kNoResponse,
  /// The request itself is at fault or out of credit (authentication, quota, unknown model): asking
  /// again cannot help.
  kNonRetryable,
  /// The process was told to stop in the middle of the operation.
  kShutdown,
};

/// All classes, in the order of the enumeration.
inline constexpr std::array<FailureClass, 12> kAllFailureClasses = {
    FailureClass::kTransport,
    FailureClass::kTruncatedEnvelope,
    FailureClass::kParse,
    FailureClass::kOutOfRangeScore,
    FailureClass::kMembership,
    FailureClass::kCompleteness,
    FailureClass::kContradictionAgents,
    FailureClass::kValidationOther,
    FailureClass::kTruncatedOutput,
    FailureClass::kNoResponse,
    FailureClass::kNonRetryable,
    FailureClass::kShutdown,
};

/// The stable name, in snake case. Requires one of the enumerators.
[[nodiscard]] constexpr std::string_view label(FailureClass failure_class) {
  switch (failure_class) {
    case FailureClass::kTransport:
      return "transport";
    case FailureClass::kTruncatedEnvelope:
      return "truncated_envelope";
    case FailureClass::kParse:
      return "parse";
    case FailureClass::kOutOfRangeScore:
      return "out_of_range_score";
    case FailureClass::kMembership:
      return "membership";
    case FailureClass::kCompleteness:
      return "completeness";
    case FailureClass::kContradictionAgents:
      return "contradiction_agents";
    case FailureClass::kValidationOther:
      return "validation_other";
    case FailureClass::kTruncatedOutput:
      return "truncated_output";
    case FailureClass::kNoResponse:
      return "no_response";
    case FailureClass::kNonRetryable:
      return "non_retryable";
    case FailureClass::kShutdown:
      return "shutdown";
  }
  return {};
}

/// Whether another attempt may follow. All but kNonRetryable and kShutdown.
[[nodiscard]] constexpr bool is_retryable(FailureClass failure_class) {
  return failure_class != FailureClass::kNonRetryable && failure_class != FailureClass::kShutdown;
}

/// The class called `label`, spelled exactly; nothing when there is none.
[[nodiscard]] std::optional<FailureClass> failure_class_from_label(std::string_view label);

}  // namespace squall::core::llm
