// SPDX-License-Identifier: MIT
#include "core/llm/synthesis.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/check.hpp"
#include "core/llm/operation_test_support.hpp"

namespace squall::core::llm {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using Ids = std::vector<std::size_t>;
using Play = OperationPlay<Synthesis>;

/// Agent 0 has items 0 and 1, agent 1 has items 2 and 3.
const ItemsByAgent kItems = {{"slow", "late"}, {"fast", "early"}};

constexpr std::string_view kList =
    "Agent 0:\n- 0: slow\n- 1: late\nAgent 1:\n- 2: fast\n- 3: early\n";

// First rounds.
constexpr std::string_view kEverything =
    R"({"summary":"s","groups":[{"heading":"h","contradiction":true,"members":[{"id":0},{"id":2}]},
        {"heading":"g","members":[{"id":1},{"id":3}]}],"ungrouped":[]})";
constexpr std::string_view kOneGroup =
    R"({"summary":"s","groups":[{"heading":"h","members":[{"id":0},{"id":2}]}],
        "ungrouped":[{"id":1},{"id":3}]})";
constexpr std::string_view kOneGroupOneDefect =
    R"({"summary":"s","groups":[{"heading":"h","members":[{"id":0},{"id":2}]},
        {"heading":"","members":[{"id":1},{"id":3}]}],"ungrouped":[]})";
constexpr std::string_view kSummaryOnly =
    R"({"summary":"s","groups":[],"ungrouped":[{"id":0},{"id":1},{"id":2},{"id":3}]})";
constexpr std::string_view kIncomplete =
    R"({"summary":"s","groups":[{"heading":"h","members":[{"id":0},{"id":2}]}],"ungrouped":[]})";
// Later rounds, after kOneGroup.
constexpr std::string_view kRest = R"({"groups":[{"heading":"g","members":[{"id":1},{"id":3}]}]})";
constexpr std::string_view kOneMore =
    R"({"groups":[{"heading":"g","members":[{"id":1}]}],"ungrouped":[{"id":3}]})";
constexpr std::string_view kNothingNew = R"({"ungrouped":[{"id":1},{"id":3}]})";
constexpr std::string_view kReferenceOnly =
    R"({"ungrouped":[{"id":1},{"id":3}],"references":[{"group":0,"member":{"id":3}}]})";

Synthesis synthesis_with(const RetryPolicy& policy, const ItemsByAgent& items = kItems,
                         bool metadata = kMetadata) {
  return Synthesis(policy, some_request(), items, RandomStream(kSeed), metadata);
}

Play playing(const RetryPolicy& policy = without_jitter(synthesis_policy()),
             const ItemsByAgent& items = kItems) {
  return Play(synthesis_with(policy, items));
}

RetryPolicy with_rounds(std::uint32_t rounds) {
  RetryPolicy policy = without_jitter(synthesis_policy());
  policy.budgets.attempts_max = rounds;
  return policy;
}

Play& propose(Play& play, std::string_view proposal) {
  return play.answer(200, text_body(proposal));
}

const SynthesisRepaired& repaired(const Play& play) {
  return std::get<SynthesisRepaired>(play.operation.result());
}
const SynthesisFallback& fallback(const Play& play) {
  return std::get<SynthesisFallback>(play.operation.result());
}

/// The classes of the trail.
Lines classes(const Play& play) {
  Lines labels;
  for (const LlmFailure& failure : play.operation.trail()) {
    labels.emplace_back(label(failure.failure_class));
  }
  return labels;
}

TEST(Synthesis, AWholeProposalEndsItInOneRound) {
  Play play = playing();
  play.start();
  play.now += seconds(3);
  propose(play, kEverything);
  EXPECT_EQ(play.orders, (Lines{"send 1", "request after 3s", "request after 3s", "finish"}));
  EXPECT_EQ(repaired(play).summary, "s");
  EXPECT_EQ(
      repaired(play).groups,
      (std::vector<FrozenGroup>{{.heading = "h", .contradiction = true, .members = {0, 2}},
                                {.heading = "g", .contradiction = false, .members = {1, 3}}}));
  EXPECT_EQ(repaired(play).remainder, Ids{});
  EXPECT_TRUE(repaired(play).trail.empty());
  EXPECT_EQ(play.operation.state(), OperationState::kFinished);
}

