// SPDX-License-Identifier: MIT
#include "core/connector/tool_call.hpp"

#include <chrono>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/check.hpp"
#include "core/connector/model_text.hpp"
#include "core/connector/policy.hpp"
#include "core/driver.hpp"

namespace squall::core::connector {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using State = ToolCall::State;

constexpr std::uint64_t kId = 7;
constexpr nanoseconds kBit{1};
constexpr std::string_view kDone =
    R"({"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"done"}]}})";

static_assert(OperationMachine<ToolCall>);

std::shared_ptr<const ToolRequest> some_request() {
  return std::make_shared<const ToolRequest>(*ToolRequest::make(kId, "find", "{}"));
}

/// A host that notes the orders and confirms each attempt, by the one driver there is.
struct Play {
  ToolCall call;
  Instant time{};
  std::vector<std::string> orders;

  explicit Play(const RetryPolicy& policy = connector_policy(), std::uint64_t seed = 1,
                bool metadata = false, std::optional<ConnectorSettings> settings = std::nullopt)
      : call(policy, {.request = some_request(), .settings = std::move(settings)},
             RandomStream(seed), metadata) {}

  [[nodiscard]] Instant now() const { return time; }
  void observe(const Event&, const Actions&, const ToolCall&) {}
  void send_attempt(AttemptId id, const ToolCall&) { note("send " + std::to_string(id)); }
  void abandon_attempt(AttemptId id) { note("abandon " + std::to_string(id)); }
  void record_failure(const RecordFailure& row, const ToolCall& machine) {
    note("record " + std::string(label(machine.trail()[row.trail_index].failure_class)) + " as " +
         std::to_string(row.failure_index));
  }
  void record_request(const RecordRequest& row, const ToolCall&) {
    note("request after " + std::to_string(row.duration / milliseconds(1)) + "ms");
  }
  void finish_operation(const ToolCall&) { note("finish"); }
  void arm_wakeup(std::optional<Instant>) {}
  void note(std::string order) { orders.push_back(std::move(order)); }

  Play& tell(const Event& event, Duration later = Duration{0}) {
    time += later;
    Driver<ToolCall, Play>(call, *this).deliver(event);
    return *this;
  }
  Play& start() { return tell(OperationStarted{}); }
  Play& fault(ConnectionFault fault = ConnectionFault::kRefused, std::string_view detail = {}) {
    return tell(AttemptFailed{call.attempt(), fault, detail});
  }
  Play& headers(int status, std::optional<std::string_view> retry_after = std::nullopt) {
    ResponseHead head;
    head.status = status;
    head.retry_after = retry_after;
    return tell(HeadersReceived{call.attempt(), head, WallInstant{}});
  }
  Play& bytes(std::string_view body) { return tell(BytesReceived{call.attempt(), body}); }
  Play& answer(int status, std::string_view body) {
    return headers(status).bytes(body).tell(BodyEnded{call.attempt()});
  }
  /// Passes the time to the next wake-up; returns how long that was.
  Duration wake() {
    const Duration wait = call.next_wakeup().value() - time;
    tell(WakeupReached{}, wait);
    return wait;
  }
  /// Fails every attempt at once until the call is over.
  void fail_at_once() {
    start();
    while (call.state() != State::kFinished) {
      fault();
      if (call.state() == State::kSleeping) {
        wake();
      }
    }
  }
  [[nodiscard]] Duration elapsed() const { return time.time_since_epoch(); }
  [[nodiscard]] const ToolCallFailure& failure() const {
    return std::get<ToolCallFailure>(call.result());
  }
};

RetryPolicy without_jitter(std::uint64_t base_ms, std::uint64_t cap_ms) {
  RetryPolicy policy = connector_policy();
  policy.backoff = ExponentialBackoff{.base_ms = base_ms, .cap_ms = cap_ms};
  policy.jitter = NoJitter{};
  return policy;
}

