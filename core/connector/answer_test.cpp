// SPDX-License-Identifier: MIT
#include "core/connector/answer.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace squall::core::connector {
namespace {

/// What `body` is as the complete answer to request 7.
Answer read(std::string_view body) {
  return read_answer(body, 7, true);
}

std::string reason_of(const Answer& answer) {
  const auto* defect = std::get_if<AnswerDefect>(&answer);
  return defect != nullptr ? defect->reason : "(no defect)";
}

std::string result(std::string_view members) {
  return R"({"jsonrpc":"2.0","id":7,"result":{)" + std::string(members) + "}}";
}

const Answer kDone = ToolResult{.structured = std::nullopt, .texts = {"done"}, .is_error = false};
constexpr std::string_view kDoneJson =
    R"({"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"done"}]}})";

TEST(ConnectorAnswer, TextPartsAreKeptInOrderAndOthersSkipped) {
  EXPECT_EQ(read(result(R"("content":[{"type":"text","text":"a"},{"type":"image","data":"x"},
      {"type":"resource","resource":{"text":"no"}},{"type":"text","text":""},17,
      {"type":"text","text":"b"}])")),
            Answer(ToolResult{.structured = std::nullopt, .texts = {"a", "", "b"}}));
}

TEST(ConnectorAnswer, StructuredContentKeepsTheOrderOfItsMembers) {
  EXPECT_EQ(read(result(R"("structuredContent": { "b" : 1, "a" : [ true, null ] },
                         "content": [], "isError": true)")),
            Answer(ToolResult{
                .structured = R"({"b":1,"a":[true,null]})", .texts = {}, .is_error = true}));
}

TEST(ConnectorAnswer, NullIsAbsent) {
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":7,"error":null,"result":{"structuredContent":null,
      "content":null,"isError":null,"resultType":null}})"),
            Answer(ToolResult{}));
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":7,"result":null,"error":{"code":-1,"message":"m"}})"),
            Answer(RpcError{-1, "m"}));
}

TEST(ConnectorAnswer, ErrorsAreAnswersWithOrWithoutTheId) {
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"bad \"x\""}})"),
            Answer(RpcError{-32602, "bad \"x\""}));
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse"}})"),
            Answer(RpcError{-32700, "parse"}));
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","error":{}})"), Answer(RpcError{0, ""}));
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","error":{"code":18446744073709551615,"message":3}})"),
            Answer(RpcError{0, ""}));
}

TEST(ConnectorAnswer, InputMayBeRequired) {
  EXPECT_EQ(read(result(R"("resultType":"input_required","inputRequests":{})")),
            Answer(InputRequired{}));
  EXPECT_EQ(read(result(R"("resultType":"complete")")), Answer(ToolResult{}));
}

