// SPDX-License-Identifier: MIT
#include "live/wire_shape.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/json_text.hpp"
#include "live/chat_stream.hpp"
#include "live/message_reply.hpp"
#include "playback/playbook.hpp"
#include "scenarios/loader.hpp"

namespace squall::live {
namespace {

using core::Json;
using scenarios::Framing;
using testing::ElementsAre;
using testing::HasSubstr;

/// The answer that a scenario renders of `respond`.
scenarios::HttpAnswer rendered(const std::string& respond, bool is_tool_call = false) {
  const std::string operation =
      is_tool_call
          ? R"({ "kind": "tool_call", "connector": { "label": "c", "uri": "https://h.example/mcp" },
                 "tool": { "name": "t" } })"
          : R"({ "kind": "agent_chat", "request": { "model": "m", "messages": [{}] } })";
  const auto scenario =
      scenarios::load_scenario(R"({ "name": "x", "summary": "s", "source": "s", "operation": )" +
                                   operation + R"(, "server": { "respond": )" + respond +
                                   R"( }, "expect": { "attempts": { "min": 0 } } })",
                               "x.json");
  EXPECT_TRUE(scenario) << core::to_string(scenario.error());
  return std::get<scenarios::HttpAnswer>(
      scenario->server.phases.at(0).sequence.at(0).mix.at(0).respond.what);
}

std::string body_for(const std::string& respond, const ScriptedCall& call) {
  const auto answer = shaped(rendered(respond), call);
  return answer ? answer->body : "as it is";
}

/// The data of each server-sent event.
std::vector<std::string> data_of(const std::string& stream) {
  std::vector<std::string> found;
  std::size_t at = 0;
  while ((at = stream.find("data: ", at)) != std::string::npos) {
    const std::size_t end = stream.find("\n\n", at);
    found.push_back(stream.substr(at + 6, end - at - 6));
    at = end;
  }
  return found;
}

/// The deltas of a chat stream, joined by what they hold.
struct Joined {
  std::string content, reasoning, arguments;
  std::vector<Json> finish_reasons;
};
Joined joined(const std::string& stream) {
  Joined all;
  for (const std::string& data : data_of(stream)) {
    const auto chunk = core::parse_json(data);
    if (!chunk || chunk->at("choices").empty()) {
      continue;
    }
    EXPECT_EQ(chunk->at("object"), "chat.completion.chunk");
    const Json& choice = chunk->at("choices").at(0);
    const Json& delta = choice.at("delta");
    all.content += delta.value("content", "");
    all.reasoning += delta.value("reasoning", "");
    for (const Json& call : delta.value("tool_calls", Json::array())) {
      all.arguments += call.at("function").value("arguments", "");
    }
    all.finish_reasons.push_back(choice.at("finish_reason"));
  }
  return all;
}

TEST(ChatStream, PiecesJoinToTheReply) {
  const std::string text =
      "Es regnete den ganzen Tag, und niemand wu\u00dfte weiter: "
      "\u65e5\u672c\u8a9e\u65e5\u672c\u8a9e\u65e5\u672c\u8a9e\u65e5\u672c\u8a9e.";
  const std::string stream = body_for(
      R"({ "reply": { "text": ")" + text + R"(", "reasoning": "First, the weather of the day.",
           "finish_reason": "length", "usage": { "prompt_tokens": 7, "completion_tokens": 9 } } })",
      {.form = WireForm::kChatStream});
  const Joined all = joined(stream);
  EXPECT_EQ(all.content, text);
  EXPECT_EQ(all.reasoning, "First, the weather of the day.");
  EXPECT_EQ(all.finish_reasons.back(), "length");
  EXPECT_EQ(std::count(all.finish_reasons.begin(), all.finish_reasons.end(), Json(nullptr)),
            static_cast<std::ptrdiff_t>(all.finish_reasons.size()) - 1);
  EXPECT_GT(all.finish_reasons.size(), 5U);
  EXPECT_EQ(data_of(stream).back(), "[DONE]");
  EXPECT_THAT(stream, testing::Not(HasSubstr("usage")));
}

TEST(ChatStream, ToolCallsComeWithTheirArgumentsInPieces) {
  const std::string stream = body_for(
      R"({ "reply": { "tool_calls": [ { "id": "call_7", "name": "search",
           "arguments": { "query": "a rather long question about jitter" } } ] } })",
      {.form = WireForm::kChatStream});
  EXPECT_EQ(joined(stream).arguments, R"({"query":"a rather long question about jitter"})");
  EXPECT_EQ(joined(stream).finish_reasons.back(), "tool_calls");
  const Json first = core::parse_json(data_of(stream).at(1))->at("choices").at(0).at("delta");
  EXPECT_EQ(first.dump(), R"({"tool_calls":[{"index":0,"id":"call_7","type":"function",)"
                          R"("function":{"name":"search","arguments":""}}]})");
}

