// SPDX-License-Identifier: MIT
#include "core/llm/synthesis_board.hpp"

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace squall::core::llm {
namespace {

using Ids = std::vector<std::size_t>;
using Lines = std::vector<std::string>;

/// Agent 0 has items 0 and 1, agent 1 has none, agent 2 has items 2 and 3.
Board four_items() {
  return Board({{"a", "b"}, {}, {"c", "d"}});
}

ProposedGroup group(std::vector<ProposedId> members) {
  return {.heading = "h", .contradiction = false, .members = std::move(members)};
}
ProposedGroup contradiction(std::vector<ProposedId> members) {
  return {.heading = "h", .contradiction = true, .members = std::move(members)};
}
ProposedGroup blank(std::vector<ProposedId> members) {
  return {.heading = " \t\n", .contradiction = false, .members = std::move(members)};
}

Proposal proposal(std::vector<ProposedGroup> groups, std::vector<ProposedId> ungrouped,
                  std::vector<ProposedReference> references = {}) {
  return {.summary = "s",
          .groups = std::move(groups),
          .ungrouped = std::move(ungrouped),
          .references = std::move(references)};
}

/// A board on which item 0 (agent 0) makes group 0 and the summary is kept.
Board one_group_frozen() {
  Board board = four_items();
  EXPECT_EQ(board.apply(proposal({group({0})}, {1, 2, 3})).groups_frozen, 1U);
  return board;
}

TEST(SynthesisBoard, NumbersItemsOverAllAgents) {
  const Board board = four_items();
  ASSERT_EQ(board.items().size(), 4U);
  EXPECT_EQ(board.items()[1].agent, 0U);
  EXPECT_EQ(board.items()[2].agent, 2U);
  EXPECT_EQ(board.items()[2].text, "c");
  EXPECT_EQ(board.remainder(), (Ids{0, 1, 2, 3}));
  EXPECT_FALSE(board.complete());
}

TEST(SynthesisBoard, ACleanProposalIsTakenWhole) {
  Board board = four_items();
  const RoundVerdict verdict = board.apply(proposal({contradiction({0, 2}), group({3})}, {1}));
  EXPECT_EQ(verdict.groups_frozen, 2U);
  EXPECT_TRUE(verdict.summary_accepted);
  EXPECT_EQ(verdict.first_cause, std::nullopt);
  EXPECT_EQ(verdict.reasons, Lines{});
  EXPECT_EQ(board.groups(),
            (std::vector<FrozenGroup>{{.heading = "h", .contradiction = true, .members = {0, 2}},
                                      {.heading = "h", .contradiction = false, .members = {3}}}));
  EXPECT_EQ(board.remainder(), Ids{1});
  EXPECT_FALSE(board.complete());
}

TEST(SynthesisBoard, ItIsCompleteWhenEveryItemIsPlaced) {
  Board board = four_items();
  (void)board.apply(proposal({group({3, 1}), group({0, 2})}, {}));
  EXPECT_TRUE(board.complete());
  EXPECT_EQ(board.remainder(), Ids{});
}

TEST(SynthesisBoard, AMissingItemRejectsTheWholeRound) {
  Board board = four_items();
  const RoundVerdict verdict = board.apply(proposal({group({0})}, {2}));
  EXPECT_EQ(verdict.first_cause, FailureClass::kCompleteness);
  EXPECT_EQ(verdict.reasons, Lines{"neither in a group nor under \"ungrouped\": items 1, 3"});
  EXPECT_FALSE(verdict.accepted_anything());
  EXPECT_TRUE(board.groups().empty());
  EXPECT_EQ(board.summary(), std::nullopt);
}

TEST(SynthesisBoard, WhatADefectiveGroupNamesIsNotMissing) {
  Board board = four_items();
  const RoundVerdict verdict = board.apply(proposal({blank({0, 1, 2, 3})}, {}));
  EXPECT_EQ(verdict.first_cause, FailureClass::kValidationOther);
}

TEST(SynthesisBoard, AReferenceAloneDoesNotNameItsItem) {
  Board board = one_group_frozen();
  const RoundVerdict verdict = board.apply(proposal({}, {1, 3}, {{.group = 0, .member = 2}}));
  EXPECT_EQ(verdict.first_cause, FailureClass::kCompleteness);
  EXPECT_FALSE(board.is_pinned(2));
}

TEST(SynthesisBoard, TheFirstSummaryThatSaysSomethingStays) {
  Board board = four_items();
  Proposal next = proposal({}, {0, 1, 2, 3});
  next.summary = " \n";
  RoundVerdict verdict = board.apply(next);
  EXPECT_EQ(verdict.first_cause, FailureClass::kValidationOther);
  EXPECT_EQ(verdict.reasons, Lines{"the summary is missing"});
  next.summary = std::nullopt;
  EXPECT_EQ(board.apply(next).first_cause, FailureClass::kValidationOther);
  next.summary = "first";
  EXPECT_TRUE(board.apply(next).summary_accepted);
  next.summary = "second";
  verdict = board.apply(next);
  EXPECT_FALSE(verdict.summary_accepted);
  EXPECT_EQ(verdict.first_cause, std::nullopt);
  EXPECT_EQ(board.summary(), "first");
  next.summary = std::nullopt;
  EXPECT_EQ(board.apply(next).first_cause, std::nullopt);
}

TEST(SynthesisBoard, NothingAcceptedWithoutADefectCountsAsValidationOther) {
  Board board = one_group_frozen();
  const RoundVerdict verdict = board.apply(proposal({}, {1, 2, 3}));
  EXPECT_FALSE(verdict.accepted_anything());
  EXPECT_EQ(verdict.first_cause, std::nullopt);
  EXPECT_EQ(verdict.failure_class(), FailureClass::kValidationOther);
}

/// The class and the reason of the only group, item 0 being placed and item 3 pinned.
std::string rejection_of(const ProposedGroup& defective) {
  Board board = one_group_frozen();
  EXPECT_EQ(board.apply(proposal({}, {1, 2, 3}, {{.group = 0, .member = 3}})).references_accepted,
            1U);
  const RoundVerdict verdict = board.apply(proposal({defective}, {1, 2}));
  EXPECT_EQ(board.groups().size(), 1U);
  EXPECT_EQ(verdict.reasons.size(), 1U);
  return std::string(label(verdict.failure_class())) + ": " +
         (verdict.reasons.empty() ? "" : verdict.reasons[0]);
}

TEST(SynthesisBoard, EachDefectOfAGroupHasItsClass) {
  EXPECT_EQ(rejection_of(group({})), "membership: group 0: it has no members");
  EXPECT_EQ(rejection_of(group({1, 4})), "membership: group 0: item 4 does not exist");
  EXPECT_EQ(rejection_of(group({-1})), "membership: group 0: item -1 does not exist");
  EXPECT_EQ(rejection_of(group({std::numeric_limits<ProposedId>::max()})),
            "membership: group 0: item 9223372036854775807 does not exist");
  EXPECT_EQ(rejection_of(group({1, 2, 1})), "membership: group 0: item 1 is repeated");
  EXPECT_EQ(rejection_of(group({0, 2})), "membership: group 0: item 0 is in an accepted group");
  EXPECT_EQ(rejection_of(group({3})), "membership: group 0: item 3 is pinned to the remainder");
  EXPECT_EQ(rejection_of(blank({1})), "validation_other: group 0: its heading is blank");
  EXPECT_EQ(rejection_of(contradiction({1})),
            "contradiction_agents: group 0: its contradiction cites fewer than two agents");
}

TEST(SynthesisBoard, TheFirstDefectOfAGroupGivesTheClass) {
  EXPECT_EQ(rejection_of({.heading = "", .contradiction = true, .members = {1, 9}}),
            "membership: group 0: item 9 does not exist; its heading is blank; "
            "its contradiction cites fewer than two agents");
  EXPECT_EQ(rejection_of({.heading = "", .contradiction = true, .members = {1}}),
            "validation_other: group 0: its heading is blank; "
            "its contradiction cites fewer than two agents");
}

TEST(SynthesisBoard, MembersThatDoNotExistCiteNobody) {
  EXPECT_EQ(rejection_of(contradiction({1, 9})),
            "membership: group 0: item 9 does not exist; "
            "its contradiction cites fewer than two agents");
}

TEST(SynthesisBoard, ChecksComeInTheirOrder) {
  // Each proposal has the defect named and all that come later in the order.
  Board board = four_items();
  Proposal all = proposal({contradiction({0}), blank({1})}, {2, 3, 9}, {{.group = 5, .member = 1}});
  all.summary = "";
  Proposal incomplete = all;
  incomplete.ungrouped = {2, 9};
  EXPECT_EQ(board.apply(incomplete).first_cause, FailureClass::kCompleteness);
  RoundVerdict verdict = board.apply(all);
  EXPECT_EQ(verdict.first_cause, FailureClass::kValidationOther);
  EXPECT_EQ(
      verdict.reasons,
      (Lines{"the summary is missing", "group 0: its contradiction cites fewer than two agents",
             "group 1: its heading is blank", "ungrouped item 9 does not exist",
             "reference 0: there is no accepted group 5"}));
  all.summary = "s";
  EXPECT_EQ(board.apply(all).first_cause, FailureClass::kContradictionAgents);
  all.groups = {group({0}), group({1})};
  verdict = board.apply(all);
  EXPECT_EQ(verdict.first_cause, FailureClass::kMembership);
  EXPECT_EQ(verdict.reasons[0], "ungrouped item 9 does not exist");
  EXPECT_EQ(verdict.groups_frozen, 2U);
  all.groups = {};
  all.ungrouped = {2, 3};
  EXPECT_EQ(board.apply(all).first_cause, FailureClass::kValidationOther);
}

TEST(SynthesisBoard, TheFirstOfTwoDefectiveGroupsDecides) {
  Board board = four_items();
  EXPECT_EQ(board.apply(proposal({contradiction({0}), group({9})}, {1, 2, 3})).first_cause,
            FailureClass::kContradictionAgents);
  EXPECT_EQ(board.apply(proposal({group({9}), contradiction({0})}, {1, 2, 3})).first_cause,
            FailureClass::kMembership);
}

TEST(SynthesisBoard, ACleanGroupStaysThoughAnotherIsDropped) {
  Board board = four_items();
  const RoundVerdict verdict =
      board.apply(proposal({blank({0, 1}), group({2}), group({2, 3})}, {}));
  EXPECT_EQ(verdict.groups_frozen, 1U);
  EXPECT_EQ(verdict.reasons,
            (Lines{"group 0: its heading is blank", "group 2: item 2 is in an accepted group"}));
  EXPECT_EQ(board.remainder(), (Ids{0, 1, 3}));
}

TEST(SynthesisBoard, ADroppedGroupLeavesItsItemsToTheNextOne) {
  Board board = four_items();
  EXPECT_EQ(board.apply(proposal({blank({0, 1}), group({0, 1})}, {2, 3})).groups_frozen, 1U);
}

TEST(SynthesisBoard, WhatIsFrozenSurvivesEveryLaterRound) {
  Board board = one_group_frozen();
  const std::vector<FrozenGroup> frozen = board.groups();
  (void)board.apply(proposal({}, {}));
  (void)board.apply(proposal({group({0, 1})}, {2, 3}));
  EXPECT_EQ(board.groups(), frozen);
  EXPECT_EQ(board.summary(), "s");
  (void)board.apply(proposal({group({1, 2})}, {0, 3}));
  ASSERT_EQ(board.groups().size(), 2U);
  EXPECT_EQ(board.groups()[0], frozen[0]);
}

TEST(SynthesisBoard, ADeltaNeedsToNameOnlyWhatIsOpen) {
  Board board = one_group_frozen();
  const RoundVerdict verdict = board.apply(proposal({group({1, 3})}, {2}));
  EXPECT_EQ(verdict.groups_frozen, 1U);
  EXPECT_EQ(verdict.reasons, Lines{});
}

TEST(SynthesisBoard, PlacedAndPinnedUngroupedItemsAreIgnored) {
  Board board = one_group_frozen();
  (void)board.apply(proposal({}, {1, 2, 3}, {{.group = 0, .member = 3}}));
  EXPECT_EQ(board.apply(proposal({}, {0, 1, 2, 3})).reasons, Lines{});
}

TEST(SynthesisBoard, AReferencePinsItsItem) {
  Board board = one_group_frozen();
  const RoundVerdict verdict = board.apply(proposal({}, {1, 2, 3}, {{.group = 0, .member = 2}}));
  EXPECT_EQ(verdict.references_accepted, 1U);
  EXPECT_TRUE(verdict.accepted_anything());
  EXPECT_EQ(board.references(), (std::vector<FrozenReference>{{.group = 0, .item = 2}}));
  EXPECT_TRUE(board.is_pinned(2));
  EXPECT_EQ(board.remainder(), (Ids{1, 2, 3}));
  EXPECT_FALSE(board.groups()[0].contradiction);
}

TEST(SynthesisBoard, PinnedItemsNeedNotBeNamedAgainAndCountAsDone) {
  Board board = one_group_frozen();
  (void)board.apply(proposal({}, {1, 2, 3}, {{.group = 0, .member = 2}}));
  EXPECT_EQ(board.apply(proposal({group({1, 3})}, {})).groups_frozen, 1U);
  EXPECT_TRUE(board.complete());
  EXPECT_EQ(board.remainder(), Ids{2});
}

TEST(SynthesisBoard, AReferenceMayNameAGroupOfItsOwnRound) {
  Board board = four_items();
  const RoundVerdict verdict =
      board.apply(proposal({group({0})}, {1, 2, 3}, {{.group = 0, .member = 3}}));
  EXPECT_EQ(verdict.references_accepted, 1U);
}

/// The reasons for one reference to group 0 (item 0 of agent 0) or 1 (a contradiction, items 1, 2).
Lines refused(const ProposedReference& reference) {
  Board board = four_items();
  EXPECT_EQ(board.apply(proposal({group({0}), contradiction({1, 2})}, {3})).groups_frozen, 2U);
  const RoundVerdict verdict = board.apply(proposal({}, {3}, {reference}));
  EXPECT_EQ(verdict.references_accepted, 0U);
  EXPECT_TRUE(board.references().empty());
  Lines lines = verdict.reasons;
  lines.insert(lines.begin(), std::string(label(verdict.failure_class())));
  return lines;
}

TEST(SynthesisBoard, EachDefectOfAReferenceHasItsClass) {
  EXPECT_EQ(refused({.group = 2, .member = 3}),
            (Lines{"validation_other", "reference 0: there is no accepted group 2"}));
  EXPECT_EQ(refused({.group = -1, .member = 9}),
            (Lines{"validation_other", "reference 0: there is no accepted group -1"}));
  EXPECT_EQ(refused({.group = 0, .member = 4}),
            (Lines{"membership", "reference 0: item 4 does not exist"}));
  EXPECT_EQ(refused({.group = 0, .member = 1}),
            (Lines{"membership", "reference 0: item 1 is in an accepted group"}));
  EXPECT_EQ(refused({.group = 1, .member = 9}), Lines{"validation_other"});
  EXPECT_EQ(refused({.group = 1, .member = 3}), Lines{"validation_other"});
}

TEST(SynthesisBoard, AReferenceNeedsTwoAgentsItsOwnIncluded) {
  Board board = one_group_frozen();
  const RoundVerdict same_agent = board.apply(proposal({}, {1, 2, 3}, {{.group = 0, .member = 1}}));
  EXPECT_EQ(same_agent.first_cause, FailureClass::kContradictionAgents);
  EXPECT_EQ(same_agent.reasons, Lines{"reference 0: it cites fewer than two agents"});
  // A group of two agents is enough, whoever the item belongs to.
  Board mixed = four_items();
  (void)mixed.apply(proposal({group({0, 2})}, {1, 3}));
  EXPECT_EQ(mixed.apply(proposal({}, {1, 3}, {{.group = 0, .member = 1}})).references_accepted, 1U);
}

TEST(SynthesisBoard, ARepeatedReferenceIsIgnoredAndAnotherGroupIsNot) {
  Board board = four_items();
  (void)board.apply(proposal({group({0}), group({1})}, {2, 3}));
  const RoundVerdict verdict = board.apply(
      proposal({}, {2, 3},
               {{.group = 0, .member = 2}, {.group = 0, .member = 2}, {.group = 1, .member = 2}}));
  EXPECT_EQ(verdict.references_accepted, 2U);
  EXPECT_EQ(verdict.reasons, Lines{});
  EXPECT_EQ(board.apply(proposal({}, {3}, {{.group = 0, .member = 2}})).references_accepted, 0U);
  EXPECT_EQ(board.apply(proposal({group({3})}, {})).groups_frozen, 1U);
  EXPECT_TRUE(board.complete());
}

TEST(SynthesisBoard, WithoutItemsItIsCompleteFromTheStart) {
  Board board({{}, {}});
  EXPECT_TRUE(board.complete());
  EXPECT_EQ(board.apply(Proposal{}).first_cause, FailureClass::kValidationOther);
}

}  // namespace
}  // namespace squall::core::llm
