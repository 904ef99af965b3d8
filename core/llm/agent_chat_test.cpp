// SPDX-License-Identifier: MIT
#include "core/llm/agent_chat.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "core/check.hpp"
#include "core/llm/agent_chat_test_support.hpp"

namespace squall::core::llm {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

using State = AgentChat::State;

/// Tells a machine facts as a host would, confirming each attempt it orders, and notes every
/// action.
struct Play {
  AgentChat chat;
  Instant now{seconds(0)};
  Lines orders;

  explicit Play(AgentChat machine) : chat(std::move(machine)) {}

  Play& tell(const Event& event, Duration later = Duration{0}) {
    now += later;
    const Actions actions = chat.handle(event, now);
    AttemptId started = 0;
    for (const Action& action : actions) {
      orders.push_back(show(action));
      if (const auto* send = std::get_if<SendAttempt>(&action)) {
        started = send->attempt;
      }
    }
    if (started != 0) {
      EXPECT_TRUE(chat.handle(AttemptStarted{started}, now).empty());
    }
    return *this;
  }
  Play& start() { return tell(OperationStarted{}); }
  Play& answer(int status, std::string_view body,
               std::optional<std::string_view> retry_after = std::nullopt) {
    const AttemptId id = chat.attempt();
    tell(headers(id, status, retry_after));
    tell(BytesReceived{id, body});
    return tell(BodyEnded{id});
  }
  /// Lets time pass to the wake-up; returns how long that was.
  Duration sleep() {
    EXPECT_EQ(chat.state(), State::kSleeping);
    const Duration length = chat.next_wakeup().value_or(now) - now;
    tell(WakeupReached{}, length);
    return length;
  }
  [[nodiscard]] const LlmExhausted& exhausted() const {
    return std::get<LlmExhausted>(chat.result());
  }
};

Play playing(const RetryPolicy& policy, bool metadata = kMetadata) {
  return Play(chat_with(policy, metadata));
}

TEST(AgentChat, SucceedsOnTheFirstCall) {
  Play play = playing(default_policy());
  play.start();
  EXPECT_EQ(play.chat.attempt(), 1U);
  play.now += seconds(3);
  play.answer(200, kGoodAnswer);
  EXPECT_EQ(play.orders, (Lines{"send 1", "request after 3s", "finish"}));
  EXPECT_EQ(std::get<ChatAnswer>(play.chat.result()).text, "recovered");
  EXPECT_TRUE(play.chat.trail().empty());
  EXPECT_EQ(play.chat.state(), State::kFinished);
}

TEST(AgentChat, AnEmptyTextIsASuccess) {
  Play play = playing(default_policy());
  play.start().answer(200, R"({"choices":[{"message":{"content":null,
    "tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]}}]})");
  const auto& answer = std::get<ChatAnswer>(play.chat.result());
  EXPECT_EQ(answer.text, "");
  EXPECT_EQ(answer.tool_calls.size(), 1U);
}

TEST(AgentChat, TwelveFailuresAreRiddenOut) {
  Play play = playing(default_policy());
  RandomStream words(kSeed);
  play.start();
  const std::vector<std::uint64_t> schedule_ms{5'000,  10'000, 20'000, 40'000, 60'000, 60'000,
                                               60'000, 60'000, 60'000, 60'000, 60'000, 60'000};
  for (const std::uint64_t base_ms : schedule_ms) {
    play.answer(503, "outage");
    EXPECT_EQ(play.sleep(), milliseconds(jittered_ms(ProportionalJitter{}, base_ms, words.next())));
  }
  EXPECT_EQ(play.chat.attempt(), 13U);
  play.answer(200, kGoodAnswer);
  EXPECT_EQ(std::get<ChatAnswer>(play.chat.result()).text, "recovered");
  EXPECT_EQ(play.chat.trail().size(), 12U);
  EXPECT_EQ(play.orders.size(), 13U + 12U + 2U);
}

TEST(AgentChat, ThirteenFailuresExhaustTheBudgetWithoutALastSleep) {
  Play play = playing(without_jitter());
  play.start();
  Duration slept{0};
  for (int i = 0; i < 12; ++i) {
    play.answer(503, "outage");
    slept += play.sleep();
  }
  EXPECT_EQ(slept, seconds(555));
  play.orders.clear();
  play.answer(503, "still out");
  EXPECT_EQ(play.orders, (Lines{"record 12 as 13 after 0s", "request after 555s", "finish"}));
  EXPECT_EQ(play.exhausted().trail.size(), 13U);
  EXPECT_EQ(play.exhausted().final_class, FailureClass::kTransport);
  EXPECT_EQ(play.exhausted().last_raw, std::nullopt);
  EXPECT_EQ(play.exhausted().detail,
            "13 attempt(s) failed (last: transport): the provider answered HTTP 503: still out");
}

TEST(AgentChat, AnUnusableAnswerIsRetriedLikeAFault) {
  Play play = playing(without_jitter(comment_policy()));
  play.start().answer(200, "not json");
  EXPECT_EQ(play.sleep(), seconds(5));
  play.answer(200, R"({"choices":[]})");
  EXPECT_EQ(play.sleep(), seconds(10));
  play.tell(refused(3));
  ASSERT_EQ(play.chat.trail().size(), 3U);
  EXPECT_EQ(play.chat.trail()[0].failure_class, FailureClass::kParse);
  EXPECT_EQ(play.chat.trail()[1].failure_class, FailureClass::kNoResponse);
  EXPECT_EQ(play.exhausted().detail,
            "3 attempt(s) failed (last: transport): the chat request failed: connection refused");
}

TEST(AgentChat, AFinalFailureEndsItAtOnce) {
  Play play = playing(default_policy());
  play.start();
  play.now += seconds(2);
  play.answer(401, "bad key", "7");
  EXPECT_EQ(play.orders, (Lines{"send 1", "record 0 as 1 after 2s", "request after 2s", "finish"}));
  EXPECT_EQ(play.exhausted().final_class, FailureClass::kNonRetryable);
  EXPECT_EQ(play.exhausted().detail,
            "1 attempt(s) failed (last: non_retryable): the provider answered HTTP 401: bad key");
}

TEST(AgentChat, ABudgetOfZeroMakesNoCall) {
  RetryPolicy policy = default_policy();
  policy.budgets.attempts_max = 0;
  Play play = playing(policy);
  play.start();
  EXPECT_EQ(play.orders, (Lines{"request after 0s", "finish"}));
  EXPECT_EQ(play.chat.attempt(), 0U);
  EXPECT_EQ(play.exhausted().final_class, FailureClass::kTransport);
  EXPECT_EQ(play.exhausted().detail, "operation failed: transport");
}

TEST(AgentChat, ABudgetOfOneNeverSleeps) {
  RetryPolicy policy = default_policy();
  policy.budgets.attempts_max = 1;
  Play play = playing(policy);
  play.start().answer(503, "x", "7");
  EXPECT_EQ(play.orders, (Lines{"send 1", "record 0 as 1 after 0s", "request after 0s", "finish"}));
}

TEST(AgentChat, RetryAfterDecidesTheOneSleepThatFollows) {
  Play play = playing(default_policy());
  RandomStream words(kSeed);
  play.start().answer(429, "slow down", "7");
  EXPECT_EQ(play.sleep(), seconds(7));
  play.answer(503, "x", "1");
  EXPECT_EQ(play.sleep(), seconds(5));
  play.answer(503, "x", "3600");
  EXPECT_EQ(play.sleep(), seconds(60));
  // Thirty seconds after the calendar time that `headers` states.
  play.answer(503, "x", "Tue, 14 Nov 2023 22:13:50 GMT");
  EXPECT_EQ(play.sleep(), seconds(30));
  play.answer(503, "x", "soon");
  EXPECT_EQ(play.sleep(), milliseconds(jittered_ms(ProportionalJitter{}, 60'000, words.next())));
  EXPECT_EQ(play.chat.trail()[0].retry_after_ms, 7'000U);
  EXPECT_EQ(play.chat.trail()[1].retry_after_ms, 1'000U);
  EXPECT_EQ(play.chat.trail()[2].retry_after_ms, 3'600'000U);
  EXPECT_EQ(play.chat.trail()[3].retry_after_ms, 30'000U);
  EXPECT_EQ(play.chat.trail()[4].retry_after_ms, std::nullopt);
}

TEST(AgentChat, RetryAfterOfAnUnusableSuccessDoesNotCount) {
  Play play = playing(without_jitter());
  play.start().answer(200, "not json", "30");
  EXPECT_EQ(play.chat.trail()[0].retry_after_ms, std::nullopt);
  EXPECT_EQ(play.sleep(), seconds(5));
}

TEST(AgentChat, RetryAfterOfHeadersThatCameTooLateDoesNotCount) {
  Play play = playing(without_jitter());
  play.start().tell(headers(1, 503, "30"), seconds(600));
  ASSERT_EQ(play.chat.trail().size(), 1U);
  EXPECT_EQ(play.chat.trail()[0].retry_after_ms, std::nullopt);
  EXPECT_EQ(play.sleep(), seconds(5));
}

TEST(AgentChat, RetryAfterIsForgottenByTheNextAttempt) {
  Play play = playing(without_jitter());
  play.start().answer(503, "x", "30");
  EXPECT_EQ(play.sleep(), seconds(30));
  play.tell(refused(2));
  EXPECT_EQ(play.sleep(), seconds(10));
}

TEST(AgentChat, OnlyTheFirstHeadersOfAnAttemptSayWhenToComeBack) {
  Play play = playing(without_jitter());
  play.start().tell(headers(1, 503, "30")).tell(headers(1, 503, "50")).tell(BodyEnded{1});
  EXPECT_EQ(play.sleep(), seconds(30));
}

TEST(AgentChat, AStalledAttemptIsAbandonedThenRecorded) {
  Play play = playing(without_jitter());
  play.start().tell(WakeupReached{}, seconds(600));
  EXPECT_EQ(play.orders, (Lines{"send 1", "abandon 1", "record 0 as 1 after 600s"}));
  EXPECT_EQ(show(play.chat), "sleeping, wakes 605s");
  EXPECT_EQ(play.chat.trail()[0].failure_class, FailureClass::kTransport);

  play.sleep();
  play.orders.clear();
  play.tell(headers(2, 200)).tell(BytesReceived{2, "{"}, seconds(599));
  play.tell(WakeupReached{}, seconds(600));
  EXPECT_EQ(play.orders, (Lines{"abandon 2", "record 1 as 2 after 1199s"}));
  EXPECT_EQ(play.chat.trail()[1].failure_class, FailureClass::kTruncatedEnvelope);
}

TEST(AgentChat, ATooLargeBodyIsAbandonedToo) {
  const std::string huge(Attempt::kBodyBytesMax + 1, ' ');
  Play play = playing(without_jitter());
  play.start().tell(headers(1, 200)).tell(BytesReceived{1, huge});
  EXPECT_EQ(play.orders, (Lines{"send 1", "abandon 1", "record 0 as 1 after 0s"}));
}

TEST(AgentChat, TheFullestListOfOrdersHasFour) {
  RetryPolicy policy = default_policy();
  policy.budgets.attempts_max = 1;
  Play play = playing(policy);
  play.start().tell(WakeupReached{}, seconds(600));
  EXPECT_EQ(play.orders, (Lines{"send 1", "abandon 1", "record 0 as 1 after 600s",
                                "request after 600s", "finish"}));
}

TEST(AgentChat, ASleepOfZeroSendsAtOnce) {
  Play play = playing(without_sleeps(3));
  play.start().tell(refused(1));
  EXPECT_EQ(show(play.chat), "in flight, wakes 600s");
  play.tell(WakeupReached{}, seconds(600));
  play.tell(refused(3));
  EXPECT_EQ(play.orders, (Lines{"send 1", "record 0 as 1 after 0s", "send 2", "abandon 2",
                                "record 1 as 2 after 600s", "send 3", "record 2 as 3 after 0s",
                                "request after 600s", "finish"}));
}

TEST(AgentChat, ATimeBudgetEndsItInsteadOfASleepThatWouldExceedIt) {
  RetryPolicy policy = without_jitter();
  policy.budgets.time = seconds(18);
  const auto orders_when_failing_after = [&](Duration wait) {
    Play play = playing(policy);
    play.start().tell(refused(1));
    EXPECT_EQ(play.sleep(), seconds(5));
    play.orders.clear();
    return play.tell(refused(2), wait).orders;
  };
  EXPECT_EQ(orders_when_failing_after(seconds(3)), (Lines{"record 1 as 2 after 3s"}));
  EXPECT_EQ(orders_when_failing_after(seconds(3) + nanoseconds(1)),
            (Lines{"record 1 as 2 after 3s+1ns", "request after 8s+1ns", "finish"}));
}

TEST(AgentChat, WithoutMetadataNoRowsAreOrderedButTheTrailIsKept) {
  Play play = playing(without_sleeps(2), !kMetadata);
  play.start().tell(refused(1)).tell(WakeupReached{}, seconds(600));
  EXPECT_EQ(play.orders, (Lines{"send 1", "send 2", "abandon 2", "finish"}));
  EXPECT_EQ(play.exhausted().trail.size(), 2U);

  Play stopped = playing(default_policy(), !kMetadata);
  stopped.start().tell(ShutdownRequested{});
  EXPECT_EQ(stopped.orders, (Lines{"send 1", "abandon 1", "finish"}));
  EXPECT_EQ(stopped.exhausted().trail.size(), 1U);
}

TEST(AgentChat, ARowHasNoDurationWhenTheStartWasNeverMarked) {
  AgentChat chat = chat_with(default_policy());
  (void)chat.handle(OperationStarted{}, at(seconds(0)));
  EXPECT_EQ(show(chat.handle(refused(1), at(seconds(4)))), "record 0 as 1");
}

TEST(AgentChat, ARowsDurationCountsFromTheFirstStartOfItsOwnAttempt) {
  AgentChat chat = chat_with(without_sleeps());
  (void)chat.handle(OperationStarted{}, at(seconds(0)));
  (void)chat.handle(AttemptStarted{1}, at(seconds(1)));
  (void)chat.handle(AttemptStarted{1}, at(seconds(2)));
  EXPECT_EQ(show(chat.handle(refused(1), at(seconds(4)))), "record 0 as 1 after 3s, send 2");
  (void)chat.handle(AttemptStarted{1}, at(seconds(5)));
  EXPECT_EQ(show(chat.handle(refused(2), at(seconds(6)))), "record 1 as 2, send 3");
}

TEST(AgentChatShutdown, BeforeTheStartLeavesAnEmptyTrail) {
  Play play = playing(default_policy());
  play.tell(ShutdownRequested{}, seconds(9));
  EXPECT_EQ(play.orders, (Lines{"request after 0s", "finish"}));
  EXPECT_EQ(play.exhausted().final_class, FailureClass::kShutdown);
  EXPECT_EQ(play.exhausted().detail, "operation failed: shutdown");
  play.start();
  EXPECT_EQ(play.orders.size(), 2U) << "a start that comes later does nothing";
}

TEST(AgentChatShutdown, InFlightIsRecordedAsAFailureOfTheAttempt) {
  Play play = playing(default_policy());
  play.start().tell(ShutdownRequested{}, seconds(4));
  EXPECT_EQ(play.orders,
            (Lines{"send 1", "abandon 1", "record 0 as 1 after 4s", "request after 4s", "finish"}));
  EXPECT_EQ(play.exhausted().final_class, FailureClass::kShutdown);
  ASSERT_EQ(play.exhausted().trail.size(), 1U);
  EXPECT_EQ(play.exhausted().trail[0], shutdown_failure());
  EXPECT_EQ(play.exhausted().detail,
            "1 attempt(s) failed (last: shutdown): the chat request was stopped: shutdown "
            "requested");
}

TEST(AgentChatShutdown, WhileReadingDropsTheRetryAfterOfTheAnswer) {
  Play play = playing(default_policy());
  play.start().tell(headers(1, 503, "30")).tell(BytesReceived{1, "x"}).tell(ShutdownRequested{});
  ASSERT_EQ(play.exhausted().trail.size(), 1U);
  EXPECT_EQ(play.exhausted().trail[0], shutdown_failure());
}

TEST(AgentChatShutdown, WhileSleepingAddsNothingToTheTrail) {
  Play play = playing(without_jitter());
  play.start().answer(503, "out");
  play.orders.clear();
  play.tell(ShutdownRequested{}, seconds(2));
  EXPECT_EQ(play.orders, (Lines{"request after 2s", "finish"}));
  EXPECT_EQ(play.exhausted().final_class, FailureClass::kShutdown);
  ASSERT_EQ(play.exhausted().trail.size(), 1U);
  EXPECT_EQ(play.exhausted().trail[0].failure_class, FailureClass::kTransport);
  EXPECT_EQ(play.exhausted().detail,
            "1 attempt(s) failed (last: shutdown): the provider answered HTTP 503: out");
}

// The wake-up of a sleep and a shutdown at one instant: whichever the host tells first.
TEST(AgentChatShutdown, AtTheEndOfASleepTheOrderDecides) {
  Play stopped = playing(without_jitter());
  stopped.start().answer(503, "out").tell(ShutdownRequested{}, seconds(5)).tell(WakeupReached{});
  EXPECT_EQ(stopped.chat.attempt(), 1U);
  EXPECT_EQ(stopped.exhausted().trail.size(), 1U);

  Play sent = playing(without_jitter());
  sent.start().answer(503, "out").tell(WakeupReached{}, seconds(5)).tell(ShutdownRequested{});
  EXPECT_EQ(sent.chat.attempt(), 2U);
  EXPECT_EQ(sent.exhausted().trail.size(), 2U);
}

TEST(AgentChat, EarlyWakeupsNeverShortenASleep) {
  Play play = playing(without_jitter());
  play.start().answer(503, "out");
  play.orders.clear();
  play.tell(WakeupReached{}).tell(WakeupReached{}, seconds(5) - nanoseconds(1));
  EXPECT_TRUE(play.orders.empty());
  EXPECT_EQ(show(play.chat), "sleeping, wakes 5s");
  play.tell(WakeupReached{}, nanoseconds(1));
  EXPECT_EQ(play.orders, (Lines{"send 2"}));
}

TEST(AgentChat, ALateWakeupSendsWhenItComes) {
  Play play = playing(without_jitter());
  play.start().answer(503, "out").tell(WakeupReached{}, seconds(50));
  EXPECT_EQ(show(play.chat), "in flight, wakes 650s");
}

TEST(AgentChat, TimeThatGoesBackwardsIsABrokenCheck) {
  AgentChat chat = chat_with(default_policy());
  (void)chat.handle(OperationStarted{}, at(seconds(5)));
  EXPECT_THROW((void)chat.handle(WakeupReached{}, at(seconds(5) - nanoseconds(1))), CheckFailed);
  (void)chat.handle(ShutdownRequested{}, at(seconds(5)));
  EXPECT_THROW((void)chat.handle(WakeupReached{}, at(seconds(4))), CheckFailed)
      << "after the end, too";
}

TEST(AgentChat, ARequestIsNeeded) {
  EXPECT_THROW(AgentChat(default_policy(), nullptr, RandomStream(1), kMetadata), CheckFailed);
}

TEST(AgentChat, EveryAttemptSendsTheBytesOfTheOneRequest) {
  const std::shared_ptr<const ChatRequest> request = some_request();
  Play play{AgentChat(without_sleeps(), request, RandomStream(1), kMetadata)};
  play.start();
  for (AttemptId id = 1; id <= 13; ++id) {
    EXPECT_EQ(&play.chat.request(), request.get());
    play.tell(refused(id));
  }
}

TEST(AgentChat, APolicyChangedAfterTheStartHasNoEffect) {
  RetryPolicy policy = without_jitter();
  Play play = playing(policy);
  policy.budgets.attempts_max = 1;
  policy.backoff = ConstantBackoff{1};
  policy.timeouts = {};
  play.start();
  EXPECT_EQ(show(play.chat), "in flight, wakes 600s");
  play.tell(refused(1));
  EXPECT_EQ(show(play.chat), "sleeping, wakes 5s");
}

TEST(AgentChat, WithoutTimeoutsAnAttemptHasNoWakeup) {
  RetryPolicy policy = default_policy();
  policy.timeouts = {};
  Play play = playing(policy);
  play.start();
  EXPECT_EQ(show(play.chat), "in flight");
  play.tell(WakeupReached{}, seconds(1'000'000));
  EXPECT_EQ(show(play.chat), "in flight");
}

TEST(AgentChat, ASleepBeyondTheEndOfTimeEndsThere) {
  RetryPolicy policy = default_policy();
  policy.backoff = ConstantBackoff{std::numeric_limits<std::uint64_t>::max()};
  Play play = playing(policy);
  play.start().tell(refused(1), seconds(1));
  EXPECT_EQ(play.chat.next_wakeup(), kEndOfTime);
}

}  // namespace
}  // namespace squall::core::llm
