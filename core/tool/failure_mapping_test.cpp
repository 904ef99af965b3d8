// SPDX-License-Identifier: MIT
#include "core/tool/failure_mapping.hpp"

#include <chrono>
#include <vector>

#include <gtest/gtest.h>

#include "core/check.hpp"
#include "core/connector/model_text.hpp"
#include "core/connector/policy.hpp"
#include "core/tool/class_policy.hpp"
#include "core/tool/guidance.hpp"

namespace squall::core::tool {
namespace {

using connector::Kind;
using connector::Reach;
using connector::ToolCallFailure;
using std::chrono::seconds;

TEST(ToolMapping, EveryLlmClassHasAToolClassThatAgreesOnSendingAgain) {
  for (const llm::FailureClass failure_class : llm::kAllFailureClasses) {
    EXPECT_EQ(policy_of(class_of(failure_class)).retryable, llm::is_retryable(failure_class))
        << llm::label(failure_class);
    EXPECT_TRUE(check_code(llm::label(failure_class))) << llm::label(failure_class);
  }
}

TEST(ToolMapping, EveryKindHasAToolClassThatAgreesOnSendingAgain) {
  for (const Kind kind : connector::kAllKinds) {
    EXPECT_EQ(policy_of(class_of(kind)).retryable, connector::is_retryable(kind)) << token(kind);
    EXPECT_TRUE(check_code(token(kind))) << token(kind);
  }
}

TEST(ToolMapping, LlmClasses) {
  using From = llm::FailureClass;
  const std::vector<std::pair<From, FailureClass>> rows{
      {From::kTransport, FailureClass::kTransient},
      {From::kTruncatedEnvelope, FailureClass::kTransient},
      {From::kParse, FailureClass::kSelfReported},
      {From::kOutOfRangeScore, FailureClass::kSelfReported},
      {From::kMembership, FailureClass::kSelfReported},
      {From::kCompleteness, FailureClass::kSelfReported},
      {From::kContradictionAgents, FailureClass::kSelfReported},
      {From::kValidationOther, FailureClass::kSelfReported},
      {From::kTruncatedOutput, FailureClass::kSelfReported},
      {From::kNoResponse, FailureClass::kSelfReported},
      {From::kNonRetryable, FailureClass::kInternal},
      {From::kShutdown, FailureClass::kCancelled},
  };
  ASSERT_EQ(rows.size(), llm::kAllFailureClasses.size());
  for (const auto& [from, to] : rows) {
    EXPECT_EQ(class_of(from), to) << llm::label(from);
  }
}

TEST(ToolMapping, Kinds) {
  EXPECT_EQ(class_of(Kind::kTransport), FailureClass::kTransient);
  EXPECT_EQ(class_of(Kind::kAuth), FailureClass::kAuth);
  EXPECT_EQ(class_of(Kind::kApplication), FailureClass::kInvalidArgument);
  EXPECT_EQ(class_of(Kind::kConfig), FailureClass::kInternal);
}

TEST(ToolMapping, ANumberThatIsNoClassIsACheck) {
  EXPECT_THROW(static_cast<void>(class_of(static_cast<llm::FailureClass>(99))), CheckFailed);
  EXPECT_THROW(static_cast<void>(class_of(static_cast<Kind>(99))), CheckFailed);
}

ToolCallFailure call_failure(Kind kind, Reach last, bool may_have_taken_effect, bool stopped) {
  ToolCallFailure failure;
  failure.kind = kind;
  failure.last_reach = last;
  failure.may_have_taken_effect = may_have_taken_effect;
  failure.ending = stopped ? connector::CallEnding::kStopped : connector::CallEnding::kBudgetSpent;
  return failure;
}

TEST(ToolMapping, WhatTheAttemptsTellRefinesTransport) {
  const auto transport = [](Reach last, bool effect, bool stopped = false) {
    return class_of(call_failure(Kind::kTransport, last, effect, stopped));
  };
  EXPECT_EQ(transport(Reach::kNothingSent, false), FailureClass::kUnreachable);
  EXPECT_EQ(transport(Reach::kTurnedAway, false), FailureClass::kRateLimited);
  EXPECT_EQ(transport(Reach::kNothingSent, true), FailureClass::kTransient);
  EXPECT_EQ(transport(Reach::kTurnedAway, true), FailureClass::kTransient);
  EXPECT_EQ(transport(Reach::kSent, true), FailureClass::kTransient);
  EXPECT_EQ(transport(Reach::kTimedOut, true), FailureClass::kTimeout);
  EXPECT_EQ(transport(Reach::kSent, true, true), FailureClass::kCancelled);
  EXPECT_EQ(transport(Reach::kNothingSent, false, true), FailureClass::kCancelled);
}

TEST(ToolMapping, NoCallThatMayHaveTakenEffectIsCalledSafe) {
  for (const Kind kind : connector::kAllKinds) {
    for (const Reach last :
         {Reach::kNothingSent, Reach::kTurnedAway, Reach::kSent, Reach::kTimedOut}) {
      for (const bool stopped : {false, true}) {
        const FailureClass mapped = class_of(call_failure(kind, last, true, stopped));
        EXPECT_FALSE(policy_of(mapped).safe_to_resubmit) << label(mapped);
      }
    }
  }
}

/// Plays one call whose only attempt ends with `last`, a while after the budget.
connector::ToolCallResult call_that_ends_with(const std::vector<Event>& last) {
  const auto request = std::make_shared<const connector::ToolRequest>(
      *connector::ToolRequest::make(7, "find", "{}"));
  connector::ToolCall call(connector::connector_policy(),
                           {.request = request, .settings = std::nullopt}, RandomStream(1), false);
  static_cast<void>(call.handle(OperationStarted{}, Instant{}));
  for (const Event& event : last) {
    static_cast<void>(call.handle(event, Instant(seconds(30))));
  }
  return call.result();
}

TEST(ToolMapping, ACallIsFollowedFromTheWireToTheWordsOfTheModel) {
  const auto words = [](const std::vector<Event>& last, Idempotency idempotency) {
    const auto failure = std::get<ToolCallFailure>(call_that_ends_with(last));
    return to_text(guidance(failure_of(failure, idempotency)));
  };
  EXPECT_EQ(words({WakeupReached{}}, Idempotency::kUnspecified),
            "The service gave no answer in time. A smaller piece of work has a better chance to "
            "finish. Before the same call is sent again, find out whether the last one took "
            "effect.");
  EXPECT_EQ(words({WakeupReached{}}, Idempotency::kIdempotent),
            "The service gave no answer in time. A smaller piece of work has a better chance to "
            "finish. The same call can be sent again after a short pause.");
}

TEST(ToolMapping, AFailedCallKeepsItsTrailAsCauses) {
  ToolCallFailure failure = call_failure(Kind::kTransport, Reach::kTurnedAway, false, false);
  failure.message = connector::dial_message(Kind::kTransport);
  failure.trail = {{Kind::kTransport, "first", std::nullopt, std::nullopt},
                   {Kind::kTransport, "last", std::nullopt, 7'000}};
  const Failure described = failure_of(failure, Idempotency::kNotIdempotent);
  EXPECT_EQ(described.failure_class, FailureClass::kRateLimited);
  EXPECT_EQ(described.code, "transport_unreachable");
  EXPECT_EQ(described.message, "last");
  EXPECT_EQ(described.idempotency, Idempotency::kNotIdempotent);
  EXPECT_EQ(described.retry_after, seconds(7));
  EXPECT_EQ(described.causes, (CauseChain{{"last", nullptr}, {"first", nullptr}}));
  EXPECT_EQ(described.remediation_override, "");
}

TEST(ToolMapping, AStoppedCallIsCancelled) {
  const auto failure = std::get<ToolCallFailure>(call_that_ends_with({ShutdownRequested{}}));
  const Failure described = failure_of(failure, Idempotency::kIdempotent);
  EXPECT_EQ(described.failure_class, FailureClass::kCancelled);
  EXPECT_EQ(described.code, "shutdown");
  EXPECT_EQ(guidance(described).verdict, Verdict::kDoNotSendAgain);
}

TEST(ToolMapping, AnApplicationErrorPointsToTheConnectorsMessage) {
  ToolCallFailure failure = call_failure(Kind::kApplication, Reach::kSent, true, false);
  failure.message = "no such column";
  const Failure described = failure_of(failure, Idempotency::kIdempotent);
  EXPECT_EQ(described.failure_class, FailureClass::kInvalidArgument);
  EXPECT_EQ(described.message, "no such column");
  EXPECT_EQ(guidance(described).remediation,
            "The tool answered that the call failed. Change the call as its message says.");
  EXPECT_EQ(guidance(described).verdict, Verdict::kDoNotSendAgain);
}

TEST(ToolMapping, AFailedLlmOperation) {
  const llm::LlmExhausted exhausted(
      {{llm::FailureClass::kTransport, "HTTP 503", std::nullopt, 3'000},
       {llm::FailureClass::kOutOfRangeScore, "score 11", std::nullopt, std::nullopt}},
      llm::FailureClass::kOutOfRangeScore);
  const Failure described = failure_of(exhausted, Idempotency::kIdempotent);
  EXPECT_EQ(described.failure_class, FailureClass::kSelfReported);
  EXPECT_EQ(described.code, "out_of_range_score");
  EXPECT_EQ(described.message, "2 attempt(s) failed (last: out_of_range_score): score 11");
  EXPECT_EQ(described.retry_after, Duration{0});
  EXPECT_EQ(described.causes.size(), 2U);
  EXPECT_EQ(guidance(described).verdict, Verdict::kSendAgainNow);
}

}  // namespace
}  // namespace squall::core::tool
