// SPDX-License-Identifier: MIT
#include "analysis/worst_case.hpp"

#include <algorithm>

#include "analysis/outage.hpp"
#include "analysis/reach.hpp"
#include "analysis/slots.hpp"
#include "analysis/ways.hpp"
#include "core/attempt.hpp"
#include "core/check.hpp"

namespace squall::analysis {
namespace {

using core::Duration;
using core::Error;
using core::Expected;
using core::from_milliseconds;
using scenarios::OperationKind;
using std::chrono::milliseconds;

/// What a policy's numbers come to, once for all bounds.
class Bounds {
 public:
  Bounds(const core::RetryPolicy& policy, OperationKind kind)
      : policy_(policy),
        kind_(kind),
        attempts_(policy.budgets.attempts_max),
        groups_(slot_groups(policy, core::sleeps_max(policy))) {}

  [[nodiscard]] WorstCase compute(std::uint32_t body_waits) const {
    WorstCase worst;
    worst.kind = kind_;
    fewest_and_most_calls(worst);
    worst.sleep = largest_sleep();
    for (const std::uint32_t waits : {std::uint32_t{0}, std::uint32_t{1}, body_waits}) {
      if (worst.longest.empty() || waits > worst.longest.back().body_waits) {
        worst.longest.push_back(longest_operation(waits));
      }
    }
    worst.keepalive = keepalive();
    worst.outage = outage();
    worst.last_chance = last_chance();
    worst.rule_of_thumb = rule_of_thumb(worst.longest[1]);
    return worst;
  }

 private:
  [[nodiscard]] std::uint32_t followed_max() const { return core::sleeps_max(policy_); }
  [[nodiscard]] bool has_budget() const { return policy_.budgets.time.has_value(); }
  [[nodiscard]] Duration budget() const { return policy_.budgets.time.value_or(kNoEnd); }
  [[nodiscard]] std::uint32_t last_group_first() const {
    return groups_.empty() ? 0 : groups_.back().first;
  }

  /// An attempt of the simplest kind that fails after `lasts` and is followed by a sleep.
  static PlannedAttempt failing(const RetriedWay& way, Duration lasts,
                                std::uint32_t body_waits = 0) {
    return {.way = way.way,
            .lasts = lasts,
            .body_waits = body_waits,
            .retry_after_ms = std::nullopt,
            .sleep_ms = std::nullopt};
  }
  [[nodiscard]] PlannedAttempt sleeping(PlannedAttempt attempt, std::uint64_t sleep_ms,
                                        bool asked) const {
    attempt.sleep_ms = sleep_ms;
    if (asked) {
      attempt.retry_after_ms = retry_after_for(policy_.retry_after, sleep_ms);
    }
    return attempt;
  }
  static PlannedAttempt final_attempt() {
    return {.way = Way::kFinal,
            .lasts = Duration{0},
            .body_waits = 0,
            .retry_after_ms = std::nullopt,
            .sleep_ms = std::nullopt};
  }

  // ---- calls ------------------------------------------------------------------------------------

  void fewest_and_most_calls(WorstCase& worst) const {
    if (attempts_ == 0) {
      return;
    }
    const std::vector<RetriedWay> ways = retried_ways(policy_, kind_, 0);
    if (const RetriedWay* way = simplest_of(ways, false, false, Duration{0})) {
      worst.most_calls.add(failing(*way, Duration{0}), attempts_);
    } else if (simplest_of(ways, true, false, Duration{0}) != nullptr) {
      worst.most_calls = hurried(ways);
    } else {
      worst.most_calls.add(final_attempt());
    }
    worst.calls_max = worst.most_calls.calls();
    if (headers_possible(policy_.timeouts) || worst.calls_max == 1) {
      worst.fewest_calls.add(final_attempt());
    } else {
      worst.fewest_calls = worst.most_calls;  // Whatever is sent, every attempt times out at once.
    }
    worst.calls_min = worst.fewest_calls.calls();
  }

