// SPDX-License-Identifier: MIT
#include "core/chat_request.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace squall::core {
namespace {

constexpr std::string_view kParameters = R"("model":"m","reasoning_effort":"high")";

TEST(ChatRequest, PutsParametersFirstAndMessagesLast) {
  const ChatRequest request(kParameters, {R"({"role":"system"})", R"({"role":"user"})"});
  EXPECT_EQ(
      request.body(),
      R"({"model":"m","reasoning_effort":"high","messages":[{"role":"system"},{"role":"user"}]})");
  EXPECT_EQ(request.parameters(), R"({"model":"m","reasoning_effort":"high","messages":[)");
  EXPECT_EQ(request.messages(), R"({"role":"system"},{"role":"user"})");
}

TEST(ChatRequest, NeedsNeitherParametersNorMessages) {
  const ChatRequest bare("", {});
  EXPECT_EQ(bare.body(), R"({"messages":[]})");
  EXPECT_EQ(bare.messages(), "");
  EXPECT_EQ(ChatRequest("", {"{}"}).body(), R"({"messages":[{}]})");
  EXPECT_EQ(ChatRequest(kParameters, {}).messages(), "");
}

TEST(ChatRequest, AppendingEqualsBuildingWithTheLongerList) {
  EXPECT_EQ(ChatRequest(kParameters, {}).appended("{}"), ChatRequest(kParameters, {"{}"}));
  EXPECT_EQ(ChatRequest(kParameters, {"{}"}).appended(R"({"a":1})").appended(R"({"b":2})"),
            ChatRequest(kParameters, {"{}", R"({"a":1})", R"({"b":2})"}));
}

TEST(ChatRequest, WhatWasSentStaysAPrefix) {
  const ChatRequest first(kParameters, {R"({"role":"user","content":"]}"})"});
  const ChatRequest second = first.appended(R"({"role":"assistant"})");
  const ChatRequest third = second.appended(R"({"role":"user"})");
  EXPECT_EQ(first.parameters(), third.parameters());
  EXPECT_TRUE(second.messages().starts_with(first.messages()));
  EXPECT_TRUE(third.messages().starts_with(second.messages()));
  EXPECT_EQ(first, ChatRequest(kParameters, {R"({"role":"user","content":"]}"})"}))
      << "appending leaves the original alone";
}

TEST(ChatRequest, IsJson) {
  const ChatRequest request = ChatRequest(kParameters, {}).appended("{}").appended("{}");
  const nlohmann::json parsed = nlohmann::json::parse(request.body());
  EXPECT_EQ(parsed.at("messages").size(), 2U);
  EXPECT_EQ(parsed.at("reasoning_effort"), "high");
}

// The views must belong to the copy, not to the request it was copied from.
TEST(ChatRequest, ACopyOutlivesItsOriginal) {
  const ChatRequest copy = [] {
    const ChatRequest original(kParameters, {R"({"role":"user"})"});
    return ChatRequest(original);
  }();
  EXPECT_EQ(copy.messages(), R"({"role":"user"})");
  EXPECT_EQ(copy.messages().data(), copy.body().data() + copy.parameters().size());
}

}  // namespace
}  // namespace squall::core