TEST(ToolCall, SucceedsOnTheFirstCall) {
  Play play(connector_policy(), 1, /*metadata=*/true);
  play.start();
  EXPECT_EQ(play.call.next_wakeup(), Instant(seconds(30)));
  play.time += milliseconds(40);
  play.answer(200, kDone);
  EXPECT_EQ(play.orders, (std::vector<std::string>{"send 1", "request after 40ms", "finish"}));
  EXPECT_EQ(model_json(play.call.result()), R"({"result":"done"})");
  EXPECT_EQ(play.call.attempt(), 1U);
  EXPECT_TRUE(play.call.trail().empty());
  EXPECT_EQ(play.call.next_wakeup(), std::nullopt);
}

TEST(ToolCall, ARetriedCallSendsTheSameRequest) {
  Play play;
  play.start();
  const ToolRequest* sent = &play.call.request();
  const std::string bytes = sent->body();
  play.fault();
  play.wake();
  EXPECT_EQ(play.call.attempt(), 2U);
  EXPECT_EQ(&play.call.request(), sent);
  EXPECT_EQ(play.call.request().body(), bytes);
  play.answer(200, kDone);
  EXPECT_TRUE(std::holds_alternative<ToolResult>(play.call.result()));
  EXPECT_EQ(play.call.trail().size(), 1U);
}

