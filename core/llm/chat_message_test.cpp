// SPDX-License-Identifier: MIT
#include "core/llm/chat_message.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace squall::core::llm {
namespace {

TEST(ChatMessage, MembersComeInOneOrder) {
  EXPECT_EQ(user_message("hi"), R"({"role":"user","content":"hi"})");
  EXPECT_EQ(assistant_message("ho"), R"({"role":"assistant","content":"ho"})");
  EXPECT_EQ(reasoning_message("hm"), R"({"role":"assistant","content":"","reasoning":"hm"})");
}

TEST(ChatMessage, AnEmptyContentIsAnEmptyString) {
  EXPECT_EQ(assistant_message(""), R"({"role":"assistant","content":""})");
}

TEST(ChatMessage, TextIsEscapedOnlyWhereJsonAsksForIt) {
  using namespace std::string_view_literals;
  EXPECT_EQ(user_message("a\"b\\c\n\t\x01\0/\xC3\xA9\xE2\x80\xA8"sv),
            "{\"role\":\"user\",\"content\":\"a\\\"b\\\\c\\n\\t\\u0001\\u0000/\xC3\xA9\xE2\x80\xA8"
            "\"}");
}

TEST(ChatMessage, BytesThatAreNoUtf8BecomeReplacementCharacters) {
  EXPECT_EQ(user_message("a\xFF"
                         "b"),
            "{\"role\":\"user\",\"content\":\"a\xEF\xBF\xBD"
            "b\"}");
  EXPECT_EQ(reasoning_message("cut \xE2\x80"),
            "{\"role\":\"assistant\",\"content\":\"\",\"reasoning\":\"cut \xEF\xBF\xBD\"}");
}

TEST(ChatMessage, BlankIsWhatHoldsNothingButWhiteSpace) {
  EXPECT_TRUE(is_blank(""));
  EXPECT_TRUE(is_blank(" \t\r\n\v\f "));
  EXPECT_FALSE(is_blank(" . "));
  EXPECT_FALSE(is_blank(std::string_view("\0", 1)));
}

}  // namespace
}  // namespace squall::core::llm
