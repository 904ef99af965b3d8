// SPDX-License-Identifier: MIT
#include "live/secret.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace squall::live {
namespace {

using testing::HasSubstr;
using testing::Not;

Secret secret(const std::string& text) {
  auto made = Secret::make(text, "TEST_KEY");
  EXPECT_TRUE(made) << to_string(made.error());
  return made ? *made : Secret();
}

TEST(Secret, ComplainsWithoutShowingTheKey) {
  for (const std::string text : {"tiny", "with blank inside", "line-break-at-end\n", ""}) {
    const auto made = Secret::make(text, "TEST_KEY");
    ASSERT_FALSE(made) << text;
    EXPECT_THAT(to_string(made.error()), HasSubstr("the API key in TEST_KEY"));
    if (!text.empty()) {
      EXPECT_THAT(to_string(made.error()), Not(HasSubstr(text)));
    }
  }
}

TEST(Masking, HidesTheKeyHoweverTheTextIsCut) {
  const Secret key = secret("sk-abab-1234");
  const std::string text = "begin sk-abab-1234 sk-sk-abab-1234sk-abab-1234 sk-ab end sk";
  const std::string shown = "begin ************ sk-************************ sk-ab end sk";
  EXPECT_EQ(masked(key, text), shown);
  for (std::size_t first = 0; first <= text.size(); ++first) {
    for (std::size_t second = first; second <= text.size(); ++second) {
      Masking masking(key);
      std::string out = masking.take(std::string_view(text).substr(0, first));
      out += masking.take(std::string_view(text).substr(first, second - first));
      out += masking.take(std::string_view(text).substr(second));
      out += masking.finish();
      ASSERT_EQ(out, shown) << first << ' ' << second;
    }
  }
}

TEST(Masking, HidesAKeyThatTheEndCutsOff) {
  const Secret key = secret("sk-abab-1234");
  Masking masking(key);
  EXPECT_EQ(masking.take("was sk-abab-123"), "was ");
  EXPECT_EQ(masking.finish(), "***********");
}

TEST(Masked, HidesWhatIsLeftOfAKeyThatWasCut) {
  const Secret key = secret("sk-abab-1234-5678");
  EXPECT_EQ(masked(key, "begin sk-abab-1... end"), "begin *********... end");
  EXPECT_EQ(masked(key, "sk-abab-12sk-abab-1234-5678 sk-abab-!"),
            "*************************** ********!");
  EXPECT_EQ(masked(key, "an sk-abab is not enough"), "an sk-abab is not enough");
  const Secret brief = secret("sk-12345");
  EXPECT_EQ(masked(brief, "sk-1, \"sk-12...\" and sk-1"), "sk-1, \"*****...\" and ****");
  EXPECT_EQ(masked(brief, "sk-... and sk-"), "sk-... and sk-");
}

TEST(Masked, LeavesJsonWhole) {
  const Secret key = secret(R"(ab/cd"ef\gh)");
  EXPECT_EQ(masked(key, R"({"key":"ab/cd\"ef\\"})"), R"({"key":"***********"})");
  EXPECT_EQ(masked(key, R"({"key":"ab/cd\"ef\n"})"), R"({"key":"*********\n"})");
}

TEST(Masked, ReadsEscapesAsWhatTheyStandFor) {
  const Secret key = secret("sk-ab+cd-1234");
  EXPECT_EQ(masked(key, R"(x sk-ab\u002Bcd-1234 y)"), "x ****************** y");
  EXPECT_EQ(masked(key, R"(\u0073\u006b-ab%2Bcd-1234 y)"), "************************* y");
  EXPECT_EQ(masked(key, "?key=sk-ab%2bcd%2D1234&x"), "?key=*****************&x");
  EXPECT_EQ(masked(key, R"(x sk\u00)"), R"(x sk\u00)");
}

TEST(Masking, HidesTheKeyAsJsonWritesIt) {
  const Secret key = secret(R"(ab/cd"ef\gh)");
  EXPECT_EQ(masked(key, R"({"key":"ab/cd\"ef\\gh"})"), R"({"key":"*************"})");
  EXPECT_EQ(masked(key, R"({"key":"ab\/cd\"ef\\gh"})"), R"({"key":"**************"})");
}

TEST(Masking, ChangesNothingWithoutAKey) {
  const Secret none;
  Masking masking(none);
  EXPECT_EQ(masking.take("anything"), "anything");
  EXPECT_EQ(masking.finish(), "");
}

}  // namespace
}  // namespace squall::live
