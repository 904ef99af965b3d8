// SPDX-License-Identifier: MIT
#include "scenarios/json_locator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/json.hpp"

namespace squall::scenarios {
namespace {

constexpr std::string_view kText = R"(// "a": 0
{
  "a": 1,
  /* "b": [
  */ "b": [
    10,
    {"x\"/~": "line\nbreak",
     "y": [[], {}]
    }
    ,
    -3.5e2
  ],
  "c"
  :
  true, "d": null
}
)";

TEST(JsonLocator, FindsMembersAtTheirKeyAndElementsAtTheirFirstCharacter) {
  EXPECT_EQ(line_of(kText, ""), 2U);
  EXPECT_EQ(line_of(kText, "/a"), 3U);
  EXPECT_EQ(line_of(kText, "/b"), 5U);
  EXPECT_EQ(line_of(kText, "/b/0"), 6U);
  EXPECT_EQ(line_of(kText, "/b/1"), 7U);
  EXPECT_EQ(line_of(kText, "/b/1/x\"~1~0"), 7U);
  EXPECT_EQ(line_of(kText, "/b/1/y"), 8U);
  EXPECT_EQ(line_of(kText, "/b/1/y/1"), 8U);
  EXPECT_EQ(line_of(kText, "/b/2"), 11U);
  EXPECT_EQ(line_of(kText, "/c"), 13U);
  EXPECT_EQ(line_of(kText, "/d"), 15U);
}

TEST(JsonLocator, MissingValueIsPlacedAtTheNearestEnclosingOne) {
  EXPECT_EQ(line_of(kText, "/z"), 2U);
  EXPECT_EQ(line_of(kText, "/b/7"), 5U);
  EXPECT_EQ(line_of(kText, "/b/1/y/0/0"), 8U);
  EXPECT_EQ(line_of(kText, "/a/b"), 3U);
}

TEST(JsonLocator, EscapedKeysAreComparedByWhatTheyMean) {
  EXPECT_EQ(line_of("{\n\"\\u0061\\n\":\n1}", "/a\n"), 2U);
}

/// All pointers of a document, by walking the library's own value.
void collect(const Json& value, const std::string& pointer, std::vector<std::string>& pointers) {
  pointers.push_back(pointer);
  for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) {
    collect(value[i], element_pointer(pointer, i), pointers);
  }
  if (value.is_object()) {
    for (const auto& member : value.items()) {
      collect(member.value(), member_pointer(pointer, member.key()), pointers);
    }
  }
}

TEST(JsonLocator, AgreesWithAnOutlineWrittenOneValueALine) {
  // dump(2) writes every member and element on a line of its own, in document order; closing
  // brackets have lines too and no pointer.
  const Json document = Json::parse(kText, nullptr, true, true);
  const std::string outline = document.dump(2);
  std::vector<std::string> pointers;
  collect(document, "", pointers);
  std::vector<std::size_t> lines;
  for (std::size_t begin = 0, line = 1; begin < outline.size(); ++line) {
    const std::size_t end = std::min(outline.find('\n', begin), outline.size());
    const std::size_t first = outline.find_first_not_of(' ', begin);
    if (outline[first] != ']' && outline[first] != '}') {
      lines.push_back(line);
    }
    begin = end + 1;
  }
  ASSERT_EQ(lines.size(), pointers.size());
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    EXPECT_EQ(line_of(outline, pointers[i]), lines[i]) << pointers[i];
  }
}

}  // namespace
}  // namespace squall::scenarios
