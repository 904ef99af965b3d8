// SPDX-License-Identifier: MIT
#include "core/llm/judge_attempt.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace squall::core::llm {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr std::string_view kGoodAnswer =
    R"({"choices":[{"finish_reason":"stop","message":{"content":"fine"}}]})";

/// An attempt and how it ended, told as the facts that made it so.
struct Exchange {
  RetryPolicy policy = default_policy();
  Attempt attempt;
  std::optional<AttemptEnd> end;
  Instant now{seconds(0)};

  explicit Exchange(const RetryPolicy& of = default_policy()) : policy(of) {
    attempt.begin(1, now, policy.timeouts);
  }
  Exchange& tell(const Event& event, Duration later = Duration{0}) {
    EXPECT_EQ(end, std::nullopt) << "the attempt is over";
    now += later;
    end = attempt.handle(event, now);
    return *this;
  }
  Exchange& head(int status, std::optional<std::uint64_t> content_length = std::nullopt) {
    ResponseHead facts;
    facts.status = status;
    facts.content_length = content_length;
    return tell(HeadersReceived{1, facts, {}});
  }
  Exchange& body(std::string_view text) { return tell(BytesReceived{1, text}); }
  Exchange& complete() { return tell(BodyEnded{1}); }
  Exchange& broken(ConnectionFault fault, std::string_view detail = {}) {
    return tell(AttemptFailed{1, fault, detail});
  }
  Exchange& silence() { return tell(WakeupReached{}, seconds(600)); }

  [[nodiscard]] std::variant<ChatAnswer, LlmFailure> judged(
      std::optional<std::uint64_t> retry_after_ms = std::nullopt) const {
    EXPECT_TRUE(end.has_value()) << "the attempt is not over";
    return judge_attempt(attempt, end.value_or(AttemptEnd::kAnswered), policy, retry_after_ms);
  }
  [[nodiscard]] LlmFailure failure(
      std::optional<std::uint64_t> retry_after_ms = std::nullopt) const {
    const auto verdict = judged(retry_after_ms);
    const auto* record = std::get_if<LlmFailure>(&verdict);
    EXPECT_NE(record, nullptr) << "judged as an answer";
    return record != nullptr ? *record : LlmFailure{};
  }
};

LlmFailure record(FailureClass failure_class, std::string chain,
                  std::optional<std::string> finish_reason = std::nullopt,
                  std::optional<std::uint64_t> retry_after_ms = std::nullopt) {
  return {failure_class, std::move(chain), std::move(finish_reason), retry_after_ms};
}

Exchange status_with(int status, std::string_view body) {
  Exchange exchange;
  exchange.head(status);
  if (!body.empty()) {
    exchange.body(body);
  }
  exchange.complete();
  return exchange;
}

