// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/connector/answer.hpp"
#include "core/llm/chat_answer.hpp"
#include "core/llm/proposal.hpp"
#include "core/shipped_policies.hpp"
#include "scenarios/loader.hpp"
#include "scenarios/names.hpp"
#include "scenarios/samples_test_support.hpp"

namespace squall::scenarios {
namespace {

using core::llm::JsonKind;

constexpr std::string_view kPlain = R"({ "respond": {} })";

Scenario loaded(const std::string& text) {
  auto scenario = load_scenario(text, "sample");
  EXPECT_TRUE(scenario) << core::to_string(scenario.error());
  return std::move(scenario).value();
}

/// An operation of each kind, in the order of the enumeration.
std::array<std::string, kOperationKinds> operations() {
  return {chat_operation("agent_chat"),
          chat_operation("extraction", R"(, "target": { "score": "number" })"),
          chat_operation("comment", R"(, "target": { "text": "string" })"),
          chat_operation("synthesis", R"(, "items": [["one"], ["two", "three"]])"),
          chat_operation("research_synthesis"),
          chat_operation("continuation", R"(, "reasoning": "")"),
          R"({ "kind": "tool_call", "connector": { "label": "c", "uri": "https://c.example" },
               "tool": { "name": "t" } })"};
}

/// The first answer of the first phase.
HttpAnswer first_answer(const Scenario& scenario) {
  return std::get<HttpAnswer>(scenario.server.phases.at(0).sequence.at(0).mix.at(0).respond.what);
}
core::llm::ChatAnswer chat_answer(const std::string& reply,
                                  const std::string& operation = operations()[0]) {
  const std::string server = R"({ "respond": { "reply": )" + reply + " } }";
  return core::llm::parse_chat_answer(first_answer(loaded(scenario_of(operation, server))).body)
      .value();
}
HttpAnswer tool_answer(const std::string& respond) {
  return first_answer(loaded(tool_scenario(respond)));
}

TEST(LoaderOperation, EachKindHasItsOwnDefaultPolicy) {
  constexpr std::array<std::string_view, kOperationKinds> kPolicies = {
      "default", "default", "comment", "synthesis", "synthesis", "continuation", "connector"};
  for (std::size_t i = 0; i < kOperationKinds; ++i) {
    const Scenario scenario = loaded(scenario_of(operations()[i], kPlain));
    EXPECT_EQ(scenario.operation.kind(), static_cast<OperationKind>(i));
    EXPECT_EQ(scenario.policy_name, kPolicies[i]);
    for (const core::NamedPolicy& shipped : core::kShippedPolicies) {
      if (shipped.name == kPolicies[i]) {
        EXPECT_EQ(scenario.policy, shipped.make());
      }
    }
    EXPECT_EQ(scenario.operation.model, i == 6 ? "" : "m");
    EXPECT_EQ(scenario.operation.request == nullptr, i == 6);
    EXPECT_EQ(scenario.operation.metadata, core::RequestMetadata{});
  }
}

TEST(LoaderOperation, NamedPolicyReplacesTheDefault) {
  std::string text = scenario_of(operations()[3], kPlain);
  text.insert(1, R"("policy": "comment",)");
  EXPECT_EQ(loaded(text).policy, core::comment_policy());
}

TEST(LoaderOperation, TargetAndValidatorKeepTheOrderOfTheFile) {
  const Scenario scenario = loaded(samples()[3]);
  const auto& work = std::get<ExtractionWork>(scenario.operation.work);
  EXPECT_EQ(work.target.fields, (std::vector<core::llm::TargetField>{
                                    {"z", JsonKind::kNumber, true},
                                    {"a", JsonKind::kString, false},
                                    {"i", JsonKind::kInteger, true},
                                    {"b", JsonKind::kBoolean, false},
                                    {"l", JsonKind::kArray, true},
                                    {"o", JsonKind::kObject, true},
                                }));
  EXPECT_EQ(work.validator,
            core::llm::Validator(core::llm::NumericRange{.field = "z", .min = -0.5, .max = 1e300}));
  EXPECT_FALSE(work.falls_back);
  EXPECT_EQ(scenario.operation.metadata, (core::RequestMetadata{.purpose = "p",
                                                                .agent_id = "a",
                                                                .role = "r",
                                                                .workspace = "w",
                                                                .ticket_id = "t",
                                                                .routing = "x"}));
}

TEST(LoaderOperation, CommentIsAnExtractionThatFallsBack) {
  const Scenario scenario = loaded(samples()[4]);
  const auto& work = std::get<ExtractionWork>(scenario.operation.work);
  EXPECT_TRUE(work.falls_back);
  EXPECT_EQ(work.validator, core::llm::Validator(core::llm::NoValidation{}));
  EXPECT_EQ(scenario.expect.outcome, Outcome::kDegraded);
  ASSERT_TRUE(scenario.expect.last_raw);  // An expectation, which is that there is no text.
  EXPECT_EQ(*scenario.expect.last_raw, std::nullopt);
  EXPECT_EQ(scenario.expect.prefix_reuse_ppm.min, 10'000U);
  EXPECT_EQ(scenario.expect.prefix_reuse_ppm.max, std::nullopt);
}

TEST(LoaderOperation, ReadsItemsReasoningAndTheirExpectations) {
  const Scenario synthesis = loaded(samples()[5]);
  EXPECT_EQ(std::get<SynthesisWork>(synthesis.operation.work).items,
            (core::llm::ItemsByAgent{{"a", "b"}, {}, {"c"}}));
  EXPECT_EQ(synthesis.expect.groups, (Bounds<std::uint64_t>{.min = 1, .max = 1}));
  EXPECT_EQ(synthesis.expect.remainder, std::vector<std::size_t>{1});
  using Llm = core::llm::FailureClass;
  EXPECT_EQ(synthesis.expect.trail,
            (std::vector<FailureClass>{Llm::kCompleteness, Llm::kContradictionAgents,
                                       Llm::kContradictionAgents}));
  EXPECT_EQ(std::get<ContinuationWork>(loaded(samples()[7]).operation.work).reasoning, "so far\n");
}

TEST(LoaderOperation, ToolCallIsBuiltOnceWithItsArgumentsInTheOrderOfTheFile) {
  const Scenario scenario = loaded(samples()[8]);
  const auto& work = std::get<ToolCallWork>(scenario.operation.work);
  EXPECT_EQ(work.connector_label, "");
  EXPECT_EQ(work.resource_uri, "no uri");
  EXPECT_EQ(work.idempotency, core::tool::Idempotency::kNotIdempotent);
  EXPECT_EQ(work.arguments, R"({"z":[1.5,null],"a":{}})");
  ASSERT_NE(work.request, nullptr);
  EXPECT_EQ(work.request->id(), 1U);
  EXPECT_EQ(work.request->body(),
            R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search",)"
            R"("arguments":{"z":[1.5,null],"a":{}}}})");
  using core::connector::Kind;
  EXPECT_EQ(scenario.expect.final_class, FailureClass(Kind::kConfig));
  // "transport" is the connector's, not that of LLM operations.
  EXPECT_EQ(scenario.expect.trail, (std::vector<FailureClass>{Kind::kTransport, Kind::kTransport,
                                                              Kind::kAuth, Kind::kApplication}));
  EXPECT_EQ(scenario.expect.tool_class, core::tool::FailureClass::kInternal);
  EXPECT_EQ(scenario.expect.verdict, core::tool::Verdict::kOperatorNeeded);

  const Scenario plain = loaded(tool_scenario("{}"));
  EXPECT_EQ(std::get<ToolCallWork>(plain.operation.work).arguments, "{}");
}

TEST(LoaderOperation, TextIsTheJsonOfTheReply) {
  EXPECT_EQ(chat_answer(R"({ "json": { "z": 1.50, "a": ["x y", null] } })").text,
            R"({"z":1.5,"a":["x y",null]})");
  EXPECT_EQ(chat_answer(R"({ "json": null })").text, "null");
  EXPECT_EQ(chat_answer(R"({ "json": "quoted" })").text, "\"quoted\"");
  EXPECT_EQ(chat_answer(R"({ "json": [], "fence": true })").text, "```json\n[]\n```");
  EXPECT_EQ(chat_answer(R"({ "text": "half {", "fence": true })").text, "```json\nhalf {\n```");
  EXPECT_EQ(chat_answer(R"({ "json": 1, "tool_calls": [{ "name": "f" }] })").text, "1");
  EXPECT_EQ(chat_answer(R"({ "json": 1, "tool_calls": [{ "name": "f" }] })").finish_reason, "stop");
}

TEST(LoaderOperation, ProposalReadsBackAsWhatWasWritten) {
  const std::string text = chat_answer(R"({ "proposal": { "summary": "s",
            "groups": [{ "heading": "h", "contradiction": true,
                         "members": [{ "id": 0 }, { "id": 2 }] }],
            "ungrouped": [{ "id": 1 }],
            "references": [{ "group": 7, "member": { "id": 1 } }] }, "fence": true })",
                                       operations()[3])
                               .text;
  const auto proposal = core::llm::parse_proposal(text, core::llm::ProposalForm::kDelta);
  ASSERT_TRUE(proposal) << core::to_string(proposal.error());
  EXPECT_EQ(*proposal, (core::llm::Proposal{
                           .summary = "s",
                           .groups = {{.heading = "h", .contradiction = true, .members = {0, 2}}},
                           .ungrouped = {1},
                           .references = {{.group = 7, .member = 1}}}));
}

