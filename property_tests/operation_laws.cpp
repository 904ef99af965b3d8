// SPDX-License-Identifier: MIT
//
// What holds for every operation, whatever the provider does and whatever the policy: seen from the
// trace, and against the reference model.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/policy.hpp"
#include "core/retry_after.hpp"
#include "property_tests/generators.hpp"
#include "property_tests/played.hpp"

namespace squall::property_tests {
namespace {

using core::Duration;
using core::OrderedSleep;
using core::llm::FailureClass;
using playback::TraceKind;
using playback::TraceRecord;
using scenarios::Outcome;

/// Fails the property with the text, if any.
void none(const std::optional<std::string>& defect) {
  if (defect) {
    RC_FAIL(*defect);
  }
}

RC_GTEST_PROP(Operation, AgreesWithTheReferenceModel, ()) {
  const Case drawn = *cases();
  const Played played(drawn);
  for (const Outcome outcome : {Outcome::kSuccess, Outcome::kExhausted, Outcome::kNonRetryable,
                                Outcome::kShutdown, Outcome::kUnfinished}) {
    classify(played.result.outcome == outcome, std::string(label(outcome)));
  }
  classify(played.result.attempts > 1, "more than one call");
  classify(!played.records(TraceKind::kRetryAfterRead).empty(), "Retry-After");
  none(disagreement(played.result, drawn.scenario));
}

RC_GTEST_PROP(Operation, SatisfiesTheAudit, ()) {
  const Case drawn = *cases();
  Played played(drawn);
  (void)played.simulation.verify_determinism();
  none(complaint(played.result));
}

RC_GTEST_PROP(Operation, SatisfiesTheAuditWhateverTheServerDraws, ()) {
  const Case drawn = *wild_cases();
  Played played(drawn);
  (void)played.simulation.verify_determinism();
  none(complaint(played.result));
}

RC_GTEST_PROP(Operation, NeverCallsMoreThanItsBudgetAllows, ()) {
  const Case drawn = *wild_cases();
  const Played played(drawn);
  const std::vector<TraceRecord> sent = played.records(TraceKind::kAttemptSent);
  RC_ASSERT(sent.size() <= played.policy().budgets.attempts_max);
  RC_ASSERT(sent.size() == played.result.attempts);
  for (std::size_t i = 0; i < sent.size(); ++i) {
    RC_ASSERT(sent[i].detail == i + 1);
  }
}

RC_GTEST_PROP(Operation, SendsTheSameBytesEveryTime, ()) {
  const Case drawn = *wild_cases();
  const Played played(drawn);
  const std::uint64_t digest = playback::digest_of(drawn.scenario.operation.request->body());
  for (const TraceRecord& record : played.records(TraceKind::kAttemptSent)) {
    RC_ASSERT(record.value == digest);
  }
}

// From the end of a failed attempt to the next call, as the trace has them.
RC_GTEST_PROP(Operation, SleepsWithinTheIntervalOrExactlyAsTold, ()) {
  const Case drawn = *wild_cases();
  const Played played(drawn);
  const std::vector<TraceRecord> sent = played.records(TraceKind::kAttemptSent);
  const std::vector<TraceRecord> failed = played.records(TraceKind::kFailureRecorded);
  for (std::size_t slot = 0; slot + 1 < sent.size(); ++slot) {
    const Duration gap(sent[slot + 1].at_ns - failed[slot].at_ns);
    const std::optional<std::uint64_t> told = played.result.trail[slot].retry_after_ms;
    classify(told.has_value(), "Retry-After");
    if (told) {
      RC_ASSERT(gap ==
                core::from_milliseconds(std::clamp(*told, played.policy().retry_after.clamp_min_ms,
                                                   played.policy().retry_after.clamp_max_ms)));
    } else {
      const core::SleepInterval allowed =
          core::sleep_interval(played.policy(), static_cast<std::uint32_t>(slot));
      RC_ASSERT(gap >= core::from_milliseconds(allowed.min_ms));
      RC_ASSERT(gap <= core::from_milliseconds(allowed.max_ms));
      RC_ASSERT(gap.count() % 1'000'000 == 0);
    }
    RC_ASSERT((*played.result.sleeps)[slot] ==
              (OrderedSleep{static_cast<std::uint32_t>(slot), gap, told.has_value()}));
  }
}

// The same schedule with one Retry-After taken out differs in that one sleep and in no other.
RC_GTEST_PROP(Operation, ObeysARetryAfterOnceAndOnlyOnce, ()) {
  core::RetryPolicy policy = *policies();
  policy.jitter = core::NoJitter{};  // A sleep that needs no word would shift the words after it.
  policy.budgets = {.attempts_max = 8, .time = std::nullopt};
  policy.timeouts = {};
  policy.retry_after = {};
  const auto failures = *rc::gen::container<std::vector<int>>(7, any_of<int>({503, 429, 500}));
  const std::size_t told = *index_below(failures.size());
  const auto seconds_told = *any_of<int>({7, 0, 5, 60, 61, 600});

  std::vector<scenarios::Respond> schedule;
  for (const int status : failures) {
    scenarios::HttpAnswer answer;
    answer.status = status;
    schedule.push_back({.what = answer});
  }
  Case without{.scenario = scenario_of(policy, schedule), .seed = 1};
  without.scenario.horizon = Duration::max();
  std::get<scenarios::HttpAnswer>(schedule[told].what).headers = {
      {"retry-after", std::to_string(seconds_told)}};
  Case with{.scenario = scenario_of(policy, schedule), .seed = 1};
  with.scenario.horizon = Duration::max();
  RC_LOG(rc::toString(with));

  const Played plain(without);
  const Played hurried(with);
  // The last failure of the schedule stays; a header on it comes again with every later call.
  const std::size_t compared = std::min(plain.result.sleeps->size(), failures.size() - 1);
  for (std::size_t slot = 0; slot < compared; ++slot) {
    const OrderedSleep& ours = (*hurried.result.sleeps)[slot];
    if (slot == told) {
      RC_ASSERT(ours.by_retry_after);
      RC_ASSERT(ours.duration == std::chrono::seconds(std::clamp(seconds_told, 5, 60)));
    } else {
      RC_ASSERT(ours == (*plain.result.sleeps)[slot]);
    }
  }
}

RC_GTEST_PROP(Operation, CallsNobodyAfterAFinalFailureOrAShutdown, ()) {
  const Case drawn = *wild_cases();
  const Played played(drawn);
  bool over = false;
  bool finished = false;
  for (const TraceRecord& record : played.result.trace->records()) {
    RC_ASSERT_FALSE(finished);
    if (record.kind() == TraceKind::kAttemptSent) {
      RC_ASSERT_FALSE(over);
    }
    over = over || record.kind() == TraceKind::kShutdownRequested ||
           (record.kind() == TraceKind::kFailureRecorded &&
            !is_retryable(static_cast<FailureClass>(record.detail)));
    finished = record.kind() == TraceKind::kOperationFinished ||
               record.kind() == TraceKind::kHorizonReached;
    classify(record.kind() == TraceKind::kShutdownRequested, "shutdown");
  }
  RC_ASSERT(finished);
}

RC_GTEST_PROP(Operation, EndsAtTheInstantOfAShutdown, ()) {
  const Case drawn = *wild_cases();
  RC_PRE(drawn.scenario.client.shutdown_at.has_value());
  const Played played(drawn);
  RC_ASSERT(played.result.elapsed <=
            std::min(*drawn.scenario.client.shutdown_at, drawn.scenario.horizon));
  if (played.result.outcome == Outcome::kShutdown) {
    RC_ASSERT(played.result.elapsed == *drawn.scenario.client.shutdown_at);
    RC_ASSERT(played.result.operation->shortfall()->final_class == FailureClass::kShutdown);
  }
}

// One record a failed attempt, in order, and nothing else.
RC_GTEST_PROP(Operation, KeepsACompleteTrail, ()) {
  const Case drawn = *wild_cases();
  const Played played(drawn);
  const playback::RunResult& result = played.result;
  const std::vector<TraceRecord> sent = played.records(TraceKind::kAttemptSent);
  const std::vector<TraceRecord> failed = played.records(TraceKind::kFailureRecorded);
  RC_ASSERT(failed.size() == result.trail.size());
  for (std::size_t i = 0; i < failed.size(); ++i) {
    RC_ASSERT(failed[i].detail ==
              static_cast<std::uint32_t>(result.trail[i].failure_class.index()));
    RC_ASSERT(failed[i].value == playback::digest_of(result.trail[i].error_chain));
    RC_ASSERT_FALSE(result.trail[i].error_chain.empty());
    // Between its own call and the next one.
    RC_ASSERT(i < sent.size());
    RC_ASSERT(failed[i].at_ns >= sent[i].at_ns);
    if (i + 1 < sent.size()) {  // RC_ASSERT would evaluate both sides of an "or".
      RC_ASSERT(failed[i].at_ns <= sent[i + 1].at_ns);
    }
  }
  const bool last_call_is_no_failure =
      result.outcome == Outcome::kSuccess ||
      (result.outcome == Outcome::kUnfinished && failed.size() < sent.size());
  RC_ASSERT(failed.size() + (last_call_is_no_failure ? 1 : 0) == sent.size());
  RC_ASSERT((result.outcome == Outcome::kSuccess) == result.operation->answer().has_value());
  if (result.outcome == Outcome::kExhausted && !result.trail.empty()) {
    RC_ASSERT(result.operation->shortfall()->final_class == result.trail.back().failure_class);
  }
}

}  // namespace
}  // namespace squall::property_tests