  /// Failures at once with the shortest sleeps, as long as the budgets allow.
  [[nodiscard]] Plan hurried(const std::vector<RetriedWay>& ways) const {
    const RetriedWay* plain = simplest_of(ways, true, false, Duration{0});
    const RetriedWay* asking = simplest_of(ways, true, true, Duration{0});
    const std::optional<core::SleepInterval> askable = askable_sleeps(policy_.retry_after);
    Plan plan;
    Duration left = budget();
    for (const SlotGroup& group : groups_) {
      const bool asked = asking != nullptr && askable && askable->min_ms < group.jitter.min_ms;
      const std::uint64_t sleep_ms = asked ? askable->min_ms : group.jitter.min_ms;
      const std::uint32_t count = how_many_fit(from_milliseconds(sleep_ms), left, group.count);
      plan.add(sleeping(failing(asked ? *asking : *plain, Duration{0}), sleep_ms, asked), count);
      take(left, sleep_ms, count);
      if (count < group.count) {
        plan.refused_sleep_ms = group.jitter.min_ms;
        break;
      }
    }
    plan.add(failing(*plain, Duration{0}));
    return plan;
  }

  [[nodiscard]] std::uint32_t how_many_fit(Duration each, Duration left,
                                           std::uint32_t count) const {
    return !has_budget() || each <= Duration{0}
               ? count
               : static_cast<std::uint32_t>(
                     std::min<Duration::rep>(left / each, static_cast<Duration::rep>(count)));
  }

  /// Takes sleeps that fit off what is left of the budget.
  void take(Duration& left, std::uint64_t sleep_ms, std::uint32_t count) const {
    if (has_budget()) {
      left -= times(from_milliseconds(sleep_ms), count);
    }
  }

  // ---- sleeps -----------------------------------------------------------------------------------

  [[nodiscard]] LargestSleep largest_sleep() const {
    LargestSleep largest;
    if (attempts_ == 0) {
      return largest;
    }
    const std::vector<RetriedWay> ways = retried_ways(policy_, kind_, 0);
    const RetriedWay* plain = simplest_of(ways, true, false, Duration{0});
    const RetriedWay* asking = simplest_of(ways, true, true, Duration{0});
    const std::optional<core::SleepInterval> askable =
        asking != nullptr ? askable_sleeps(policy_.retry_after) : std::nullopt;
    if (plain == nullptr) {
      largest.plan.add(final_attempt());
      return largest;
    }
    const auto add = [&](const SlotGroup& group, std::uint32_t first, std::uint32_t count,
                         std::uint64_t chosen_ms, bool asked) {
      SleepTerm term{.first_slot = first,
                     .count = count,
                     .scheduled_ms = group.scheduled_ms,
                     .jitter = group.jitter,
                     .askable_ms = askable ? std::optional(askable->max_ms) : std::nullopt,
                     .chosen_ms = chosen_ms,
                     .by_retry_after = asked};
      largest.plan.add(sleeping(failing(asked ? *asking : *plain, Duration{0}), chosen_ms, asked),
                       count);
      append(largest.terms, term);
      largest.total = plus(largest.total, times(from_milliseconds(chosen_ms), count));
    };
    if (!has_budget()) {
      for (const SlotGroup& group : groups_) {
        const bool asked = askable && askable->max_ms > group.jitter.max_ms;
        add(group, group.first, group.count, asked ? askable->max_ms : group.jitter.max_ms, asked);
      }
    } else {
      const Reached reached =
          reach({.limit = budget() / milliseconds(1),
                 .steps_max = followed_max(),
                 .choices =
                     [&](std::uint32_t slot) {
                       std::vector<Stretch> choices{clipped(group_of(groups_, slot).jitter)};
                       if (askable) {
                         choices.push_back(clipped(*askable));
                       }
                       return choices;
                     },
                 .alike_from = last_group_first()});
      for (std::size_t slot = 0; slot < reached.parts.size(); ++slot) {
        const ReachedStep& part = reached.parts[slot];
        const auto number = static_cast<std::uint32_t>(slot);
        add(group_of(groups_, number), number, 1, static_cast<std::uint64_t>(part.amount),
            part.choice == 1);
      }
    }
    // A last attempt that failed as the others did could be followed by another one.
    const bool used_up = largest.plan.calls() == followed_max();
    largest.plan.add(used_up ? failing(*plain, Duration{0}) : final_attempt());
    return largest;
  }

