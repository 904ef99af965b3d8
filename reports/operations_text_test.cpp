// SPDX-License-Identifier: MIT
//
// What the page of a run says about operations other than agent_chat.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/run_text.hpp"
#include "reports/simulated_test_support.hpp"

namespace squall::reports {
namespace {

using testing::HasSubstr;
using testing::Not;

const Style kWide{.color = false, .unicode = false, .width = 140};

/// The page of a scenario that has this operation and server.
std::string page_of(const std::string& operation, const std::string& server,
                    const Style& style = kWide) {
  const std::string text = R"({ "name": "sample", "summary": "A sample.", "source": "Made up.",
    "operation": )" + operation +
                           R"(, "server": )" + server +
                           R"(, "expect": { "attempts": { "min": 0 } } })";
  const auto scenario = scenarios::load_scenario(text, "sample.json");
  if (!scenario) {
    ADD_FAILURE() << to_string(scenario.error());
    return {};
  }
  return run_text(simulated(*scenario), style);
}

constexpr const char* kToolCall = R"({ "kind": "tool_call",
    "connector": { "label": "search", "uri": "https://tools.example/mcp" },
    "tool": { "name": "search", "arguments": { "q": "x" } } })";

TEST(OperationsText, AFailedToolCallIsFollowedToTheWordsTheModelReads) {
  const std::string page =
      page_of(kToolCall, R"({ "respond": { "status": 401, "latency": "20ms" } })");
  EXPECT_THAT(page, HasSubstr("outcome     non_retryable after 1 call"));
  EXPECT_THAT(page, HasSubstr("model sees  {\"error\":"));
  EXPECT_THAT(page, HasSubstr("\"kind\":\"auth_rejected\"}\n"));
  EXPECT_THAT(page, HasSubstr("failure     auth, code auth_rejected: operator_needed\n"));
  EXPECT_THAT(page, HasSubstr("guidance    The service does not accept the credentials in use."));
}

TEST(OperationsText, ASuccessfulToolCallHasNoGuidance) {
  const std::string page =
      page_of(kToolCall, R"({ "respond": { "result": { "structuredContent": { "hits": 2 } } } })");
  EXPECT_THAT(page, HasSubstr("model sees  {\"hits\":2}\n"));
  EXPECT_THAT(page, Not(HasSubstr("guidance")));
}

TEST(OperationsText, ASynthesisShowsItsGroupsAndItsRemainder) {
  const std::string page = page_of(
      R"({ "kind": "synthesis", "items": [["a", "b"], ["c"]],
           "request": { "model": "m", "messages": [ { "role": "user", "content": "?" } ] } })",
      R"({ "sequence": [
        { "respond": { "reply": { "proposal": { "summary": "Two topics.",
            "groups": [ { "heading": "First", "members": [ { "id": 0 }, { "id": 2 } ] } ],
            "ungrouped": [ { "id": 1 } ] } } } },
        { "respond": { "reply": { "proposal": { "groups": [], "ungrouped": [ { "id": 1 } ] } } } } ] })");
  EXPECT_THAT(page, HasSubstr("a part accepted"));
  EXPECT_THAT(page, HasSubstr("answer      \"Two topics.\"\n"));
  EXPECT_THAT(page, HasSubstr("group 0     First: items 0, 2\n"));
  EXPECT_THAT(page, HasSubstr("remainder   items 1\n"));
}

TEST(OperationsText, ASynthesisCountsSlotsByFailedExchanges) {
  // The first answer is asked for again at once, the second call fails: the first sleep there is.
  const std::string page = page_of(
      R"({ "kind": "research_synthesis",
           "request": { "model": "m", "messages": [ { "role": "user", "content": "?" } ] } })",
      R"({ "sequence": [ { "respond": { "reply": { "text": "" } } },
                         { "respond": { "status": 503 } },
                         { "respond": { "reply": { "text": "Whole." } } } ] })",
      {.color = false, .unicode = false, .width = 200});
  EXPECT_THAT(page, HasSubstr("success after 3 calls"));
  EXPECT_THAT(page, HasSubstr("(slot 1: "));
  EXPECT_THAT(page, Not(HasSubstr("(slot 2: ")));
}

TEST(OperationsText, ADegradedCommentShowsWhatThereIs) {
  const std::string page = page_of(
      R"({ "kind": "comment", "target": { "text": "string" },
           "request": { "model": "m", "messages": [ { "role": "user", "content": "?" } ] } })",
      R"({ "respond": { "reply": { "text": "Looks fine to me." } } })");
  EXPECT_THAT(page, HasSubstr("outcome     degraded after 3 calls"));
  EXPECT_THAT(page, HasSubstr("answer      \"Looks fine to me.\"\n"));
  EXPECT_THAT(page, HasSubstr("detail      3 attempt(s) failed (last: parse)"));
}

}  // namespace
}  // namespace squall::reports
