// SPDX-License-Identifier: MIT
//
// What models and connectors answer, with its meaning judged by hand: neither the generators nor
// the laws ever ask the code under test what a text is. What is not listed is no JSON to a model's
// caller and no answer to a connector's.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace squall::property_tests {

/// A model's text and the JSON in it as the core writes it (compact, names sorted), if any.
struct KnownText {
  std::string_view text;
  std::optional<std::string_view> json{};
};

inline constexpr std::array<KnownText, 20> kExtractionTexts{{
    {R"({"score":7,"reason":"ok"})", R"({"reason":"ok","score":7})"},
    {"```json\n{\"score\": 3}\n```", R"({"score":3})"},
    {"Here you are:\n```\n{\"score\":2.5,\"reason\":\"half\"}\n```\nDone.",
     R"({"reason":"half","score":2.5})"},
    {R"({"score":11,"reason":"too high"})", R"({"reason":"too high","score":11})"},
    {R"({"score":-1})", R"({"score":-1})"},
    {R"({"score":10,"tags":[1,"a"],"extra":{"deep":[true,null]}})",
     R"({"extra":{"deep":[true,null]},"score":10,"tags":[1,"a"]})"},
    {R"({"score":0,"reason":null,"tags":[]})", R"({"reason":null,"score":0,"tags":[]})"},
    {R"({"score":"7"})", R"({"score":"7"})"},
    {R"({"reason":"none"})", R"({"reason":"none"})"},
    {R"({"score":null})", R"({"score":null})"},
    {R"({"score":5,"tags":"none"})", R"({"score":5,"tags":"none"})"},
    {"[7]", "[7]"},
    {"```\nno\n```\n```json\n{\"score\":1}\n```", R"({"score":1})"},
    {"The score is 7."},
    {""},
    {"  \n"},
    {R"({"score":7)"},
    {R"({"score":7,"score":8})"},
    {"```yaml\n{\"score\":7}\n```"},
    {R"({"score":7} "quoted" \ and gr)"
     "\xc3\xbc\xc3\x9f"
     "e"},
}};

/// The JSON in a text, if any.
[[nodiscard]] constexpr std::optional<std::string_view> json_in(std::string_view text) {
  const auto* found = std::find_if(kExtractionTexts.begin(), kExtractionTexts.end(),
                                   [text](const KnownText& known) { return known.text == text; });
  return found == kExtractionTexts.end() ? std::nullopt : found->json;
}

/// What a complete 2xx answer to a tool call is.
enum class ToolMeaning : std::uint8_t {
  kSuccess,
  kApplication,  ///< the connector says that the call failed
  kNoAnswer,
};

struct KnownToolBody {
  std::string_view bytes;
  ToolMeaning meaning = ToolMeaning::kNoAnswer;
  /// What the model reads: the whole JSON of a success, the sentence of a failure. An empty
  /// sentence is one of the core's own.
  std::string_view read{};
};

inline constexpr std::array<KnownToolBody, 24> kToolBodies{{
    {R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"ok"}]}})",
     ToolMeaning::kSuccess, R"({"result":"ok"})"},
    {R"({"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"b":1,"a":[2]},)"
     R"("content":[{"type":"text","text":"x"}]}})",
     ToolMeaning::kSuccess, R"({"b":1,"a":[2]})"},
    {R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"one"},)"
     R"({"type":"image","data":"AA=="},{"type":"text","text":"two"}]}})",
     ToolMeaning::kSuccess, R"({"result":"onetwo"})"},
    {R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"n\": 3}"}]}})",
     ToolMeaning::kSuccess, R"({"n":3})"},
    {R"({"jsonrpc":"2.0","id":1,"result":{}})", ToolMeaning::kSuccess, R"({"ok":true})"},
    {"event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":"
     "\"text\",\"text\":\"streamed\"}]}}\n\n",
     ToolMeaning::kSuccess, R"({"result":"streamed"})"},
    {": hello\r\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\r\n\r\n"
     "data: {\"jsonrpc\":\"2.0\",\"id\":1,\r\ndata: \"result\":{}}\r\n\r\n",
     ToolMeaning::kSuccess, R"({"ok":true})"},
    {"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"structuredContent\":{\"no\":\"end\"}}}",
     ToolMeaning::kSuccess, R"({"no":"end"})"},
    {R"({"jsonrpc":"2.0","id":1,"result":{"isError":true,)"
     R"("content":[{"type":"text","text":"the row is locked"}]}})",
     ToolMeaning::kApplication, "the row is locked"},
    {R"({"jsonrpc":"2.0","id":1,"result":{"isError":true,"structuredContent":{"code":"busy"}}})",
     ToolMeaning::kApplication, R"({"code":"busy"})"},
    {R"({"jsonrpc":"2.0","id":1,"result":{"isError":true}})", ToolMeaning::kApplication},
    {R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"bad arguments"}})",
     ToolMeaning::kApplication, "bad arguments"},
    {R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"unreadable"}})",
     ToolMeaning::kApplication, "unreadable"},
    {R"({"jsonrpc":"2.0","id":1,"error":{"code":-32603}})", ToolMeaning::kApplication},
    {"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"no such row\"}}\n\n",
     ToolMeaning::kApplication, "no such row"},
    {R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required"}})",
     ToolMeaning::kApplication},
    {""},
    {"{}"},
    {"[]"},
    {R"({"jsonrpc":"2.0","id":2,"result":{}})"},
    {R"({"jsonrpc":"2.0","id":1})"},
    {R"({"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"both"}})"},
    {"<html>upstream dump of host db7.internal</html>"},
    {": keep-alive\n\n: keep-alive\n\n"},
}};

/// The listed body with these bytes, line ends at its end aside (a stream that HTTP vouches for may
/// forget them); any other is no answer.
[[nodiscard]] constexpr KnownToolBody known_tool_body(std::string_view bytes) {
  const auto trimmed = [](std::string_view text) {
    return text.substr(0, text.find_last_not_of("\r\n") + 1);
  };
  const auto* found = std::find_if(
      kToolBodies.begin(), kToolBodies.end(),
      [&](const KnownToolBody& known) { return trimmed(known.bytes) == trimmed(bytes); });
  return found == kToolBodies.end() ? KnownToolBody{.bytes = bytes} : *found;
}

}  // namespace squall::property_tests