  static void append(std::vector<SleepTerm>& terms, const SleepTerm& term) {
    if (!terms.empty()) {
      SleepTerm& last = terms.back();
      SleepTerm as_last = term;
      as_last.first_slot = last.first_slot;
      as_last.count = last.count;
      if (as_last == last) {
        last.count += term.count;
        return;
      }
    }
    terms.push_back(term);
  }

  static Stretch clipped(core::SleepInterval interval) {
    constexpr auto kMax = static_cast<std::uint64_t>(Duration::max().count());
    return {static_cast<std::int64_t>(std::min(interval.min_ms, kMax)),
            static_cast<std::int64_t>(std::min(interval.max_ms, kMax))};
  }

  // ---- time -------------------------------------------------------------------------------------

  [[nodiscard]] LongestOperation longest_operation(std::uint32_t body_waits) const {
    LongestOperation longest;
    longest.body_waits = body_waits;
    if (attempts_ == 0) {
      return longest;
    }
    const PlannedAttempt last = longest_attempt(policy_, kind_, body_waits);
    longest.attempt = last.lasts;
    longest.endless = first_deadline(policy_.timeouts) == kNoEnd;
    if (last.lasts == kNoEnd) {
      longest.operation = kNoEnd;
      return longest;
    }
    const std::vector<RetriedWay> ways = retried_ways(policy_, kind_, body_waits);
    longest.plan = has_budget() ? spending_the_budget(ways, body_waits)
                                : one_after_the_other(ways, body_waits);
    longest.plan.add(last);
    longest.operation = longest.plan.elapsed();
    if (longest.operation == kNoEnd) {
      longest.plan = {};
    }
    return longest;
  }

  /// Every attempt but the last at its longest, with the sleep that lasts longest with it.
  [[nodiscard]] Plan one_after_the_other(const std::vector<RetriedWay>& ways,
                                         std::uint32_t body_waits) const {
    const RetriedWay* plain = longest_of(ways, true, false);
    const RetriedWay* asking = longest_of(ways, true, true);
    const RetriedWay* without_sleep = longest_of(ways, false, false);
    const std::optional<core::SleepInterval> askable = askable_sleeps(policy_.retry_after);
    struct Best {
      PlannedAttempt attempt;
      std::uint32_t count;
      Duration gain;  ///< of one attempt and its sleep
    };
    std::vector<Best> best;
    for (const SlotGroup& group : groups_) {
      if (plain == nullptr) {
        break;
      }
      PlannedAttempt attempt =
          sleeping(failing(*plain, plain->longest, body_waits), group.jitter.max_ms, false);
      Duration gain = plus(plain->longest, from_milliseconds(group.jitter.max_ms));
      if (asking != nullptr && askable) {
        const Duration asked = plus(asking->longest, from_milliseconds(askable->max_ms));
        if (asked > gain) {
          gain = asked;
          attempt = sleeping(failing(*asking, asking->longest, body_waits), askable->max_ms, true);
        }
      }
      best.push_back({attempt, group.count, gain});
    }
    // How many of the attempts sleep is the server's choice where some do not. The sum is linear
    // within a group of slots, so its largest value lies between two groups.
    std::size_t groups_taken = best.size();
    std::uint32_t others = 0;
    if (without_sleep != nullptr) {
      Duration slept{0};
      std::uint32_t left = followed_max();
      Duration most = times(without_sleep->longest, left);
      groups_taken = 0;
      others = left;
      for (std::size_t group = 0; group < best.size(); ++group) {
        slept = plus(slept, times(best[group].gain, best[group].count));
        left -= best[group].count;
        const Duration sum = plus(slept, times(without_sleep->longest, left));
        if (sum >= most) {
          most = sum;
          groups_taken = group + 1;
          others = left;
        }
      }
    }
    Plan plan;
    for (std::size_t group = 0; group < groups_taken; ++group) {
      plan.add(best[group].attempt, best[group].count);
    }
    if (without_sleep != nullptr) {
      plan.add(failing(*without_sleep, without_sleep->longest, body_waits), others);
    }
    return plan;
  }

