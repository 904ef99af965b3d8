// SPDX-License-Identifier: MIT
#include "analysis/ways.hpp"

#include <algorithm>

#include "core/connector/classify.hpp"

namespace squall::analysis {
namespace {

using core::Duration;
using scenarios::OperationKind;

constexpr Duration kNoEnd = Duration::max();
constexpr Duration kTick{1};

/// (body_waits + 1) waits that all end one nanosecond before they are too long.
Duration all_waits(Duration idle, std::uint32_t body_waits) {
  return times(idle - kTick, std::uint64_t{body_waits} + 1);
}

bool is_retried(const core::RetryPolicy& policy, OperationKind kind, int status) {
  return policy.retry_on.statuses.contains(status) &&
         !(kind == OperationKind::kToolCall && core::connector::is_auth_status(status));
}

/// Whether the operation can turn down a whole answer and ask again.
bool may_reject(OperationKind kind) {
  return kind != OperationKind::kAgentChat && kind != OperationKind::kToolCall;
}
bool sleeps_after_rejection(OperationKind kind) {
  return kind == OperationKind::kExtraction || kind == OperationKind::kComment;
}

}  // namespace

Duration first_deadline(const core::Timeouts& timeouts) {
  return std::min(timeouts.idle.value_or(kNoEnd), timeouts.attempt.value_or(kNoEnd));
}

bool headers_possible(const core::Timeouts& timeouts) {
  return first_deadline(timeouts) >= kTick;
}

Duration longest_cut(const core::Timeouts& timeouts, std::uint32_t body_waits) {
  const Duration first = first_deadline(timeouts);
  if (body_waits == 0 || first < kTick || first == kNoEnd) {
    return first;
  }
  const Duration whole_attempt = timeouts.attempt.value_or(kNoEnd);
  return timeouts.idle ? std::min(plus(all_waits(*timeouts.idle, body_waits), kTick), whole_attempt)
                       : whole_attempt;
}

Duration longest_whole(const core::Timeouts& timeouts, std::uint32_t body_waits) {
  const Duration within =
      timeouts.attempt.value_or(kNoEnd) == kNoEnd ? kNoEnd : *timeouts.attempt - kTick;
  return timeouts.idle ? std::min(all_waits(*timeouts.idle, body_waits), within) : within;
}

PlannedAttempt longest_attempt(const core::RetryPolicy& policy, OperationKind kind,
                               std::uint32_t body_waits) {
  PlannedAttempt attempt{.way = Way::kNoHeaders,
                         .lasts = longest_cut(policy.timeouts, body_waits),
                         .body_waits = body_waits,
                         .retry_after_ms = std::nullopt,
                         .sleep_ms = std::nullopt};
  if (body_waits > 0 && headers_possible(policy.timeouts)) {
    attempt.way = retried_status(policy, kind, false) ? Way::kErrorCut : Way::kSuccessCut;
  }
  return attempt;
}

std::optional<int> retried_status(const core::RetryPolicy& policy, OperationKind kind,
                                  bool rate_limited) {
  constexpr int kTooManyRequests = 429;
  constexpr int kUnavailable = 503;
  constexpr int kNotModified = 304;
  const int first = rate_limited ? kTooManyRequests : kUnavailable;
  const int second = rate_limited ? kUnavailable : kTooManyRequests;
  for (const int status : {first, second}) {
    if (is_retried(policy, kind, status)) {
      return status;
    }
  }
  for (int status = 300; status <= 599; ++status) {
    if (status != kNotModified && is_retried(policy, kind, status)) {
      return status;
    }
  }
  return std::nullopt;
}

std::vector<RetriedWay> retried_ways(const core::RetryPolicy& policy, OperationKind kind,
                                     std::uint32_t body_waits) {
  const core::RetryOn& retry_on = policy.retry_on;
  const bool sleeps = kind != OperationKind::kContinuation;
  const bool headers = headers_possible(policy.timeouts);
  const bool has_status = headers && retried_status(policy, kind, false).has_value();
  const bool asks = sleeps && policy.retry_after.is_honoured();
  std::vector<RetriedWay> ways;
  const auto add = [&](bool possible, Way way, Duration longest, bool way_sleeps, bool carries) {
    if (possible) {
      ways.push_back({way, longest, way_sleeps, carries});
    }
  };
  const Duration whole = headers ? longest_whole(policy.timeouts, body_waits) : Duration{0};
  // Without a wait for the body it can only break off together with the headers.
  const Duration cut = body_waits == 0 ? whole : longest_cut(policy.timeouts, body_waits);
  // A tool call judges an error by its status alone, a chat also by whether its body was cut.
  const bool cut_error = kind == OperationKind::kToolCall || retry_on.cut_bodies;
  add(has_status, Way::kErrorWhole, whole, sleeps, asks);
  add(retry_on.connection_failures, Way::kNoHeaders, first_deadline(policy.timeouts), sleeps,
      false);
  add(has_status && cut_error, Way::kErrorCut, cut, sleeps, asks);
  add(headers && retry_on.cut_bodies, Way::kSuccessCut, cut, sleeps, false);
  add(headers && retry_on.unusable_answers, Way::kUnusable, whole, sleeps, false);
  add(headers && may_reject(kind), Way::kRejected, whole, sleeps_after_rejection(kind), false);
  return ways;
}

const RetriedWay* longest_of(const std::vector<RetriedWay>& ways, bool sleeps,
                             bool with_retry_after) {
  const RetriedWay* longest = nullptr;
  for (const RetriedWay& way : ways) {
    if (way.sleeps == sleeps && (way.carries_retry_after || !with_retry_after) &&
        (longest == nullptr || way.longest > longest->longest)) {
      longest = &way;
    }
  }
  return longest;
}

const RetriedWay* simplest_of(const std::vector<RetriedWay>& ways, bool sleeps,
                              bool with_retry_after, Duration duration) {
  const auto found = std::find_if(ways.begin(), ways.end(), [&](const RetriedWay& way) {
    return way.sleeps == sleeps && (way.carries_retry_after || !with_retry_after) &&
           way.longest >= duration;
  });
  return found == ways.end() ? nullptr : &*found;
}

std::optional<core::SleepInterval> askable_sleeps(const core::RetryAfterRule& rule) {
  if (!rule.is_honoured()) {
    return std::nullopt;
  }
  const std::uint64_t most =
      rule.ignore_above_ms ? std::min(rule.clamp_max_ms, *rule.ignore_above_ms) : rule.clamp_max_ms;
  return core::SleepInterval{rule.clamp_min_ms, std::max(rule.clamp_min_ms, most)};
}

std::uint64_t retry_after_for(const core::RetryAfterRule& rule, std::uint64_t sleep_ms) {
  return rule.ignore_above_ms ? std::min(sleep_ms, *rule.ignore_above_ms) : sleep_ms;
}

}  // namespace squall::analysis
