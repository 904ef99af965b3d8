// SPDX-License-Identifier: MIT
#include "reports/style.hpp"

#include <gtest/gtest.h>

namespace squall::reports {
namespace {

TEST(Style, ColourIsEscapesOrNothing) {
  EXPECT_EQ(paint({.color = false}, Tone::kBad, "x"), "x");
  EXPECT_EQ(paint({.color = true}, Tone::kBad, "x"), "\x1b[31mx\x1b[0m");
  EXPECT_EQ(paint({.color = true}, Tone::kPlain, "x"), "x");
  EXPECT_EQ(columns("\x1b[31m▒x\x1b[0m"), 2U);
  EXPECT_EQ(pad_left("\x1b[31m▒\x1b[0m", 3), "  \x1b[31m▒\x1b[0m");
}

// Bodies and answers come from strangers: nothing of them may move the cursor or end the line.
TEST(Style, ExcerptsAreHarmless) {
  EXPECT_EQ(excerpt("a\nb\tc\rd", 80), "a\\nb\\tc\\rd");
  EXPECT_EQ(excerpt("\x1b[2J\x7f", 80), "\\x1b[2J\\x7f");
  EXPECT_EQ(excerpt(std::string_view("\0", 1), 80), "\\x00");
  EXPECT_EQ(excerpt("\xc2\x9b"
                    "31m",
                    80),
            "\\x9b31m");
  EXPECT_EQ(excerpt("\xff\xc3(\xed\xa0\x80\xe2\x82", 80),
            std::string(2, '?') + "(" + std::string(5, '?'));
  EXPECT_EQ(excerpt("a\xe2\x80\xae"
                    "b\xe2\x81\xa9",
                    80),
            "a\\u202eb\\u2069");
  EXPECT_EQ(excerpt("größer 漢 😀", 80), "größer 漢 😀");
}

TEST(Style, ExcerptsAreCutBetweenCharacters) {
  EXPECT_EQ(excerpt("12345678", 8), "12345678");
  EXPECT_EQ(excerpt("123456789", 8), "12345...");
  EXPECT_EQ(excerpt("äöüäöüäöü", 8), "äöüäö...");
  EXPECT_EQ(excerpt("1234\n6789", 8), "1234...");
}

TEST(Style, TextWrapsAtBlanksBelowItself) {
  const Style narrow{.color = false, .unicode = true, .width = 34};
  EXPECT_EQ(field(narrow, "key", "one two three four five six"),
            "  key         one two three four\n"
            "              five six\n");
  EXPECT_EQ(field(narrow, "", "aVeryLongWordThatFitsNowhere b"),
            "              aVeryLongWordThatFitsNowhere\n"
            "              b\n");
}

TEST(Style, ShellWordsAreQuotedOnlyWhenNeeded) {
  EXPECT_EQ(shell_word("scenarios/library/a-1.json"), "scenarios/library/a-1.json");
  EXPECT_EQ(shell_word("my file.json"), "'my file.json'");
  EXPECT_EQ(shell_word("it's; rm"), "'it'\\''s; rm'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace squall::reports
