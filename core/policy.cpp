// SPDX-License-Identifier: MIT
#include "core/policy.hpp"

namespace squall::core {
namespace {

RetryPolicy shipped(std::uint32_t attempts_max, std::uint64_t base_ms, std::uint64_t cap_ms) {
  return RetryPolicy{
      .backoff = ExponentialBackoff{.base_ms = base_ms, .cap_ms = cap_ms},
      .jitter = ProportionalJitter{},
      .retry_after = RetryAfterRule{},
      .budgets = Budgets{.attempts_max = attempts_max, .time = std::nullopt},
      .timeouts = Timeouts{.idle = kIdleTimeout, .attempt = std::nullopt},
      .retry_on = RetryOn{},
  };
}

}  // namespace

std::uint64_t scheduled_ms(const RetryPolicy& policy, std::uint32_t slot) {
  return delay_ms(policy.backoff, slot);
}

SleepInterval sleep_interval(const RetryPolicy& policy, std::uint32_t slot) {
  return jitter_interval(policy.jitter, scheduled_ms(policy, slot));
}

std::uint64_t sleep_ms(const RetryPolicy& policy, std::uint32_t slot,
                       std::optional<std::uint64_t> retry_after_ms, std::uint64_t word) {
  if (retry_after_ms) {
    return clamp_retry_after(policy.retry_after, *retry_after_ms);
  }
  return jittered_ms(policy.jitter, scheduled_ms(policy, slot), word);
}

RetryPolicy default_policy() {
  return shipped(13, 5'000, 60'000);
}
RetryPolicy synthesis_policy() {
  return shipped(3, 30'000, 45'000);
}
RetryPolicy comment_policy() {
  return shipped(3, 5'000, 60'000);
}
RetryPolicy continuation_policy() {
  return shipped(3, 0, 0);
}

}  // namespace squall::core