TEST(ConnectorAnswer, WhatIsNoAnswerSaysWhy) {
  const std::vector<std::pair<std::string, std::string>> rows{
      {"", "it is empty"},
      {"{", "it is not JSON"},
      {std::string(kDoneJson) + "x", "it is not JSON"},
      {std::string(kDoneJson) + std::string("\0", 1), "it is not JSON"},
      {"[" + std::string(kDoneJson) + "]", "it is not a JSON-RPC 2.0 object"},
      {R"({"id":7,"result":{}})", "it is not a JSON-RPC 2.0 object"},
      {R"({"jsonrpc":"1.0","id":7,"result":{}})", "it is not a JSON-RPC 2.0 object"},
      {R"({"jsonrpc":"2.0","id":8,"result":{}})", "it does not answer request 7"},
      {R"({"jsonrpc":"2.0","id":8,"error":{}})", "it does not answer request 7"},
      {R"({"jsonrpc":"2.0","id":"7","result":{}})", "it does not answer request 7"},
      {R"({"jsonrpc":"2.0","id":7.0,"result":{}})", "it does not answer request 7"},
      {R"({"jsonrpc":"2.0","id":-7,"result":{}})", "it does not answer request 7"},
      {R"({"jsonrpc":"2.0","result":{}})", "it does not answer request 7"},
      {R"({"jsonrpc":"2.0","id":7})", "it has neither \"result\" nor \"error\""},
      {R"({"jsonrpc":"2.0","id":7,"result":{},"error":{}})",
       "it has both \"result\" and \"error\""},
      {R"({"jsonrpc":"2.0","id":7,"method":"ping"})", "it is a request or a notification"},
      {R"({"jsonrpc":"2.0","id":7,"error":"x"})", "its \"error\" is not an object"},
      {R"({"jsonrpc":"2.0","id":7,"result":"x"})", "its \"result\" is not an object"},
      {result(R"("resultType":"task")"), "its \"resultType\" is unknown"},
      {result(R"("isError":"no")"), "its \"isError\" is neither true nor false"},
      {result(R"("content":{})"), "its \"content\" is not an array"},
      {result(R"("content":[{"type":"text"}])"), "a text part of its \"content\" has no text"},
      {"<html>busy</html>", "it is neither JSON nor an event stream with data"},
      {"null", "it is neither JSON nor an event stream with data"},
      {": ping\n\n", "it is neither JSON nor an event stream with data"},
      {"data: {\n\n", "none of its events is the answer (the last one: it is not JSON)"},
  };
  for (const auto& [body, reason] : rows) {
    EXPECT_EQ(reason_of(read(body)), reason) << body;
  }
}

TEST(ConnectorAnswer, IdsUseAll64Bits) {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(
      read_answer(R"({"jsonrpc":"2.0","id":18446744073709551615,"result":{}})", kLargest, true),
      Answer(ToolResult{}));
  EXPECT_NE(
      read_answer(R"({"jsonrpc":"2.0","id":18446744073709551615,"result":{}})", kLargest - 1, true),
      Answer(ToolResult{}));
}

TEST(ConnectorAnswer, ABodyNestedWithoutEndIsNotJson) {
  const std::string deep(2'000'000, '[');
  EXPECT_EQ(reason_of(read(deep)), "it is not JSON");
  EXPECT_EQ(
      reason_of(read(result(R"("structuredContent":)" + deep + std::string(deep.size(), ']')))),
      "it is not JSON");
}

TEST(ConnectorAnswer, AnEventStreamAnswersLikeJson) {
  EXPECT_EQ(read(kDoneJson), kDone);
  EXPECT_EQ(read("\xEF\xBB\xBF" + std::string(kDoneJson)), kDone);
  EXPECT_EQ(read("\r\n " + std::string(kDoneJson) + "\n"), kDone);
  EXPECT_EQ(read("event: message\ndata: " + std::string(kDoneJson) + "\n\n"), kDone);
  EXPECT_EQ(read("data:" + std::string(kDoneJson)), kDone);
  EXPECT_EQ(read("data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":7,\"result\":{}}\n\n"),
            Answer(ToolResult{}));
}

TEST(ConnectorAnswer, OtherMessagesOfAStreamArePassedOver) {
  const std::string stream =
      "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n"
      "data: {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\n\n"
      "data: not json\n\n"
      "data: {\"jsonrpc\":\"2.0\",\"id\":6,\"result\":{}}\n\n"
      "data: " +
      std::string(kDoneJson) + "\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n\n";
  EXPECT_EQ(read(stream), kDone);
}

TEST(ConnectorAnswer, OfACutBodyOnlyAWholeEventAnswers) {
  EXPECT_EQ(reason_of(read_answer(kDoneJson, 7, false)), "it is incomplete");
  const std::string event = "data: " + std::string(kDoneJson) + "\n";
  EXPECT_EQ(read_answer(event + "\ndata: {", 7, false), kDone);
  EXPECT_TRUE(std::holds_alternative<AnswerDefect>(read_answer(event, 7, false)));
}

}  // namespace
}  // namespace squall::core::connector
