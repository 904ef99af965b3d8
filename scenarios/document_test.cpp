// SPDX-License-Identifier: MIT
#include "scenarios/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/files.hpp"

namespace squall::scenarios {
namespace {

using testing::HasSubstr;

std::string refusal(std::string_view text) {
  const auto document = parse_document(text, "x.json");
  return document ? "accepted: " + document->dump() : core::to_string(document.error());
}

TEST(Document, KeepsTheOrderOfTheFile) {
  EXPECT_EQ(parse_document(R"({"z": 1, "a": {"y": [1, 2.5, "t", null, true], "b": {}}})", "x")
                .value()
                .dump(),
            R"({"z":1,"a":{"y":[1,2.5,"t",null,true],"b":{}}})");
}

TEST(Document, AgreesWithTheLibrary) {
  for (const char* text :
       {"{}", "[]", "1", "\"\\ud83d\\ude00\"", "[[[]],{\"a\":[{}]}]", "-0", "18446744073709551615",
        "-9223372036854775808", "1e300", "/* c */ [1, // d\n 2]", " \t\r\n[true]\n"}) {
    EXPECT_EQ(parse_document(text, "x").value(), Json::parse(text, nullptr, true, true)) << text;
  }
}

TEST(Document, SyntaxErrorsHaveLineColumnAndPlainWords) {
  EXPECT_EQ(refusal("{\n  \"a\": 1,\n}"), "x.json:3: column 1: a comma too many before }");
  EXPECT_EQ(refusal("[1, 2,]"),
            "x.json:1: column 7: a comma too many before ], or a value is missing");
  EXPECT_EQ(refusal("{\"a\": 1\n \"b\": 2}"),
            "x.json:2: column 2: found \"b\", allowed: a comma or }");
  EXPECT_EQ(refusal("{\"a\" 1}"),
            "x.json:1: column 6: found \"1\", allowed: a colon after the key");
  EXPECT_EQ(refusal("{a: 1}"),
            "x.json:1: column 2: not a JSON value: \"a\" (text needs double quotes)");
  EXPECT_EQ(refusal("{\"a\": 'b'}"),
            "x.json:1: column 7: not a JSON value: \"'b\" (text needs double quotes)");
  EXPECT_EQ(refusal("{\"a\": \"b\n\"}"), "x.json:1: column 9: a string does not end on its line");
  EXPECT_EQ(refusal("{\"a\": [1"),
            "x.json:1: column 9: found the end of the file, allowed: a comma or ]");
  EXPECT_EQ(refusal("{} {}"),
            "x.json:1: column 4: found \"{\", allowed: nothing after the end of the document");
  EXPECT_EQ(refusal("{} /* c"), "x.json:1: column 8: a comment does not end");
  EXPECT_EQ(refusal("{} / c"), "x.json:1: column 5: a comment begins with // or /*");
  EXPECT_EQ(refusal("[01]"), "x.json:1: column 3: found \"1\", allowed: a comma or ]");
}

TEST(Document, DuplicateKeysAreRefusedAtTheSecondOne) {
  EXPECT_EQ(refusal("{\"a\": 1,\n \"b\": {\"a\": 2},\n \"\\u0061\": 3}"),
            "x.json:3: column 9: duplicate key \"a\", allowed: each key once in an object");
}

TEST(Document, NumbersMustFit) {
  EXPECT_THAT(refusal("[18446744073709551616]"),
              HasSubstr("number out of range: 18446744073709551616"));
  EXPECT_THAT(refusal("[1e400]"), HasSubstr("number out of range: 1e400"));
}

TEST(Document, NestingHasALimit) {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_TRUE(parse_document(nested(kNestingMax), "x"));
  EXPECT_EQ(refusal(nested(kNestingMax + 1)),
            "x.json:1: column 65: nested too deeply, allowed: at most 64 levels");
  EXPECT_THAT(refusal(std::string(1'000'000, '[')), HasSubstr("nested too deeply"));
}

TEST(Document, TextDefectsAreNamed) {
  EXPECT_EQ(refusal(""), "x.json: is empty, allowed: one JSON object");
  EXPECT_EQ(refusal(" \n\n"), "x.json: is empty, allowed: one JSON object");
  EXPECT_EQ(refusal("\xef\xbb\xbf{}"),
            "x.json: begins with a byte order mark, allowed: UTF-8 without one");
  EXPECT_EQ(refusal("{\n\"a\": \"\xff\"}"), "x.json:2: column 7: not valid UTF-8");
  EXPECT_EQ(refusal("{} // \xc3"), "x.json:1: column 7: not valid UTF-8");
  EXPECT_THAT(refusal(std::string("{}\0{}", 5)), HasSubstr("a control character (\\u0000)"));
  EXPECT_EQ(refusal(std::string(kFileBytesMax + 1, ' ')),
            "x.json: too large, allowed: at most 16777216 bytes");
}

TEST(Document, IllFormedUtf8IsRefusedAsTheStandardDefinesIt) {
  // Unicode standard, table 3-7: overlong forms, surrogates, beyond U+10FFFF, lone continuations.
  for (const char* bytes :
       {"\xc0\xaf", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\x80", "\xe2\x82", "\xfe"}) {
    EXPECT_THAT(refusal("\"" + std::string(bytes) + "\""), HasSubstr("not valid UTF-8"));
  }
  for (const char* bytes : {"\xc2\x80", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
                            "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(parse_document("\"" + std::string(bytes) + "\"", "x"));
  }
}

TEST(Document, ManyKeysTakeLinearTime) {
  // A quadratic reader would need minutes here.
  std::string text = "{";
  for (int i = 0; i < 200'000; ++i) {
    text += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":0";
  }
  EXPECT_EQ(parse_document(text + "}", "x").value().size(), 200'000U);
}

}  // namespace
}  // namespace squall::scenarios
