// SPDX-License-Identifier: MIT
#include "core/llm/continuation.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "core/check.hpp"
#include "core/llm/operation_test_support.hpp"

namespace squall::core::llm {
namespace {

using std::chrono::seconds;

using Play = OperationPlay<Continuation>;

const std::string kBase = R"({"role":"user","content":"go"})";
const std::string kNudge =
    R"({"role":"user","content":"Your last turn held reasoning only. Continue from it now: )"
    R"(answer in text or call a tool."})";

std::string thought(std::string_view reasoning) {
  return R"({"role":"assistant","content":"","reasoning":")" + std::string(reasoning) + R"("})";
}

/// The request with these messages, as it must go over the wire.
std::string body_with(const Lines& messages) {
  std::string body = R"({"model":"m","reasoning_effort":"high","messages":[)";
  for (std::size_t i = 0; i < messages.size(); ++i) {
    body += (i == 0 ? "" : ",") + messages[i];
  }
  return body + "]}";
}

ContinuationInput after(std::string reasoning) {
  return {.request = std::make_shared<const ChatRequest>(R"("model":"m","reasoning_effort":"high")",
                                                         Lines{kBase}),
          .reasoning = std::move(reasoning)};
}

Play playing(const RetryPolicy& policy = continuation_policy(), std::string reasoning = "hm",
             bool metadata = kMetadata) {
  return Play(Continuation(policy, after(std::move(reasoning)), RandomStream(kSeed), metadata));
}

const LlmExhausted& exhausted(const Play& play) {
  return std::get<LlmExhausted>(play.operation.result());
}

TEST(ReasoningOnly, IsBlankTextWithoutAToolCall) {
  EXPECT_TRUE(is_reasoning_only({}));
  EXPECT_TRUE(is_reasoning_only({.text = " \n\t",
                                 .reasoning = "hm",
                                 .tool_calls = {},
                                 .finish_reason = "stop",
                                 .facts = {}}));
  EXPECT_FALSE(is_reasoning_only(
      {.text = " . ", .reasoning = "hm", .tool_calls = {}, .finish_reason = {}, .facts = {}}));
  EXPECT_FALSE(is_reasoning_only({.text = "",
                                  .reasoning = "hm",
                                  .tool_calls = {ToolCall{}},
                                  .finish_reason = {},
                                  .facts = {}}));
}

TEST(Continuation, TheReasoningAndANudgeAreSent) {
  Play play = playing();
  play.start().answer(200, text_body("done"));
  EXPECT_EQ(play.bodies, Lines{body_with({kBase, thought("hm"), kNudge})});
  EXPECT_EQ(play.orders, (Lines{"send 1", "request after 0s", "finish"}));
  EXPECT_EQ(std::get<ChatAnswer>(play.operation.result()).text, "done");
  EXPECT_TRUE(play.operation.trail().empty());
}

TEST(Continuation, AToolCallIsASuccess) {
  Play play = playing();
  play.start().answer(200, tool_call_body());
  EXPECT_EQ(std::get<ChatAnswer>(play.operation.result()).tool_calls.size(), 1U);
}

TEST(Continuation, ABlankFirstReasoningSendsTheNudgeAlone) {
  for (const char* blank : {"", " \n"}) {
    Play play = playing(continuation_policy(), blank);
    play.start();
    EXPECT_EQ(play.bodies, Lines{body_with({kBase, kNudge})});
  }
}

TEST(Continuation, EachNewReasoningIsAddedWithItsOwnNudge) {
  Play play = playing();
  play.start().answer(200, reasoning_body("a \"b\"", " \n", "length"));
  play.answer(200, reasoning_body("c")).answer(200, text_body("done"));
  EXPECT_EQ(play.bodies,
            (Lines{body_with({kBase, thought("hm"), kNudge}),
                   body_with({kBase, thought("hm"), kNudge, thought(R"(a \"b\")"), kNudge}),
                   body_with({kBase, thought("hm"), kNudge, thought(R"(a \"b\")"), kNudge,
                              thought("c"), kNudge})}));
  EXPECT_EQ(play.orders, (Lines{"send 1", "record 0 as 1 after 0s", "send 2",
                                "record 1 as 2 after 0s", "send 3", "request after 0s", "finish"}));
  EXPECT_EQ(
      play.operation.trail(),
      (LlmTrail{{FailureClass::kNoResponse,
                 "the answer is reasoning only: no text and no tool call", "length", std::nullopt},
                {FailureClass::kNoResponse,
                 "the answer is reasoning only: no text and no tool call", "stop", std::nullopt}}));
}