TEST(ToolCall, TheLongestSleepsGiveSixAttempts) {
  Play play(without_jitter(100, 500));
  play.fail_at_once();
  EXPECT_EQ(play.failure().attempts, 6U);
  EXPECT_EQ(play.elapsed(), milliseconds(1'700));
}

TEST(ToolCall, TheShortestSleepsGiveTenAttempts) {
  Play play(without_jitter(50, 250));
  play.fail_at_once();
  EXPECT_EQ(play.failure().attempts, 10U);
  EXPECT_EQ(play.elapsed(), milliseconds(1'850));
}

TEST(ToolCall, EverySeedStaysWithinSixToTenAttempts) {
  std::set<std::uint32_t> seen;
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    Play play(connector_policy(), seed);
    play.fail_at_once();
    seen.insert(play.failure().attempts);
    ASSERT_LE(play.elapsed(), seconds(2)) << seed;
    // Nothing was given up early: the longest sleep that could follow ends beyond the budget.
    ASSERT_GT(play.elapsed() + milliseconds(500), seconds(2)) << seed;
  }
  EXPECT_GE(*seen.begin(), 6U);
  EXPECT_LE(*seen.rbegin(), 10U);
  EXPECT_GE(seen.size(), 3U);
}

TEST(ToolCall, ASleepMayEndExactlyWithTheBudget) {
  Play play(without_jitter(100, 500));
  play.start().tell(AttemptFailed{1, ConnectionFault::kReset, {}}, milliseconds(1'900));
  EXPECT_EQ(play.call.state(), State::kSleeping);
  EXPECT_EQ(play.call.next_wakeup(), Instant(seconds(2)));
}

TEST(ToolCall, ASleepThatEndsOneNanosecondLaterIsNotBegun) {
  Play play(without_jitter(100, 500));
  play.start().tell(AttemptFailed{1, ConnectionFault::kReset, {}}, milliseconds(1'900) + kBit);
  EXPECT_EQ(play.call.state(), State::kFinished);
  EXPECT_EQ(play.failure().attempts, 1U);
  EXPECT_EQ(play.failure().trail.size(), 1U);
}

TEST(ToolCall, TheBudgetCountsFromTheCallNotFromTheClock) {
  Play play(without_jitter(100, 500));
  play.time = Instant(seconds(500));
  play.start().tell(AttemptFailed{1, ConnectionFault::kReset, {}}, milliseconds(1'900));
  EXPECT_EQ(play.call.next_wakeup(), Instant(seconds(502)));
}

TEST(ToolCall, AnAttemptThatTimesOutIsNeverFollowedByAnother) {
  Play play;
  play.start();
  EXPECT_EQ(play.wake(), seconds(30));
  EXPECT_EQ(play.call.state(), State::kFinished);
  EXPECT_EQ(play.orders, (std::vector<std::string>{"send 1", "abandon 1", "finish"}));
  EXPECT_EQ(play.failure().kind, Kind::kTransport);
  EXPECT_EQ(play.failure().attempts, 1U);
  EXPECT_EQ(play.failure().last_reach, Reach::kTimedOut);
  EXPECT_EQ(play.failure().trail[0].error_chain,
            "the tool call failed: no whole answer within 30 s");
}

TEST(ToolCall, TheTimeoutCutsAnAttemptWhoseBytesStillFlow) {
  Play play;
  play.start().headers(200);
  for (int second = 0; second < 29; ++second) {
    play.tell(BytesReceived{1, ": ping\n\n"}, seconds(1));
  }
  play.tell(BytesReceived{1, ": ping\n\n"}, seconds(1) - kBit);
  EXPECT_EQ(play.call.state(), State::kInFlight);
  play.tell(BytesReceived{1, ": ping\n\n"}, kBit);
  EXPECT_EQ(play.call.state(), State::kFinished);
  EXPECT_EQ(play.elapsed(), seconds(30));
}

TEST(ToolCall, TheWorstCaseIsTheBudgetAndOneCallTimeout) {
  Play play(without_jitter(100, 500));
  play.start().tell(AttemptFailed{1, ConnectionFault::kReset, {}}, milliseconds(1'900));
  play.wake();
  EXPECT_EQ(play.elapsed(), seconds(2));
  play.wake();
  EXPECT_EQ(play.elapsed(), seconds(32));
  EXPECT_EQ(play.failure().attempts, 2U);
}

TEST(ToolCall, TheBudgetNeverCutsAnAttempt) {
  Play play(without_jitter(100, 500));
  play.start().tell(AttemptFailed{1, ConnectionFault::kReset, {}}, milliseconds(1'900));
  play.wake();
  play.time += seconds(30) - kBit;
  play.answer(200, kDone);
  EXPECT_EQ(play.elapsed(), seconds(32) - kBit);
  EXPECT_TRUE(std::holds_alternative<ToolResult>(play.call.result()));
}

TEST(ToolCall, WhatIsNotTransportIsFinalAtOnce) {
  struct Row {
    int status;
    std::string_view body;
    Kind kind;
    std::string message;
  };
  const std::vector<Row> rows{
      {401, "", Kind::kAuth, std::string(dial_message(Kind::kAuth))},
      {403, kDone, Kind::kAuth, std::string(dial_message(Kind::kAuth))},
      {200, R"({"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no q"}})",
       Kind::kApplication, "no q"},
      {200, R"({"jsonrpc":"2.0","id":7,"result":{"isError":true,"content":[]}})",
       Kind::kApplication, "The tool failed and did not say why."},
      {200, R"({"jsonrpc":"2.0","id":7,"result":{"isError":true,"structuredContent":{"a":1}}})",
       Kind::kApplication, R"({"a":1})"},
      {200, R"({"jsonrpc":"2.0","id":7,"result":{"resultType":"input_required"}})",
       Kind::kApplication, "The tool asked for input that cannot be given here."},
  };
  for (const Row& row : rows) {
    Play play;
    play.start().answer(row.status, row.body);
    ASSERT_EQ(play.call.state(), State::kFinished) << row.body;
    EXPECT_EQ(play.failure().kind, row.kind) << row.body;
    EXPECT_EQ(play.failure().message, row.message) << row.body;
    EXPECT_EQ(play.failure().attempts, 1U);
    EXPECT_EQ(play.call.trail().size(), 1U);
    EXPECT_EQ(model_json(play.call.result()), failure_json(row.kind, row.message));
  }
}

TEST(ToolCall, WhatIsNoAnswerIsRetried) {
  for (const auto& [status, body] : std::vector<std::pair<int, std::string_view>>{
           {500, "x"},
           {503, kDone},
           {404, ""},
           {429, ""},
           {302, ""},
           {202, ""},
           {204, ""},
           {200, "<html>"},
           {200, R"({"jsonrpc":"2.0","id":8,"result":{}})"},
           {200, R"({"jsonrpc":"2.0","id":7})"},
           {400, R"({"jsonrpc":"2.0","id":7,"error":{}})"}}) {
    Play play;
    play.start().answer(status, body);
    EXPECT_EQ(play.call.state(), State::kSleeping) << status << ' ' << body;
    EXPECT_EQ(play.call.trail().at(0).failure_class, Kind::kTransport);
  }
}

TEST(ToolCall, ALaterRefusalOfTheCredentialsIsTheLastWord) {
  Play play;
  play.start().answer(503, "down");
  play.wake();
  play.answer(401, "");
  EXPECT_EQ(play.failure().kind, Kind::kAuth);
  EXPECT_EQ(play.failure().attempts, 2U);
  EXPECT_EQ(play.failure().trail.at(0).error_chain, "the connector answered HTTP 503: down");
  EXPECT_EQ(play.failure().trail.at(1).failure_class, Kind::kAuth);
}

TEST(ToolCall, AnAuthStatusCountsEvenWhenItsBodyBreaksOff) {
  Play play;
  play.start().headers(403).fault(ConnectionFault::kBodyReset);
  EXPECT_EQ(play.failure().kind, Kind::kAuth);
}

TEST(ToolCall, AStreamThatAnsweredAndThenBrokeHasAnswered) {
  Play play;
  play.start().headers(200).bytes("data: " + std::string(kDone) + "\n\n");
  play.fault(ConnectionFault::kBodyReset);
  EXPECT_TRUE(std::holds_alternative<ToolResult>(play.call.result()));
}

TEST(ToolCall, AStreamThatAnsweredAndStaysOpenHasAnsweredWhenItsTimeIsUp) {
  Play play;
  play.start().headers(200).bytes("data: " + std::string(kDone) + "\n\n");
  play.wake();
  EXPECT_EQ(play.orders, (std::vector<std::string>{"send 1", "abandon 1", "finish"}));
  EXPECT_TRUE(std::holds_alternative<ToolResult>(play.call.result()));
}

TEST(ToolCall, AnAnswerThatBrokeOffIsRetried) {
  Play play;
  play.start().headers(200).bytes(kDone).fault(ConnectionFault::kBodyClosed, "eof");
  EXPECT_EQ(play.call.state(), State::kSleeping);
  EXPECT_EQ(play.call.trail().at(0).error_chain,
            "the tool call failed: connection closed before the response body was complete: eof");
}

TEST(ToolCall, TheModelNeverReadsATransportsOwnWords) {
  Play play(without_jitter(100, 500));
  play.start();
  play.time += seconds(3);
  play.fault(ConnectionFault::kReset, "peer 10.0.0.7");
  EXPECT_EQ(model_json(play.call.result()),
            failure_json(Kind::kTransport, dial_message(Kind::kTransport)));
  EXPECT_NE(play.call.trail().at(0).error_chain.find("10.0.0.7"), std::string::npos);
}

TEST(ToolCall, WhatAPolicyLeavesOutIsFinalAndKeepsItsKind) {
  RetryPolicy policy = connector_policy();
  policy.retry_on = RetryOn{.statuses = StatusSet().add(503),
                            .connection_failures = false,
                            .cut_bodies = false,
                            .unusable_answers = false};
  const auto state_after = [&](auto play_out) {
    Play play(policy);
    play.start();
    play_out(play);
    EXPECT_EQ(play.call.trail().at(0).failure_class, Kind::kTransport);
    return play.call.state();
  };
  EXPECT_EQ(state_after([](Play& play) { play.answer(503, ""); }), State::kSleeping);
  EXPECT_EQ(state_after([](Play& play) { play.answer(500, ""); }), State::kFinished);
  EXPECT_EQ(state_after([](Play& play) { play.fault(); }), State::kFinished);
  EXPECT_EQ(state_after([](Play& play) { play.headers(200).fault(); }), State::kFinished);
  EXPECT_EQ(state_after([](Play& play) { play.answer(200, "x"); }), State::kFinished);
}

TEST(ToolCall, RetryAfterIsHonouredOnlyWhereThePolicySaysSo) {
  RetryPolicy policy = without_jitter(100, 500);
  Play deaf(policy);
  deaf.start().headers(429, "1").tell(BodyEnded{1});
  EXPECT_EQ(deaf.wake(), milliseconds(100));
  EXPECT_EQ(deaf.call.trail().at(0).retry_after_ms, std::nullopt);

  policy.retry_after = RetryAfterRule{};
  policy.retry_after.clamp_min_ms = 0;
  Play listening(policy);
  listening.start().headers(429, "1").tell(BodyEnded{1});
  EXPECT_EQ(listening.wake(), seconds(1));
  EXPECT_EQ(listening.call.trail().at(0).retry_after_ms, 1'000U);
}

TEST(ToolCall, OneAttemptThatGotThroughOutweighsAnyThatDidNot) {
  Play play(without_jitter(100, 500));
  play.start().fault(ConnectionFault::kReset);
  play.wake();
  play.time += seconds(2);
  play.fault(ConnectionFault::kRefused);
  EXPECT_EQ(play.failure().last_reach, Reach::kNothingSent);
  EXPECT_TRUE(play.failure().may_have_taken_effect);
}

TEST(ToolCall, WithoutAByteSentNothingCanHaveHappened) {
  for (const ConnectionFault fault : {ConnectionFault::kRefused, ConnectionFault::kDns,
                                      ConnectionFault::kTls, ConnectionFault::kConnectTimeout}) {
    Play play;
    play.start();
    play.time += seconds(3);
    play.fault(fault);
    EXPECT_FALSE(play.failure().may_have_taken_effect) << describe(fault);
  }
  for (const ConnectionFault fault : {ConnectionFault::kReset, ConnectionFault::kSend}) {
    Play play;
    play.start();
    play.time += seconds(3);
    play.fault(fault);
    EXPECT_TRUE(play.failure().may_have_taken_effect) << describe(fault);
  }
}

TEST(ToolCall, AShutdownEndsEveryState) {
  Play idle(connector_policy(), 1, true);
  idle.tell(ShutdownRequested{});
  EXPECT_EQ(idle.orders, (std::vector<std::string>{"request after 0ms", "finish"}));
  EXPECT_EQ(idle.failure().attempts, 0U);

  Play in_flight(connector_policy(), 1, true);
  in_flight.start().tell(ShutdownRequested{}, milliseconds(5));
  EXPECT_EQ(in_flight.orders,
            (std::vector<std::string>{"send 1", "abandon 1", "record transport as 1",
                                      "request after 5ms", "finish"}));
  EXPECT_TRUE(in_flight.failure().may_have_taken_effect);

  Play sleeping(connector_policy(), 1, true);
  sleeping.start().fault().tell(ShutdownRequested{}, milliseconds(5));
  EXPECT_EQ(sleeping.failure().trail.size(), 1U);

  for (const Play* play : {&idle, &in_flight, &sleeping}) {
    EXPECT_EQ(play->call.state(), State::kFinished);
    EXPECT_EQ(play->failure().ending, CallEnding::kStopped);
    EXPECT_EQ(play->failure().kind, Kind::kTransport);
  }
}

TEST(ToolCall, StaleAndEarlyEventsChangeNothing) {
  Play play(without_jitter(100, 500));
  play.tell(WakeupReached{});
  EXPECT_EQ(play.call.state(), State::kIdle);
  play.start().fault();
  play.tell(WakeupReached{}, milliseconds(100) - kBit);
  EXPECT_EQ(play.call.state(), State::kSleeping);
  play.tell(WakeupReached{}, kBit);
  EXPECT_EQ(play.call.attempt(), 2U);
  play.tell(AttemptFailed{1, ConnectionFault::kReset, {}});
  play.tell(OperationStarted{});
  EXPECT_EQ(play.call.state(), State::kInFlight);
  play.answer(200, kDone);
  const std::size_t orders = play.orders.size();
  play.tell(ShutdownRequested{}).tell(WakeupReached{});
  EXPECT_EQ(play.orders.size(), orders);
}

TEST(ToolCall, ABudgetOfNoAttemptsMakesNoCall) {
  RetryPolicy policy = connector_policy();
  policy.budgets.attempts_max = 0;
  Play play(policy);
  play.start();
  EXPECT_EQ(play.orders, std::vector<std::string>{"finish"});
  EXPECT_EQ(play.failure().attempts, 0U);
}

TEST(ToolCall, SettingsThatCannotBeUsedEndItBeforeAnythingIsDialled) {
  struct Row {
    ConnectorSettings settings;
    std::string chain;
  };
  const std::string label_rule =
      "; allowed: 1 to 32 of a-z, 0-9, \"-\" and \"_\", first a letter, last a letter or a digit";
  const std::string uri_rule =
      "; allowed: an absolute http or https URI without user information and fragment";
  const std::vector<Row> rows{
      {{"Search!", "https://tools.example/mcp"},
       "the tool call was not made: connector label \"Search!\" is malformed" + label_rule},
      {{"search", "ftp://tools.example"},
       "the tool call was not made: resource URI \"ftp://tools.example\" has a scheme other than "
       "http and https" +
           uri_rule},
      {{"", ""}, "the tool call was not made: connector label \"\" is malformed" + label_rule},
  };
  RetryPolicy no_attempts = connector_policy();
  no_attempts.budgets.attempts_max = 0;
  for (const RetryPolicy& policy : {connector_policy(), no_attempts}) {
    for (const Row& row : rows) {
      Play play(policy, 1, /*metadata=*/true, row.settings);
      play.time += milliseconds(7);
      play.start();
      EXPECT_EQ(play.orders, (std::vector<std::string>{"request after 0ms", "finish"}));
      ASSERT_EQ(play.call.state(), State::kFinished);
      EXPECT_EQ(play.failure(),
                (ToolCallFailure{.kind = Kind::kConfig,
                                 .message = std::string(dial_message(Kind::kConfig)),
                                 .attempts = 0,
                                 .trail = {{Kind::kConfig, row.chain, std::nullopt, std::nullopt}},
                                 .last_reach = Reach::kNothingSent,
                                 .may_have_taken_effect = false,
                                 .ending = CallEnding::kFinal}));
      EXPECT_EQ(play.call.trail(), play.failure().trail);
      EXPECT_EQ(play.call.next_wakeup(), std::nullopt);
    }
  }
  Play without_metadata(connector_policy(), 1, false, rows[0].settings);
  EXPECT_EQ(without_metadata.start().orders, std::vector<std::string>{"finish"});
}

TEST(ToolCall, UsableSettingsChangeNothing) {
  Play play(connector_policy(), 1, false, ConnectorSettings{"search", "https://tools.example/mcp"});
  play.start().answer(200, kDone);
  EXPECT_EQ(play.orders, (std::vector<std::string>{"send 1", "finish"}));
  EXPECT_TRUE(std::holds_alternative<ToolResult>(play.call.result()));
}

TEST(ToolCall, AShutdownBeforeTheStartComesBeforeTheSettings) {
  Play play(connector_policy(), 1, false, ConnectorSettings{});
  play.tell(ShutdownRequested{});
  EXPECT_EQ(play.failure().ending, CallEnding::kStopped);
  EXPECT_TRUE(play.failure().trail.empty());
}

TEST(ToolCall, SleepsOfNothingEndAtTheBackstop) {
  Play play(without_jitter(0, 0));
  play.fail_at_once();
  EXPECT_EQ(play.failure().attempts, kAttemptsBackstop);
  EXPECT_EQ(play.elapsed(), Duration{0});
}

TEST(ToolCall, BugsOfTheCallerAreChecks) {
  EXPECT_THROW(ToolCall(connector_policy(), ToolCallInput{}, RandomStream(1), false), CheckFailed);
  EXPECT_THROW(static_cast<void>(model_json(ToolCallResult{})), CheckFailed);
  Play play;
  play.time = Instant(seconds(1));
  play.start();
  EXPECT_THROW(static_cast<void>(play.call.handle(WakeupReached{}, Instant{})), CheckFailed);
}

}  // namespace
}  // namespace squall::core::connector