TEST(ChatStream, UsageComesLastForThoseWhoAskForIt) {
  const std::string stream =
      body_for(R"({ "reply": { "usage": { "prompt_tokens": 7, "completion_tokens": 9 } } })",
               {.form = WireForm::kChatStream, .include_usage = true});
  const auto data = data_of(stream);
  const auto chunk = core::parse_json(data.at(data.size() - 2));
  EXPECT_EQ(chunk->at("choices"), Json::array());
  EXPECT_EQ(chunk->at("usage").at("total_tokens"), 16);
}

TEST(WireShape, StreamsAreEventStreamsInChunks) {
  const auto answer = shaped(
      rendered(R"({ "reply": { "text": "hi" }, "headers": { "Content-Type": "x/y", "a": "b" } })"),
      {.form = WireForm::kChatStream});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->framing, Framing::kChunked);
  EXPECT_EQ(answer->headers,
            (std::vector<scenarios::Header>{{.name = "content-type", .value = "text/event-stream"},
                                            {.name = "a", .value = "b"}}));
}

TEST(WireShape, PositionsCountInTheStreamAndEndAtItsEnd) {
  const auto before_the_end = shaped(
      rendered(R"({ "reply": { "text": "hi" }, "truncate": { "after": "-8B", "by": "reset" } })"),
      {.form = WireForm::kChatStream});
  ASSERT_TRUE(before_the_end);
  const playback::PreparedRespond cut(scenarios::Respond{.what = *before_the_end});
  EXPECT_EQ(before_the_end->body.substr(cut.visible_bytes), "[DONE]\n\n");
  EXPECT_EQ(cut.body_end, playback::BodyEnd::kReset);

  // A message is shorter than the completion that the position was written for.
  const std::string respond =
      R"({ "reply": { "text": "hi" }, "framing": "chunked", "stall": { "after": "0B" } })";
  scenarios::HttpAnswer answer = rendered(respond);
  answer.ending = scenarios::Stalls{{static_cast<std::int64_t>(answer.body.size())}};
  answer.body.insert(answer.body.size() - 1, R"(,"padding":")" + std::string(500, 'x') + '"');
  const auto message = shaped(answer, {.form = WireForm::kMessage});
  ASSERT_TRUE(message);
  const playback::PreparedRespond stalled(scenarios::Respond{.what = *message});
  EXPECT_EQ(stalled.visible_bytes, message->body.size());
  EXPECT_EQ(stalled.body_end, playback::BodyEnd::kNever);
}

TEST(WireShape, AnnouncedLengthStaysWrongByAsMuch) {
  const auto answer = shaped(rendered(R"({ "reply": { "text": "hi" }, "content_length": "+10B" })"),
                             {.form = WireForm::kMessageStream});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->framing, Framing::kContentLength);
  const playback::PreparedRespond prepared(scenarios::Respond{.what = *answer});
  EXPECT_EQ(prepared.announced_length, answer->body.size() + 10);
}

TEST(WireShape, WhatTheScenarioSaysItselfGoesToEverybodyAsItIs) {
  for (const WireForm form : {WireForm::kChat, WireForm::kChatStream, WireForm::kMessage,
                              WireForm::kMessageStream, WireForm::kToolCall}) {
    for (const char* const respond :
         {R"({ "status": 502, "body": "<html>" })",
          R"({ "status": 200, "body": { "choices": [] } })",
          R"({ "status": 200, "body": { "choices": [ { "message": 7 } ] } })",
          R"({ "status": 200, "body": "" })", R"({ "status": 503, "body": { "error": 1 } })"}) {
      EXPECT_FALSE(shaped(rendered(respond), {.form = form, .rpc_id = "7"})) << respond;
    }
  }
  EXPECT_FALSE(shaped(rendered(R"({ "reply": { "text": "hi" } })"), {.form = WireForm::kChat}));
}

TEST(MessageReply, IsAMessage) {
  EXPECT_EQ(
      body_for(R"({ "reply": { "text": "hi", "reasoning": "hm", "model": "claude",
                    "usage": { "prompt_tokens": 10, "completion_tokens": 3, "cached_tokens": 4 },
                    "tool_calls": [ { "id": "c1", "name": "f", "arguments": { "a": 1 } },
                                    { "id": "c2", "name": "g", "arguments": "{ not json" } ] } })",
               {.form = WireForm::kMessage}),
      R"({"id":"msg_squall","type":"message","role":"assistant","model":"claude","content":[)"
      R"({"type":"thinking","thinking":"hm","signature":"squall"},{"type":"text","text":"hi"},)"
      R"({"type":"tool_use","id":"c1","name":"f","input":{"a":1}},)"
      R"({"type":"tool_use","id":"c2","name":"g","input":"{ not json"}],)"
      R"("stop_reason":"end_turn","stop_sequence":null,)"
      R"("usage":{"input_tokens":6,"output_tokens":3,"cache_read_input_tokens":4}})");
}

