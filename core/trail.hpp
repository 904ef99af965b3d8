// SPDX-License-Identifier: MIT
//
// What is remembered of failed attempts, for any taxonomy of failures. A taxonomy is an enum with
// two functions found by argument-dependent lookup: `label(Class) -> std::string_view` and
// `is_retryable(Class) -> bool`.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace squall::core {

template <class Class>
concept FailureTaxonomy = requires(Class failure_class) {
  { label(failure_class) } -> std::convertible_to<std::string_view>;
  { is_retryable(failure_class) } -> std::same_as<bool>;
};

/// Diagnostics of one failed attempt.
template <FailureTaxonomy Class>
struct FailureRecord {
  Class failure_class;
  /// The whole cause chain in one string, outermost first, joined by ": ".
  std::string error_chain;
  /// `choices[0].finish_reason` of the answer, when one could be read.
  std::optional<std::string> finish_reason;
  /// The server's Retry-After in milliseconds as observed, before any clamp.
  std::optional<std::uint64_t> retry_after_ms;

  friend bool operator==(const FailureRecord&, const FailureRecord&) = default;
};

template <FailureTaxonomy Class>
using Trail = std::vector<FailureRecord<Class>>;

/// How an operation ends that did not succeed: the trail and the final word on it.
template <FailureTaxonomy Class>
struct RetryExhausted {
  Trail<Class> trail;
  Class final_class;
  /// Text of the last completed attempt: present (possibly empty) only if the last attempt produced
  /// text. Text of an earlier attempt is never presented as the last one's.
  std::optional<std::string> last_raw;
  /// "<n> attempt(s) failed (last: <label>): <last chain>", or "operation failed: <label>" when the
  /// trail is empty.
  std::string detail;

  RetryExhausted(Trail<Class> failures, Class failure_class)
      : trail(std::move(failures)), final_class(failure_class) {
    if (trail.empty()) {
      detail = "operation failed: ";
      detail += label(final_class);
    } else {
      detail = std::to_string(trail.size());
      detail += " attempt(s) failed (last: ";
      detail += label(final_class);
      detail += "): ";
      detail += trail.back().error_chain;
    }
  }
  RetryExhausted(Trail<Class> failures, Class failure_class, std::optional<std::string> raw)
      : RetryExhausted(std::move(failures), failure_class) {
    last_raw = std::move(raw);
  }

  friend bool operator==(const RetryExhausted&, const RetryExhausted&) = default;
};

}  // namespace squall::core