TEST(Synthesis, TheRowOfAnAcceptedRoundNamesTheRound) {
  Synthesis synthesis = synthesis_with(without_jitter(synthesis_policy()));
  const std::string first = text_body(kOneGroup);
  const std::string second = text_body(kRest);
  (void)synthesis.handle(OperationStarted{}, at(seconds(0)));
  (void)synthesis.handle(AttemptStarted{1}, at(seconds(0)));
  (void)synthesis.handle(headers(1, 200), at(seconds(1)));
  (void)synthesis.handle(BytesReceived{1, first}, at(seconds(1)));
  const Actions after_first = synthesis.handle(BodyEnded{1}, at(seconds(2)));
  ASSERT_EQ(show(after_first), "request after 2s, send 2");
  EXPECT_EQ(std::get<RecordRequest>(*after_first.begin()).accepted_round, 1U);
  (void)synthesis.handle(AttemptStarted{2}, at(seconds(3)));
  (void)synthesis.handle(headers(2, 200), at(seconds(4)));
  (void)synthesis.handle(BytesReceived{2, second}, at(seconds(4)));
  const Actions after_second = synthesis.handle(BodyEnded{2}, at(seconds(8)));
  ASSERT_EQ(show(after_second), "request after 5s, request after 8s, finish");
  EXPECT_EQ(std::get<RecordRequest>(*after_second.begin()).accepted_round, 2U);
  EXPECT_EQ(std::get<RecordRequest>(*(after_second.begin() + 1)).accepted_round, 0U);
}

TEST(Synthesis, ARoundWhoseStartWasNeverConfirmedCountsFromItsOrder) {
  Synthesis synthesis = synthesis_with(without_jitter(synthesis_policy()));
  const std::string first = text_body(kOneGroup);
  (void)synthesis.handle(OperationStarted{}, at(seconds(5)));
  (void)synthesis.handle(headers(1, 200), at(seconds(6)));
  (void)synthesis.handle(BytesReceived{1, first}, at(seconds(6)));
  EXPECT_EQ(show(synthesis.handle(BodyEnded{1}, at(seconds(7)))), "request after 2s, send 2");
}

TEST(Synthesis, WithoutMetadataNoRowsAreOrdered) {
  Play play(synthesis_with(without_jitter(synthesis_policy()), kItems, !kMetadata));
  propose(propose(play.start(), kOneGroup), kNothingNew);
  EXPECT_EQ(play.orders, (Lines{"send 1", "send 2", "finish"}));
  EXPECT_EQ(repaired(play).trail.size(), 1U);
}

TEST(Synthesis, LaterRoundsPlaceTheRest) {
  Play play = playing();
  propose(propose(play.start(), kOneGroup), kRest);
  EXPECT_EQ(repaired(play).groups.size(), 2U);
  EXPECT_EQ(repaired(play).groups[1].members, (Ids{1, 3}));
  EXPECT_EQ(play.orders.back(), "finish");
  EXPECT_EQ(play.operation.attempt(), 2U);
  EXPECT_TRUE(play.operation.trail().empty());
}

TEST(Synthesis, APartlyAcceptedRoundIsNoFailure) {
  Play play = playing();
  propose(play.start(), kOneGroupOneDefect);
  EXPECT_EQ(play.orders, (Lines{"send 1", "request after 0s", "send 2"}));
  EXPECT_TRUE(play.operation.trail().empty());
  EXPECT_THAT(play.bodies[1], HasSubstr("accepted in part"));
  EXPECT_THAT(play.bodies[1], HasSubstr("group 1: its heading is blank"));
}

TEST(Synthesis, ARejectedRoundIsOneFailureAndNoSuccess) {
  Play play = playing();
  propose(play.start(), kIncomplete);
  EXPECT_EQ(play.orders, (Lines{"send 1", "record 0 as 1 after 0s", "send 2"}));
  EXPECT_EQ(play.operation.trail()[0],
            (LlmFailure{FailureClass::kCompleteness,
                        "the proposal was rejected: neither in a group nor under \"ungrouped\": "
                        "items 1, 3",
                        "stop", std::nullopt}));
}