TEST(MessageReply, ReasonsToStopHaveTheirOwnNames) {
  for (const auto& [chat, message] :
       {std::pair{"\"stop\"", "\"end_turn\""}, std::pair{"\"length\"", "\"max_tokens\""},
        std::pair{"\"tool_calls\"", "\"tool_use\""}, std::pair{"\"content_filter\"", "\"refusal\""},
        std::pair{"\"other\"", "\"other\""}, std::pair{"null", "null"}}) {
    EXPECT_THAT(
        body_for(R"({ "reply": { "text": "hi", "finish_reason": )" + std::string(chat) + " } }",
                 {.form = WireForm::kMessage}),
        HasSubstr(std::string("\"stop_reason\":") + message + ","));
  }
}

TEST(MessageReply, StreamHasTheEventsInTheirOrder) {
  EXPECT_EQ(
      body_for(R"({ "reply": { "text": "hi", "reasoning": "hm", "model": "claude",
                    "usage": { "prompt_tokens": 10, "completion_tokens": 3 },
                    "tool_calls": [ { "id": "c1", "name": "f", "arguments": { "a": 1 } } ] } })",
               {.form = WireForm::kMessageStream}),
      "event: message_start\n"
      R"(data: {"type":"message_start","message":{"id":"msg_squall","type":"message",)"
      R"("role":"assistant","model":"claude","content":[],"stop_reason":null,)"
      R"("stop_sequence":null,"usage":{"input_tokens":10,"output_tokens":1}}})"
      "\n\nevent: content_block_start\n"
      R"(data: {"type":"content_block_start","index":0,"content_block":)"
      R"({"type":"thinking","thinking":"","signature":""}})"
      "\n\nevent: content_block_delta\n"
      R"(data: {"type":"content_block_delta","index":0,"delta":)"
      R"({"type":"thinking_delta","thinking":"hm"}})"
      "\n\nevent: content_block_delta\n"
      R"(data: {"type":"content_block_delta","index":0,"delta":)"
      R"({"type":"signature_delta","signature":"squall"}})"
      "\n\nevent: content_block_stop\n"
      R"(data: {"type":"content_block_stop","index":0})"
      "\n\nevent: content_block_start\n"
      R"(data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}})"
      "\n\nevent: content_block_delta\n"
      R"(data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"hi"}})"
      "\n\nevent: content_block_stop\n"
      R"(data: {"type":"content_block_stop","index":1})"
      "\n\nevent: content_block_start\n"
      R"(data: {"type":"content_block_start","index":2,"content_block":)"
      R"({"type":"tool_use","id":"c1","name":"f","input":{}}})"
      "\n\nevent: content_block_delta\n"
      R"(data: {"type":"content_block_delta","index":2,"delta":)"
      R"({"type":"input_json_delta","partial_json":"{\"a\":1}"}})"
      "\n\nevent: content_block_stop\n"
      R"(data: {"type":"content_block_stop","index":2})"
      "\n\nevent: message_delta\n"
      R"(data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},)"
      R"("usage":{"output_tokens":3}})"
      "\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n");
}

TEST(MessageReply, ErrorWithoutABodyGetsOneInItsShape) {
  for (const auto& [status, type] :
       {std::pair{"429", "rate_limit_error"}, std::pair{"529", "overloaded_error"},
        std::pair{"503", "api_error"}, std::pair{"401", "authentication_error"},
        std::pair{"418", "invalid_request_error"}}) {
    for (const WireForm form : {WireForm::kMessage, WireForm::kMessageStream}) {
      EXPECT_EQ(body_for(R"({ "status": )" + std::string(status) + " }", {.form = form}),
                R"({"type":"error","error":{"type":")" + std::string(type) +
                    R"(","message":"squall: )" + type + "\"}}");
    }
    EXPECT_EQ(body_for(R"({ "status": )" + std::string(status) + " }", {.form = WireForm::kChat}),
              "as it is");
  }
}

TEST(WireShape, ToolAnswersCarryTheCallersId) {
  const auto body_with = [](const std::string& respond, const std::string& id) {
    const auto answer =
        shaped(rendered(respond, true), {.form = WireForm::kToolCall, .rpc_id = id});
    return answer ? answer->body : "as it is";
  };
  const std::string result = R"({ "result": { "content": [] } })";
  EXPECT_EQ(body_with(result, "\"abc\""),
            R"({"jsonrpc":"2.0","id":"abc","result":{"content":[]}})");
  EXPECT_EQ(body_with(result, "1"), "as it is");
  EXPECT_EQ(body_with(result, ""), "as it is");
  EXPECT_EQ(body_with(R"({ "error": { "code": -32602, "message": "no" } })", "-7"),
            R"({"jsonrpc":"2.0","id":-7,"error":{"code":-32602,"message":"no"}})");
  EXPECT_EQ(body_with(R"({ "result": { "content": [] }, "event_stream": true })", "2"),
            "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[]}}\n\n");
  EXPECT_EQ(
      body_with(R"({ "status": 200, "body": { "jsonrpc": "2.0", "id": 9, "result": {} } })", "2"),
      "as it is")
      << "a wrong id is meant";
  EXPECT_EQ(
      body_with(R"({ "status": 200, "body": ": ping\n\ndata: {\"id\":1}\n\ndata: x\n" })", "2"),
      ": ping\n\ndata: {\"id\":2}\n\ndata: x\n");
}

}  // namespace
}  // namespace squall::live