TEST(LoaderOperation, RepliesTellWhatTelemetryKeeps) {
  EXPECT_EQ(first_answer(loaded(samples()[3])).body,
            R"({"id":"chatcmpl-squall","object":"chat.completion","created":1768464000,)"
            R"("model":"m","provider":"P","choices":[{"index":0,"message":{"role":"assistant",)"
            "\"content\":\"```json\\n{\\\"z\\\":1.5,\\\"a\\\":[]}\\n```\"},"
            R"("finish_reason":"stop"}],"usage":{"prompt_tokens":0,"completion_tokens":0,)"
            R"("total_tokens":0,"prompt_tokens_details":{"cached_tokens":3},)"
            R"("prompt_cache_miss_tokens":4,"cost":0.00014},"system_fingerprint":"fp"})");
}

TEST(LoaderOperation, ConnectorAnswersAreJsonRpc) {
  EXPECT_EQ(tool_answer("{}").body,
            R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"ok"}]}})");
  EXPECT_EQ(tool_answer("{}").status, 200);
  EXPECT_TRUE(tool_answer("{}").headers.empty());
  EXPECT_EQ(tool_answer(R"({ "error": { "code": -32602, "message": "no" } })").body,
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}})");
  const auto answer = core::connector::read_answer(
      tool_answer(R"({ "result": { "content": [{ "type": "text", "text": "t" }],
                                   "structuredContent": { "z": 1, "a": 2 }, "isError": true } })")
          .body,
      1, true);
  EXPECT_EQ(answer, core::connector::Answer(core::connector::ToolResult{
                        .structured = R"({"z":1,"a":2})", .texts = {"t"}, .is_error = true}));
}