TEST(JudgeAttempt, AnyTwoHundredsWithACompletionIsTheAnswer) {
  for (const int status : {200, 201, 299}) {
    const auto verdict = status_with(status, kGoodAnswer).judged(7'000);
    ASSERT_TRUE(std::holds_alternative<ChatAnswer>(verdict)) << status;
    EXPECT_EQ(std::get<ChatAnswer>(verdict).text, "fine");
  }
}

TEST(JudgeAttempt, AWrongContentLengthDoesNotSpoilACompletion) {
  const auto verdict = Exchange().head(200, 9'999).body(kGoodAnswer).complete().judged();
  EXPECT_TRUE(std::holds_alternative<ChatAnswer>(verdict));
}

TEST(JudgeAttempt, FailedConnectionsAreTransport) {
  const std::vector<std::tuple<ConnectionFault, std::string>> cases{
      {ConnectionFault::kRefused, "connection refused"},
      {ConnectionFault::kReset, "connection reset before the response headers"},
      {ConnectionFault::kDns, "host name could not be resolved"},
      {ConnectionFault::kTls, "TLS handshake failed"},
      {ConnectionFault::kConnectTimeout, "connection timed out"},
      {ConnectionFault::kSend, "request could not be sent"},
  };
  for (const auto& [fault, words] : cases) {
    EXPECT_EQ(Exchange().broken(fault).failure(),
              record(FailureClass::kTransport, "the chat request failed: " + words));
    EXPECT_EQ(
        Exchange().broken(fault, "errno 111").failure(),
        record(FailureClass::kTransport, "the chat request failed: " + words + ": errno 111"));
  }
}

TEST(JudgeAttempt, NoHeadersInTimeIsTransport) {
  EXPECT_EQ(Exchange().silence().failure(),
            record(FailureClass::kTransport,
                   "the chat request failed: no response headers within 600 s"));
}

TEST(JudgeAttempt, ABodyThatStallsOrBreaksIsATruncatedEnvelope) {
  EXPECT_EQ(Exchange().head(200).body("{\"a\"").silence().failure(),
            record(FailureClass::kTruncatedEnvelope,
                   "the chat request failed: the response body stalled after 4 bytes: nothing for "
                   "600 s"));
  EXPECT_EQ(Exchange().head(200, 512).body("{\"a\"").silence().failure(),
            record(FailureClass::kTruncatedEnvelope,
                   "the chat request failed: the response body stalled after 4 of 512 bytes: "
                   "nothing for 600 s"));
  EXPECT_EQ(Exchange().head(200, 512).broken(ConnectionFault::kBodyClosed).failure(),
            record(FailureClass::kTruncatedEnvelope,
                   "the chat request failed: the response body ended after 0 of 512 bytes: "
                   "connection closed before the response body was complete"));
  EXPECT_EQ(
      Exchange().head(200).body("{").broken(ConnectionFault::kBodyReset, "ECONNRESET").failure(),
      record(FailureClass::kTruncatedEnvelope,
             "the chat request failed: the response body ended after 1 bytes: connection "
             "reset while reading the response body: ECONNRESET"));
}

// Even a whole completion is none when the connection broke before its end.
TEST(JudgeAttempt, ACutBodyIsNeverReadAsAnAnswer) {
  EXPECT_EQ(Exchange()
                .head(200)
                .body(kGoodAnswer)
                .broken(ConnectionFault::kBodyClosed)
                .failure()
                .failure_class,
            FailureClass::kTruncatedEnvelope);
  EXPECT_EQ(Exchange().head(200).body(kGoodAnswer).silence().failure().failure_class,
            FailureClass::kTruncatedEnvelope);
}

TEST(JudgeAttempt, ATooLargeBodyIsATruncatedEnvelope) {
  const std::string huge(Attempt::kBodyBytesMax + 1, ' ');
  EXPECT_EQ(Exchange().head(200).body(huge).failure(),
            record(FailureClass::kTruncatedEnvelope,
                   "the chat request failed: the response body exceeds 67108864 bytes"));
}

TEST(JudgeAttempt, StatusesOutsideTwoHundreds) {
  for (int status = 100; status <= 999; ++status) {
    if (status >= 200 && status <= 299) {
      continue;
    }
    const bool final = status >= 400 && status <= 499 && status != 408 && status != 429;
    EXPECT_EQ(status_with(status, "no").failure(),
              record(final ? FailureClass::kNonRetryable : FailureClass::kTransport,
                     "the provider answered HTTP " + std::to_string(status) + ": no"));
    const FailureClass cut = Exchange().head(status).body("no").silence().failure().failure_class;
    EXPECT_EQ(cut, final ? FailureClass::kNonRetryable : FailureClass::kTruncatedEnvelope)
        << status;
  }
}

TEST(JudgeAttempt, AnErrorStatusOutweighsWhatItsBodySays) {
  EXPECT_EQ(status_with(503, kGoodAnswer).failure().failure_class, FailureClass::kTransport);
  EXPECT_EQ(status_with(500, "insufficient_quota").failure().failure_class,
            FailureClass::kTransport);
  EXPECT_EQ(status_with(402, "temporarily rate-limited").failure().failure_class,
            FailureClass::kNonRetryable);
}

TEST(JudgeAttempt, ATooManyRequestsIsToldApartByItsBody) {
  EXPECT_EQ(status_with(429, "").failure(),
            record(FailureClass::kTransport, "the provider answered HTTP 429"));
  for (const std::string_view body : {"slow down", "Model is Temporarily Rate-Limited upstream",
                                      "{\"code\":\"UPSTREAM_PROVIDER_SHARED_POOL\"}",
                                      "insufficient_quota but temporarily rate-limited"}) {
    EXPECT_EQ(status_with(429, body).failure().failure_class, FailureClass::kTransport) << body;
  }
  for (const std::string_view body : {"Insufficient Balance", "{\"code\":\"insufficient_quota\"}",
                                      "Quota exhausted.", "QUOTA EXCEEDED", "Error code 1113"}) {
    EXPECT_EQ(status_with(429, body).failure().failure_class, FailureClass::kNonRetryable) << body;
    EXPECT_EQ(Exchange().head(429).body(body).silence().failure().failure_class,
              FailureClass::kNonRetryable)
        << body;
  }
  EXPECT_EQ(
      Exchange().head(429).body("slow").broken(ConnectionFault::kBodyReset).failure().failure_class,
      FailureClass::kTruncatedEnvelope);
}

TEST(JudgeAttempt, ChainsOfErrorStatusesSayWhyAndQuoteTheBody) {
  EXPECT_EQ(Exchange().head(503, 20).body("upstream").silence().failure().error_chain,
            "the provider answered HTTP 503: the response body stalled after 8 of 20 bytes: "
            "nothing for 600 s: upstream");
  EXPECT_EQ(Exchange().head(401, 20).broken(ConnectionFault::kBodyClosed).failure().error_chain,
            "the provider answered HTTP 401: the response body ended after 0 of 20 bytes: "
            "connection closed before the response body was complete");
}

TEST(JudgeAttempt, AContentLengthTellsATruncatedAnswerFromANonsensicalOne) {
  EXPECT_EQ(Exchange().head(200, 100).body("{\"choices\"").complete().failure(),
            record(FailureClass::kTruncatedEnvelope,
                   "the answer is not a chat completion: the body is not JSON: 10 of 100 bytes"));
  EXPECT_EQ(Exchange().head(200, 3).body("{\"choices\"").complete().failure().failure_class,
            FailureClass::kTruncatedEnvelope)
      << "more than announced is a mismatch, too";
  EXPECT_EQ(Exchange().head(200, 10).body("{\"choices\"").complete().failure(),
            record(FailureClass::kParse,
                   "the answer is not a chat completion: the body is not JSON: {\"choices\""));
  EXPECT_EQ(Exchange().head(200).body("{\"choices\"").complete().failure().failure_class,
            FailureClass::kParse);
  EXPECT_EQ(Exchange().head(200).complete().failure(),
            record(FailureClass::kParse, "the answer is not a chat completion: the body is empty"));
  EXPECT_EQ(Exchange().head(200, 0).complete().failure().failure_class, FailureClass::kParse);
  EXPECT_EQ(Exchange().head(200, 1).complete().failure(),
            record(FailureClass::kTruncatedEnvelope,
                   "the answer is not a chat completion: the body is empty: 0 of 1 bytes"));
}

TEST(JudgeAttempt, AnEnvelopeWithoutAChoiceIsNoResponse) {
  EXPECT_EQ(
      status_with(200, R"({"choices":[]})").failure(),
      record(FailureClass::kNoResponse, "the chat completion is unusable: \"choices\" is empty"));
  EXPECT_EQ(Exchange().head(200, 999).body(R"({"choices":[]})").complete().failure().failure_class,
            FailureClass::kNoResponse);
}

TEST(JudgeAttempt, TheFinishReasonIsKeptWhereOneCanBeRead) {
  EXPECT_EQ(status_with(200, R"({"choices":[{"finish_reason":"length"}]})").failure(),
            record(FailureClass::kParse,
                   "the answer is not a chat completion: its first choice has no \"message\" "
                   "object: {\"choices\":[{\"finish_reason\":\"length\"}]}",
                   "length"));
  EXPECT_EQ(Exchange()
                .head(200, 1)
                .body(R"({"choices":[{"finish_reason":"error"}]})")
                .complete()
                .failure()
                .finish_reason,
            "error");
}

TEST(JudgeAttempt, RetryAfterIsKeptOfErrorStatusesAlone) {
  for (const int status : {301, 400, 408, 429, 503}) {
    EXPECT_EQ(status_with(status, "no").failure(7'000).retry_after_ms, 7'000U) << status;
    EXPECT_EQ(Exchange().head(status).silence().failure(7'000).retry_after_ms, 7'000U) << status;
    EXPECT_EQ(status_with(status, "no").failure().retry_after_ms, std::nullopt) << status;
  }
  EXPECT_EQ(status_with(200, "no").failure(7'000).retry_after_ms, std::nullopt);
  EXPECT_EQ(status_with(200, R"({"choices":[]})").failure(7'000).retry_after_ms, std::nullopt);
  EXPECT_EQ(Exchange().head(200, 5).body("no").complete().failure(7'000).retry_after_ms,
            std::nullopt);
  EXPECT_EQ(Exchange().head(200).silence().failure(7'000).retry_after_ms, std::nullopt);
  EXPECT_EQ(Exchange().silence().failure(7'000).retry_after_ms, std::nullopt);
  EXPECT_EQ(Exchange().broken(ConnectionFault::kReset).failure(7'000).retry_after_ms, std::nullopt);
}

TEST(JudgeAttempt, WhatRetryOnLeavesOutIsFinalWithTheSameWords) {
  RetryPolicy none = default_policy();
  none.retry_on = {
      .statuses = {}, .connection_failures = false, .cut_bodies = false, .unusable_answers = false};
  const auto expect_final_only_in_class = [&](const auto& play) {
    Exchange usual;
    play(usual);
    Exchange strict(none);
    play(strict);
    LlmFailure expected = usual.failure(7'000);
    EXPECT_TRUE(is_retryable(expected.failure_class));
    expected.failure_class = FailureClass::kNonRetryable;
    EXPECT_EQ(strict.failure(7'000), expected);
  };
  expect_final_only_in_class([](Exchange& e) { e.broken(ConnectionFault::kRefused); });
  expect_final_only_in_class([](Exchange& e) { e.silence(); });
  expect_final_only_in_class([](Exchange& e) { e.head(200).silence(); });
  expect_final_only_in_class([](Exchange& e) { e.head(200).broken(ConnectionFault::kBodyReset); });
  expect_final_only_in_class([](Exchange& e) { e.head(200, 9).body("x").complete(); });
  expect_final_only_in_class([](Exchange& e) { e.head(200).body("x").complete(); });
  expect_final_only_in_class([](Exchange& e) { e.head(200).body(R"({"choices":[]})").complete(); });
  expect_final_only_in_class([](Exchange& e) { e.head(503).complete(); });
  expect_final_only_in_class([](Exchange& e) { e.head(503).silence(); });
}

TEST(JudgeAttempt, EachPartOfRetryOnDecidesItsOwnKindAlone) {
  const auto classes = [](const RetryOn& retry_on) {
    RetryPolicy policy = default_policy();
    policy.retry_on = retry_on;
    return std::vector<bool>{
        is_retryable(Exchange(policy).silence().failure().failure_class),
        is_retryable(Exchange(policy).head(200).silence().failure().failure_class),
        is_retryable(Exchange(policy).head(200).complete().failure().failure_class),
        is_retryable(Exchange(policy).head(503).complete().failure().failure_class),
        is_retryable(Exchange(policy).head(503).silence().failure().failure_class)};
  };
  RetryOn retry_on;
  EXPECT_EQ(classes(retry_on), (std::vector<bool>{true, true, true, true, true}));
  retry_on.connection_failures = false;
  EXPECT_EQ(classes(retry_on), (std::vector<bool>{false, true, true, true, true}));
  retry_on = {};
  retry_on.cut_bodies = false;
  EXPECT_EQ(classes(retry_on), (std::vector<bool>{true, false, true, true, false}));
  retry_on = {};
  retry_on.unusable_answers = false;
  EXPECT_EQ(classes(retry_on), (std::vector<bool>{true, true, false, true, true}));
  retry_on = {};
  retry_on.statuses = {};
  EXPECT_EQ(classes(retry_on), (std::vector<bool>{true, true, true, false, false}));
}

TEST(JudgeAttempt, AStatusAddedToRetryOnIsRetried) {
  RetryPolicy policy = default_policy();
  policy.retry_on.statuses.add(404);
  EXPECT_EQ(Exchange(policy).head(404).complete().failure().failure_class,
            FailureClass::kTransport);
}

TEST(JudgeAttemptTimeouts, NameTheOneThatRanOut) {
  RetryPolicy policy = default_policy();
  policy.timeouts = {.idle = seconds(10), .attempt = milliseconds(25'500)};
  EXPECT_EQ(Exchange(policy).tell(WakeupReached{}, seconds(10)).failure().error_chain,
            "the chat request failed: no response headers within 10 s");

  Exchange stalled(policy);
  stalled.head(200).tell(WakeupReached{}, seconds(10));
  EXPECT_EQ(stalled.failure().error_chain,
            "the chat request failed: the response body stalled after 0 bytes: nothing for 10 s");

  Exchange trickling(policy);
  trickling.head(200, 9).tell(BytesReceived{1, "a"}, seconds(9));
  trickling.tell(BytesReceived{1, "b"}, seconds(9)).tell(WakeupReached{}, milliseconds(7'500));
  EXPECT_EQ(trickling.failure(),
            record(FailureClass::kTruncatedEnvelope,
                   "the chat request failed: the response body was not complete after 2 of 9 "
                   "bytes: the attempt may take 25.5 s"));

  policy.timeouts = {.idle = seconds(10), .attempt = nanoseconds(1)};
  EXPECT_EQ(Exchange(policy).tell(WakeupReached{}, nanoseconds(1)).failure().error_chain,
            "the chat request failed: no response headers within 0.000000001 s");
  policy.timeouts = {.idle = std::nullopt, .attempt = milliseconds(1'050)};
  EXPECT_EQ(Exchange(policy).tell(WakeupReached{}, seconds(2)).failure().error_chain,
            "the chat request failed: no response headers within 1.05 s");
}

std::string quote_of(std::string_view body) {
  constexpr std::string_view kBefore = "the provider answered HTTP 500: ";
  const std::string chain = status_with(500, body).failure().error_chain;
  EXPECT_TRUE(chain.starts_with(kBefore)) << chain;
  return chain.substr(kBefore.size());
}

TEST(JudgeAttemptQuotes, EndAfterFiveHundredTwelveBytes) {
  ASSERT_EQ(kQuotedBodyBytesMax, 512U);
  const std::string full(512, 'x');
  EXPECT_EQ(quote_of(full), full);
  EXPECT_EQ(quote_of(full + "y"), full + "...");
  EXPECT_EQ(quote_of(std::string(10'000, 'x')), full + "...");
}

TEST(JudgeAttemptQuotes, NeverEndInsideACharacter) {
  const std::string two = "\xc3\xa9";
  const std::string three = "\xe2\x82\xac";
  const std::string four = "\xf0\x9f\x98\x80";
  for (const std::string& character : {two, three, four}) {
    for (std::size_t before = 512 - character.size(); before <= 512; ++before) {
      const std::string filler(before, 'x');
      const bool fits = before + character.size() <= 512;
      EXPECT_EQ(quote_of(filler + character), fits ? filler + character : filler + "...") << before;
    }
  }
}

TEST(JudgeAttemptQuotes, StayOnOneLine) {
  std::string controls;
  for (char c = 0; c < 0x20; ++c) {
    controls += c;
  }
  EXPECT_EQ(quote_of("a" + controls + "\x7f" + "b"), "a" + std::string(33, ' ') + "b");
  EXPECT_EQ(quote_of("{\r\n  \"error\": \"x\"\n}"), "{    \"error\": \"x\" }");
}

TEST(JudgeAttemptQuotes, AreUtf8WhateverTheBodyIs) {
  EXPECT_EQ(quote_of("caf\xe9!"), "caf?!");
  EXPECT_EQ(quote_of("\xc3"), "?");
  EXPECT_EQ(quote_of("\xe2\x82"), "??");
  EXPECT_EQ(quote_of("\xe2\x82x"), "??x");
  EXPECT_EQ(quote_of("\xc0\x80 \xe0\x80\x80 \xf0\x80\x80\x80"), "?? ??? ????") << "overlong";
  EXPECT_EQ(quote_of("\xed\x9f\xbf \xed\xa0\x80"), "\xed\x9f\xbf ???") << "surrogate";
  EXPECT_EQ(quote_of("\xf4\x8f\xbf\xbf \xf4\x90\x80\x80"), "\xf4\x8f\xbf\xbf ????")
      << "above U+10FFFF";
  EXPECT_EQ(quote_of("\xf5\xff\xfe\x80"), "????");
  EXPECT_EQ(quote_of(std::string(600, '\x80')), std::string(512, '?') + "...");
  // Every pair of bytes gives a chain that JSON can carry.
  for (int first = 0x80; first <= 0xff; ++first) {
    std::string body;
    for (int second = 0; second <= 0xff; ++second) {
      body = {static_cast<char>(first), static_cast<char>(second), 'a', '\xbf'};
      const LlmFailure failure = status_with(500, body).failure();
      ASSERT_NO_THROW((void)nlohmann::json(failure.error_chain).dump()) << first << " " << second;
    }
  }
}

TEST(JudgeAttemptQuotes, HoldForTheHostsWordsToo) {
  EXPECT_EQ(
      Exchange()
          .broken(ConnectionFault::kTls, "alert\n\xff" + std::string(600, 'x'))
          .failure()
          .error_chain,
      "the chat request failed: TLS handshake failed: alert ?" + std::string(505, 'x') + "...");
}

TEST(ShutdownFailure, IsFinalAndSaysSo) {
  EXPECT_EQ(shutdown_failure(),
            record(FailureClass::kShutdown, "the chat request was stopped: shutdown requested"));
  EXPECT_FALSE(is_retryable(shutdown_failure().failure_class));
}

}  // namespace
}  // namespace squall::core::llm
