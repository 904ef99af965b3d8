// SPDX-License-Identifier: MIT
#include "core/connector/policy.hpp"

#include <string>
#include <string_view>
#include <variant>

#include "core/seconds.hpp"

namespace squall::core::connector {
namespace {

Unexpected<Error> bad(std::string_view what, Duration found, std::string_view limit,
                      Duration allowed) {
  Error error;
  error.message = "connector policy: ";
  error.message += what;
  error.message += ' ';
  append_seconds(error.message, found);
  error.message += limit;
  append_seconds(error.message, allowed);
  return Unexpected<Error>(std::move(error));
}

Unexpected<Error> missing(std::string_view what) {
  Error error;
  error.message = "connector policy: ";
  error.message += what;
  return Unexpected<Error>(std::move(error));
}

struct Bounds {
  Duration base;
  Duration cap;
};

Bounds bounds_of(const ConstantBackoff& backoff) {
  const Duration delay = from_milliseconds(backoff.delay_ms);
  return {delay, delay};
}
Bounds bounds_of(const ExponentialBackoff& backoff) {
  return {from_milliseconds(backoff.base_ms), from_milliseconds(backoff.cap_ms)};
}

RetryAfterRule ignored_retry_after() {
  RetryAfterRule rule;
  rule.seconds = false;
  rule.http_date = false;
  rule.milliseconds = false;
  return rule;
}

}  // namespace

RetryPolicy connector_policy() {
  return RetryPolicy{
      .backoff = ExponentialBackoff{.base_ms = 100,
                                    .cap_ms = 500,
                                    .multiplier = {.numerator = 2, .denominator = 1},
                                    .growth_steps_max = kGrowthStepsMax},
      .jitter = EqualJitter{},
      .retry_after = ignored_retry_after(),
      .budgets = Budgets{.attempts_max = kAttemptsBackstop, .time = std::chrono::seconds(2)},
      .timeouts = Timeouts{.idle = std::nullopt, .attempt = std::chrono::seconds(30)},
      .retry_on = connector_retry_on(),
  };
}

RetryOn connector_retry_on() {
  StatusSet statuses;
  for (int status = 100; status < StatusSet::kCodes; ++status) {
    const bool is_success = status >= 200 && status <= 299;
    if (!is_success && status != 401 && status != 403) {
      statuses.add(status);
    }
  }
  RetryOn retry_on;
  retry_on.statuses = statuses;
  return retry_on;
}

Expected<void, Error> validate_connector_policy(const RetryPolicy& policy) {
  if (!policy.budgets.time) {
    return missing("a time budget is required");
  }
  if (!policy.timeouts.attempt) {
    return missing("a timeout for a whole attempt is required");
  }
  const Duration budget = *policy.budgets.time;
  const Duration call_timeout = *policy.timeouts.attempt;
  const Bounds backoff =
      std::visit([](const auto& kind) { return bounds_of(kind); }, policy.backoff);
  if (backoff.base > backoff.cap) {
    return bad("the base", backoff.base, " exceeds the cap of ", backoff.cap);
  }
  if (backoff.cap > budget) {
    return bad("the cap", backoff.cap, " exceeds the time budget of ", budget);
  }
  if (budget > kBudgetMax) {
    return bad("the time budget", budget, " exceeds ", kBudgetMax);
  }
  if (call_timeout < kCallTimeoutMin) {
    return bad("the timeout of an attempt", call_timeout, " is below ", kCallTimeoutMin);
  }
  if (call_timeout > kCallTimeoutMax) {
    return bad("the timeout of an attempt", call_timeout, " exceeds ", kCallTimeoutMax);
  }
  return {};
}

}  // namespace squall::core::connector
