// SPDX-License-Identifier: MIT
#include "core/attempt.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "core/check.hpp"

namespace squall::core {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr AttemptId kId = 7;
constexpr Timeouts kIdleOnly{.idle = kIdleTimeout, .attempt = std::nullopt};
constexpr std::optional<AttemptEnd> kGoesOn = std::nullopt;

Instant at(Duration since_start) {
  return Instant{since_start};
}

Event headers(AttemptId id = kId, int status = 200,
              std::optional<std::uint64_t> content_length = std::nullopt) {
  ResponseHead head;
  head.status = status;
  head.content_length = content_length;
  return HeadersReceived{id, head, {}};
}
Event bytes(std::string_view text, AttemptId id = kId) {
  return BytesReceived{id, text};
}
Event body_ended(AttemptId id = kId) {
  return BodyEnded{id};
}
Event failed(ConnectionFault fault, std::string_view detail = {}, AttemptId id = kId) {
  return AttemptFailed{id, fault, detail};
}

Attempt begun(const Timeouts& timeouts = kIdleOnly, Instant now = at(seconds(0))) {
  Attempt attempt;
  attempt.begin(kId, now, timeouts);
  return attempt;
}

/// An attempt whose headers came at second 10.
Attempt reading(const Timeouts& timeouts = kIdleOnly) {
  Attempt attempt = begun(timeouts);
  EXPECT_EQ(attempt.handle(headers(), at(seconds(10))), kGoesOn);
  return attempt;
}

TEST(Attempt, GathersHeadAndBody) {
  Attempt attempt = begun();
  EXPECT_FALSE(attempt.has_headers());
  EXPECT_EQ(attempt.status(), 0);
  EXPECT_EQ(attempt.handle(AttemptStarted{kId}, at(seconds(0))), kGoesOn);
  EXPECT_EQ(attempt.handle(headers(kId, 503, 5), at(seconds(1))), kGoesOn);
  EXPECT_EQ(attempt.handle(bytes("ab"), at(seconds(2))), kGoesOn);
  EXPECT_EQ(attempt.handle(bytes("cde"), at(seconds(3))), kGoesOn);
  EXPECT_EQ(attempt.handle(body_ended(), at(seconds(3))), AttemptEnd::kAnswered);
  EXPECT_EQ(attempt.id(), kId);
  EXPECT_EQ(attempt.status(), 503);
  EXPECT_EQ(attempt.content_length(), std::optional<std::uint64_t>(5));
  EXPECT_EQ(attempt.body(), "abcde");
}

TEST(Attempt, BeginForgetsEverythingOfTheAttemptBefore) {
  Attempt attempt = begun({.idle = seconds(5), .attempt = seconds(6)});
  (void)attempt.handle(headers(kId, 500, 9), at(seconds(1)));
  (void)attempt.handle(bytes("old"), at(seconds(1)));
  (void)attempt.handle(failed(ConnectionFault::kBodyReset, "old words"), at(seconds(1)));
  attempt.begin(8, at(seconds(100)), kIdleOnly);
  EXPECT_EQ(attempt.id(), 8U);
  EXPECT_FALSE(attempt.has_headers());
  EXPECT_EQ(attempt.status(), 0);
  EXPECT_EQ(attempt.content_length(), std::nullopt);
  EXPECT_EQ(attempt.body(), "");
  EXPECT_EQ(attempt.fault_detail(), "");
  EXPECT_EQ(attempt.deadline(), at(seconds(700)));
}

TEST(AttemptIdleRule, HeadersOneNanosecondBeforeTheTimeoutCount) {
  Attempt attempt = begun();
  EXPECT_EQ(attempt.deadline(), at(seconds(600)));
  EXPECT_EQ(attempt.handle(headers(), at(seconds(600) - nanoseconds(1))), kGoesOn);
  EXPECT_TRUE(attempt.has_headers());
}

TEST(AttemptIdleRule, HeadersAtExactlyTheTimeoutAreTooLate) {
  Attempt attempt = begun();
  EXPECT_EQ(attempt.handle(headers(), at(seconds(600))), AttemptEnd::kHeadersTimedOut);
  EXPECT_FALSE(attempt.has_headers());
}

TEST(AttemptIdleRule, BytesOneNanosecondBeforeTheTimeoutRestartTheWait) {
  Attempt attempt = reading();
  EXPECT_EQ(attempt.deadline(), at(seconds(610)));
  EXPECT_EQ(attempt.handle(bytes("x"), at(seconds(610) - nanoseconds(1))), kGoesOn);
  EXPECT_EQ(attempt.deadline(), at(seconds(1'210) - nanoseconds(1)));
}

TEST(AttemptIdleRule, EveryFactAtExactlyTheTimeoutIsTooLate) {
  for (const Event& event :
       {bytes("x"), body_ended(), failed(ConnectionFault::kBodyReset), Event(WakeupReached{})}) {
    Attempt attempt = reading();
    EXPECT_EQ(attempt.handle(event, at(seconds(610))), AttemptEnd::kBodyTimedOut) << event.index();
    EXPECT_EQ(attempt.body(), "");
  }
  for (const Event& event : {headers(), failed(ConnectionFault::kReset), Event(WakeupReached{})}) {
    Attempt attempt = begun();
    EXPECT_EQ(attempt.handle(event, at(seconds(600))), AttemptEnd::kHeadersTimedOut)
        << event.index();
  }
}

TEST(AttemptIdleRule, EveryFactOneNanosecondEarlierIsInTime) {
  const Instant just_in_time = at(seconds(610) - nanoseconds(1));
  EXPECT_EQ(reading().handle(bytes("x"), just_in_time), kGoesOn);
  EXPECT_EQ(reading().handle(body_ended(), just_in_time), AttemptEnd::kAnswered);
  EXPECT_EQ(reading().handle(failed(ConnectionFault::kBodyReset), just_in_time),
            AttemptEnd::kBodyCut);
  EXPECT_EQ(reading().handle(WakeupReached{}, just_in_time), kGoesOn);
}

// A host may report the wake-up of an instant before or after the bytes of the same instant. Below
// the timeout neither order cuts; at the timeout both do.
TEST(AttemptIdleRule, TheOrderOfWakeupAndBytesOfOneInstantDoesNotMatter) {
  for (const bool wakeup_first : {true, false}) {
    const std::vector<Event> order = wakeup_first ? std::vector<Event>{WakeupReached{}, bytes("x")}
                                                  : std::vector<Event>{bytes("x"), WakeupReached{}};
    Attempt early = reading();
    EXPECT_EQ(early.handle(order[0], at(seconds(610) - nanoseconds(1))), kGoesOn);
    EXPECT_EQ(early.handle(order[1], at(seconds(610) - nanoseconds(1))), kGoesOn);
    EXPECT_EQ(early.deadline(), at(seconds(1'210) - nanoseconds(1)));
    EXPECT_EQ(early.body(), "x");

    Attempt late = reading();
    EXPECT_EQ(late.handle(order[0], at(seconds(610))), AttemptEnd::kBodyTimedOut);
    EXPECT_EQ(late.body(), "");
  }
}

TEST(AttemptIdleRule, ATrickleIsNeverCut) {
  Attempt attempt = reading();
  Instant now = at(seconds(10));
  for (int i = 0; i < 10'000; ++i) {
    now += seconds(600) - nanoseconds(1);
    ASSERT_EQ(attempt.handle(WakeupReached{}, now), kGoesOn);
    ASSERT_EQ(attempt.handle(bytes("."), now), kGoesOn);
  }
  EXPECT_EQ(attempt.body().size(), 10'000U);
  EXPECT_EQ(attempt.handle(body_ended(), now), AttemptEnd::kAnswered);
}

// The host keeps the bytes back, but they came.
TEST(AttemptIdleRule, EmptyBytesRestartTheWaitUnlessTheyAreTooLate) {
  Attempt attempt = reading();
  EXPECT_EQ(attempt.handle(bytes(""), at(seconds(300))), kGoesOn);
  EXPECT_EQ(attempt.deadline(), at(seconds(900)));
  EXPECT_EQ(attempt.body(), "");
  EXPECT_EQ(attempt.handle(bytes(""), at(seconds(900))), AttemptEnd::kBodyTimedOut);
}

TEST(AttemptIdleRule, TheStartOfTheAttemptRestartsTheWaitOnce) {
  Attempt attempt = begun();
  EXPECT_EQ(attempt.handle(AttemptStarted{kId}, at(seconds(5))), kGoesOn);
  EXPECT_EQ(attempt.deadline(), at(seconds(605)));
  EXPECT_EQ(attempt.handle(AttemptStarted{kId}, at(seconds(300))), kGoesOn);
  EXPECT_EQ(attempt.deadline(), at(seconds(605))) << "a start can be marked only once";
  (void)attempt.handle(headers(), at(seconds(400)));
  EXPECT_EQ(attempt.handle(AttemptStarted{kId}, at(seconds(500))), kGoesOn);
  EXPECT_EQ(attempt.deadline(), at(seconds(1'000)));
}

TEST(AttemptIdleRule, SecondHeadersChangeNothing) {
  Attempt attempt = reading();
  EXPECT_EQ(attempt.handle(headers(kId, 500, 3), at(seconds(20))), kGoesOn);
  EXPECT_EQ(attempt.status(), 200);
  EXPECT_EQ(attempt.content_length(), std::nullopt);
  EXPECT_EQ(attempt.deadline(), at(seconds(610)));
}

TEST(AttemptTimeout, CountsFromTheStartWhateverArrives) {
  const Timeouts timeouts{.idle = seconds(600), .attempt = seconds(900)};
  Attempt attempt = begun(timeouts);
  EXPECT_EQ(attempt.deadline(), at(seconds(600)));
  (void)attempt.handle(headers(), at(seconds(500)));
  EXPECT_EQ(attempt.deadline(), at(seconds(900)));
  EXPECT_EQ(attempt.handle(bytes("x"), at(seconds(900) - nanoseconds(1))), kGoesOn);
  EXPECT_EQ(attempt.deadline(), at(seconds(900)));
  EXPECT_EQ(attempt.handle(bytes("x"), at(seconds(900))), AttemptEnd::kBodyTimedOut);
}

TEST(AttemptTimeout, WorksWithoutAnIdleTimeout) {
  Attempt attempt = begun({.idle = std::nullopt, .attempt = seconds(30)}, at(seconds(100)));
  EXPECT_EQ(attempt.deadline(), at(seconds(130)));
  EXPECT_EQ(attempt.handle(WakeupReached{}, at(seconds(130) - nanoseconds(1))), kGoesOn);
  EXPECT_EQ(attempt.handle(WakeupReached{}, at(seconds(130))), AttemptEnd::kHeadersTimedOut);
}

TEST(AttemptTimeout, TellsWhichOfTheTwoRunsOutFirst) {
  const Timeouts timeouts{.idle = seconds(600), .attempt = seconds(900)};
  Attempt attempt = begun(timeouts);
  EXPECT_FALSE(attempt.whole_attempt_is_due_first());
  (void)attempt.handle(headers(), at(seconds(300)));
  EXPECT_FALSE(attempt.whole_attempt_is_due_first()) << "both end at 900 s: idle is named";
  (void)attempt.handle(bytes("x"), at(seconds(300) + nanoseconds(1)));
  EXPECT_TRUE(attempt.whole_attempt_is_due_first());
  EXPECT_FALSE(begun().whole_attempt_is_due_first());
  EXPECT_TRUE(begun({.idle = std::nullopt, .attempt = seconds(1)}).whole_attempt_is_due_first());
  EXPECT_FALSE(begun({}).whole_attempt_is_due_first());
}

TEST(AttemptTimeout, WithoutAnyTimeoutThereIsNoDeadline) {
  Attempt attempt = begun({});
  EXPECT_EQ(attempt.deadline(), std::nullopt);
  EXPECT_EQ(attempt.handle(WakeupReached{}, kEndOfTime), kGoesOn);
  EXPECT_EQ(attempt.handle(headers(), kEndOfTime), kGoesOn);
  EXPECT_EQ(attempt.deadline(), std::nullopt);
  EXPECT_EQ(attempt.handle(body_ended(), kEndOfTime), AttemptEnd::kAnswered);
}

TEST(AttemptTimeout, ADeadlineBeyondTheEndOfTimeSaturates) {
  Attempt attempt = begun({.idle = Duration::max(), .attempt = std::nullopt}, at(seconds(1)));
  EXPECT_EQ(attempt.deadline(), kEndOfTime);
}

TEST(Attempt, FactsOfOtherAttemptsAreIgnoredEvenWhenLate) {
  for (const Instant now : {at(seconds(20)), at(seconds(5'000))}) {
    for (const AttemptId other : {0U, 6U, 8U}) {
      Attempt waiting = begun();
      Attempt attempt = reading();
      for (const Event& event :
           {Event(AttemptStarted{other}), headers(other, 500), bytes("other", other),
            body_ended(other), failed(ConnectionFault::kReset, "other", other)}) {
        EXPECT_EQ(attempt.handle(event, now), kGoesOn) << event.index();
        EXPECT_EQ(waiting.handle(event, now), kGoesOn) << event.index();
      }
      EXPECT_EQ(attempt.status(), 200);
      EXPECT_EQ(attempt.body(), "");
      EXPECT_EQ(attempt.deadline(), at(seconds(610)));
      EXPECT_FALSE(waiting.has_headers());
      EXPECT_EQ(waiting.deadline(), at(seconds(600)));
    }
  }
}

TEST(Attempt, EventsThatAreNotAboutAttemptsChangeNothing) {
  Attempt attempt = reading();
  EXPECT_EQ(attempt.handle(OperationStarted{}, at(seconds(700))), kGoesOn);
  EXPECT_EQ(attempt.handle(ShutdownRequested{}, at(seconds(700))), kGoesOn);
  EXPECT_EQ(attempt.deadline(), at(seconds(610)));
}

TEST(Attempt, AFaultBeforeHeadersIsAFailedConnection) {
  Attempt attempt = begun();
  EXPECT_EQ(attempt.handle(failed(ConnectionFault::kDns, "NXDOMAIN"), at(seconds(1))),
            AttemptEnd::kConnectionFailed);
  EXPECT_EQ(attempt.fault(), ConnectionFault::kDns);
  EXPECT_EQ(attempt.fault_detail(), "NXDOMAIN");
}

TEST(Attempt, AFaultAfterHeadersCutsTheBody) {
  Attempt attempt = reading();
  EXPECT_EQ(attempt.handle(failed(ConnectionFault::kBodyClosed), at(seconds(11))),
            AttemptEnd::kBodyCut);
  EXPECT_EQ(attempt.fault(), ConnectionFault::kBodyClosed);
  EXPECT_EQ(attempt.fault_detail(), "");
}

TEST(Attempt, ABodyBeforeItsHeadersIsABrokenCheck) {
  Attempt attempt = begun();
  EXPECT_THROW((void)attempt.handle(bytes("x"), at(seconds(1))), CheckFailed);
  EXPECT_THROW((void)attempt.handle(body_ended(), at(seconds(1))), CheckFailed);
}

TEST(Attempt, KeepsSixtyFourMebibytesAndNotOneByteMore) {
  ASSERT_EQ(Attempt::kBodyBytesMax, 67'108'864U);
  const std::string block(Attempt::kBodyBytesMax / 4, 'x');
  Attempt attempt = reading();
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(attempt.handle(bytes(block), at(seconds(11))), kGoesOn);
  }
  EXPECT_EQ(attempt.body().size(), Attempt::kBodyBytesMax);
  EXPECT_EQ(attempt.handle(bytes("y"), at(seconds(12))), AttemptEnd::kBodyTooLarge);
  EXPECT_EQ(attempt.body().size(), Attempt::kBodyBytesMax);
}

TEST(Attempt, ABlockBeyondTheLimitIsNotKeptAtAll) {
  const std::string block(Attempt::kBodyBytesMax + 1, 'x');
  Attempt attempt = reading();
  EXPECT_EQ(attempt.handle(bytes(block), at(seconds(11))), AttemptEnd::kBodyTooLarge);
  EXPECT_EQ(attempt.body(), "");
}

TEST(ConnectionFaults, AreAllDescribedAndUnlike) {
  std::vector<std::string_view> texts;
  for (int fault = 0; fault <= static_cast<int>(ConnectionFault::kBodyClosed); ++fault) {
    const std::string_view text = describe(static_cast<ConnectionFault>(fault));
    EXPECT_FALSE(text.empty());
    EXPECT_NE(text.back(), '.');
    for (const std::string_view other : texts) {
      EXPECT_NE(text, other);
    }
    texts.push_back(text);
  }
  EXPECT_EQ(texts.size(), 8U);
  EXPECT_THROW((void)describe(static_cast<ConnectionFault>(8)), CheckFailed);
}

TEST(Actions, HoldFourInOrderAndRefuseAFifth) {
  Actions actions;
  EXPECT_TRUE(actions.empty());
  for (AttemptId id = 1; id <= 4; ++id) {
    actions.add(SendAttempt{id});
  }
  EXPECT_EQ(actions.size(), 4U);
  AttemptId expected = 1;
  for (const Action& action : actions) {
    EXPECT_EQ(std::get<SendAttempt>(action).attempt, expected++);
  }
  EXPECT_THROW(actions.add(FinishOperation{}), CheckFailed);
  EXPECT_EQ(actions.size(), 4U);
}

}  // namespace
}  // namespace squall::core
