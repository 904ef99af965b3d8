// SPDX-License-Identifier: MIT
#include "reports/markdown.hpp"

#include <gtest/gtest.h>

namespace squall::reports {
namespace {

TEST(Markdown, MarkupIsEscaped) {
  EXPECT_EQ(markdown_plain("a_b | <i> #1 @me `x`\n"), "a\\_b \\| \\<i\\> \\#1 \\@me \\`x\\`\\\\n");
}

TEST(Markdown, CodeHoldsWhateverItHolds) {
  EXPECT_EQ(markdown_code("squall run x"), "`squall run x`");
  EXPECT_EQ(markdown_code("a `b` c"), "`` a `b` c ``");
  EXPECT_EQ(markdown_code("a | b"), "`a | b`");
  EXPECT_EQ(markdown_code("a | b", /*in_table=*/true), "`a \\| b`");
}

}  // namespace
}  // namespace squall::reports
