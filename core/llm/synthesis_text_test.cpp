// SPDX-License-Identifier: MIT
#include "core/llm/synthesis_text.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace squall::core::llm {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Board three_items() {
  return Board({{"slow", "late"}, {}, {"fast"}});
}

TEST(SynthesisText, ListsItemsByAgentWithTheirIds) {
  EXPECT_EQ(list_items(three_items().items()),
            "Agent 0:\n- 0: slow\n- 1: late\nAgent 2:\n- 2: fast\n");
  EXPECT_EQ(list_items({}), "");
}

TEST(SynthesisText, InstructionsSayWhatIsFixedAndWhatIsLeft) {
  Board board = three_items();
  (void)board.apply({.summary = "s",
                     .groups = {{.heading = "speed", .contradiction = false, .members = {0}}},
                     .ungrouped = {1, 2},
                     .references = {{.group = 0, .member = 2}}});
  const std::string told =
      repair_instructions(2, board, RoundEnd::kPartlyAccepted, {"group 1: its heading is blank"});
  EXPECT_THAT(told, ::testing::StartsWith(
                        "Round 2. This message replaces what earlier messages say is left to do.\n"
                        "Your last proposal was accepted in part.\n"
                        "\nTo be mended:\n- group 1: its heading is blank\n"
                        "\nAccepted groups. They are final: never propose their items again.\n"
                        "- group 0, \"speed\", items 0 (agent 0)\n"
                        "\nItems left."));
  EXPECT_THAT(told, HasSubstr("\n- 1 (agent 0): late\n- 2 (agent 2, pinned): fast\n"
                              "\nThe summary is accepted; leave it out.\n"));
}

TEST(SynthesisText, InstructionsFitTheEndOfTheLastRound) {
  const Board board = three_items();
  const auto told = [&](RoundEnd end) { return repair_instructions(3, board, end, {}); };
  EXPECT_THAT(told(RoundEnd::kUnreadable), HasSubstr("could not be read as a proposal"));
  EXPECT_THAT(told(RoundEnd::kRejected), HasSubstr("Nothing of your last proposal was accepted."));
  EXPECT_THAT(told(RoundEnd::kAccepted), HasSubstr("was accepted; some items are still in"));
  EXPECT_THAT(told(RoundEnd::kAccepted), HasSubstr("never propose their items again.\n- none\n"));
  EXPECT_THAT(told(RoundEnd::kAccepted), HasSubstr("The summary is still missing."));
  EXPECT_THAT(told(RoundEnd::kAccepted), Not(HasSubstr("To be mended")));
}

TEST(SynthesisText, ReasonsAreBoundedInNumberAndLength) {
  std::vector<std::string> reasons(kReasonsListedMax + 3, "r");
  reasons[0].assign(5'000, 'x');
  const std::string told = repair_instructions(2, three_items(), RoundEnd::kRejected, reasons);
  EXPECT_THAT(told, HasSubstr("- r\n- and 3 more\n\nAccepted"));
  EXPECT_THAT(told, HasSubstr("- " + std::string(512, 'x') + "...\n- r\n"));
}

}  // namespace
}  // namespace squall::core::llm
