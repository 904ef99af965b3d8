// SPDX-License-Identifier: MIT
#include "live/client_audit.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/connector/policy.hpp"
#include "live/client_log_test_support.hpp"

namespace squall::live {
namespace {

using namespace std::chrono_literals;
using core::Duration;
using core::Instant;
using testing::ElementsAre;
using testing::IsEmpty;

using Log = std::vector<LoggedExchange>;

std::vector<std::string> broken(const ClientAudit& audit) {
  std::vector<std::string> lines;
  for (const ClientViolation& violation : audit.violations) {
    lines.push_back(std::to_string(violation.operation) + "/" + std::to_string(violation.attempt) +
                    " " + std::string(label(violation.rule)) + ": " + violation.message);
  }
  return lines;
}

ClientAudit audit(const Log& log, const ClientAuditOptions& options = {},
                  const core::RetryPolicy& policy = sdk_policy()) {
  return audit_client(policy, log, options);
}

/// A 503 at 0, over at 10 ms, and its next attempt `gap` later.
Log two_calls(Duration gap) {
  return {answered(0ms, 10ms, 503), answered(10ms + gap, 20ms + gap, 200)};
}

Log after_retry_after(const std::string& seconds, Duration gap) {
  Log log = two_calls(gap);
  log.front().retry_after = seconds;
  return log;
}

TEST(ClientAudit, TwoFailuresAndAnAnswerInTime) {
  // Gaps 400 ms in [375, 499] and 900 ms in [750, 999].
  const ClientAudit found = audit(
      {answered(0ms, 10ms, 503), answered(410ms, 420ms, 503), answered(1'320ms, 1'330ms, 200)});
  EXPECT_THAT(broken(found), IsEmpty());
  ASSERT_EQ(found.operations.size(), 1U);
  const ClientOperation& operation = found.operations.front();
  EXPECT_EQ(operation.ending, ClientEnding::kAnswered);
  EXPECT_EQ(operation.target, "/v1/chat/completions");
  ASSERT_EQ(operation.attempts.size(), 3U);
  EXPECT_FALSE(operation.attempts[0].gap);
  EXPECT_EQ(operation.attempts[0].answer.failure_class, "transport");
  EXPECT_EQ(operation.attempts[1].gap->measured, 400ms);
  EXPECT_EQ(operation.attempts[1].gap->allowed, (core::SleepInterval{375, 499}));
  EXPECT_EQ(operation.attempts[2].gap->measured, 900ms);
  EXPECT_EQ(operation.attempts[2].gap->allowed, (core::SleepInterval{750, 999}));
  EXPECT_EQ(operation.attempts[2].answer.failure_class, "");
}

TEST(ClientAudit, NothingRecordedNothingBroken) {
  const ClientAudit found = audit({});
  EXPECT_TRUE(found.kept());
  EXPECT_THAT(found.operations, IsEmpty());
}

TEST(ClientAudit, BoundsOfTheGapToTheNanosecond) {
  // 375 ms less the granularity of 2 ms; 499 ms and the tolerance of 50 ms.
  EXPECT_THAT(broken(audit(two_calls(373ms))), IsEmpty());
  EXPECT_THAT(broken(audit(two_calls(549ms))), IsEmpty());
  EXPECT_THAT(
      broken(audit(two_calls(373ms - 1us))),
      ElementsAre("0/2 sleep_interval: attempt 2 came 372ms999us after attempt 1 had ended; "
                  "the policy waits 375ms to 499ms"));
  EXPECT_THAT(broken(audit(two_calls(549ms + 1us))),
              ElementsAre("0/2 sleep_interval: attempt 2 came 549ms1us after attempt 1 had ended; "
                          "the policy waits 375ms to 499ms, and 50ms are tolerated on top"));
  EXPECT_EQ(audit(two_calls(373ms - 1ns)).violations.size(), 1U);
  EXPECT_EQ(audit(two_calls(549ms + 1ns)).violations.size(), 1U);
}

TEST(ClientAudit, TimeScaleStretchesGranularityAndTolerance) {
  // Ten times faster: 375 - 20 and 499 + 10 * 3 of the record's milliseconds.
  const ClientAuditOptions options{.tolerance = 3ms, .time_scale = 10, .heard_until = {}};
  EXPECT_TRUE(audit(two_calls(355ms), options).kept());
  EXPECT_TRUE(audit(two_calls(529ms), options).kept());
  EXPECT_FALSE(audit(two_calls(355ms - 1ns), options).kept());
  EXPECT_FALSE(audit(two_calls(529ms + 1ns), options).kept());
}

TEST(ClientAudit, RetryAfterIsExact) {
  EXPECT_TRUE(audit(after_retry_after("2", 1'998ms)).kept());
  EXPECT_TRUE(audit(after_retry_after("2", 2'050ms)).kept());
  EXPECT_THAT(broken(audit(after_retry_after("2", 400ms))),
              ElementsAre("0/2 retry_after: attempt 2 came 400ms after attempt 1 had ended; "
                          "Retry-After 2s makes it 2s"));
  EXPECT_THAT(broken(audit(after_retry_after("2", 2'051ms))),
              ElementsAre("0/2 retry_after: attempt 2 came 2s51ms after attempt 1 had ended; "
                          "Retry-After 2s makes it 2s, and 50ms are tolerated on top"));
}

TEST(ClientAudit, RetryAfterByThePolicysRule) {
  // 61 s is above what the policy listens to: the schedule counts.
  EXPECT_TRUE(audit(after_retry_after("61", 400ms)).kept());
  EXPECT_FALSE(audit(after_retry_after("61", 61s)).kept());
  core::RetryPolicy clamping = sdk_policy();
  clamping.retry_after.clamp_min_ms = 5'000;
  clamping.retry_after.clamp_max_ms = 10'000;
  EXPECT_TRUE(audit(after_retry_after("2", 5s), {}, clamping).kept());
  EXPECT_TRUE(audit(after_retry_after("30", 10s), {}, clamping).kept());
  EXPECT_FALSE(audit(after_retry_after("30", 30s), {}, clamping).kept());
  Log both = after_retry_after("2", 20ms);
  both.front().retry_after_ms = "20";
  EXPECT_TRUE(audit(both).kept());
  EXPECT_EQ(audit(both).operations.front().attempts[1].gap->retry_after_ms, 20U);
}

TEST(ClientAudit, GapAfterADateIsNotJudged) {
  const Log log = after_retry_after("Sun, 06 Nov 1994 08:49:37 GMT", 7s);
  const ClientAudit found = audit(log);
  EXPECT_TRUE(found.kept());
  EXPECT_FALSE(found.operations.front().attempts[1].gap->allowed);
  // A policy that reads no dates follows its schedule.
  core::RetryPolicy no_dates = sdk_policy();
  no_dates.retry_after.http_date = false;
  EXPECT_FALSE(audit(log, {}, no_dates).kept());
}

TEST(ClientAudit, AttemptBudget) {
  const ClientAudit found =
      audit({answered(0ms, 0ms, 500), answered(400ms, 400ms, 500), answered(1'200ms, 1'200ms, 500),
             answered(2'900ms, 2'900ms, 500)});
  EXPECT_THAT(broken(found), ElementsAre("0/4 attempt_budget: attempt 4 was made; the policy "
                                         "allows 3"));
  EXPECT_EQ(found.operations.front().ending, ClientEnding::kSpent);
}

TEST(ClientAudit, TimeBudget) {
  core::RetryPolicy policy = sdk_policy();
  policy.budgets.time = 400ms;
  EXPECT_TRUE(audit(two_calls(440ms), {}, policy).kept());  // 450 ms after the start
  EXPECT_THAT(broken(audit(two_calls(441ms), {}, policy)),
              ElementsAre("0/2 attempt_budget: attempt 2 came 451ms after the first one; the time "
                          "budget is 400ms"));
}

TEST(ClientAudit, NothingAfterAFinalAnswer) {
  const Log log = {answered(0ms, 10ms, 401), answered(410ms, 420ms, 200)};
  EXPECT_THAT(broken(audit(log)),
              ElementsAre("0/2 no_call_after_final: attempt 2 came 400ms after attempt 1 had ended "
                          "with a final failure (non_retryable, HTTP 401)"));
  // A quota that is spent is final whatever the policy's statuses say: the core's own rule.
  const std::string quota = R"({"error":{"code":"insufficient_quota"}})";
  EXPECT_EQ(broken(audit({answered(0ms, 10ms, 429, quota), answered(410ms, 420ms, 200)})).size(),
            1U);
  EXPECT_TRUE(audit({answered(0ms, 10ms, 429), answered(410ms, 420ms, 200)}).kept());
}

TEST(ClientAudit, AnotherBodyAfterAFinalAnswerIsAnotherOperation) {
  const ClientAudit found =
      audit({answered(0ms, 10ms, 401), answered(20ms, 30ms, 200, "{}", R"({"model":"n"})")});
  EXPECT_TRUE(found.kept());
  ASSERT_EQ(found.operations.size(), 2U);
  EXPECT_EQ(found.operations[0].ending, ClientEnding::kFinal);
}

TEST(ClientAudit, TheSameAgainAfterAnAnswerIsAnotherOperation) {
  const ClientAudit found = audit({answered(0ms, 10ms, 200), answered(20ms, 30ms, 200)});
  EXPECT_TRUE(found.kept());
  EXPECT_EQ(found.operations.size(), 2U);
}

TEST(ClientAudit, ChangedBodyWithinTheInterval) {
  const std::string first = R"({"model":"m","messages":[{"role":"user","content":"hi"}]})";
  const std::string second = R"({"model":"m","messages":[{"role":"user","content":"ho"}]})";
  // {"model":"m","messages":[{"role":"user","content":"hi"}]}: 'i' is byte 51.
  const ClientAudit found =
      audit({answered(0ms, 0ms, 503, "{}", first), answered(400ms, 410ms, 200, "{}", second)});
  EXPECT_THAT(broken(found),
              ElementsAre("0/2 request_bytes: the body of attempt 2 differs from the one before at "
                          "byte " +
                          std::to_string(first.find("hi") + 1) +
                          " (JSON pointer \"/messages/0/content\")"));
  // Outside it nothing speaks for an attempt of the same operation.
  EXPECT_EQ(audit({answered(0ms, 0ms, 503, "{}", first), answered(100ms, 110ms, 200, "{}", second)})
                .operations.size(),
            2U);
  // Nor while something else of the client is under way.
  EXPECT_EQ(audit({answered(0ms, 0ms, 503, "{}", first),
                   answered(10ms, 600ms, 200, "{}", R"({"model":"x"})"),
                   answered(400ms, 410ms, 200, "{}", second)})
                .operations.size(),
            3U);
}

TEST(ClientAudit, ChangedBodyUnderTheSameIdempotencyKey) {
  const ClientAudit found = audit(
      {with_header(answered(0ms, 0ms, 503, "{}", R"({"a":1})"), "Idempotency-Key", "k"),
       with_header(answered(100ms, 110ms, 200, "{}", R"({ "a":1})"), "idempotency-key", "k")});
  EXPECT_THAT(broken(found),
              ElementsAre("0/2 sleep_interval: attempt 2 came 100ms after attempt 1 had ended; the "
                          "policy waits 375ms to 499ms",
                          "0/2 request_bytes: the body of attempt 2 differs from the one before at "
                          "byte 1 (the same JSON, written differently)"));
}

TEST(ClientAudit, ChangedIdempotencyKeyIsBrokenOtherHeadersAreNoted) {
  Log log = two_calls(400ms);
  log[0] = with_header(with_header(log[0], "Idempotency-Key", "one"), "X-Retry-Count", "0");
  log[1] = with_header(with_header(log[1], "idempotency-key", "two"), "x-retry-count", "1");
  const ClientAudit found = audit(log);
  EXPECT_THAT(broken(found), ElementsAre("0/2 idempotency_key: the idempotency key of attempt 2 is "
                                         "\"two\"; the one before had \"one\""));
  EXPECT_THAT(found.operations.front().attempts[1].headers,
              ElementsAre(HeaderDifference{"idempotency-key", "one", "two"},
                          HeaderDifference{"x-retry-count", "0", "1"}));
  log[0].headers.clear();
  EXPECT_THAT(broken(audit(log)), ElementsAre("0/2 idempotency_key: the idempotency key of attempt "
                                              "2 is \"two\"; the one before had none"));
}

TEST(ClientAudit, LeftBeforeTheTimeoutAndBackAgain) {
  core::RetryPolicy policy = sdk_policy();
  policy.timeouts.idle = 10s;
  const auto log = [](Duration waited) {
    return Log{ended(posted(0ms, waited, kChat), ExchangeEnd::kClientLeft),
               answered(waited + 400ms, waited + 410ms, 200)};
  };
  EXPECT_TRUE(audit(log(10s - 2ms), {}, policy).kept());
  EXPECT_TRUE(audit(log(10s + 50ms), {}, policy).kept());
  EXPECT_THAT(broken(audit(log(9s), {}, policy)),
              ElementsAre("0/1 idle_timeout: attempt 1 was left after 9s; the policy waits 10s"));
  EXPECT_THAT(broken(audit(log(10s + 51ms), {}, policy)),
              ElementsAre("0/1 idle_timeout: attempt 1 waited 10s51ms without bytes; the idle "
                          "timeout is 10s"));
  EXPECT_THAT(broken(audit(log(9s))),
              ElementsAre("0/1 idle_timeout: attempt 1 was left after 9s; the policy has no "
                          "timeout"));
  policy.timeouts.attempt = 5s;  // The earlier one counts.
  EXPECT_TRUE(audit(log(5s), {}, policy).kept());
  EXPECT_THAT(broken(audit(log(6s), {}, policy)),
              ElementsAre("0/1 idle_timeout: attempt 1 took 6s; the policy leaves an attempt after "
                          "5s"));
}

TEST(ClientAudit, LeftForGoodIsNotHeldAgainstTheClient) {
  const ClientAudit found =
      audit({ended(posted(0ms, 10ms, kChat), ExchangeEnd::kClientLeft)},
            {.tolerance = 50ms, .time_scale = 1, .heard_until = {{"a", Instant{1h}}}});
  EXPECT_TRUE(found.kept());
  EXPECT_EQ(found.operations.front().ending, ClientEnding::kLeft);
}

TEST(ClientAudit, LeftAfterTheStatusHadDecided) {
  // It need not read the body of a 503 to the end.
  Log log = two_calls(400ms);
  log.front().end = ExchangeEnd::kClientLeft;
  EXPECT_TRUE(audit(log).kept());
}

TEST(ClientAudit, GivenUpOnlyWhenOverdue) {
  const Log log = {answered(0ms, 10ms, 503)};
  // Due at 10 + 499 + 50 ms at the latest.
  const auto until = [](Duration at) {
    return ClientAuditOptions{
        .tolerance = 50ms, .time_scale = 1, .heard_until = {{"a", Instant{at}}}};
  };
  EXPECT_TRUE(audit(log).kept());
  EXPECT_TRUE(audit(log, until(559ms)).kept());
  EXPECT_EQ(audit(log, until(559ms)).operations.front().ending, ClientEnding::kOpen);
  EXPECT_THAT(broken(audit(log, until(559ms + 1ns))),
              ElementsAre("0/1 given_up: nothing followed attempt 1 (transport); the policy waits "
                          "375ms to 499ms and allows 3 attempts"));
  // Whatever else the client does shows that it could be heard.
  EXPECT_EQ(audit({log.front(), answered(560ms, 570ms, 200, "{}", R"({"model":"n"})")})
                .operations.front()
                .ending,
            ClientEnding::kGivenUp);
  core::RetryPolicy short_of_time = sdk_policy();
  short_of_time.budgets.time = 400ms;
  EXPECT_TRUE(audit(log, until(1h), short_of_time).kept());
}

TEST(ClientAudit, ClientsAndOperationsSideBySide) {
  const auto of = [](std::string client, LoggedExchange exchange) {
    exchange.client = std::move(client);
    return exchange;
  };
  const std::string other = R"({"model":"other"})";
  const ClientAudit found = audit(
      {of("b", answered(0ms, 10ms, 503)), of("a", answered(0ms, 10ms, 503)),
       of("a", answered(5ms, 15ms, 503, "{}", other)), of("a", answered(410ms, 420ms, 200)),
       of("b", answered(480ms, 490ms, 200)), of("a", answered(414ms, 420ms, 200, "{}", other))});
  EXPECT_THAT(broken(found), IsEmpty());
  ASSERT_EQ(found.operations.size(), 3U);
  EXPECT_EQ(found.operations[0].client, "b");
  EXPECT_EQ(found.operations[0].attempts[1].gap->measured, 470ms);
  EXPECT_EQ(found.operations[1].attempts[1].gap->measured, 400ms);
  EXPECT_EQ(found.operations[2].attempts[1].gap->measured, 399ms);
}

TEST(ClientAudit, RefusedConnectionsAreAttempts) {
  LoggedExchange refused;
  refused.client = "a";
  refused.end = ExchangeEnd::kRefused;
  const ClientAudit found = audit({refused, answered(100ms, 110ms, 200)});
  ASSERT_EQ(found.operations.size(), 1U);
  EXPECT_EQ(found.operations.front().target, "/v1/chat/completions");
  EXPECT_EQ(found.operations.front().attempts.front().answer.failure_class, "transport");
  EXPECT_THAT(broken(found), ElementsAre("0/2 sleep_interval: attempt 2 came 100ms after attempt 1 "
                                         "had ended; the policy waits 375ms to 499ms"));
  // Between two attempts it is the second one; bytes are compared across it.
  LoggedExchange second = refused;
  second.arrived_at = second.ended_at = Instant{400ms};
  EXPECT_THAT(broken(audit({answered(0ms, 0ms, 503), second, answered(1'200ms, 1'200ms, 200)})),
              IsEmpty());
}

TEST(ClientAudit, ToolCallsByTheConnectorsClasses) {
  const auto call = [](Duration from, Duration to, int status, const std::string& answer) {
    return of_form(answered(from, to, status, answer), WireForm::kToolCall, "3");
  };
  const std::string result = R"({"jsonrpc":"2.0","id":3,"result":{"content":[]}})";
  const std::string error = R"({"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"no"}})";
  const core::RetryPolicy policy = core::connector::connector_policy();
  // Equal jitter of 100 ms: [50, 100].
  EXPECT_TRUE(audit({call(0ms, 10ms, 400, ""), call(70ms, 80ms, 200, result)}, {}, policy).kept());
  EXPECT_THAT(broken(audit({call(0ms, 10ms, 403, ""), call(70ms, 80ms, 200, result)}, {}, policy)),
              ElementsAre("0/2 no_call_after_final: attempt 2 came 60ms after attempt 1 had ended "
                          "with a final failure (auth, HTTP 403)"));
  EXPECT_THAT(
      broken(audit({call(0ms, 10ms, 200, error), call(70ms, 80ms, 200, result)}, {}, policy)),
      ElementsAre("0/2 no_call_after_final: attempt 2 came 60ms after attempt 1 had ended with a "
                  "final failure (application, HTTP 200)"));
}

TEST(ClientAudit, TheSameAtTheSameTimeIsNotAfterAFinalAnswer) {
  // The second one came while the first one was still being answered, and is an operation itself.
  const ClientAudit found = audit({answered(0ms, 100ms, 401), answered(50ms, 120ms, 401)});
  EXPECT_THAT(broken(found), IsEmpty());
  EXPECT_EQ(found.operations.size(), 2U);
}

TEST(ClientAudit, NobodyIsBlamedForWhatTheServerGaveUp) {
  const LoggedExchange given_up = ended(answered(0ms, 10ms, 200, "{"), ExchangeEnd::kServerGaveUp);
  const ClientAudit found = audit({given_up, answered(20ms, 30ms, 200)});
  EXPECT_THAT(broken(found), IsEmpty());
  EXPECT_EQ(found.operations.front().ending, ClientEnding::kOpen);
}

TEST(ClientAudit, NobodyIsBlamedForWhatIsMissingAtTheEnd) {
  const Log log{answered(0ms, 10ms, 503)};
  const std::vector<std::pair<std::string, Instant>> heard{{"a", Instant{1h}}};
  EXPECT_FALSE(audit(log, {.heard_until = heard}).kept());
  EXPECT_TRUE(audit(log, {.heard_until = heard, .is_whole = false}).kept());
}

TEST(ClientAudit, ServerStoppedInTheMiddle) {
  const ClientAudit found = audit({ended(posted(0ms, 10ms, kChat), ExchangeEnd::kServerStopped)});
  EXPECT_TRUE(found.kept());
  EXPECT_EQ(found.operations.front().ending, ClientEnding::kOpen);
}

}  // namespace
}  // namespace squall::live