TEST(LoaderOperation, EventStreamIsOneEventAndSaysSo) {
  const HttpAnswer answer = tool_answer(R"({ "result": {}, "event_stream": true,
                                             "headers": { "x": "1" } })");
  EXPECT_EQ(answer.body, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n");
  EXPECT_EQ(answer.headers,
            (std::vector<Header>{{"content-type", "text/event-stream"}, {"x", "1"}}));
  // Whoever names the type means it.
  EXPECT_EQ(tool_answer(R"({ "event_stream": true, "headers": { "Content-Type": "text/plain" } })")
                .headers,
            (std::vector<Header>{{"Content-Type", "text/plain"}}));
  EXPECT_TRUE(tool_answer(R"({ "event_stream": false })").headers.empty());
}

TEST(LoaderOperation, OffsetsCountTheRenderedAnswer) {
  // 36 bytes: {"jsonrpc":"2.0","id":1,"result":{}}
  EXPECT_NO_THROW(tool_answer(R"({ "result": {}, "stall": { "after": "36B" } })"));
  EXPECT_FALSE(
      load_scenario(tool_scenario(R"({ "result": {}, "stall": { "after": "37B" } })"), "sample"));
}

TEST(LoaderOperation, PolicyOfAToolCallKeepsItsLimits) {
  std::string text = tool_scenario("{}");
  text.insert(1, R"("policy": "default",)");
  const auto refused = load_scenario(text, "sample");
  ASSERT_FALSE(refused);
  EXPECT_EQ(core::to_string(refused.error()),
            "sample:1: /policy: connector policy: a time budget is required");
  // Other kinds may have any policy, that of tool calls included.
  text = scenario_of(operations()[0], kPlain);
  text.insert(1, R"("policy": "connector",)");
  EXPECT_EQ(loaded(text).policy, core::connector::connector_policy());
}

}  // namespace
}  // namespace squall::scenarios
