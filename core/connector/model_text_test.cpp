// SPDX-License-Identifier: MIT
#include "core/connector/model_text.hpp"

#include <gtest/gtest.h>

namespace squall::core::connector {
namespace {

ToolResult texts(std::vector<std::string> parts, bool is_error = false) {
  return {.structured = std::nullopt, .texts = std::move(parts), .is_error = is_error};
}

TEST(ConnectorModelText, StructuredContentComesFirst) {
  EXPECT_EQ(success_json({.structured = R"({"b":1,"a":2})", .texts = {"ignored"}}),
            R"({"b":1,"a":2})");
}

TEST(ConnectorModelText, TextThatIsJsonStaysJson) {
  EXPECT_EQ(success_json(texts({R"( { "b" : 1, "a" : "x" } )"})), R"({"b":1,"a":"x"})");
  EXPECT_EQ(success_json(texts({"[1,", "2]"})), "[1,2]");
  EXPECT_EQ(success_json(texts({"17"})), "17");
  EXPECT_EQ(success_json(texts({"null"})), "null");
}

TEST(ConnectorModelText, OtherTextIsWrapped) {
  EXPECT_EQ(success_json(texts({"fine \"so\" far"})), R"({"result":"fine \"so\" far"})");
  EXPECT_EQ(success_json(texts({"a", "", "b"})), R"({"result":"ab"})");
  EXPECT_EQ(success_json(texts({"1 2"})), R"({"result":"1 2"})");
  EXPECT_EQ(success_json(texts({std::string("1\0x", 3)})), R"({"result":"1\u0000x"})");
}

TEST(ConnectorModelText, TextNestedBeyondTheLimitIsText) {
  const std::string allowed = std::string(128, '[') + std::string(128, ']');
  const std::string deeper = "[" + allowed + "]";
  EXPECT_EQ(success_json(texts({allowed})), allowed);
  EXPECT_EQ(success_json(texts({deeper})), R"({"result":")" + deeper + "\"}");
  const std::string in_a_string = "[\"\\\"" + std::string(500, '[') + "\"]";
  EXPECT_EQ(success_json(texts({in_a_string})), in_a_string);
}

TEST(ConnectorModelText, NoTextAtAllIsOk) {
  EXPECT_EQ(success_json({}), R"({"ok":true})");
  EXPECT_EQ(success_json(texts({"", ""})), R"({"ok":true})");
}

TEST(ConnectorModelText, AFailedResultSpeaksForItself) {
  EXPECT_EQ(result_message({.structured = R"({"why":"full"})", .texts = {"x"}, .is_error = true}),
            R"({"why":"full"})");
  EXPECT_EQ(result_message(texts({"disk", "full"}, true)), "diskfull");
  EXPECT_EQ(result_message(texts({}, true)), "The tool failed and did not say why.");
  EXPECT_EQ(result_message(texts({""}, true)), result_message(texts({}, true)));
}

TEST(ConnectorModelText, TheFailureObjectHasTwoMembersInOrder) {
  EXPECT_EQ(failure_json(Kind::kApplication, "no \"x\""),
            R"({"error":"no \"x\"","kind":"application_error"})");
  EXPECT_EQ(failure_json(Kind::kAuth, "a\xFFz"),
            "{\"error\":\"a\xEF\xBF\xBDz\",\"kind\":\"auth_rejected\"}");
}

TEST(ConnectorModelText, OnlyAnApplicationErrorCarriesForeignWords) {
  const std::string dump = "tcp connect error: 10.0.0.7:443";
  for (const Kind kind : {Kind::kTransport, Kind::kAuth, Kind::kConfig}) {
    EXPECT_EQ(call_message(kind, dump), dial_message(kind));
    EXPECT_EQ(call_message(kind, dump).find("tcp"), std::string::npos);
  }
  EXPECT_EQ(call_message(Kind::kApplication, dump), dump);
  EXPECT_EQ(call_message(Kind::kApplication, ""), "The tool failed and did not say why.");
}

TEST(ConnectorModelText, TheFixedSentencesDiffer) {
  EXPECT_NE(dial_message(Kind::kTransport), dial_message(Kind::kAuth));
  EXPECT_NE(dial_message(Kind::kTransport), dial_message(Kind::kConfig));
  EXPECT_NE(dial_message(Kind::kAuth), dial_message(Kind::kConfig));
}

TEST(ConnectorModelText, TheTransportSentencePromisesRecovery) {
  const std::string_view sentence = dial_message(Kind::kTransport);
  EXPECT_NE(sentence.find("temporarily unavailable"), std::string_view::npos);
  EXPECT_NE(sentence.find("trying again shortly"), std::string_view::npos);
  EXPECT_EQ(dial_message(Kind::kApplication), sentence);
}

}  // namespace
}  // namespace squall::core::connector
