// SPDX-License-Identifier: MIT
#include "simulator/simulation.hpp"

#include <atomic>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "playback/scenarios_test_support.hpp"
#include "simulator/saboteurs_test_support.hpp"

namespace squall::simulator {
namespace {

using core::ConnectionFault;
using core::Duration;
using core::Instant;
using core::llm::FailureClass;
using playback::answer;
using playback::good;
using playback::overloaded;
using playback::scenario;
using playback::sequence;
using playback::silent;
using playback::step;
using scenarios::Outcome;
using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::chrono_literals;

core::RetryPolicy without_jitter(core::RetryPolicy policy = core::default_policy()) {
  policy.jitter = core::NoJitter{};
  return policy;
}

/// One run with seed 1, kept with everything it points into.
struct Played {
  explicit Played(scenarios::Scenario source)
      : prepared(std::move(source)), simulation(prepared), result(simulation.run(1, 0)) {
    EXPECT_FALSE(result.internal_error) << *result.internal_error;
    for (const playback::Violation& violation : *result.violations) {
      ADD_FAILURE() << playback::label(violation.invariant) << ": " << violation.message;
    }
  }
  playback::PreparedScenario prepared;
  Simulation simulation;
  const playback::RunResult& result;

  [[nodiscard]] std::vector<scenarios::FailureClass> classes() const {
    std::vector<scenarios::FailureClass> seen;
    for (std::size_t i = 0; i < result.trail.size(); ++i) {
      seen.push_back(result.trail[i].failure_class);
    }
    return seen;
  }
};

TEST(Simulation, EndlessOutageTakesTheWholeScheduleAndNothingMore) {
  const Played played(scenario(sequence({step(1, overloaded(120ms))}), without_jitter()));
  EXPECT_EQ(played.result.outcome, Outcome::kExhausted);
  EXPECT_EQ(played.result.attempts, 13U);
  // 555 s of scheduled sleep and 13 answers of 120 ms.
  EXPECT_EQ(played.result.sleep_total, 555s);
  EXPECT_EQ(played.result.elapsed, 555s + 13 * 120ms);
  ASSERT_TRUE(played.result.operation->shortfall().has_value());
  EXPECT_EQ(played.result.operation->shortfall()->detail,
            "13 attempt(s) failed (last: transport): the provider answered HTTP 503: "
            R"({"error":{"message":"overloaded"}})");
}

TEST(Simulation, TwelveFailuresThenSuccessOnTheLastCall) {
  const Played played(
      scenario(sequence({step(12, overloaded(0ms)), step(1, good(2s))}), without_jitter()));
  EXPECT_EQ(played.result.outcome, Outcome::kSuccess);
  EXPECT_EQ(played.result.attempts, 13U);
  EXPECT_EQ(played.result.elapsed, 555s + 2s);
  EXPECT_EQ(played.result.calls_wasted, 12U);
  EXPECT_EQ(played.result.operation->answer(), "ok");
}

TEST(Simulation, SilentHeadersAreCutAtExactlySixHundredSeconds) {
  const Played played(scenario(sequence({step(1, silent()), step(1, good(0s))}), without_jitter()));
  EXPECT_EQ(played.result.elapsed, 600s + 5s);
  EXPECT_THAT(played.classes(), ElementsAre(FailureClass::kTransport));
}

TEST(Simulation, BytesOneNanosecondBeforeTheTimeoutKeepTheAttemptAlive) {
  auto slow = good(0s);
  auto& body = std::get<scenarios::HttpAnswer>(slow.what);
  body.delivery = scenarios::Trickle{.bytes = body.body.size() / 2 + 1, .every = 600s - 1ns};
  const Played alive(scenario(sequence({step(1, slow)}), without_jitter()));
  EXPECT_EQ(alive.result.outcome, Outcome::kSuccess);
  EXPECT_EQ(alive.result.attempts, 1U);
  EXPECT_EQ(alive.result.elapsed, 2 * (600s - 1ns));

  body.delivery = scenarios::Trickle{.bytes = body.body.size() / 2 + 1, .every = 600s};
  const Played cut(scenario(sequence({step(1, slow), step(1, good(0s))}), without_jitter()));
  EXPECT_EQ(cut.result.outcome, Outcome::kSuccess);
  EXPECT_EQ(cut.result.attempts, 2U);
  EXPECT_EQ(cut.result.elapsed, 600s + 5s);
  EXPECT_THAT(cut.classes(), ElementsAre(FailureClass::kTruncatedEnvelope));
}

TEST(Simulation, LateHeadersThenAStalledBodyLastAlmostTwiceTheIdleTimeout) {
  auto late = good(600s - 1ns);
  std::get<scenarios::HttpAnswer>(late.what).ending = scenarios::Stalls{.after = {0}};
  const Played played(scenario(sequence({step(1, late), step(1, good(0s))}), without_jitter()));
  EXPECT_EQ(played.result.elapsed, 600s - 1ns + 600s + 5s);
}

TEST(Simulation, RetryAfterDecidesTheOneSleepAfterIt) {
  auto limited = answer(429, "slow down", Duration{0});
  std::get<scenarios::HttpAnswer>(limited.what).headers = {{"retry-after", std::string("7")}};
  const Played played(scenario(
      sequence({step(1, limited), step(1, overloaded(0ms)), step(1, good(0s))}), without_jitter()));
  EXPECT_THAT(*played.result.sleeps,
              ElementsAre(core::OrderedSleep{0, 7s, true}, core::OrderedSleep{1, 10s, false}));
  EXPECT_EQ(played.result.elapsed, 17s);
}

TEST(Simulation, RetryAfterDateIsReadAgainstTheVirtualWallClock) {
  auto limited = answer(429, "slow down", Duration{1500ms});
  std::get<scenarios::HttpAnswer>(limited.what).headers = {
      {"retry-after", scenarios::RelativeDate{.offset = 30s, .form = {}}}};
  const Played played(scenario(sequence({step(1, limited), step(1, good(0s))}), without_jitter()));
  // The headers leave at half past a second; the date loses the fraction: 29.5 s are left.
  EXPECT_EQ(played.result.trail[0].retry_after_ms, 29'500U);
  EXPECT_EQ(played.result.elapsed, 1500ms + 29'500ms);
}

TEST(Simulation, NonRetryableFailureEndsAtOnce) {
  const Played played(scenario(sequence({step(1, answer(401, "bad key", Duration{80ms}))})));
  EXPECT_EQ(played.result.outcome, Outcome::kNonRetryable);
  EXPECT_EQ(played.result.attempts, 1U);
  EXPECT_EQ(played.result.elapsed, 80ms);
}

TEST(Simulation, ShutdownEndsASleepAWaitForHeadersAndABodyAtOnce) {
  auto in_sleep = scenario(sequence({step(1, overloaded(0ms))}), without_jitter());
  in_sleep.client.shutdown_at = 3s;
  const Played slept(in_sleep);
  EXPECT_EQ(slept.result.outcome, Outcome::kShutdown);
  EXPECT_EQ(slept.result.elapsed, 3s);
  EXPECT_THAT(slept.classes(), ElementsAre(FailureClass::kTransport));

  auto in_headers = scenario(sequence({step(1, silent())}));
  in_headers.client.shutdown_at = 42s;
  const Played waited(in_headers);
  EXPECT_EQ(waited.result.elapsed, 42s);
  EXPECT_THAT(waited.classes(), ElementsAre(FailureClass::kShutdown));

  auto slow = good(0s);
  std::get<scenarios::HttpAnswer>(slow.what).delivery = scenarios::Trickle{1, 1s};
  auto in_body = scenario(sequence({step(1, slow)}));
  in_body.client.shutdown_at = 2500ms;
  const Played read(in_body);
  EXPECT_EQ(read.result.elapsed, 2500ms);
  EXPECT_THAT(read.classes(), ElementsAre(FailureClass::kShutdown));
}

TEST(Simulation, ShutdownAtTheStartMakesNoCall) {
  auto stopped = scenario(sequence({step(1, good())}));
  stopped.client.shutdown_at = 0s;
  const Played played(stopped);
  EXPECT_EQ(played.result.outcome, Outcome::kShutdown);
  EXPECT_EQ(played.result.attempts, 0U);
  EXPECT_EQ(played.result.operation->shortfall()->detail, "operation failed: shutdown");
}

TEST(Simulation, ShutdownWinsOverAnAnswerOfTheSameInstant) {
  auto stopped = scenario(sequence({step(1, good(5s))}));
  stopped.client.shutdown_at = 5s;
  EXPECT_EQ(Played(stopped).result.outcome, Outcome::kShutdown);
}

TEST(Simulation, PolicyWithoutIdleTimeoutHangsUntilTheHorizon) {
  core::RetryPolicy patient = core::default_policy();
  patient.timeouts.idle.reset();
  auto hung = scenario(sequence({step(1, silent())}), patient);
  hung.horizon = 24h;
  const Played played(hung);
  EXPECT_EQ(played.result.outcome, Outcome::kUnfinished);
  EXPECT_EQ(played.result.elapsed, 24h);
  EXPECT_EQ(played.result.trace->records().back().kind(), playback::TraceKind::kHorizonReached);
}

TEST(Simulation, ZeroAttemptsMakeNoCall) {
  core::RetryPolicy none = core::default_policy();
  none.budgets.attempts_max = 0;
  const Played played(scenario(sequence({step(1, good())}), none));
  EXPECT_EQ(played.result.attempts, 0U);
  EXPECT_EQ(played.result.elapsed, 0s);
  EXPECT_EQ(played.result.operation->shortfall()->detail, "operation failed: transport");
}

TEST(Simulation, ContinuationPolicyNeverSleeps) {
  const Played played(scenario(sequence({step(1, overloaded(10ms))}), core::continuation_policy()));
  EXPECT_EQ(played.result.attempts, 3U);
  EXPECT_EQ(played.result.elapsed, 30ms);
  EXPECT_THAT(*played.result.sleeps,
              ElementsAre(core::OrderedSleep{0, 0s, false}, core::OrderedSleep{1, 0s, false}));
}

TEST(Simulation, SleepBeyondTheTimelineEndsAtTheHorizon) {
  core::RetryPolicy forever = without_jitter();
  forever.backoff = core::ConstantBackoff{.delay_ms = ~std::uint64_t{0}};
  const Played played(scenario(sequence({step(1, overloaded(0ms))}), forever));
  EXPECT_EQ(played.result.outcome, Outcome::kUnfinished);
  EXPECT_EQ(played.result.elapsed, 24h * 30);
}

TEST(Simulation, TimeBudgetSurfacesTheFailureInsteadOfSleeping) {
  core::RetryPolicy budgeted = without_jitter();
  budgeted.budgets.time = 16s;
  // Sleeps of 5 and 10 s end at 15 s exactly when answers take no time; the third would end at 35
  // s.
  EXPECT_EQ(Played(scenario(sequence({step(1, overloaded(0ms))}), budgeted)).result.attempts, 3U);
  budgeted.budgets.time = 15s;
  EXPECT_EQ(Played(scenario(sequence({step(1, overloaded(0ms))}), budgeted)).result.attempts, 3U);
  budgeted.budgets.time = 15s - 1ns;
  EXPECT_EQ(Played(scenario(sequence({step(1, overloaded(0ms))}), budgeted)).result.attempts, 2U);
}

TEST(Simulation, SameSeedAndRunGiveTheSameBytesWhateverRanBefore) {
  const playback::PreparedScenario prepared(scenario(sequence({step(1, overloaded())})));
  Simulation fresh(prepared);
  Simulation used(prepared);
  (void)used.run(9, 3);
  (void)used.run(42, 16);
  const std::uint64_t digest = fresh.run(42, 17).digest;
  EXPECT_EQ(used.run(42, 17).digest, digest);
  EXPECT_NE(used.run(42, 18).digest, digest);
  EXPECT_NE(used.run(43, 17).digest, digest);
  EXPECT_THAT(*used.verify_determinism().violations, IsEmpty());
}

TEST(Simulation, PolicyIsSnapshotAtTheStart) {
  // The machine holds its own copy: a change of the prepared policy does not reach a running one.
  core::RetryPolicy policy = without_jitter();
  core::llm::AgentChat operation(policy, scenario(sequence({step(1, good())})).operation.request,
                                 core::RandomStream(1), true);
  policy.budgets.attempts_max = 1;
  (void)operation.handle(core::OperationStarted{}, Instant(0s));
  (void)operation.handle(core::AttemptFailed{1, ConnectionFault::kRefused, {}}, Instant(1s));
  EXPECT_EQ(operation.state(), core::OperationState::kSleeping);
}

TEST(Simulation, WithoutMetadataNothingButTheRowsIsMissing) {
  const auto traced = [](bool telemetry) {
    auto source = scenario(sequence({step(1, overloaded())}));
    source.operation.telemetry = telemetry;
    return Played(source).result.trace->records();
  };
  std::vector<playback::TraceRecord> with = traced(true);
  const auto is_row = [](const playback::TraceRecord& record) {
    return record.kind() == playback::TraceKind::kFailureRow ||
           record.kind() == playback::TraceKind::kRequestRow;
  };
  EXPECT_EQ(std::erase_if(with, is_row), 14U);  // 13 failures and the request.
  EXPECT_EQ(with, traced(false));
}

TEST(Simulation, FailedCheckIsReportedWithItsVirtualTime) {
  auto broken = scenario(sequence({step(1, good(2s))}));
  broken.defect = "fails_a_check";
  const playback::PreparedScenario prepared(broken, make_saboteur);
  Simulation simulation(prepared);
  const playback::RunResult& result = simulation.run(1, 0);
  ASSERT_TRUE(result.internal_error.has_value());
  EXPECT_THAT(*result.internal_error, testing::HasSubstr("check failed: !headers (headers = 1)"));
  EXPECT_EQ(result.internal_error_at, Instant(2s));
  EXPECT_FALSE(result.sound());
}

TEST(Simulation, InterruptLeavesARunWithoutAVerdict) {
  const playback::PreparedScenario prepared(scenario(sequence({step(1, overloaded())})));
  std::atomic<bool> interrupted{true};
  Simulation simulation(prepared, &interrupted);
  EXPECT_TRUE(simulation.run(1, 0).interrupted);
  EXPECT_THAT(*simulation.verify_determinism().violations, IsEmpty());
  interrupted = false;
  EXPECT_FALSE(simulation.run(1, 0).interrupted);
}

TEST(Simulation, NextAnswerOfTheSameInstantIsADeliveryOfItsOwn) {
  // Without sleeps and latencies all three attempts happen at one instant, in their order.
  const Played played(scenario(sequence({step(1, overloaded(0ms))}), core::continuation_policy()));
  EXPECT_EQ(played.result.elapsed, 0s);
  std::vector<std::uint32_t> sent;
  for (const playback::TraceRecord& record : played.result.trace->records()) {
    if (record.kind() == playback::TraceKind::kAttemptSent) {
      sent.push_back(record.detail);
    }
  }
  EXPECT_THAT(sent, ElementsAre(1U, 2U, 3U));
}

}  // namespace
}  // namespace squall::simulator
