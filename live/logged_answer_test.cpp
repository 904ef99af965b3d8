// SPDX-License-Identifier: MIT
#include "live/logged_answer.hpp"

#include <string>

#include <gtest/gtest.h>

#include "live/client_log_test_support.hpp"

namespace squall::live {
namespace {

using namespace std::chrono_literals;

const std::string kCompletion =
    R"({"choices":[{"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]})";

Follow follow_of(const LoggedExchange& exchange,
                 const core::RetryPolicy& policy = core::default_policy()) {
  return judge_logged(exchange, policy).follow;
}

TEST(LoggedAnswer, WholeAnswers) {
  EXPECT_EQ(follow_of(answered(0ms, 0ms, 200, kCompletion)), Follow::kNothing);
  // What another provider calls an answer is one only where the policy does not look inside.
  const LoggedExchange other = answered(0ms, 0ms, 200, R"({"type":"message"})");
  EXPECT_EQ(follow_of(other), Follow::kAttempt);
  EXPECT_EQ(judge_logged(other, core::default_policy()).failure_class, "parse");
  EXPECT_EQ(follow_of(other, sdk_policy()), Follow::kNothing);
  EXPECT_EQ(judge_logged(other, sdk_policy()).failure_class, "");
  LoggedExchange message = other;
  message.form = WireForm::kMessage;
  EXPECT_EQ(follow_of(message), Follow::kNothing);
}

TEST(LoggedAnswer, AnswerLargerThanTheRecordKeeps) {
  LoggedExchange exchange = answered(0ms, 0ms, 200, "{\"choi");
  exchange.answer_bytes = 1'000'000;
  EXPECT_EQ(follow_of(exchange), Follow::kNothing);
}

TEST(LoggedAnswer, StreamsMayBeAskedForAgainOnceBegun) {
  const auto streamed = [](const LoggedExchange& exchange) {
    return of_form(exchange, WireForm::kChatStream);
  };
  const auto cut = [&](const LoggedExchange& exchange) {
    return streamed(ended(exchange, ExchangeEnd::kCut));
  };
  EXPECT_EQ(follow_of(streamed(answered(0ms, 0ms, 200, "data: [DONE]\n\n"))), Follow::kNothing);
  EXPECT_EQ(follow_of(cut(answered(0ms, 0ms, 200, "data: "))), Follow::kMayFollow);
  EXPECT_EQ(follow_of(streamed(answered(0ms, 0ms, 503, ""))), Follow::kAttempt);
  EXPECT_EQ(follow_of(cut(posted(0ms, 0ms, kChat))), Follow::kAttempt);
}

TEST(LoggedAnswer, RequestsAreWhatTheServerTookThemForNotWhatTheRecordKeepsOfThem) {
  LoggedExchange streamed =
      of_form(answered(0ms, 0ms, 200, "data: [DONE]\n\n"), WireForm::kChatStream);
  streamed.body.clear();
  EXPECT_EQ(follow_of(streamed), Follow::kNothing);
  LoggedExchange call =
      of_form(answered(0ms, 0ms, 200, R"({"jsonrpc":"2.0","id":3,"result":{"content":[]}})"),
              WireForm::kToolCall, "3");
  call.body.clear();
  EXPECT_EQ(follow_of(call), Follow::kNothing);
  call.rpc_id = "4";
  EXPECT_NE(follow_of(call), Follow::kNothing) << "an answer to another call";
  call.rpc_id = "\"3\"";
  EXPECT_EQ(follow_of(call), Follow::kNothing) << "no call of the core has such an id";
}

TEST(LoggedAnswer, ServerThatGaveUp) {
  EXPECT_EQ(follow_of(ended(answered(0ms, 0ms, 200, "{"), ExchangeEnd::kServerGaveUp)),
            Follow::kUnknown);
}

TEST(LoggedAnswer, BrokenExchangesByThePolicy) {
  const LoggedExchange cut = ended(answered(0ms, 0ms, 200, "{\"choi"), ExchangeEnd::kCut);
  EXPECT_EQ(judge_logged(cut, core::default_policy()).failure_class, "truncated_envelope");
  EXPECT_EQ(follow_of(cut), Follow::kAttempt);
  core::RetryPolicy policy = core::default_policy();
  policy.retry_on.cut_bodies = false;
  EXPECT_EQ(follow_of(cut, policy), Follow::kForbidden);
  const LoggedExchange reset = ended(posted(0ms, 0ms, kChat), ExchangeEnd::kCut);
  EXPECT_EQ(judge_logged(reset, policy).failure_class, "transport");
  EXPECT_EQ(judge_logged(reset, policy).error_chain,
            "the chat request failed: connection reset before the response headers");
  policy.retry_on.connection_failures = false;
  EXPECT_EQ(follow_of(reset, policy), Follow::kForbidden);
}

TEST(LoggedAnswer, ClientThatLeft) {
  const LoggedExchange early = ended(posted(0ms, 0ms, kChat), ExchangeEnd::kClientLeft);
  EXPECT_EQ(follow_of(early), Follow::kMayFollow);
  EXPECT_EQ(judge_logged(early, core::default_policy()).failure_class, "transport");
  const LoggedExchange inside = ended(answered(0ms, 0ms, 200, "{"), ExchangeEnd::kClientLeft);
  EXPECT_EQ(follow_of(inside), Follow::kMayFollow);
  EXPECT_EQ(judge_logged(inside, core::default_policy()).failure_class, "truncated_envelope");
  EXPECT_EQ(follow_of(ended(answered(0ms, 0ms, 503), ExchangeEnd::kClientLeft)), Follow::kAttempt);
  EXPECT_EQ(follow_of(ended(answered(0ms, 0ms, 401), ExchangeEnd::kClientLeft)),
            Follow::kForbidden);
}

TEST(LoggedAnswer, RetryAfterOfFailuresAlone) {
  LoggedExchange exchange = answered(0ms, 0ms, 429);
  exchange.retry_after = "2";
  EXPECT_EQ(judge_logged(exchange, core::default_policy()).retry_after_ms, 2'000U);
  exchange.status = 200;
  EXPECT_EQ(judge_logged(exchange, core::default_policy()).retry_after_ms, std::nullopt);
  exchange.retry_after = "Sun, 06 Nov 1994 08:49:37 GMT";
  EXPECT_FALSE(judge_logged(exchange, core::default_policy()).retry_after_is_date);
  exchange.status = 429;
  EXPECT_TRUE(judge_logged(exchange, core::default_policy()).retry_after_is_date);
  exchange.retry_after_ms = "5";  // Comes first.
  EXPECT_FALSE(judge_logged(exchange, core::default_policy()).retry_after_is_date);
}

}  // namespace
}  // namespace squall::live
