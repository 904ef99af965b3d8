// SPDX-License-Identifier: MIT
#include "core/llm/research_synthesis.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/check.hpp"
#include "core/llm/operation_test_support.hpp"

namespace squall::core::llm {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

using Play = OperationPlay<ResearchSynthesis>;

Play playing(const RetryPolicy& policy = without_jitter(synthesis_policy())) {
  return Play(ResearchSynthesis(policy, some_request(), RandomStream(kSeed), kMetadata));
}

Play& cut_off(Play& play, std::string_view text) {
  return play.answer(200, text_body(text, "length"));
}
Play& say(Play& play, std::string_view text) {
  return play.answer(200, text_body(text));
}

const TruncatedText& truncated(const Play& play) {
  return std::get<TruncatedText>(play.operation.result());
}
const LlmExhausted& exhausted(const Play& play) {
  return std::get<LlmExhausted>(play.operation.result());
}

Lines classes(const Play& play) {
  Lines labels;
  for (const LlmFailure& failure : play.operation.trail()) {
    labels.emplace_back(label(failure.failure_class));
  }
  return labels;
}

/// The first request with one more user message.
std::string with_feedback(std::string_view feedback) {
  std::string body = some_request()->body();
  body.resize(body.size() - 2);
  body += R"(,{"role":"user","content":")";
  body += feedback;
  body += R"("}]})";
  return body;
}

constexpr std::string_view kShorter =
    "Your last answer was cut off at the output limit. Answer again with a shorter version that is "
    "complete.";
constexpr std::string_view kBlank =
    "Your last answer had no text. Answer with the text that was asked for.";

TEST(ResearchSynthesis, AWholeTextWins) {
  Play play = playing();
  say(play.start(), "findings");
  EXPECT_EQ(std::get<ChatAnswer>(play.operation.result()).text, "findings");
  EXPECT_EQ(play.orders, (Lines{"send 1", "request after 0s", "finish"}));
  EXPECT_TRUE(play.operation.trail().empty());
}

TEST(ResearchSynthesis, ATextWithoutAFinishReasonIsWhole) {
  Play play = playing();
  play.start().answer(200, R"({"choices":[{"message":{"content":"findings"}}]})");
  EXPECT_EQ(std::get<ChatAnswer>(play.operation.result()).text, "findings");
}

TEST(ResearchSynthesis, ACutOffTextIsAskedForAgainShorter) {
  Play play = playing();
  cut_off(play.start(), "find");
  EXPECT_EQ(play.orders, (Lines{"send 1", "record 0 as 1 after 0s", "send 2"}));
  EXPECT_EQ(
      play.operation.trail()[0],
      (LlmFailure{FailureClass::kTruncatedOutput,
                  "the answer was cut off: finish_reason \"length\"", "length", std::nullopt}));
  EXPECT_EQ(play.bodies[1], with_feedback(kShorter));
  say(play, "short findings");
  EXPECT_EQ(std::get<ChatAnswer>(play.operation.result()).text, "short findings");
  EXPECT_EQ(classes(play), Lines{"truncated_output"});
}

TEST(ResearchSynthesis, ABlankTextIsAskedForAgain) {
  for (const std::string_view blank : {"", " \n\t"}) {
    Play play = playing();
    say(play.start(), blank);
    EXPECT_EQ(
        play.operation.trail()[0],
        (LlmFailure{FailureClass::kNoResponse, "the answer has no text", "stop", std::nullopt}));
    EXPECT_EQ(play.operation.state(), OperationState::kInFlight);
    EXPECT_EQ(play.bodies[1], with_feedback(kBlank));
  }
}

TEST(ResearchSynthesis, AToolCallHasNoText) {
  Play play = playing();
  play.start().answer(200, tool_call_body());
  EXPECT_EQ(classes(play), Lines{"no_response"});
}

TEST(ResearchSynthesis, ABlankTextThatWasCutOffCountsAsCutOffAndIsNotKept) {
  Play play = playing();
  cut_off(cut_off(play.start(), "kept"), " ");
  EXPECT_EQ(play.bodies[2], with_feedback(kShorter));
  play.refuse();
  EXPECT_EQ(classes(play), (Lines{"truncated_output", "truncated_output", "transport"}));
  EXPECT_EQ(truncated(play).text, "kept");
}

TEST(ResearchSynthesis, LaterFeedbackReplacesEarlierFeedback) {
  Play play = playing();
  say(cut_off(play.start(), "find"), "");
  ASSERT_EQ(play.bodies.size(), 3U);
  EXPECT_EQ(play.bodies[0], some_request()->body());
  EXPECT_EQ(play.bodies[1], with_feedback(kShorter));
  EXPECT_EQ(play.bodies[2], with_feedback(kBlank));
}

