// SPDX-License-Identifier: MIT
#include "analysis/plan.hpp"

namespace squall::analysis {

using core::Duration;

Duration plus(Duration left, Duration right) {
  return left > Duration::max() - right ? Duration::max() : left + right;
}

Duration times(Duration span, std::uint64_t times) {
  Duration::rep product = 0;
  return __builtin_mul_overflow(span.count(), times, &product) ? Duration::max()
                                                               : Duration(product);
}

void Plan::add(const PlannedAttempt& attempt, std::uint32_t times) {
  if (times == 0) {
    return;
  }
  if (!steps.empty() && steps.back().attempt == attempt) {
    steps.back().times += times;
  } else {
    steps.push_back({.attempt = attempt, .times = times});
  }
}

std::uint32_t Plan::calls() const {
  std::uint32_t calls = 0;
  for (const PlanStep& step : steps) {
    calls += step.times;
  }
  return calls;
}

Duration Plan::elapsed() const {
  Duration elapsed = slept();
  for (const PlanStep& step : steps) {
    elapsed = plus(elapsed, analysis::times(step.attempt.lasts, step.times));
  }
  return elapsed;
}

Duration Plan::slept() const {
  Duration slept{0};
  for (const PlanStep& step : steps) {
    slept = plus(slept, analysis::times(core::from_milliseconds(step.attempt.sleep_ms.value_or(0)),
                                        step.times));
  }
  return slept;
}

}  // namespace squall::analysis
