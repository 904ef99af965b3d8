// SPDX-License-Identifier: MIT
//
// Every check of the audit, fed directly: first a course that keeps all promises, then the same
// course with one thing wrong.
#include "playback/audit.hpp"

#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/connector/policy.hpp"

namespace squall::playback {
namespace {

using core::Actions;
using core::Duration;
using core::Instant;
using core::llm::FailureClass;
using core::llm::LlmFailure;
using core::llm::LlmTrail;
using scenarios::OperationKind;
using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::chrono_literals;

const core::ChatRequest kRequest(R"("model":"m")", {R"({"role":"user","content":"hi"})"});
const core::ChatRequest kOther(R"("model":"n")", {R"({"role":"user","content":"hi"})"});

/// One operation under the default policy, told to the audit step by step.
class Course {
 public:
  explicit Course(bool telemetry = true, scenarios::OperationKind kind = OperationKind::kAgentChat,
                  const core::RetryPolicy& policy = core::default_policy())
      : policy_(policy) {
    audit_.begin(policy_, rules_of(kind), telemetry, Instant(0s));
  }
  Course(const Course&) = delete;
  Course& operator=(const Course&) = delete;

  Course& send(core::AttemptId attempt, Duration at, const core::ChatRequest& request = kRequest) {
    sent_ = attempt;
    ended_ = false;
    audit_.on_send(attempt, view_of(request), Instant(at));
    return *this;
  }
  Course& headers(core::AttemptId attempt, int status, Duration at,
                  std::optional<std::string_view> retry_after = std::nullopt) {
    audit_.on_event(core::HeadersReceived{.attempt = attempt,
                                          .head = {.status = status,
                                                   .content_length = {},
                                                   .retry_after = retry_after,
                                                   .retry_after_ms = {}},
                                          .received_at = {}},
                    Instant(at));
    return *this;
  }
  Course& event(const core::Event& event, Duration at) {
    ended_ = ended_ || std::holds_alternative<core::BodyEnded>(event) ||
             std::holds_alternative<core::AttemptFailed>(event);
    audit_.on_event(event, Instant(at));
    return *this;
  }
  /// The attempt failed: its record, and its row unless `row` says otherwise.
  Course& fail(Duration at, Duration took, FailureClass failure_class = FailureClass::kTransport,
               std::optional<core::RecordFailure> row = std::nullopt) {
    if (!ended_) {
      audit_.on_event(core::AttemptFailed{sent_, core::ConnectionFault::kReset, {}}, Instant(at));
    }
    return record(at, took, failure_class, row);
  }
  /// A failure is recorded, and nothing was heard of the end of the exchange.
  Course& record(Duration at, Duration took, FailureClass failure_class = FailureClass::kTransport,
                 std::optional<core::RecordFailure> row = std::nullopt) {
    trail_.push_back({failure_class, "because", std::nullopt, std::nullopt});
    const auto number = static_cast<std::uint32_t>(trail_.size());
    Actions actions;
    actions.add(row.value_or(core::RecordFailure{
        .trail_index = number - 1, .failure_index = number, .attempt_duration = took}));
    audit_.on_actions(actions, trail_, Instant(at));
    return *this;
  }
  /// One more record in the trail, which the next orders show.
  Course& add_to_trail() {
    trail_.push_back({FailureClass::kValidationOther, "nothing", std::nullopt, std::nullopt});
    return *this;
  }
  Course& orders(const std::vector<core::Action>& ordered, Duration at) {
    Actions actions;
    for (const core::Action& action : ordered) {
      actions.add(action);
    }
    audit_.on_actions(actions, trail_, Instant(at));
    return *this;
  }
  /// The operation ended at `at` with an answer, or without.
  Course& finish(Duration at, bool succeeded) {
    orders({core::RecordRequest{.duration = at}, core::FinishOperation{}}, at);
    audit_.on_end(trail_, true, succeeded, Instant(at));
    return *this;
  }
  Course& stop(Duration at) {
    audit_.on_end(trail_, false, false, Instant(at));
    return *this;
  }

  [[nodiscard]] std::vector<std::string> broken() const {
    std::vector<std::string> names;
    for (const Violation& violation : audit_.violations()) {
      names.emplace_back(label(violation.invariant));
    }
    return names;
  }
  [[nodiscard]] const Audit& audit() const { return audit_; }