  /// The latest start of a last attempt: every nanosecond that attempts and sleeps can take, up to
  /// the budget itself.
  [[nodiscard]] Plan spending_the_budget(const std::vector<RetriedWay>& ways,
                                         std::uint32_t body_waits) const {
    const RetriedWay* plain = longest_of(ways, true, false);
    const RetriedWay* asking = longest_of(ways, true, true);
    const RetriedWay* without_sleep = longest_of(ways, false, false);
    const std::optional<core::SleepInterval> askable =
        asking != nullptr ? askable_sleeps(policy_.retry_after) : std::nullopt;
    // An attempt can last any time, so attempt and sleep together cover a stretch without gaps.
    const auto stretch = [](core::SleepInterval sleep, Duration longest) {
      return Stretch{from_milliseconds(sleep.min_ms).count(),
                     plus(from_milliseconds(sleep.max_ms), longest).count()};
    };
    const auto choices = [&](std::uint32_t slot) {
      std::vector<Stretch> result;
      result.push_back(stretch(group_of(groups_, slot).jitter, plain->longest));
      if (askable) {
        result.push_back(stretch(*askable, asking->longest));
      }
      return result;
    };
    const Reached reached =
        reach({.limit = budget().count(),
               .steps_max = plain != nullptr ? followed_max() : 0,
               .choices = choices,
               .alike_from = last_group_first(),
               .tail_max = [&](std::uint32_t steps) {
                 return without_sleep == nullptr
                            ? 0
                            : times(without_sleep->longest, followed_max() - steps).count();
               }});
    Plan plan;
    for (std::size_t slot = 0; slot < reached.parts.size(); ++slot) {
      const ReachedStep& part = reached.parts[slot];
      const bool asked = part.choice == 1;
      const core::SleepInterval sleep =
          asked ? *askable : group_of(groups_, static_cast<std::uint32_t>(slot)).jitter;
      const std::uint64_t sleep_ms = std::min(
          sleep.max_ms, static_cast<std::uint64_t>(Duration(part.amount) / milliseconds(1)));
      const Duration lasts = Duration(part.amount) - from_milliseconds(sleep_ms);
      const RetriedWay* way = simplest_of(ways, true, asked, lasts);
      SQUALL_CHECK(way != nullptr, lasts.count());
      plan.add(sleeping(failing(*way, lasts, body_waits), sleep_ms, asked));
    }
    for (Duration left(reached.tail); left > Duration{0};) {
      const Duration lasts = std::min(left, without_sleep->longest);
      plan.add(failing(*simplest_of(ways, false, false, lasts), lasts, body_waits));
      left -= lasts;
    }
    return plan;
  }

  [[nodiscard]] std::optional<Keepalive> keepalive() const {
    const core::Timeouts& timeouts = policy_.timeouts;
    const Duration shortest{2};
    if (attempts_ == 0 || timeouts.attempt || (timeouts.idle && *timeouts.idle < shortest)) {
      return std::nullopt;
    }
    if (!timeouts.idle) {
      return Keepalive{.gap = std::nullopt, .bytes_per_hour = 0, .cut_by_size = kNoEnd};
    }
    const Duration gap = *timeouts.idle - Duration{1};
    // Headers, the bytes a body may hold, and the wait for one too many.
    return Keepalive{
        .gap = gap,
        .bytes_per_hour = static_cast<std::uint64_t>(std::chrono::hours(1) / gap),
        .cut_by_size = plus(times(gap, core::Attempt::kBodyBytesMax + 1), *timeouts.idle)};
  }

  // ---- an outage --------------------------------------------------------------------------------

  [[nodiscard]] Outage outage() const {
    Outage outage;
    outage.mean = Duration{0};
    if (attempts_ == 0) {
      return outage;
    }
    std::vector<RetriedWay> ways = retried_ways(policy_, kind_, 0);
    // A server that is down does not answer.
    ways.erase(std::remove_if(ways.begin(), ways.end(),
                              [](const RetriedWay& way) { return way.way == Way::kRejected; }),
               ways.end());
    if (ways.empty()) {
      outage.fewest_calls.add(final_attempt());
    } else if (const RetriedWay& way = ways.front(); !way.sleeps) {
      outage.fewest_calls.add(failing(way, Duration{0}), attempts_);
    } else {
      outage.fewest_calls = failing_at_once(way, &core::SleepInterval::max_ms);
      outage.most_calls = failing_at_once(way, &core::SleepInterval::min_ms);
      outage.mean = mean_sleep(groups_, policy_.budgets.time);
    }
    if (outage.most_calls.steps.empty()) {
      outage.most_calls = outage.fewest_calls;
    }
    outage.calls_min = outage.fewest_calls.calls();
    outage.calls_max = outage.most_calls.calls();
    return outage;
  }