TEST(Continuation, ReasoningThatIsNotNewSendsTheSameBytes) {
  RetryPolicy policy = continuation_policy();
  policy.budgets.attempts_max = 9;
  Play play = playing(policy);
  play.start();
  const ChatRequest* first = &play.operation.request();
  play.answer(200, reasoning_body("hm"));
  play.answer(200, reasoning_body(""));
  play.answer(200, reasoning_body(" \n "));
  EXPECT_EQ(&play.operation.request(), first);
  EXPECT_EQ(play.operation.trail()[0].error_chain,
            "the answer is reasoning only: no text and no tool call");
  EXPECT_EQ(play.operation.trail()[1].error_chain,
            "the answer is empty: no text, no tool call and no reasoning");
  EXPECT_EQ(play.operation.trail()[2].failure_class, FailureClass::kNoResponse);

  play.answer(200, reasoning_body("oh"));
  const ChatRequest* second = &play.operation.request();
  EXPECT_NE(second, first);
  play.answer(200, reasoning_body("oh"));
  EXPECT_EQ(&play.operation.request(), second);
  // Only the last one counts: a thought that comes back is a new turn.
  play.answer(200, reasoning_body("hm"));
  EXPECT_EQ(play.bodies.back(), body_with({kBase, thought("hm"), kNudge, thought("oh"), kNudge,
                                           thought("hm"), kNudge}));
  EXPECT_EQ(play.operation.attempt(), 7U);
}