 private:
  core::RetryPolicy policy_;
  core::AttemptId sent_ = 0;
  bool ended_ = false;
  Audit audit_;
  LlmTrail trail_;
};

TEST(Audit, CourseThatKeepsAllPromisesBreaksNothing) {
  Course course;
  course.send(1, 0s).headers(1, 429, 1s, "7").fail(1s, 1s);
  course.send(2, 8s).headers(2, 503, 9s).fail(9s, 1s);
  course.send(3, 19s).headers(3, 200, 20s).event(core::BodyEnded{3}, 20s).finish(20s, true);
  EXPECT_THAT(course.broken(), IsEmpty());
  EXPECT_EQ(course.audit().calls(), 3U);
}

TEST(Audit, SleepMustLieInItsInterval) {
  const auto after_sleep = [](Duration sleep) {
    return Course().send(1, 0s).fail(1s, 1s).send(2, 1s + sleep).broken();
  };
  EXPECT_THAT(after_sleep(3'750ms), IsEmpty());
  EXPECT_THAT(after_sleep(6'249ms), IsEmpty());
  EXPECT_THAT(after_sleep(3'749ms), ElementsAre("sleep_interval"));
  EXPECT_THAT(after_sleep(6'250ms), ElementsAre("sleep_interval"));
  EXPECT_THAT(after_sleep(5s + 1ns), ElementsAre("sleep_interval"));  // No whole millisecond.
}

TEST(Audit, RetryAfterMustBeObeyedExactlyAndOnce) {
  const auto after_sleep = [](Duration sleep) {
    return Course().send(1, 0s).headers(1, 429, 0s, "7").fail(0s, 0s).send(2, sleep).broken();
  };
  EXPECT_THAT(after_sleep(7s), IsEmpty());
  EXPECT_THAT(after_sleep(7s + 1ms), ElementsAre("sleep_interval"));
  EXPECT_THAT(after_sleep(5s), ElementsAre("sleep_interval"));
  Course twice;
  twice.send(1, 0s).headers(1, 429, 0s, "7").fail(0s, 0s).send(2, 7s).headers(2, 503, 7s);
  twice.fail(7s, 0s).send(3, 14s);  // Slot 1 allows 7.5 s at the least.
  EXPECT_THAT(twice.broken(), ElementsAre("sleep_interval"));
}

TEST(Audit, CallsAreBoundAndNumbered) {
  Course course;
  Duration at{0};
  for (core::AttemptId attempt = 1; attempt <= 13; ++attempt) {
    course.send(attempt, at).fail(at, 0s);
    // The least sleep of each slot.
    at += core::from_milliseconds(core::sleep_interval(core::default_policy(), attempt - 1).min_ms);
  }
  EXPECT_THAT(course.broken(), IsEmpty());
  EXPECT_THAT(course.send(14, at).broken(), ElementsAre("attempt_budget"));
  EXPECT_THAT(Course().send(2, 0s).broken(), ElementsAre("attempt_budget"));
  EXPECT_THAT(Course().send(1, 0s).send(1, 0s).broken(), ElementsAre("attempt_budget"));
}

TEST(Audit, BytesOfEveryRequestAreTheFirstOnes) {
  EXPECT_THAT(Course().send(1, 0s).fail(0s, 0s).send(2, 5s, kOther).broken(),
              ElementsAre("request_bytes"));
}

/// A complete chat answer in attempt `attempt` at `at`.
Course& answered(Course& course, core::AttemptId attempt, Duration at) {
  static const std::string kBody =
      R"({"choices":[{"message":{"role":"assistant","content":"no"},"finish_reason":"stop"}]})";
  return course.headers(attempt, 200, at)
      .event(core::BytesReceived{attempt, kBody}, at)
      .event(core::BodyEnded{attempt}, at);
}

const core::ChatRequest kAppended = kRequest.appended(R"({"role":"user","content":"again"})");
const core::ChatRequest kAppendedTwice = kAppended.appended(R"({"role":"user","content":"more"})");
const core::ChatRequest kOtherFeedback =
    kRequest.appended(R"({"role":"user","content":"shorter"})");

TEST(Audit, MessagesMayBeAddedAfterAnAnswerAndOnlyThere) {
  const auto second_request = [](OperationKind kind, const core::ChatRequest& request) {
    Course course(true, kind);
    answered(course.send(1, 0s), 1, 1s).fail(1s, 1s, FailureClass::kParse);
    return course.send(2, 6s, request).broken();
  };
  EXPECT_THAT(second_request(OperationKind::kExtraction, kAppended), IsEmpty());
  EXPECT_THAT(second_request(OperationKind::kExtraction, kRequest), IsEmpty());
  EXPECT_THAT(second_request(OperationKind::kExtraction, kOther), ElementsAre("request_bytes"));
  EXPECT_THAT(second_request(OperationKind::kAgentChat, kAppended), ElementsAre("request_bytes"));
  // No answer: nothing to react to.
  Course course(true, OperationKind::kExtraction);
  course.send(1, 0s).headers(1, 503, 1s).fail(1s, 1s).send(2, 6s, kAppended);
  EXPECT_THAT(course.broken(), ElementsAre("request_bytes"));
}

TEST(Audit, FeedbackMayBeReplacedWhereTheKindSaysSo) {
  const auto third_request = [](OperationKind kind, const core::ChatRequest& request) {
    Course course(true, kind);
    answered(course.send(1, 0s), 1, 1s).fail(1s, 1s, FailureClass::kNoResponse);
    answered(course.send(2, 1s, kAppended), 2, 2s).fail(2s, 1s, FailureClass::kNoResponse);
    return course.send(3, 2s, request).broken();
  };
  EXPECT_THAT(third_request(OperationKind::kResearchSynthesis, kOtherFeedback), IsEmpty());
  EXPECT_THAT(third_request(OperationKind::kResearchSynthesis, kOther),
              ElementsAre("request_bytes"));
  EXPECT_THAT(third_request(OperationKind::kContinuation, kAppendedTwice), IsEmpty());
  EXPECT_THAT(third_request(OperationKind::kContinuation, kOtherFeedback),
              ElementsAre("request_bytes"));
}

TEST(Audit, SleepsOfASynthesisFollowItsFailedExchanges) {
  // 30 s (22.5 to 37.499) after the first failed exchange, 45 s (33.75 to 56.249) after the second,
  // whatever rounds lie between; none after an answer.
  const auto third_call_after = [](Duration sleep, bool answer_between) {
    Course course(true, OperationKind::kSynthesis, core::synthesis_policy());
    course.send(1, 0s).fail(0s, 0s);
    course.send(2, 30s);
    if (answer_between) {
      answered(course, 2, 31s);
      course.fail(31s, 1s, FailureClass::kParse);
    } else {
      course.fail(31s, 1s);
    }
    return course.send(3, 31s + sleep).broken();
  };
  EXPECT_THAT(third_call_after(45s, false), IsEmpty());
  EXPECT_THAT(third_call_after(30s, false), ElementsAre("sleep_interval"));
  EXPECT_THAT(third_call_after(0s, true), IsEmpty());
  EXPECT_THAT(third_call_after(45s, true), ElementsAre("sleep_interval"));
}

TEST(Audit, AContinuationNeverSleeps) {
  Course course(true, OperationKind::kContinuation, core::continuation_policy());
  course.send(1, 0s).headers(1, 429, 1s, "7").fail(1s, 1s).send(2, 1s).fail(1s, 0s);
  EXPECT_THAT(course.broken(), IsEmpty());
  EXPECT_THAT(course.send(3, 8s).broken(), ElementsAre("sleep_interval"));
}

TEST(Audit, AcceptedRoundIsNoFailureAndNeverBoth) {
  const auto round = [](std::uint32_t number, Duration took) {
    return core::RecordRequest{.duration = took, .accepted_round = number};
  };
  Course course(true, OperationKind::kSynthesis, core::synthesis_policy());
  answered(course.send(1, 0s), 1, 1s).orders({round(1, 1s)}, 1s);
  answered(course.send(2, 1s), 2, 3s).orders({round(2, 2s)}, 3s).finish(3s, true);
  EXPECT_THAT(course.broken(), IsEmpty());
  EXPECT_EQ(course.audit().calls_wasted(), 0U);

  Course both(true, OperationKind::kSynthesis, core::synthesis_policy());
  answered(both.send(1, 0s), 1, 1s).orders({round(1, 1s)}, 1s).fail(1s, 1s, FailureClass::kParse);
  EXPECT_THAT(both.broken(), testing::Contains("trail_complete"));
  Course wrong(true, OperationKind::kSynthesis, core::synthesis_policy());
  answered(wrong.send(1, 0s), 1, 1s).orders({round(2, 1s)}, 1s);
  EXPECT_THAT(wrong.broken(), ElementsAre("telemetry_equals_trail"));
  Course unanswered(true, OperationKind::kSynthesis, core::synthesis_policy());
  unanswered.send(1, 0s).headers(1, 503, 1s).orders({round(1, 1s)}, 1s);
  EXPECT_THAT(unanswered.broken(), ElementsAre("telemetry_equals_trail"));
}

TEST(Audit, TimeBudgetBoundsTheStartOfEveryCall) {
  const core::RetryPolicy policy = core::connector::connector_policy();
  Course course(true, OperationKind::kToolCall, policy);
  course.send(1, 0s).fail(1900ms, 1900ms);
  EXPECT_THAT(course.send(2, 2000ms).broken(), IsEmpty());
  Course late(true, OperationKind::kToolCall, policy);
  late.send(1, 0s).fail(1901ms, 1901ms);
  EXPECT_THAT(late.send(2, 2001ms).broken(), ElementsAre("attempt_budget"));
}

TEST(Audit, WholeAttemptHasItsOwnTimeout) {
  Course course(true, OperationKind::kToolCall, core::connector::connector_policy());
  course.send(1, 0s).event(core::WakeupReached{}, 30s);
  EXPECT_THAT(course.broken(), IsEmpty());
  EXPECT_THAT(course.event(core::WakeupReached{}, 30s + 1ns).broken(), ElementsAre("idle_timeout"));
}

TEST(Audit, StoredRowsEqualTheTrail) {
  const core::llm::LlmTrail trail{{FailureClass::kParse, "because", "length", 7'000U}};
  const core::FailureRow right{.recorded_at = {},
                               .operation_id = "o",
                               .attempt = 1,
                               .failure_class = "parse",
                               .finish_reason = "length",
                               .retry_after_ms = 7'000U,
                               .error_chain = "because",
                               .attempt_duration = 1s};
  const auto broken_by = [&](auto change) {
    core::FailureRow row = right;
    change(row);
    Course course;
    Audit audit = course.audit();
    audit.on_stored(row, {.trail_index = 0, .failure_index = 1, .attempt_duration = 1s},
                    TrailView(trail)[0], Instant(0s));
    return audit.violations().size();
  };
  EXPECT_EQ(broken_by([](core::FailureRow&) {}), 0U);
  EXPECT_EQ(broken_by([](core::FailureRow& row) { row.failure_class = "transport"; }), 1U);
  EXPECT_EQ(broken_by([](core::FailureRow& row) { row.finish_reason.reset(); }), 1U);
  EXPECT_EQ(broken_by([](core::FailureRow& row) { row.retry_after_ms = 7U; }), 1U);
  EXPECT_EQ(broken_by([](core::FailureRow& row) { row.error_chain.clear(); }), 1U);
  EXPECT_EQ(broken_by([](core::FailureRow& row) { row.attempt = 2; }), 1U);
  EXPECT_EQ(broken_by([](core::FailureRow& row) { row.attempt_duration.reset(); }), 1U);
}

TEST(Audit, NoCallAfterAFinalFailureOrAShutdown) {
  EXPECT_THAT(Course()
                  .send(1, 0s)
                  .headers(1, 404, 1s)
                  .fail(1s, 1s, FailureClass::kNonRetryable)
                  .send(2, 6s)
                  .broken(),
              ElementsAre("no_call_after_final"));
  // The status decides too, whatever class the operation gave it.
  EXPECT_THAT(Course().send(1, 0s).headers(1, 401, 1s).fail(1s, 1s).send(2, 6s).broken(),
              ElementsAre("no_call_after_final"));
  Course stopped;
  stopped.send(1, 0s).fail(0s, 0s).event(core::ShutdownRequested{}, 2s).finish(2s, false);
  EXPECT_THAT(stopped.send(2, 5s).broken(), ElementsAre("no_call_after_final"));
}

TEST(Audit, TrailHoldsEveryFailedAttemptOnce) {
  EXPECT_THAT(Course().fail(0s, 0s).broken(), ElementsAre("trail_complete"));  // No attempt at all.
  Course lost;
  lost.send(1, 0s).send(2, 5s);  // Attempt 1 left no record.
  EXPECT_THAT(lost.broken(), testing::Contains("trail_complete"));
  Course unrecorded;
  unrecorded.send(1, 0s).finish(1s, false);
  EXPECT_THAT(unrecorded.broken(), ElementsAre("trail_complete"));
}

TEST(Audit, RowsEqualTheTrail) {
  const auto with_row = [](core::RecordFailure row) {
    return Course().send(1, 0s).fail(1s, 1s, FailureClass::kTransport, row).broken();
  };
  EXPECT_THAT(with_row({.trail_index = 0, .failure_index = 2, .attempt_duration = 1s}),
              ElementsAre("trail_complete"));
  EXPECT_THAT(with_row({.trail_index = 1, .failure_index = 1, .attempt_duration = 1s}),
              ElementsAre("trail_complete"));
  EXPECT_THAT(with_row({.trail_index = 0, .failure_index = 1, .attempt_duration = 2s}),
              ElementsAre("telemetry_equals_trail"));
  EXPECT_THAT(with_row({.trail_index = 0, .failure_index = 1, .attempt_duration = std::nullopt}),
              ElementsAre("telemetry_equals_trail"));
}

TEST(Audit, RequestRowIsWrittenOnceWithTheRightDuration) {
  const auto ended = [](const std::vector<core::Action>& rows) {
    Course course;
    course.send(1, 0s).headers(1, 200, 1s).orders(rows, 1s);
    Audit audit = course.audit();
    audit.on_end({}, true, true, Instant(1s));
    std::vector<std::string> names;
    for (const Violation& violation : audit.violations()) {
      names.emplace_back(label(violation.invariant));
    }
    return names;
  };
  const core::RecordRequest right{.duration = 1s};
  EXPECT_THAT(ended({right}), IsEmpty());
  EXPECT_THAT(ended({}), ElementsAre("telemetry_equals_trail"));
  EXPECT_THAT(ended({right, right}), ElementsAre("telemetry_equals_trail"));
  EXPECT_THAT(ended({core::RecordRequest{.duration = 2s}}), ElementsAre("telemetry_equals_trail"));
}

TEST(Audit, NothingIsWrittenWithoutMetadata) {
  EXPECT_THAT(Course(/*telemetry=*/false).send(1, 0s).fail(1s, 1s).broken(),
              ElementsAre("telemetry_equals_trail"));
}

TEST(Audit, WaitBeyondTheIdleTimeoutIsSeenWhateverEndsIt) {
  const auto waited = [](const core::Event& end, Duration at) {
    return Course().send(1, 0s).event(end, at).broken();
  };
  const core::AttemptFailed reset{
      .attempt = 1, .fault = core::ConnectionFault::kReset, .detail = {}};
  EXPECT_THAT(waited(reset, 600s), IsEmpty());
  EXPECT_THAT(waited(reset, 600s + 1ns), ElementsAre("idle_timeout"));
  EXPECT_THAT(waited(core::WakeupReached{}, 601s), ElementsAre("idle_timeout"));
  EXPECT_THAT(Course().send(1, 0s).headers(1, 200, 601s).broken(), ElementsAre("idle_timeout"));
  EXPECT_THAT(Course().send(1, 0s).stop(601s).broken(), ElementsAre("idle_timeout"));
  Course stalled;
  stalled.send(1, 0s).headers(1, 200, 1s).event(core::BytesReceived{1, "x"}, 2s);
  EXPECT_THAT(stalled.event(core::BodyEnded{1}, 603s).broken(), ElementsAre("idle_timeout"));
}

TEST(Audit, NothingIsCutWhileBytesFlow) {
  const auto cut = [](Duration at) {
    Course course;
    course.send(1, 0s).headers(1, 200, 1s).event(core::BytesReceived{1, "x"}, 2s);
    return course.orders({core::AbandonAttempt{1}}, at).broken();
  };
  EXPECT_THAT(cut(602s), IsEmpty());
  EXPECT_THAT(cut(602s - 1ns), ElementsAre("idle_timeout"));
}

TEST(Audit, AnAttemptThatIsGivenUpWithoutAReasonIsSeenWhateverIsOrdered) {
  // Recorded at the first bytes, and at the headers, with no order to abandon.
  EXPECT_THAT(Course()
                  .send(1, 0s)
                  .headers(1, 200, 1s)
                  .event(core::BytesReceived{1, "x"}, 2s)
                  .record(2s, 2s)
                  .broken(),
              ElementsAre("idle_timeout"));
  EXPECT_THAT(Course().send(1, 0s).headers(1, 200, 1s).record(1s, 1s).broken(),
              ElementsAre("idle_timeout"));
  EXPECT_THAT(Course().send(1, 0s).headers(1, 200, 1s).record(601s, 601s).broken(), IsEmpty());
}

TEST(Audit, WhatThePolicyLeavesOutIsFinalByWhatWasSeen) {
  const auto next_call = [](auto change, auto exchange) {
    core::RetryPolicy policy = core::default_policy();
    change(policy.retry_on);
    Course course(true, OperationKind::kAgentChat, policy);
    exchange(course.send(1, 0s));
    return course.fail(1s, 1s).send(2, 6s).broken();
  };
  const auto nothing = [](core::RetryOn&) {};
  const auto refused = [](Course& course) {
    course.event(core::AttemptFailed{1, core::ConnectionFault::kReset, {}}, 1s);
  };
  const auto cut = [](Course& course) {
    course.headers(1, 200, 1s).event(core::AttemptFailed{1, core::ConnectionFault::kReset, {}}, 1s);
  };
  const auto page = [](Course& course) {
    course.headers(1, 200, 1s).event(core::BodyEnded{1}, 1s);
  };
  const auto no_connections = [](core::RetryOn& on) { on.connection_failures = false; };
  const auto no_cuts = [](core::RetryOn& on) { on.cut_bodies = false; };
  const auto no_pages = [](core::RetryOn& on) { on.unusable_answers = false; };
  EXPECT_THAT(next_call(nothing, refused), IsEmpty());
  EXPECT_THAT(next_call(no_connections, refused), ElementsAre("no_call_after_final"));
  EXPECT_THAT(next_call(no_connections, cut), IsEmpty());
  EXPECT_THAT(next_call(nothing, cut), IsEmpty());
  EXPECT_THAT(next_call(no_cuts, cut), ElementsAre("no_call_after_final"));
  EXPECT_THAT(next_call(no_cuts, page), IsEmpty());
  EXPECT_THAT(next_call(nothing, page), IsEmpty());
  EXPECT_THAT(next_call(no_pages, page), ElementsAre("no_call_after_final"));
}

TEST(Audit, ATrailOnlyRecordGoesIntoAnEmptyTrailAlone) {
  const std::vector<core::Action> end{core::RecordRequest{.duration = 1s}, core::FinishOperation{}};
  Course empty(true, OperationKind::kSynthesis, core::synthesis_policy());
  empty.add_to_trail().orders(end, 1s);
  EXPECT_THAT(empty.broken(), IsEmpty());
  Course beside(true, OperationKind::kSynthesis, core::synthesis_policy());
  beside.send(1, 0s).fail(1s, 1s).add_to_trail().orders(end, 1s);
  EXPECT_THAT(beside.broken(), testing::Contains("trail_complete"));
}

TEST(Audit, ShutdownEndsTheOperationAtOnce) {
  Course late;
  late.send(1, 0s).fail(0s, 0s).event(core::ShutdownRequested{}, 2s).orders({}, 2s);
  EXPECT_THAT(late.broken(), ElementsAre("prompt_shutdown"));
}

TEST(Audit, BeginsAnewForTheNextOperation) {
  Course course;
  course.send(2, 0s);
  Audit audit = course.audit();
  const core::RetryPolicy policy = core::default_policy();
  audit.begin(policy, {}, true, Instant(0s));
  EXPECT_THAT(audit.violations(), IsEmpty());
  EXPECT_EQ(audit.checks(), CheckCounts{});
}

}  // namespace
}  // namespace squall::playback
