// SPDX-License-Identifier: MIT
#include "core/llm/extraction.hpp"

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

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

using Play = OperationPlay<Extraction>;
using Classes = std::vector<FailureClass>;

const std::string kPrompt = R"({"role":"user","content":"JSON, please"})";
const std::string kReprompt =
    R"({"role":"user","content":"That was not the requested JSON. Reply with the JSON object )"
    R"(alone: valid, complete and within the stated limits. Do not call tools."})";
const std::string kGood = R"({"score":7})";

/// The request with these messages, as it must go over the wire.
std::string body_with(const Lines& messages) {
  std::string body = R"({"model":"m","reasoning_effort":"high","messages":[)";
  for (std::size_t i = 0; i < messages.size(); ++i) {
    body += (i == 0 ? "" : ",") + messages[i];
  }
  return body + "]}";
}

std::string said(std::string_view content) {
  return R"({"role":"assistant","content":")" + std::string(content) + R"("})";
}

ExtractionInput verdict(bool falls_back = false) {
  return {.request = std::make_shared<const ChatRequest>(R"("model":"m","reasoning_effort":"high")",
                                                         Lines{kPrompt}),
          .target = {{{"score", JsonKind::kNumber}}},
          .validator = verdict_score(),
          .falls_back = falls_back};
}

Play playing(const RetryPolicy& policy = without_jitter(), bool falls_back = false,
             bool metadata = kMetadata) {
  return Play(Extraction(policy, verdict(falls_back), RandomStream(kSeed), metadata));
}

RetryPolicy with_attempts(std::uint32_t attempts_max) {
  RetryPolicy policy = without_jitter();
  policy.budgets.attempts_max = attempts_max;
  return policy;
}

const LlmExhausted& exhausted(const Play& play) {
  return std::get<LlmExhausted>(play.operation.result());
}

Classes classes(const LlmTrail& trail) {
  Classes all;
  for (const LlmFailure& failure : trail) {
    all.push_back(failure.failure_class);
  }
  return all;
}

TEST(Extraction, TheFirstAnswerThatFitsIsTaken) {
  Play play = playing();
  play.start().answer(200, text_body("Sure:\n```json\n{\"score\": 7.5, \"a\": \"x\"}\n```"));
  EXPECT_EQ(play.orders, (Lines{"send 1", "request after 0s", "finish"}));
  EXPECT_EQ(play.bodies, Lines{body_with({kPrompt})});
  const auto& extracted = std::get<Extracted>(play.operation.result());
  EXPECT_EQ(extracted.json, R"({"a":"x","score":7.5})");
  EXPECT_EQ(extracted.answer.text, "Sure:\n```json\n{\"score\": 7.5, \"a\": \"x\"}\n```");
  EXPECT_EQ(extracted.answer.finish_reason, "stop");
  EXPECT_TRUE(play.operation.trail().empty());
}

TEST(Extraction, AnAnswerThatDoesNotParseIsRepromptedAfterTheSleep) {
  Play play = playing();
  play.start().answer(200, text_body("I say \"7\"", "length"));
  EXPECT_EQ(play.orders, (Lines{"send 1", "record 0 as 1 after 0s"}));
  EXPECT_EQ(play.operation.trail(),
            (LlmTrail{{FailureClass::kParse,
                       "the answer does not parse as the target: it is not JSON: I say \"7\"",
                       "length", std::nullopt}}));
  EXPECT_EQ(play.sleep(), seconds(5));
  play.answer(200, text_body(kGood));
  EXPECT_EQ(play.bodies,
            (Lines{body_with({kPrompt}), body_with({kPrompt, said(R"(I say \"7\")"), kReprompt})}));
  EXPECT_EQ(std::get<Extracted>(play.operation.result()).json, kGood);
  EXPECT_EQ(play.operation.trail().size(), 1U);
}