TEST(Synthesis, OneCauseARoundIsRecordedThoughAllAreTold) {
  Play play = playing();
  propose(play.start(),
          R"({"groups":[{"heading":"h","members":[{"id":9}]}],
              "ungrouped":[{"id":0},{"id":1},{"id":2},{"id":3}]})");
  EXPECT_EQ(classes(play), Lines{"validation_other"});
  EXPECT_EQ(play.operation.trail()[0].error_chain,
            "the proposal was rejected: the summary is missing; group 0: item 9 does not exist");
  EXPECT_THAT(play.bodies[1], HasSubstr("- the summary is missing\\n- group 0: item 9"));
}

TEST(Synthesis, AProposalThatPlacesNothingIsValidationOther) {
  Play play = playing();
  propose(propose(play.start(), kOneGroup), kNothingNew);
  EXPECT_EQ(classes(play), Lines{"validation_other"});
  EXPECT_EQ(play.operation.trail()[0].error_chain, "the proposal was rejected: it places nothing");
}

TEST(Synthesis, ItMakesAtMostThreeCalls) {
  Play play = playing();
  propose(propose(propose(play.start(), "x"), "y"), "z");
  EXPECT_EQ(play.bodies.size(), 3U);
  EXPECT_EQ(play.orders.back(), "finish");
  EXPECT_EQ(classes(play), (Lines{"parse", "parse", "parse"}));
  EXPECT_EQ(fallback(play).text, kList);
  EXPECT_EQ(fallback(play).exhausted.final_class, FailureClass::kParse);
  EXPECT_EQ(fallback(play).exhausted.last_raw, "z");
  EXPECT_EQ(fallback(play).exhausted.detail,
            "3 attempt(s) failed (last: parse): the answer is not a proposal: it is not JSON");
}

TEST(Synthesis, TheLastRoundEndsItWithWhatThereIs) {
  Play play = playing();
  propose(propose(propose(play.start(), kIncomplete), kOneGroup), kOneMore);
  EXPECT_EQ(repaired(play).groups.size(), 2U);
  EXPECT_EQ(repaired(play).remainder, Ids{3});
  EXPECT_EQ(classes(play), Lines{"completeness"});
  EXPECT_EQ(play.bodies.size(), 3U);
}

TEST(Synthesis, ALaterRoundThatFreezesNothingEndsIt) {
  for (const std::string_view later : {kNothingNew, kReferenceOnly, kIncomplete}) {
    Play play = playing();
    propose(propose(play.start(), kOneGroup), later);
    EXPECT_EQ(play.bodies.size(), 2U) << later;
    EXPECT_EQ(repaired(play).groups.size(), 1U);
    EXPECT_EQ(repaired(play).remainder, (Ids{1, 3}));
  }
}

TEST(Synthesis, AFirstRoundThatFreezesNothingDoesNotEndIt) {
  Play play = playing();
  propose(play.start(), kSummaryOnly);
  EXPECT_EQ(play.orders, (Lines{"send 1", "request after 0s", "send 2"}));
  propose(play, kSummaryOnly);
  EXPECT_EQ(play.orders.back(), "finish");
  EXPECT_EQ(classes(play), Lines{"validation_other"});
  EXPECT_EQ(fallback(play).text, kList);
}

TEST(Synthesis, AFirstProposalInALaterRoundEndsItWhenItFreezesNothing) {
  Play play = playing();
  play.start().refuse().sleep();
  propose(play, kIncomplete);
  EXPECT_EQ(play.bodies.size(), 2U);
  EXPECT_EQ(classes(play), (Lines{"transport", "completeness"}));
}