  /// As many calls as the budgets allow when every sleep is at the same end of its interval.
  [[nodiscard]] Plan failing_at_once(const RetriedWay& way,
                                     std::uint64_t core::SleepInterval::*end) const {
    Plan plan;
    Duration left = budget();
    for (const SlotGroup& group : groups_) {
      const std::uint64_t sleep_ms = group.jitter.*end;
      const std::uint32_t count = how_many_fit(from_milliseconds(sleep_ms), left, group.count);
      plan.add(sleeping(failing(way, Duration{0}), sleep_ms, false), count);
      take(left, sleep_ms, count);
      if (count < group.count) {
        plan.refused_sleep_ms = sleep_ms;
        break;
      }
    }
    plan.add(failing(way, Duration{0}));
    return plan;
  }

  // ---- what follows -----------------------------------------------------------------------------

  [[nodiscard]] std::optional<Duration> last_chance() const {
    const std::vector<RetriedWay> ways = retried_ways(policy_, kind_, 0);
    if (!has_budget() || followed_max() == 0 || ways.empty()) {
      return std::nullopt;
    }
    std::uint64_t least_ms = 0;
    if (longest_of(ways, false, false) == nullptr) {
      least_ms = groups_.front().jitter.min_ms;
      if (longest_of(ways, true, true) != nullptr) {
        least_ms = std::min(least_ms, policy_.retry_after.clamp_min_ms);
      }
    }
    const Duration left = budget() - std::min(budget(), from_milliseconds(least_ms));
    return left;
  }

  [[nodiscard]] std::optional<RuleOfThumb> rule_of_thumb(
      const LongestOperation& without_progress) const {
    if (!policy_.timeouts.idle || policy_.timeouts.attempt || has_budget() || attempts_ == 0 ||
        without_progress.operation == kNoEnd || without_progress.plan.calls() != attempts_) {
      return std::nullopt;
    }
    Duration backoff{0};
    const bool sleeps = kind_ != OperationKind::kContinuation;
    for (const SlotGroup& group : sleeps ? groups_ : std::vector<SlotGroup>{}) {
      backoff = plus(backoff, times(from_milliseconds(group.scheduled_ms), group.count));
    }
    const Duration attempts = times(*policy_.timeouts.idle, attempts_);
    RuleOfThumb rule;
    rule.claim = plus(attempts, backoff);
    if (rule.claim == kNoEnd) {
      return std::nullopt;
    }
    rule.excess = without_progress.operation - rule.claim;
    rule.excess_of_sleeps = without_progress.plan.slept() - backoff;
    rule.excess_of_attempts = rule.excess - rule.excess_of_sleeps;
    return rule;
  }

  const core::RetryPolicy& policy_;
  OperationKind kind_;
  std::uint32_t attempts_;
  std::vector<SlotGroup> groups_;
};

core::Unexpected<Error> not_analysed(const std::string& reason) {
  return core::Unexpected<Error>(
      Error{.file = {},
            .line = 0,
            .pointer = {},
            .message = "the worst case of this policy is not computed: " + reason});
}

}  // namespace

Expected<WorstCase, Error> worst_case(const core::RetryPolicy& policy, OperationKind kind,
                                      std::uint32_t body_waits) {
  const core::RetryAfterRule& rule = policy.retry_after;
  const bool dates_alone = rule.http_date && !rule.seconds && !rule.milliseconds;
  if (dates_alone && (rule.ignore_above_ms || policy.budgets.time)) {
    return not_analysed(
        "dates are the only Retry-After it reads, and they count in whole seconds; let it read "
        "seconds too, or drop \"ignore_above\" and the time budget");
  }
  if (policy.budgets.time && first_deadline(policy.timeouts) < milliseconds(1)) {
    return not_analysed("it has a time budget and a timeout below 1 ms");
  }
  return Bounds(policy, kind).compute(body_waits);
}

}  // namespace squall::analysis