TEST(Extraction, AToolCallIsAParseFailureWhateverItsText) {
  Play play = playing();
  play.start().answer(200, tool_call_body());
  play.sleep();
  play.answer(200, tool_call_body(R"("{\"score\":7}")"));
  play.sleep();
  EXPECT_EQ(
      play.operation.trail(),
      (LlmTrail{{FailureClass::kParse, "the answer does not parse as the target: it is a tool call",
                 "tool_calls", std::nullopt},
                {FailureClass::kParse,
                 "the answer does not parse as the target: it is a tool call: {\"score\":7}",
                 "tool_calls", std::nullopt}}));
  EXPECT_EQ(play.bodies.back(),
            body_with({kPrompt, said(""), kReprompt, said(R"({\"score\":7})"), kReprompt}));
}

TEST(Extraction, TheTargetDecidesBeforeTheValidator) {
  Play play = playing();
  play.start();
  for (const char* text : {"", "[7]", "{}", R"({"score":"7"})", R"({"score":null})",
                           R"({"score":NaN})", R"({"score":1e999})", R"({"score":7,"score":7})"}) {
    play.answer(200, text_body(text)).sleep();
    EXPECT_EQ(play.operation.trail().back().failure_class, FailureClass::kParse) << text;
  }
  for (const char* text : {R"({"score":10.0000001})", R"({"score":-1})", R"({"score":99})"}) {
    play.answer(200, text_body(text)).sleep();
    EXPECT_EQ(play.operation.trail().back().failure_class, FailureClass::kOutOfRangeScore) << text;
  }
  EXPECT_EQ(play.operation.trail()[2].error_chain,
            "the answer does not parse as the target: \"score\" is missing: {}");
  play.answer(200, text_body(R"({"score":-0.0})"));
  EXPECT_EQ(std::get<Extracted>(play.operation.result()).json, R"({"score":-0.0})");
}

TEST(Extraction, WhatTheValidatorRejectsIsRepromptedToo) {
  Play play = playing();
  play.start().answer(200, text_body(R"({"score":11})"));
  EXPECT_EQ(play.operation.trail(),
            (LlmTrail{{FailureClass::kOutOfRangeScore,
                       "the validator rejected the answer: \"score\" is 11, outside [0, 10]: "
                       "{\"score\":11}",
                       "stop", std::nullopt}}));
  EXPECT_EQ(play.sleep(), seconds(5));
  EXPECT_EQ(play.bodies.back(), body_with({kPrompt, said(R"({\"score\":11})"), kReprompt}));
}

TEST(Extraction, AProviderFailureSendsTheSameObjectAgain) {
  Play play = playing();
  play.start();
  const ChatRequest* first = &play.operation.request();
  play.answer(503, "out").sleep();
  play.refuse().sleep();
  play.answer(200, "not json").sleep();
  play.answer(200, R"({"choices":[]})").sleep();
  EXPECT_EQ(&play.operation.request(), first);
  play.answer(200, text_body("no")).sleep();
  const ChatRequest* second = &play.operation.request();
  EXPECT_NE(second, first);
  play.answer(503, "out").sleep();
  EXPECT_EQ(&play.operation.request(), second);
}

TEST(Extraction, NothingIsAppendedAfterTheLastAttempt) {
  for (const std::uint32_t attempts : {1U, 3U}) {
    Play play = playing(with_attempts(attempts));
    play.start();
    for (std::uint32_t i = 1; i < attempts; ++i) {
      play.answer(200, text_body("no")).sleep();
    }
    play.answer(200, text_body("no"));
    EXPECT_EQ(play.operation.state(), OperationState::kFinished);
    EXPECT_EQ(play.bodies.size(), attempts);
    EXPECT_EQ(play.operation.request().body(), play.bodies.back());
  }
}

TEST(Extraction, ARepromptThatIsNeverSentIsForgotten) {
  RetryPolicy policy = without_jitter();
  policy.budgets.time = seconds(4);
  Play out_of_time = playing(policy);
  out_of_time.start().answer(200, text_body("no"));
  EXPECT_EQ(exhausted(out_of_time).last_raw, "no");
  EXPECT_EQ(out_of_time.operation.request().body(), body_with({kPrompt}));

  Play stopped = playing();
  stopped.start().answer(200, text_body("no")).shut_down();
  EXPECT_EQ(stopped.operation.request().body(), body_with({kPrompt}));

  Play stopped_later = playing();
  stopped_later.start().answer(200, text_body("no")).sleep();
  stopped_later.shut_down();
  EXPECT_EQ(stopped_later.operation.request().body(), stopped_later.bodies.back());
}

TEST(Extraction, SleepsFollowTheAttemptNotTheKindOfFailure) {
  Play play = playing(default_policy());
  RandomStream words(kSeed);
  const auto jittered = [&](std::uint64_t base_ms) {
    return Duration(milliseconds(jittered_ms(ProportionalJitter{}, base_ms, words.next())));
  };
  play.start().answer(200, text_body("no"));
  EXPECT_EQ(play.sleep(), jittered(5'000));
  play.answer(503, "out");
  EXPECT_EQ(play.sleep(), jittered(10'000));
  play.answer(429, "slow down", "7");
  EXPECT_EQ(play.sleep(), seconds(7));
  play.answer(200, text_body(R"({"score":11})"));
  EXPECT_EQ(play.sleep(), jittered(40'000)) << "the Retry-After before is forgotten";
  play.answer(200, text_body("no"), "30");
  EXPECT_EQ(play.sleep(), jittered(60'000)) << "a Retry-After of a 2xx is none";
}

TEST(Extraction, AFinalFailureEndsItAtOnce) {
  Play play = playing();
  play.start().answer(200, text_body("no")).sleep();
  play.answer(401, "bad key");
  EXPECT_EQ(exhausted(play).final_class, FailureClass::kNonRetryable);
  EXPECT_EQ(exhausted(play).last_raw, std::nullopt);
  EXPECT_EQ(exhausted(play).detail,
            "2 attempt(s) failed (last: non_retryable): the provider answered HTTP 401: bad key");
  EXPECT_EQ(play.orders, (Lines{"send 1", "record 0 as 1 after 0s", "send 2",
                                "record 1 as 2 after 0s", "request after 5s", "finish"}));
}

TEST(Extraction, TheWholeBudgetOfUnusableAnswers) {
  Play play = playing(without_jitter(comment_policy()));
  play.start().answer(200, text_body("one")).sleep();
  play.answer(200, text_body("two")).sleep();
  play.answer(200, text_body(R"({"score":12})", "length"));
  EXPECT_EQ(exhausted(play).detail,
            "3 attempt(s) failed (last: out_of_range_score): the validator rejected the answer: "
            "\"score\" is 12, outside [0, 10]: {\"score\":12}");
  EXPECT_EQ(exhausted(play).last_raw, R"({"score":12})");
  EXPECT_EQ(exhausted(play).trail[2].finish_reason, "length");
  EXPECT_EQ(&play.operation.trail(), &exhausted(play).trail);
}

TEST(Extraction, LastRawIsTheTextOfTheLastAttemptAlone) {
  const auto last_raw_of = [](const auto& first, const auto& second) {
    Play play = playing(with_attempts(2));
    first(play.start());
    play.sleep();
    second(play);
    return exhausted(play).last_raw;
  };
  using Raw = std::optional<std::string>;
  const auto text = [](Play& play) { play.answer(200, text_body("no")); };
  const auto other = [](Play& play) { play.answer(200, text_body(R"({"score":11})")); };
  const auto tool_call = [](Play& play) { play.answer(200, tool_call_body()); };
  const auto outage = [](Play& play) { play.answer(503, "out"); };
  const auto no_choice = [](Play& play) { play.answer(200, R"({"choices":[]})"); };
  const auto stop = [](Play& play) { play.shut_down(); };
  EXPECT_EQ(last_raw_of(text, outage), std::nullopt);
  EXPECT_EQ(last_raw_of(text, no_choice), std::nullopt);
  EXPECT_EQ(last_raw_of(outage, text), Raw("no"));
  EXPECT_EQ(last_raw_of(outage, outage), std::nullopt);
  EXPECT_EQ(last_raw_of(text, other), Raw(R"({"score":11})"));
  EXPECT_EQ(last_raw_of(text, tool_call), Raw(""));
  EXPECT_EQ(last_raw_of(tool_call, outage), std::nullopt);
  EXPECT_EQ(last_raw_of(text, stop), std::nullopt);
}

TEST(ExtractionShutdown, InFlightTheAttemptDies) {
  Play play = playing();
  play.start().answer(200, text_body("no")).sleep();
  play.shut_down();
  EXPECT_EQ(exhausted(play).last_raw, std::nullopt);
  EXPECT_EQ(classes(exhausted(play).trail),
            (Classes{FailureClass::kParse, FailureClass::kShutdown}));
  EXPECT_EQ(exhausted(play).detail,
            "2 attempt(s) failed (last: shutdown): the chat request was stopped: shutdown "
            "requested");
}

TEST(ExtractionShutdown, InASleepTheTextOfTheLastAttemptIsKept) {
  Play play = playing();
  play.start().answer(200, text_body("no"));
  play.orders.clear();
  play.tell(ShutdownRequested{}, seconds(2));
  EXPECT_EQ(play.orders, (Lines{"request after 2s", "finish"}));
  EXPECT_EQ(exhausted(play).final_class, FailureClass::kShutdown);
  EXPECT_EQ(exhausted(play).last_raw, "no");
  EXPECT_EQ(exhausted(play).detail,
            "1 attempt(s) failed (last: shutdown): the answer does not parse as the target: it is "
            "not JSON: no");
}

TEST(ExtractionShutdown, BeforeTheStartThereIsNothing) {
  Play play = playing();
  play.shut_down();
  EXPECT_EQ(exhausted(play), LlmExhausted({}, FailureClass::kShutdown));
}

TEST(Comment, WithoutJsonItIsDegradedAndKeepsTheRawText) {
  Play play = playing(without_jitter(comment_policy()), /*falls_back=*/true);
  play.start().answer(200, text_body("one"));
  EXPECT_EQ(play.sleep(), seconds(5));
  play.answer(200, text_body("two"));
  EXPECT_EQ(play.sleep(), seconds(10));
  play.answer(200, text_body("three"));
  const auto& degraded = std::get<Degraded>(play.operation.result());
  EXPECT_EQ(degraded.exhausted.last_raw, "three");
  EXPECT_EQ(degraded.exhausted.final_class, FailureClass::kParse);
  EXPECT_EQ(degraded.exhausted.trail.size(), 3U);
  EXPECT_EQ(&play.operation.trail(), &degraded.exhausted.trail);
}

TEST(Comment, WithoutAnyTextItIsDegradedToo) {
  Play outage = playing(without_sleeps(1), /*falls_back=*/true);
  outage.start().answer(503, "out");
  EXPECT_EQ(std::get<Degraded>(outage.operation.result()).exhausted.last_raw, std::nullopt);

  Play refused_key = playing(without_jitter(), /*falls_back=*/true);
  refused_key.start().answer(401, "bad key");
  EXPECT_EQ(std::get<Degraded>(refused_key.operation.result()).exhausted.final_class,
            FailureClass::kNonRetryable);

  Play no_budget = playing(with_attempts(0), /*falls_back=*/true);
  no_budget.start();
  EXPECT_EQ(no_budget.orders, (Lines{"request after 0s", "finish"}));
  EXPECT_EQ(std::get<Degraded>(no_budget.operation.result()).exhausted.detail,
            "operation failed: transport");
}

TEST(Comment, JsonIsASuccessAndAShutdownIsNotDegraded) {
  Play good = playing(comment_policy(), /*falls_back=*/true);
  good.start().answer(200, text_body(kGood));
  EXPECT_EQ(std::get<Extracted>(good.operation.result()).json, kGood);

  Play stopped = playing(comment_policy(), /*falls_back=*/true);
  stopped.start().answer(200, text_body("no")).shut_down();
  EXPECT_EQ(exhausted(stopped).final_class, FailureClass::kShutdown);
  EXPECT_EQ(exhausted(stopped).last_raw, "no");
}

TEST(Extraction, WithoutMetadataNoRowsAreOrdered) {
  Play play = playing(with_attempts(2), /*falls_back=*/false, !kMetadata);
  play.start().answer(200, text_body("no")).sleep();
  play.answer(200, text_body("no"));
  EXPECT_EQ(play.orders, (Lines{"send 1", "send 2", "finish"}));
  EXPECT_EQ(exhausted(play).trail.size(), 2U);
}

TEST(Extraction, HugeTextsAreKeptWholeAndQuotedShort) {
  const std::string huge(std::size_t{4} << 20, 'x');
  Play play = playing(with_attempts(2));
  play.start().answer(200, text_body(huge));
  const std::string chain = play.operation.trail()[0].error_chain;
  EXPECT_EQ(chain, "the answer does not parse as the target: it is not JSON: " +
                       std::string(kQuotedBodyBytesMax, 'x') + "...");
  play.sleep();
  EXPECT_EQ(play.bodies.back(), body_with({kPrompt, said(huge), kReprompt}));
  play.answer(200, text_body(huge));
  EXPECT_EQ(exhausted(play).last_raw, huge);
}

TEST(Extraction, ARequestIsNeeded) {
  EXPECT_THROW(Extraction(default_policy(), ExtractionInput{}, RandomStream(1), kMetadata),
               CheckFailed);
}

TEST(Extraction, ACopyGoesOnByItself) {
  Play original = playing(default_policy());
  original.start().answer(200, text_body("no"));
  Play copy = original;
  copy.sleep();
  copy.answer(200, text_body("still no")).sleep();
  EXPECT_EQ(original.operation.trail().size(), 1U);
  original.sleep();
  original.answer(200, text_body("still no")).sleep();
  EXPECT_EQ(original.now, copy.now);
  EXPECT_EQ(original.bodies, copy.bodies);
  EXPECT_EQ(original.orders, copy.orders);
}

// Every course that an extraction of three attempts can take, against a model that knows only the
// rules. A course is written as one letter an attempt: g good, p prose, t tool call, s score out of
// range, o outage, a asks for patience, c connection refused, n final failure, x shutdown in
// flight; z after a letter: shutdown in the sleep that follows.
struct Course {
  std::string letters;
  Lines bodies;
  std::vector<Duration> sleeps;
  Classes trail;
  std::string ending;
  std::optional<std::string> last_raw;
};

Course predict(const std::string& letters, bool falls_back) {
  Course course{.letters = letters,
                .bodies = {},
                .sleeps = {},
                .trail = {},
                .ending = {},
                .last_raw = std::nullopt};
  const std::string failing = falls_back ? "degraded " : "exhausted ";
  Lines messages{kPrompt};
  Duration patience{0};
  int attempt = 0;
  for (const char letter : letters) {
    if (letter == 'z') {
      course.sleeps.pop_back();
      course.ending = "exhausted shutdown";
      return course;
    }
    ++attempt;
    course.bodies.push_back(body_with(messages));
    patience = attempt == 1 ? seconds(5) : seconds(10);
    course.last_raw = std::nullopt;
    switch (letter) {
      case 'g':
        course.ending = "extracted";
        return course;
      case 'p':
        course.trail.push_back(FailureClass::kParse);
        course.last_raw = "no";
        break;
      case 't':
        course.trail.push_back(FailureClass::kParse);
        course.last_raw = "";
        break;
      case 's':
        course.trail.push_back(FailureClass::kOutOfRangeScore);
        course.last_raw = R"({"score":11})";
        break;
      case 'a':
        course.trail.push_back(FailureClass::kTransport);
        patience = seconds(6);
        break;
      case 'n':
        course.trail.push_back(FailureClass::kNonRetryable);
        course.ending = failing + "non_retryable";
        return course;
      case 'x':
        course.trail.push_back(FailureClass::kShutdown);
        course.ending = "exhausted shutdown";
        return course;
      default:
        course.trail.push_back(FailureClass::kTransport);
        break;
    }
    if (attempt == 3) {
      course.ending = failing + std::string(label(course.trail.back()));
      return course;
    }
    if (course.last_raw) {
      messages.push_back(said(letter == 's' ? R"({\"score\":11})" : *course.last_raw));
      messages.push_back(kReprompt);
    }
    course.sleeps.push_back(patience);
  }
  return course;
}

/// Plays the course; `ending` stays empty when it can go on.
Course perform(const std::string& letters, bool falls_back) {
  Play play = playing(without_jitter(comment_policy()), falls_back);
  play.start();
  Course course{.letters = letters,
                .bodies = {},
                .sleeps = {},
                .trail = {},
                .ending = {},
                .last_raw = std::nullopt};
  for (std::size_t i = 0; i < letters.size(); ++i) {
    switch (letters[i]) {
      case 'g':
        play.answer(200, text_body(kGood));
        break;
      case 'p':
        play.answer(200, text_body("no"));
        break;
      case 't':
        play.answer(200, tool_call_body());
        break;
      case 's':
        play.answer(200, text_body(R"({"score":11})"));
        break;
      case 'o':
        play.answer(503, "out");
        break;
      case 'a':
        play.answer(429, "slow down", "6");
        break;
      case 'c':
        play.refuse();
        break;
      case 'n':
        play.answer(400, "bad");
        break;
      default:
        play.shut_down();
        break;
    }
    const bool stops = i + 1 < letters.size() && letters[i + 1] == 'z';
    if (play.operation.state() == OperationState::kSleeping && !stops) {
      course.sleeps.push_back(play.sleep());
    }
  }
  course.bodies = play.bodies;
  course.trail = classes(play.operation.trail());
  const ExtractionResult& result = play.operation.result();
  const auto* ended = std::get_if<LlmExhausted>(&result);
  if (const auto* degraded = std::get_if<Degraded>(&result)) {
    ended = &degraded->exhausted;
    course.ending = "degraded ";
  } else if (ended != nullptr) {
    course.ending = "exhausted ";
  } else if (std::holds_alternative<Extracted>(result)) {
    course.ending = "extracted";
  }
  if (ended != nullptr) {
    course.ending += label(ended->final_class);
    course.last_raw = ended->last_raw;
  }
  if (!course.ending.empty()) {
    EXPECT_EQ(play.operation.request().body(), play.bodies.back()) << letters;
  }
  return course;
}

std::size_t explore(const std::string& letters, bool falls_back) {
  const Course expected = predict(letters, falls_back);
  if (expected.ending.empty()) {
    std::size_t courses = letters.empty() ? 0 : explore(letters + 'z', falls_back);
    for (const char letter : {'g', 'p', 't', 's', 'o', 'a', 'c', 'n', 'x'}) {
      courses += explore(letters + letter, falls_back);
    }
    return courses;
  }
  const Course course = perform(letters, falls_back);
  EXPECT_EQ(course.bodies, expected.bodies) << letters;
  EXPECT_EQ(course.sleeps, expected.sleeps) << letters;
  EXPECT_EQ(course.trail, expected.trail) << letters;
  EXPECT_EQ(course.ending, expected.ending) << letters;
  EXPECT_EQ(course.last_raw, expected.last_raw) << letters;
  return 1;
}

TEST(ExtractionExhaustive, EveryCourseOfThreeAttempts) {
  // Six of nine letters go on: 3 + 6 * (1 + 3 + 6 * (1 + 9)).
  EXPECT_EQ(explore("", /*falls_back=*/false), 387U);
  EXPECT_EQ(explore("", /*falls_back=*/true), 387U);
}

}  // namespace
}  // namespace squall::core::llm
