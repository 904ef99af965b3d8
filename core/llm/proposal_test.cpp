// SPDX-License-Identifier: MIT
#include "core/llm/proposal.hpp"

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace squall::core::llm {
namespace {

std::string refusal(std::string_view text, ProposalForm form = ProposalForm::kDelta) {
  const Expected<Proposal, Error> proposal = parse_proposal(text, form);
  return proposal ? "accepted" : to_string(proposal.error());
}

constexpr std::string_view kWhole =
    R"({"summary": "s", "groups": [{"heading": "h", "contradiction": true,
        "members": [{"id": 0}, {"id": 2}]}, {"heading": "", "members": []}],
        "ungrouped": [{"id": 1}], "references": [{"group": 0, "member": {"id": 1}},
                                                 {"group": -1, "member": 7}]})";

TEST(Proposal, ReadsEveryField) {
  const Proposal expected{.summary = "s",
                          .groups = {{.heading = "h", .contradiction = true, .members = {0, 2}},
                                     {.heading = "", .contradiction = false, .members = {}}},
                          .ungrouped = {1},
                          .references = {{.group = 0, .member = 1}, {.group = -1, .member = 7}}};
  EXPECT_EQ(parse_proposal(kWhole, ProposalForm::kDelta).value(), expected);
}

TEST(Proposal, MayComeInAFence) {
  const std::string fenced = "Here it is:\n```json\n" + std::string(kWhole) + "\n```\n";
  EXPECT_EQ(parse_proposal(fenced, ProposalForm::kDelta).value(),
            parse_proposal(kWhole, ProposalForm::kDelta).value());
}

TEST(Proposal, EveryFieldOfTheWholeMayBeMissing) {
  EXPECT_EQ(parse_proposal("{}", ProposalForm::kFirst).value(), Proposal{});
  EXPECT_EQ(parse_proposal(R"({"summary": null})", ProposalForm::kFirst).value(), Proposal{});
}

TEST(Proposal, OnlyADeltaHasReferences) {
  EXPECT_EQ(refusal(R"({"references": []})", ProposalForm::kFirst), "unknown field \"references\"");
  EXPECT_EQ(refusal(R"({"references": []})", ProposalForm::kDelta), "accepted");
}

TEST(Proposal, UnknownFieldsAreRefusedEverywhere) {
  EXPECT_EQ(refusal(R"({"sumary": "s"})"), "unknown field \"sumary\"");
  EXPECT_EQ(refusal(R"({"groups": [{"heading": "h", "members": [], "count": 2}]})"),
            "/groups/0: unknown field \"count\"");
  EXPECT_EQ(refusal(R"({"groups": [{"heading": "h", "members": [{"id": 0, "text": "t"}]}]})"),
            "/groups/0/members/0: unknown field \"text\"");
  EXPECT_EQ(refusal(R"({"ungrouped": [{"id": 0}, {"id": 1, "why": ""}]})"),
            "/ungrouped/1: unknown field \"why\"");
  EXPECT_EQ(refusal(R"({"references": [{"group": 0, "member": {"id": 1}, "why": ""}]})"),
            "/references/0: unknown field \"why\"");
  EXPECT_EQ(refusal(R"({"references": [{"group": 0, "member": {"id": 1, "x": 1}}]})"),
            "/references/0/member: unknown field \"x\"");
}

TEST(Proposal, AHostileFieldNameIsQuotedOnOneLine) {
  const std::string name(200, 'n');
  EXPECT_EQ(refusal("{\"" + name + "\": 1}"), "unknown field \"" + name.substr(0, 64) + "...\"");
  EXPECT_EQ(refusal(R"({"a\nb": 1})"), "unknown field \"a b\"");
}

TEST(Proposal, WrongShapesAreRefusedWithTheirPlace) {
  EXPECT_EQ(refusal("[]"), "expected an object");
  EXPECT_EQ(refusal(R"({"summary": 1})"), "/summary: expected text");
  EXPECT_EQ(refusal(R"({"groups": {}})"), "/groups: expected an array");
  EXPECT_EQ(refusal(R"({"groups": null})"), "/groups: expected an array");
  EXPECT_EQ(refusal(R"({"groups": [1]})"), "/groups/0: expected an object");
  EXPECT_EQ(refusal(R"({"groups": [{"members": []}]})"), "/groups/0: missing field \"heading\"");
  EXPECT_EQ(refusal(R"({"groups": [{"heading": "h"}]})"), "/groups/0: missing field \"members\"");
  EXPECT_EQ(refusal(R"({"groups": [{"heading": 1, "members": []}]})"),
            "/groups/0/heading: expected text");
  EXPECT_EQ(refusal(R"({"groups": [{"heading": "h", "contradiction": 1, "members": []}]})"),
            "/groups/0/contradiction: expected true or false");
  EXPECT_EQ(refusal(R"({"ungrouped": [0]})"), "/ungrouped/0: expected an object with an id");
  EXPECT_EQ(refusal(R"({"ungrouped": [{}]})"), "/ungrouped/0: missing field \"id\"");
  EXPECT_EQ(refusal(R"({"ungrouped": [{"id": 1.0}]})"), "/ungrouped/0/id: expected an integer");
  EXPECT_EQ(refusal(R"({"ungrouped": [{"id": "1"}]})"), "/ungrouped/0/id: expected an integer");
  EXPECT_EQ(refusal(R"({"references": [{"member": 1}]})"),
            "/references/0: missing field \"group\"");
  EXPECT_EQ(refusal(R"({"references": [{"group": 0}]})"),
            "/references/0: missing field \"member\"");
}

TEST(Proposal, TheFirstDefectIsReported) {
  EXPECT_EQ(refusal(R"({"groups": [{"heading": 1, "members": 2}], "ungrouped": 3})"),
            "/groups/0/heading: expected text");
}

TEST(Proposal, TextThatIsNoJsonIsRefused) {
  EXPECT_EQ(refusal(""), "it is not JSON");
  EXPECT_EQ(refusal("I grouped them by theme."), "it is not JSON");
  EXPECT_EQ(refusal(R"({"groups": [)"), "it is not JSON");
}

TEST(Proposal, IdsBeyondTheRangeOfIntegersStayOutOfRange) {
  const Proposal proposal =
      parse_proposal(R"({"ungrouped": [{"id": 18446744073709551615}, {"id": -3}]})",
                     ProposalForm::kFirst)
          .value();
  EXPECT_EQ(proposal.ungrouped,
            (std::vector<ProposedId>{std::numeric_limits<ProposedId>::max(), -3}));
}

}  // namespace
}  // namespace squall::core::llm