TEST(ResearchSynthesis, AFailedAttemptIsSentAgainByteForByte) {
  Play play = playing();
  cut_off(play.start(), "find").refuse().sleep();
  EXPECT_EQ(play.bodies[2], play.bodies[1]);

  Play first = playing();
  first.start().refuse().sleep();
  EXPECT_EQ(first.bodies[1], first.bodies[0]);
}

TEST(ResearchSynthesis, FailedAttemptsSleepByTheirOwnNumber) {
  Play play = playing();
  play.start().refuse();
  EXPECT_EQ(play.sleep(), seconds(30));
  play.answer(200, "not a chat completion");
  EXPECT_EQ(play.sleep(), seconds(45));

  Play later = playing();
  cut_off(later.start(), "find").answer(200, R"({"choices":[]})");
  EXPECT_EQ(later.sleep(), seconds(30));
  EXPECT_EQ(later.bodies[2], with_feedback(kShorter));
}

TEST(ResearchSynthesis, ExhaustedItGivesTheLastTextThereWas) {
  Play play = playing();
  cut_off(cut_off(play.start(), "first"), "second");
  say(play, "");
  EXPECT_EQ(play.orders.back(), "finish");
  EXPECT_EQ(play.bodies.size(), 3U);
  EXPECT_EQ(truncated(play).text, "second");
  EXPECT_EQ(truncated(play).exhausted.final_class, FailureClass::kNoResponse);
  EXPECT_EQ(truncated(play).exhausted.last_raw, "");
  EXPECT_EQ(truncated(play).exhausted.detail,
            "3 attempt(s) failed (last: no_response): the answer has no text");
  EXPECT_EQ(classes(play), (Lines{"truncated_output", "truncated_output", "no_response"}));
}

TEST(ResearchSynthesis, WithoutAnyTextItFails) {
  Play play = playing();
  say(say(say(play.start(), ""), ""), " ");
  EXPECT_EQ(exhausted(play).final_class, FailureClass::kNoResponse);
  EXPECT_EQ(exhausted(play).last_raw, " ");
  EXPECT_EQ(exhausted(play).trail.size(), 3U);
}

TEST(ResearchSynthesis, AnAttemptThatDiedHasNoRawTextThoughTheTextIsKept) {
  Play play = playing();
  cut_off(cut_off(play.start(), "first"), "second").refuse();
  EXPECT_EQ(truncated(play).text, "second");
  EXPECT_EQ(truncated(play).exhausted.last_raw, std::nullopt);
  EXPECT_EQ(truncated(play).exhausted.final_class, FailureClass::kTransport);
}

TEST(ResearchSynthesis, AFinalFailureGivesTheLastTextToo) {
  Play with = playing();
  cut_off(with.start(), "find").answer(401, "bad key");
  EXPECT_EQ(truncated(with).text, "find");
  EXPECT_EQ(truncated(with).exhausted.final_class, FailureClass::kNonRetryable);
  EXPECT_EQ(with.bodies.size(), 2U);

  Play without = playing();
  without.start().answer(401, "bad key");
  EXPECT_EQ(exhausted(without).detail,
            "1 attempt(s) failed (last: non_retryable): the provider answered HTTP 401: bad key");
}

TEST(ResearchSynthesis, AShutdownGivesTheLastTextToo) {
  Play in_flight = playing();
  cut_off(in_flight.start(), "find").shut_down();
  EXPECT_EQ(truncated(in_flight).text, "find");
  EXPECT_EQ(truncated(in_flight).exhausted.final_class, FailureClass::kShutdown);
  EXPECT_EQ(truncated(in_flight).exhausted.last_raw, std::nullopt);
  EXPECT_EQ(classes(in_flight), (Lines{"truncated_output", "shutdown"}));

  Play asleep = playing();
  cut_off(asleep.start(), "find").refuse().shut_down();
  EXPECT_EQ(truncated(asleep).text, "find");
  EXPECT_EQ(classes(asleep), (Lines{"truncated_output", "transport"}));

  Play idle = playing();
  idle.shut_down();
  EXPECT_EQ(exhausted(idle).detail, "operation failed: shutdown");
}

TEST(ResearchSynthesis, ABudgetOfZeroMakesNoCall) {
  RetryPolicy policy = synthesis_policy();
  policy.budgets.attempts_max = 0;
  Play play = playing(policy);
  play.start();
  EXPECT_EQ(play.orders, (Lines{"request after 0s", "finish"}));
  EXPECT_EQ(exhausted(play).detail, "operation failed: transport");
}

TEST(ResearchSynthesis, ANullRequestIsABug) {
  EXPECT_THROW(ResearchSynthesis(synthesis_policy(), nullptr, RandomStream(kSeed), kMetadata),
               CheckFailed);
}

}  // namespace
}  // namespace squall::core::llm