TEST(Continuation, AFailureThatMayBeRetriedSendsTheSameBytesWithoutASleep) {
  Play play = playing();
  play.start().answer(429, "slow down", "30");
  EXPECT_EQ(play.operation.state(), OperationState::kInFlight);
  play.answer(200, reasoning_body("a"));
  play.answer(503, "out", "30");
  EXPECT_EQ(play.now, at(seconds(0)));
  EXPECT_EQ(play.bodies[1], play.bodies[0]);
  EXPECT_EQ(play.bodies[2], body_with({kBase, thought("hm"), kNudge, thought("a"), kNudge}));
  EXPECT_EQ(exhausted(play).trail[0].retry_after_ms, 30'000U);
  EXPECT_EQ(exhausted(play).final_class, FailureClass::kTransport);
  EXPECT_EQ(exhausted(play).detail,
            "3 attempt(s) failed (last: transport): the provider answered HTTP 503: out");
  EXPECT_EQ(exhausted(play).last_raw, std::nullopt);
}

// Even a policy that would sleep: the operation has no sleeps.
TEST(Continuation, NoPolicyMakesItSleep) {
  Play play = playing(default_policy());
  play.start();
  for (int i = 0; i < 6; ++i) {
    play.refuse().answer(503, "out", "7");
  }
  EXPECT_EQ(play.operation.attempt(), 13U);
  EXPECT_EQ(play.now, at(seconds(0)));
  for (const std::string& body : play.bodies) {
    EXPECT_EQ(body, play.bodies.front());
  }
}

TEST(Continuation, NothingIsAppendedAfterTheLastAttempt) {
  Play play = playing();
  play.start();
  for (const char* reasoning : {"a", "b", "c"}) {
    play.answer(200, reasoning_body(reasoning));
  }
  EXPECT_EQ(play.bodies.size(), 3U);
  EXPECT_EQ(play.operation.request().body(), play.bodies.back());
  EXPECT_EQ(exhausted(play).final_class, FailureClass::kNoResponse);
  EXPECT_EQ(exhausted(play).last_raw, std::nullopt);
  EXPECT_EQ(exhausted(play).detail,
            "3 attempt(s) failed (last: no_response): the answer is reasoning only: no text and no "
            "tool call");
  EXPECT_EQ(&play.operation.trail(), &exhausted(play).trail);
}

TEST(Continuation, OnlyMessagesAreAddedAndOnlyAtTheEnd) {
  RetryPolicy policy = continuation_policy();
  policy.budgets.attempts_max = 60;
  Play play = playing(policy);
  RandomStream chance(kSeed);
  std::string previous(play.start().operation.request().messages());
  const std::string parameters(play.operation.request().parameters());
  for (int i = 0; i < 50; ++i) {
    const std::uint64_t choice = chance.next() % 4;
    if (choice == 0) {
      play.refuse();
    } else {
      play.answer(200, reasoning_body(std::string(choice, 'a')));
    }
    const ChatRequest& request = play.operation.request();
    EXPECT_EQ(request.parameters(), parameters);
    EXPECT_TRUE(request.messages().starts_with(previous));
    EXPECT_TRUE(request.messages().size() == previous.size() ||
                request.messages()[previous.size()] == ',');
    previous = request.messages();
  }
  EXPECT_EQ(play.operation.attempt(), 51U);
}

TEST(Continuation, AFinalFailureEndsItAtOnce) {
  Play play = playing();
  play.start().answer(200, reasoning_body("a")).answer(402, "pay first");
  EXPECT_EQ(exhausted(play).final_class, FailureClass::kNonRetryable);
  EXPECT_EQ(exhausted(play).trail.size(), 2U);
  EXPECT_EQ(play.bodies.size(), 2U);
}

TEST(Continuation, AShutdownEndsTheAttemptUnderWay) {
  Play play = playing();
  play.start().answer(200, reasoning_body("a")).shut_down();
  EXPECT_EQ(exhausted(play).final_class, FailureClass::kShutdown);
  EXPECT_EQ(exhausted(play).trail.size(), 2U);
  EXPECT_EQ(exhausted(play).trail[1], shutdown_failure());

  Play early = playing();
  early.shut_down();
  EXPECT_EQ(exhausted(early), LlmExhausted({}, FailureClass::kShutdown));
}

TEST(Continuation, AStallIsRetriedAtOnce) {
  Play play = playing();
  play.start().tell(WakeupReached{}, seconds(600));
  EXPECT_EQ(play.orders, (Lines{"send 1", "abandon 1", "record 0 as 1 after 600s", "send 2"}));
  EXPECT_EQ(play.bodies[1], play.bodies[0]);
}

TEST(Continuation, WithoutABudgetOrMetadata) {
  Play none = playing(without_sleeps(0));
  none.start();
  EXPECT_EQ(none.orders, (Lines{"request after 0s", "finish"}));
  EXPECT_EQ(exhausted(none).detail, "operation failed: transport");

  Play quiet = playing(without_sleeps(1), "hm", !kMetadata);
  quiet.start().answer(200, reasoning_body("a"));
  EXPECT_EQ(quiet.orders, (Lines{"send 1", "finish"}));
}

TEST(Continuation, HugeReasoning) {
  const std::string huge(std::size_t{4} << 20, 'x');
  Play play = playing(continuation_policy(), huge);
  play.start().answer(200, reasoning_body(huge));
  EXPECT_EQ(play.bodies[1], play.bodies[0]);
  play.answer(200, reasoning_body(huge + "y"));
  EXPECT_EQ(play.bodies[2], body_with({kBase, thought(huge), kNudge, thought(huge + "y"), kNudge}));
}

TEST(Continuation, ARequestIsNeeded) {
  EXPECT_THROW(Continuation(continuation_policy(), ContinuationInput{}, RandomStream(1), kMetadata),
               CheckFailed);
}

TEST(Continuation, ACopyGoesOnByItself) {
  Play original = playing();
  original.start().answer(200, reasoning_body("a"));
  Play copy = original;
  copy.answer(200, reasoning_body("b")).answer(200, text_body("done"));
  EXPECT_EQ(original.operation.trail().size(), 1U);
  original.answer(200, reasoning_body("b")).answer(200, text_body("done"));
  EXPECT_EQ(original.bodies, copy.bodies);
  EXPECT_EQ(original.operation.result(), copy.operation.result());
}

}  // namespace
}  // namespace squall::core::llm