TEST(Synthesis, AFailedAttemptAndAnUnreadableAnswerAreNoLackOfProgress) {
  Play failed = playing();
  propose(failed.start(), kOneGroup).refuse().sleep();
  propose(failed, kRest);
  EXPECT_EQ(repaired(failed).groups.size(), 2U);

  Play unreadable = playing();
  propose(propose(propose(unreadable.start(), kOneGroup), "what?"), kRest);
  EXPECT_EQ(repaired(unreadable).groups.size(), 2U);
  EXPECT_EQ(classes(unreadable), Lines{"parse"});
}

TEST(Synthesis, APinnedItemNeedsNoFurtherRound) {
  Play play = playing();
  propose(propose(play.start(), kOneGroup),
          R"({"groups":[{"heading":"g","members":[{"id":1}]}],"ungrouped":[{"id":3}],
              "references":[{"group":0,"member":{"id":3}}]})");
  EXPECT_EQ(play.bodies.size(), 2U);
  EXPECT_EQ(repaired(play).references, (std::vector<FrozenReference>{{.group = 0, .item = 3}}));
  EXPECT_EQ(repaired(play).remainder, Ids{3});
}

TEST(Synthesis, RejectedAnswersAreFollowedWithoutASleep) {
  for (const std::string_view first : {kIncomplete, std::string_view("no JSON"), kSummaryOnly}) {
    Play play = playing();
    propose(play.start(), first);
    EXPECT_EQ(play.operation.state(), OperationState::kInFlight) << first;
    EXPECT_EQ(play.operation.attempt(), 2U);
  }
}

TEST(Synthesis, FailedAttemptsSleepByTheirOwnNumber) {
  Play play = playing();
  play.start().refuse();
  EXPECT_EQ(play.sleep(), seconds(30));
  play.refuse();
  EXPECT_EQ(play.sleep(), seconds(45));
  play.refuse();
  EXPECT_EQ(play.orders.back(), "finish");
  EXPECT_EQ(classes(play), (Lines{"transport", "transport", "transport"}));

  Play later = playing();
  propose(later.start(), "no JSON").refuse();
  EXPECT_EQ(later.sleep(), seconds(30));
}

TEST(Synthesis, AFailureInTheLastRoundIsNotFollowedByASleep) {
  Play play = playing();
  propose(propose(play.start(), "no JSON"), "no JSON").refuse();
  EXPECT_EQ(play.operation.state(), OperationState::kFinished);
  EXPECT_EQ(fallback(play).exhausted.final_class, FailureClass::kTransport);
  EXPECT_EQ(fallback(play).exhausted.last_raw, std::nullopt);
}

TEST(Synthesis, AnAnswerThatIsNoCompletionIsAFailedAttemptWhateverItsClass) {
  Play play = playing();
  play.start().answer(200, "not a chat completion");
  EXPECT_EQ(play.sleep(), seconds(30));
  play.answer(200, R"({"choices":[]})");
  EXPECT_EQ(play.sleep(), seconds(45));
  EXPECT_EQ(classes(play), (Lines{"parse", "no_response"}));
  EXPECT_EQ(play.bodies[2], play.bodies[0]);
}

TEST(Synthesis, RetryAfterDecidesASleep) {
  Play play = playing();
  play.start().answer(503, "x", "7");
  EXPECT_EQ(play.sleep(), seconds(7));
}

TEST(Synthesis, AToolCallIsNoProposal) {
  Play play = playing();
  play.start().answer(200, tool_call_body());
  EXPECT_EQ(play.operation.trail()[0],
            (LlmFailure{FailureClass::kParse, "the answer is not a proposal: it is a tool call",
                        "tool_calls", std::nullopt}));
}

TEST(Synthesis, AProposalThatWasCutOffKeepsItsFinishReason) {
  Play play = playing();
  play.start().answer(200, text_body(R"({"summary":"s","gro)", "length"));
  EXPECT_EQ(classes(play), Lines{"parse"});
  EXPECT_EQ(play.operation.trail()[0].finish_reason, "length");
}

TEST(Synthesis, TheFirstRequestHasNoReferencesInItsForm) {
  const std::string_view with_references = R"({"summary":"s","groups":[],"ungrouped":[{"id":0},
      {"id":1},{"id":2},{"id":3}],"references":[]})";
  Play play = playing();
  play.start().refuse().sleep();
  propose(play, with_references);  // The same bytes as in round 1, so the same form.
  EXPECT_EQ(play.operation.trail()[1].error_chain,
            "the answer is not a proposal: unknown field \"references\"");
  propose(play, with_references);
  EXPECT_EQ(play.operation.board().summary(), "s");
}

