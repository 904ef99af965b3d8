// SPDX-License-Identifier: MIT
#include "analysis/gate_parts.hpp"

#include <array>
#include <cstddef>
#include <variant>

#include "core/check.hpp"

namespace squall::analysis {
namespace {

using core::ExponentialBackoff;
using core::RetryPolicy;

constexpr std::array<std::string_view, 15> kPointers{
    "/attempts",
    "/backoff",
    "/backoff/base",
    "/backoff/multiplier",
    "/backoff/cap",
    "/backoff/max_doublings",
    "/jitter",
    "/retry_after/sources",
    "/retry_after/clamp",
    "/retry_after/ignore_above",
    "/budgets/time",
    "/timeouts/idle",
    "/timeouts/attempt",
    "/retry_on/statuses",
    "/retry_on/failures",
};

const ExponentialBackoff* growing(const RetryPolicy& policy) {
  return std::get_if<ExponentialBackoff>(&policy.backoff);
}

/// Copies one member of a schedule that grows on both sides.
template <class Member>
void copy(const RetryPolicy& from, RetryPolicy& into, Member ExponentialBackoff::*member) {
  const ExponentialBackoff* source = growing(from);
  auto* target = std::get_if<ExponentialBackoff>(&into.backoff);
  if (source != nullptr && target != nullptr) {
    target->*member = source->*member;
  }
}

void copy_part(const RetryPolicy& from, RetryPolicy& into, Part part) {
  switch (part) {
    case Part::kAttempts:
      into.budgets.attempts_max = from.budgets.attempts_max;
      return;
    case Part::kBackoff:
      if (from.backoff.index() != into.backoff.index() || growing(from) == nullptr) {
        into.backoff = from.backoff;
      }
      return;
    case Part::kBase:
      return copy(from, into, &ExponentialBackoff::base_ms);
    case Part::kMultiplier:
      return copy(from, into, &ExponentialBackoff::multiplier);
    case Part::kCap:
      return copy(from, into, &ExponentialBackoff::cap_ms);
    case Part::kGrowthSteps:
      return copy(from, into, &ExponentialBackoff::growth_steps_max);
    case Part::kJitter:
      into.jitter = from.jitter;
      return;
    case Part::kRetryAfterSources:
      into.retry_after.seconds = from.retry_after.seconds;
      into.retry_after.http_date = from.retry_after.http_date;
      into.retry_after.milliseconds = from.retry_after.milliseconds;
      return;
    case Part::kRetryAfterClamp:
      into.retry_after.clamp_min_ms = from.retry_after.clamp_min_ms;
      into.retry_after.clamp_max_ms = from.retry_after.clamp_max_ms;
      return;
    case Part::kRetryAfterIgnoreAbove:
      into.retry_after.ignore_above_ms = from.retry_after.ignore_above_ms;
      return;
    case Part::kTimeBudget:
      into.budgets.time = from.budgets.time;
      return;
    case Part::kIdleTimeout:
      into.timeouts.idle = from.timeouts.idle;
      return;
    case Part::kAttemptTimeout:
      into.timeouts.attempt = from.timeouts.attempt;
      return;
    case Part::kStatuses:
      into.retry_on.statuses = from.retry_on.statuses;
      return;
    case Part::kFailures:
      into.retry_on.connection_failures = from.retry_on.connection_failures;
      into.retry_on.cut_bodies = from.retry_on.cut_bodies;
      into.retry_on.unusable_answers = from.retry_on.unusable_answers;
      return;
  }
}

}  // namespace

std::string_view pointer_of(Part part) {
  return kPointers[static_cast<std::size_t>(part)];
}

RetryPolicy with_part(const RetryPolicy& from, const RetryPolicy& to, Part part) {
  RetryPolicy mixed = from;
  copy_part(to, mixed, part);
  return mixed;
}

std::vector<Part> changed_parts(const RetryPolicy& from, const RetryPolicy& to) {
  std::vector<Part> parts;
  RetryPolicy all = from;
  for (std::size_t index = 0; index < kPointers.size(); ++index) {
    const auto part = static_cast<Part>(index);
    if (with_part(from, to, part) != from) {
      parts.push_back(part);
      copy_part(to, all, part);
    }
  }
  // A part that this list does not know would be a change without a cause.
  SQUALL_CHECK(all == to);
  return parts;
}

}  // namespace squall::analysis
