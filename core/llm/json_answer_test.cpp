// SPDX-License-Identifier: MIT
#include "core/llm/json_answer.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/json_text.hpp"

namespace squall::core::llm {
namespace {

const std::string kNotJson = "error: it is not JSON";
const std::string kRepeats = "error: an object in it repeats a name";
const std::string kTooDeep = "error: it is nested too deeply";

/// The value in compact form, or "error: <why>".
std::string read(std::string_view text) {
  const Expected<nlohmann::json, std::string> value = parse_json_answer(text);
  return value ? value->dump() : "error: " + value.error();
}

struct Row {
  std::string text;
  std::string expected;
};

void expect(const std::vector<Row>& table) {
  for (const Row& row : table) {
    EXPECT_EQ(read(row.text), row.expected) << row.text;
  }
}

TEST(JsonAnswer, WholeText) {
  expect({
      {R"({"a":1})", R"({"a":1})"},
      {" \r\n\t{\"b\" : 1, \"a\":[ ]}\n\n", R"({"a":[],"b":1})"},
      {"7", "7"},
      {"null", "null"},
      {R"("text")", R"("text")"},
      {"", kNotJson},
      {" \n ", kNotJson},
      {R"(Here it is: {"a":1})", kNotJson},
      {R"({"a":1} Hope this helps.)", kNotJson},
      {R"({"a":1}{"a":2})", kNotJson},
      {R"({"a":1,})", kNotJson},
      {R"({"a":1)", kNotJson},
      {R"({'a':1})", kNotJson},
      {"{\"a\":1 // one\n}", kNotJson},
      {R"({"a":NaN})", kNotJson},
      {R"({"a":Infinity})", kNotJson},
      {R"({"a":1e999})", kNotJson},
      {R"({"a":-1e999})", kNotJson},
      {R"({"a":1e-999})", R"({"a":0.0})"},
      {R"({"a":"\ud800"})", kNotJson},
      {"{\"a\":\"\xFF\"}", kNotJson},
      {"{\"a\":\"x\ny\"}", kNotJson},
      {"`{\"a\":1}`", kNotJson},
  });
}

TEST(JsonAnswer, NothingIsIgnoredAfterANulByte) {
  using namespace std::string_literals;
  EXPECT_EQ(read("{\"a\":1}\0 and more"s), kNotJson);
  EXPECT_EQ(read("```\n{\"a\":1}\0\n```"s), kNotJson);
  EXPECT_EQ(read(R"({"a":"\u0000"})"), R"({"a":"\u0000"})");
}

TEST(JsonAnswer, ARepeatedNameIsRefusedAtEveryLevel) {
  expect({
      {R"({"score":3,"score":9})", kRepeats},
      {R"({"score":3,"\u0073core":3})", kRepeats},
      {R"([{"a":{"b":1,"c":2,"b":3}}])", kRepeats},
      {R"({"a":{"b":1},"b":{"a":1},"c":[{"a":1},{"a":1}]})",
       R"({"a":{"b":1},"b":{"a":1},"c":[{"a":1},{"a":1}]})"},
      {R"({"a":{"b":1},"a":[]})", kRepeats},
      {R"({"a":1,"A":2,"":3})", R"({"":3,"A":2,"a":1})"},
      {R"({"a":1,"a":2)", kNotJson},
  });
}

TEST(JsonAnswer, FencedBlocks) {
  expect({
      {"```json\n{\"a\":1}\n```", R"({"a":1})"},
      {"```\n{\"a\":1}\n```", R"({"a":1})"},
      {"```JSON\n{\"a\":1}\n```", R"({"a":1})"},
      {"``` json \n{\"a\":1}\n```  ", R"({"a":1})"},
      {"```json title=x\n{\"a\":1}\n```", R"({"a":1})"},
      {"```json\r\n{\"a\":1}\r\n```\r\n", R"({"a":1})"},
      {"   ```json\n  {\"a\":1}\n  ```", R"({"a":1})"},
      {"Sure!\n```json\n{\n \"a\": 1\n}\n```\nAnything else?", R"({"a":1})"},
      {"```json\n\n\n{\"a\":1}\n\n```", R"({"a":1})"},
      {"````json\n{\"a\":1}\n`````", R"({"a":1})"},
  });
}

TEST(JsonAnswer, WhatIsNoFence) {
  expect({
      {"``\n{\"a\":1}\n``", kNotJson},
      {"    ```json\n{\"a\":1}\n    ```", kNotJson},
      {"text ```json\n{\"a\":1}\n```", kNotJson},
      {"```json {\"a\":1}```", kNotJson},
      {"~~~json\n{\"a\":1}\n~~~", kNotJson},
      {"```json\n{\"a\":1}```", kNotJson},
  });
}

TEST(JsonAnswer, ABlockOfAnotherLanguageCannotWin) {
  expect({
      {"```python\n7\n```", kNotJson},
      {"```jsonc\n{\"a\":1}\n```", kNotJson},
      {"```jso\n{\"a\":1}\n```", kNotJson},
      {"```python\n7\n```\n```json\n8\n```", "8"},
      // Its closing line must not be taken for an opening one.
      {"```sh\nls\n```\n{\"a\":1}\n```json\n{\"b\":2}\n```", R"({"b":2})"},
  });
}

TEST(JsonAnswer, TheFirstBlockThatHoldsJsonWins) {
  expect({
      {"```json\n{\"a\":1}\n```\n```json\n{\"a\":2}\n```", R"({"a":1})"},
      {"```json\n{\"a\":\n```\n```json\n{\"a\":2}\n```", R"({"a":2})"},
      {"```\nlet a = 1\n```\nso\n```\n{\"a\":2}\n```", R"({"a":2})"},
      {"```json\n{\"a\":\n```\nand {\"a\":2}", kNotJson},
      // The reason is that of the first block.
      {"```\n{\"a\":1,\"a\":1}\n```\n```\n{\n```", kRepeats},
      {"```\n{\n```\n```\n{\"a\":1,\"a\":1}\n```", kNotJson},
  });
}

TEST(JsonAnswer, ABlockThatNothingClosesReachesToTheEnd) {
  expect({
      {"```json\n{\"a\":1}", R"({"a":1})"},
      {"```json\n{\"a\":1}\n", R"({"a":1})"},
      {"```json\n{\"a\":", kNotJson},
      {"```json", kNotJson},
      {"```json\n", kNotJson},
      {"{\"a\":1}\n```", kNotJson},
      // A shorter fence and one with an info string close nothing.
      {"````json\n{\"a\":1}\n```", kNotJson},
      {"```json\n{\"a\":1}\n```json\n", kNotJson},
  });
}

TEST(JsonAnswer, WhatIsFencedInsideALongerFenceIsText) {
  expect({
      {"````\n```json\n{\"a\":1}\n```\n````", kNotJson},
      {"````markdown\n```json\n{\"a\":1}\n```\n````\n```json\n{\"a\":2}\n```", R"({"a":2})"},
      // A fence inside a JSON string has no line of its own.
      {R"({"a":"```json\n{}\n```"})", R"({"a":"```json\n{}\n```"})"},
      {"```json\n"
       R"({"a":"```\n```"})"
       "\n```",
       R"({"a":"```\n```"})"},
  });
}

std::string nested(int depth) {
  const auto count = static_cast<std::size_t>(depth);
  return std::string(count, '[') + std::string(count, ']');
}

TEST(JsonAnswer, NestingIsBounded) {
  EXPECT_EQ(read(nested(kJsonDepthMax)), nested(kJsonDepthMax));
  EXPECT_EQ(read(nested(kJsonDepthMax + 1)), kTooDeep);
  EXPECT_EQ(read("[" + nested(kJsonDepthMax - 1) + "," + nested(kJsonDepthMax) + "]"), kTooDeep);
  std::string objects;
  for (int i = 0; i <= kJsonDepthMax; ++i) {
    objects += R"({"a":)";
  }
  EXPECT_EQ(read(objects + "1" + std::string(kJsonDepthMax + 1, '}')), kTooDeep);
  // Neither the parser nor the destructor recurses.
  EXPECT_EQ(read(nested(200'000)), kTooDeep);
  EXPECT_EQ(read(std::string(200'000, '[')), kTooDeep);
}

TEST(JsonAnswer, HugeTexts) {
  const std::string filler(std::size_t{1} << 20, 'x');
  EXPECT_EQ(read(filler), kNotJson);
  EXPECT_EQ(read("{\"a\":\"" + filler + "\"}").size(), filler.size() + 8);
  EXPECT_EQ(read(filler + "\n```json\n{\"a\":1}\n```\n" + filler), R"({"a":1})");
  EXPECT_EQ(read(std::string(std::size_t{1} << 20, '`')), kNotJson);
  std::string fences;
  for (int i = 0; i < 20'000; ++i) {
    fences += "```\n{\n```\n";
  }
  EXPECT_EQ(read(fences), kNotJson);
  EXPECT_EQ(read(fences + "```\n[]"), "[]");
  std::string unclosed;
  for (int i = 0; i < 20'000; ++i) {
    unclosed += "```json\n";
  }
  EXPECT_EQ(read(unclosed), kNotJson);
}

}  // namespace
}  // namespace squall::core::llm