TEST(Synthesis, AHugeReasonIsCutInTheTrail) {
  std::string members;
  for (int id = 100; id < 1'000; ++id) {
    members += (members.empty() ? "" : ",") + (R"({"id":)" + std::to_string(id) + "}");
  }
  Play play = playing();
  propose(play.start(), R"({"groups":[{"heading":"h","members":[)" + members +
                            R"(]}],"ungrouped":[{"id":0},{"id":1},{"id":2},{"id":3}]})");
  EXPECT_LT(play.operation.trail()[0].error_chain.size(), 600U);
  EXPECT_LT(play.bodies[1].size(), 4'000U);
}

// --- what is sent -----------------------------------------------------------------------------

TEST(Synthesis, EverythingSentStaysAPrefix) {
  Play play = playing(with_rounds(5));
  propose(propose(play.start(), "no JSON"), kOneGroup).refuse().sleep();
  propose(play, kOneMore);
  ASSERT_EQ(play.bodies.size(), 5U);
  EXPECT_EQ(play.bodies[0], some_request()->body());
  const auto open = [](const std::string& body) { return body.substr(0, body.size() - 2); };
  EXPECT_THAT(play.bodies[1], StartsWith(open(play.bodies[0]) + R"(,{"role":"user","content":")"));
  EXPECT_THAT(play.bodies[2], StartsWith(open(play.bodies[1]) + R"(,{"role":"user","content":")"));
  EXPECT_EQ(play.bodies[3], play.bodies[2]);
  EXPECT_THAT(play.bodies[4], StartsWith(open(play.bodies[3]) + R"(,{"role":"user","content":")"));
}

TEST(Synthesis, AFailedAttemptIsSentAgainByteForByte) {
  Play play = playing();
  propose(play.start(), kOneGroup).refuse().sleep();
  EXPECT_NE(play.bodies[1], play.bodies[0]);
  EXPECT_EQ(play.bodies[2], play.bodies[1]);
}

TEST(Synthesis, ARepairRoundAsksOnlyForWhatIsOpen) {
  Play play = playing();
  propose(play.start(), kOneGroup);
  const std::string told = play.bodies[1].substr(play.bodies[0].size() - 2);
  EXPECT_THAT(told, HasSubstr("Round 2."));
  EXPECT_THAT(told, HasSubstr(R"(- group 0, \"h\", items 0 (agent 0) 2 (agent 1)\n)"));
  EXPECT_THAT(told, HasSubstr(R"(\n- 1 (agent 0): late\n- 3 (agent 1): early\n)"));
  EXPECT_THAT(told, Not(HasSubstr("slow")));
}

TEST(Synthesis, WhatIsToBeMendedOutlivesAnUnreadableAnswer) {
  Play play = playing();
  propose(propose(play.start(), kOneGroupOneDefect), "no JSON");
  EXPECT_THAT(play.bodies[2], HasSubstr("could not be read as a proposal"));
  const std::string told = play.bodies[2].substr(play.bodies[1].size() - 2);
  EXPECT_THAT(told, HasSubstr(R"(- group 1: its heading is blank\n)"
                              R"(- the answer is not a proposal: it is not JSON\n)"));
}

// --- how it ends otherwise --------------------------------------------------------------------

TEST(Synthesis, AFinalFailureEndsItWithWhatThereIs) {
  Play with = playing();
  propose(with.start(), kOneGroup).answer(401, "bad key");
  EXPECT_EQ(repaired(with).groups.size(), 1U);
  EXPECT_EQ(repaired(with).remainder, (Ids{1, 3}));
  EXPECT_EQ(classes(with), Lines{"non_retryable"});
  EXPECT_EQ(with.orders, (Lines{"send 1", "request after 0s", "send 2", "record 0 as 1 after 0s",
                                "request after 0s", "finish"}));

  Play without = playing();
  without.start().answer(401, "bad key");
  EXPECT_EQ(fallback(without).exhausted.final_class, FailureClass::kNonRetryable);
  EXPECT_EQ(fallback(without).exhausted.detail,
            "1 attempt(s) failed (last: non_retryable): the provider answered HTTP 401: bad key");
}

TEST(Synthesis, AShutdownEndsItWithWhatThereIs) {
  Play in_flight = playing();
  propose(in_flight.start(), kOneGroup).shut_down();
  EXPECT_EQ(repaired(in_flight).groups.size(), 1U);
  EXPECT_EQ(classes(in_flight), Lines{"shutdown"});

  Play asleep = playing();
  asleep.start().refuse().shut_down();
  EXPECT_EQ(fallback(asleep).exhausted.final_class, FailureClass::kShutdown);
  EXPECT_EQ(classes(asleep), Lines{"transport"});
  EXPECT_EQ(fallback(asleep).exhausted.detail,
            "1 attempt(s) failed (last: shutdown): the chat request failed: connection refused");

  Play rejected = playing();
  propose(rejected.start(), "no JSON").shut_down();
  EXPECT_EQ(classes(rejected), (Lines{"parse", "shutdown"}));
  EXPECT_EQ(fallback(rejected).exhausted.last_raw, std::nullopt);
}

TEST(Synthesis, TheTrailOfAFallbackIsNeverEmpty) {
  Play summary_only = playing(with_rounds(1));
  propose(summary_only.start(), kSummaryOnly);
  EXPECT_EQ(summary_only.orders,
            (Lines{"send 1", "request after 0s", "request after 0s", "finish"}));
  EXPECT_EQ(fallback(summary_only).exhausted.detail,
            "1 attempt(s) failed (last: validation_other): no group was accepted: there is a "
            "summary only");
  EXPECT_EQ(classes(summary_only), Lines{"validation_other"});

  Play no_call = playing(with_rounds(0));
  no_call.start();
  EXPECT_EQ(no_call.orders, (Lines{"request after 0s", "finish"}));
  EXPECT_EQ(fallback(no_call).exhausted.detail,
            "1 attempt(s) failed (last: validation_other): no group was accepted: there is no "
            "proposal");

  Play stopped = playing();
  stopped.shut_down();
  EXPECT_EQ(classes(stopped), Lines{"shutdown"});
  EXPECT_EQ(fallback(stopped).exhausted.final_class, FailureClass::kShutdown);
  EXPECT_EQ(fallback(stopped).text, kList);
}

TEST(Synthesis, WithoutItemsOneRoundIsMade) {
  Play play = playing(with_rounds(3), {{}, {}});
  propose(play.start(), R"({"summary":"s"})");
  EXPECT_EQ(play.bodies.size(), 1U);
  EXPECT_EQ(fallback(play).text, "");
  EXPECT_EQ(classes(play), Lines{"validation_other"});
}

TEST(Synthesis, GroupsWithoutASummaryAreAResult) {
  Play play = playing();
  propose(play.start(),
          R"({"groups":[{"heading":"h","members":[{"id":0},{"id":1},{"id":2},{"id":3}]}]})");
  EXPECT_EQ(repaired(play).summary, "");
  EXPECT_EQ(play.bodies.size(), 1U);
}

TEST(Synthesis, ATimeBudgetEndsItInsteadOfASleep) {
  RetryPolicy policy = without_jitter(synthesis_policy());
  policy.budgets.time = seconds(29);
  Play play = playing(policy);
  propose(play.start(), kOneGroup).refuse();
  EXPECT_EQ(play.orders.back(), "finish");
  EXPECT_EQ(repaired(play).groups.size(), 1U);
}

TEST(Synthesis, ANullRequestIsABug) {
  EXPECT_THROW(Synthesis(synthesis_policy(), nullptr, kItems, RandomStream(kSeed), kMetadata),
               CheckFailed);
}

}  // namespace
}  // namespace squall::core::llm
