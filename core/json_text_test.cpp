// SPDX-License-Identifier: MIT
#include "core/json_text.hpp"

#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace squall::core {
namespace {

std::string nested(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

/// The value read and written again, or "nothing".
template <class Value>
std::string read(std::string_view text) {
  const std::optional<Value> value = parse_json<Value>(text);
  return value ? value->dump() : "nothing";
}

TEST(JsonText, MembersKeepTheirOrderOrAreSorted) {
  EXPECT_EQ(read<Json>(R"({ "b":1, "a":[ ] })"), R"({"b":1,"a":[]})");
  EXPECT_EQ(read<SortedJson>(R"({ "b":1, "a":[ ] })"), R"({"a":[],"b":1})");
}

TEST(JsonText, OnlyOneWholeValueIsJson) {
  using namespace std::string_literals;
  for (const std::string& text : {""s, " "s, "1 2"s, "{\"a\":1}}"s, "[1,]"s, "nul"s, "[1"s,
                                  "1e999"s, "\"\xFF\""s, "{}\0"s, "{}\0{"s}) {
    EXPECT_EQ(read<Json>(text), "nothing") << text;
    EXPECT_EQ(read<SortedJson>(text), "nothing") << text;
  }
}

TEST(JsonText, NestingIsReadUpToTheBoundAndNotBeyond) {
  EXPECT_EQ(read<Json>(nested(kJsonDepthMax)), nested(kJsonDepthMax));
  for (const std::size_t depth : {std::size_t{kJsonDepthMax + 1}, std::size_t{100'000}}) {
    EXPECT_EQ(read<Json>(nested(depth)), "nothing");
    EXPECT_EQ(read<SortedJson>(nested(depth)), "nothing");
    EXPECT_TRUE(is_nested_too_deeply(nested(depth)));
    EXPECT_TRUE(is_nested_too_deeply(std::string(depth, '{')));
  }
}

TEST(JsonText, WhatIsClosedNoLongerCounts) {
  std::string flat = "[";
  for (int i = 0; i < 100'000; ++i) {
    flat += "[],{},";
  }
  EXPECT_FALSE(is_nested_too_deeply(flat + "0]"));
  EXPECT_FALSE(is_nested_too_deeply(std::string(100'000, ']') + nested(kJsonDepthMax)));
}

TEST(JsonText, BracketsInStringsAreText) {
  const std::string brackets(100'000, '[');
  EXPECT_FALSE(is_nested_too_deeply("\"" + brackets + "\""));
  EXPECT_FALSE(is_nested_too_deeply("\"\\\"" + brackets + "\""));
  EXPECT_TRUE(is_nested_too_deeply("\"\\\\\"" + brackets));
  EXPECT_EQ(parse_json("[\"" + brackets + "\"]")->at(0), brackets);
}

TEST(JsonText, AMemberThatIsNullIsAbsent) {
  const Json object = *parse_json(R"({"a":1,"b":null})");
  EXPECT_EQ(*member(object, "a"), 1);
  EXPECT_EQ(member(object, "b"), nullptr);
  EXPECT_EQ(member(object, "c"), nullptr);
  EXPECT_EQ(member(Json::array({1}), "a"), nullptr);
}

}  // namespace
}  // namespace squall::core
