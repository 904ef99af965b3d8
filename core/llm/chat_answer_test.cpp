// SPDX-License-Identifier: MIT
#include "core/llm/chat_answer.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "core/json_text.hpp"

namespace squall::core::llm {
namespace {

using Kind = ChatAnswerDefect::Kind;

ChatAnswer answer_of(std::string_view body) {
  const auto parsed = parse_chat_answer(body);
  EXPECT_TRUE(parsed.has_value()) << (parsed ? "" : parsed.error().reason);
  return parsed ? *parsed : ChatAnswer{};
}

ChatAnswerDefect defect_of(std::string_view body) {
  const auto parsed = parse_chat_answer(body);
  EXPECT_FALSE(parsed.has_value()) << body;
  return parsed ? ChatAnswerDefect{} : parsed.error();
}

ChatAnswerDefect not_a_completion(std::string reason,
                                  std::optional<std::string> finish_reason = std::nullopt) {
  return {Kind::kNotACompletion, std::move(reason), std::move(finish_reason)};
}

TEST(ChatAnswer, ReadsAPlainCompletion) {
  const ChatAnswer answer = answer_of(R"({
    "id": "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
    "object": "chat.completion",
    "created": 1741569952,
    "model": "gpt-4.1-2025-04-14",
    "choices": [
      {
        "index": 0,
        "message": {
          "role": "assistant",
          "content": "Hello! How can I assist you today? \u00e9\n",
          "refusal": null,
          "annotations": []
        },
        "logprobs": null,
        "finish_reason": "stop"
      },
      { "index": 1, "message": { "role": "assistant", "content": "the second" } }
    ],
    "usage": {
      "prompt_tokens": 19,
      "completion_tokens": 10,
      "total_tokens": 29,
      "prompt_tokens_details": { "cached_tokens": 7, "audio_tokens": 0 },
      "completion_tokens_details": { "reasoning_tokens": 0 }
    },
    "service_tier": "default",
    "system_fingerprint": "fp_44709d6fcb"
  })");
  EXPECT_EQ(answer, (ChatAnswer{.text = "Hello! How can I assist you today? \xc3\xa9\n",
                                .reasoning = "",
                                .tool_calls = {},
                                .finish_reason = "stop",
                                .facts = {.input_tokens = 19,
                                          .output_tokens = 10,
                                          .cached_tokens = 7,
                                          .cache_miss_tokens = {},
                                          .cost = {},
                                          .upstream_provider = {},
                                          .system_fingerprint = "fp_44709d6fcb"}}));
}

TEST(ChatAnswer, ReadsToolCallsBesideNullContent) {
  const ChatAnswer answer = answer_of(R"({"id":"gen-1","provider":"P","choices":[{
    "finish_reason":"tool_calls","native_finish_reason":"tool_calls",
    "message":{"role":"assistant","content":null,"refusal":null,"reasoning":"I should look.",
      "tool_calls":[
        {"index":0,"id":"call_a","type":"function",
         "function":{"name":"get_weather","arguments":"{\"city\":\"Bern\"}"}},
        {"function":{"name":"now"}}]}}],
    "usage":{"prompt_tokens":5,"completion_tokens":null,"cost":0.00014}})");
  EXPECT_EQ(answer.text, "");
  EXPECT_EQ(answer.reasoning, "I should look.");
  EXPECT_EQ(answer.finish_reason, "tool_calls");
  EXPECT_EQ(
      answer.tool_calls,
      (std::vector<ToolCall>{{"call_a", "get_weather", R"({"city":"Bern"})"}, {"", "now", ""}}));
  EXPECT_EQ(answer.facts, (AnswerFacts{.input_tokens = 5,
                                       .output_tokens = std::nullopt,
                                       .cached_tokens = std::nullopt,
                                       .cache_miss_tokens = std::nullopt,
                                       .cost = 0.00014,
                                       .upstream_provider = "P",
                                       .system_fingerprint = std::nullopt}));
}

/// The facts of an answer whose envelope has these further members.
AnswerFacts facts_of(std::string_view members) {
  return answer_of(R"({"choices":[{"message":{}}],)" + std::string(members) + "}").facts;
}

// The fields of DeepSeek's usage: hits and misses of its cache add up to prompt_tokens.
TEST(ChatAnswer, CacheHitsAndMissesAreCounted) {
  const AnswerFacts facts = facts_of(
      R"("system_fingerprint":"fp_1","usage":{"prompt_tokens":96,"completion_tokens":2,
         "prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":32})");
  EXPECT_EQ(facts, (AnswerFacts{.input_tokens = 96,
                                .output_tokens = 2,
                                .cached_tokens = 64,
                                .cache_miss_tokens = 32,
                                .cost = std::nullopt,
                                .upstream_provider = std::nullopt,
                                .system_fingerprint = "fp_1"}));
}

TEST(ChatAnswer, CachedTokensOfTheDetailsComeBeforeCacheHits) {
  const auto cached = [](std::string_view details) {
    return facts_of(R"("usage":{"prompt_cache_hit_tokens":64,"prompt_tokens_details":)" +
                    std::string(details) + "}")
        .cached_tokens;
  };
  EXPECT_EQ(cached(R"({"cached_tokens":0})"), 0U);
  EXPECT_EQ(cached(R"({"cached_tokens":7})"), 7U);
  for (const std::string_view absent :
       {"{}", "null", "7", R"({"cached_tokens":null})", R"({"cached_tokens":"7"})"}) {
    EXPECT_EQ(cached(absent), 64U) << absent;
  }
}

TEST(ChatAnswer, ACostIsAnyNumber) {
  const auto cost = [](std::string_view value) {
    return facts_of(R"("usage":{"cost":)" + std::string(value) + "}").cost;
  };
  EXPECT_EQ(cost("0"), 0.0);
  EXPECT_EQ(cost("2"), 2.0);
  EXPECT_EQ(cost("-1"), -1.0);
  EXPECT_EQ(cost("0.95"), 0.95);
  EXPECT_EQ(cost("1e-7"), 1e-7);
}

TEST(ChatAnswer, FactsOfAnotherTypeAreAbsent) {
  for (const std::string_view value : {"null", "true", "[1]", R"({"a":1})"}) {
    const std::string text(value);
    EXPECT_EQ(facts_of(R"("provider":)" + text + R"(,"system_fingerprint":)" + text +
                       R"(,"usage":{"prompt_tokens":)" + text + R"(,"completion_tokens":)" + text +
                       R"(,"prompt_cache_hit_tokens":)" + text + R"(,"prompt_cache_miss_tokens":)" +
                       text + R"(,"cost":)" + text + "}"),
              AnswerFacts{})
        << value;
    EXPECT_EQ(facts_of(R"("usage":)" + text), AnswerFacts{}) << value;
  }
  EXPECT_EQ(facts_of(R"("provider":7,"system_fingerprint":0.5,"usage":{"cost":"0.1"})"),
            AnswerFacts{});
}

// Some providers send the arguments as an object where the text of one belongs.
TEST(ChatAnswer, ArgumentsThatAreNoTextAreKeptAsText) {
  const auto arguments_of = [](std::string_view arguments) {
    const ChatAnswer answer =
        answer_of(R"({"choices":[{"message":{"tool_calls":[{"function":{"name":"f","arguments":)" +
                  std::string(arguments) + "}}]}}]}");
    return answer.tool_calls.empty() ? "(no call)" : answer.tool_calls.front().arguments;
  };
  EXPECT_EQ(arguments_of(R"({ "city": "Bern", "days": [ 1, 2.5 ], "a\u00e9": null })"),
            "{\"a\xc3\xa9\":null,\"city\":\"Bern\",\"days\":[1,2.5]}");
  EXPECT_EQ(arguments_of("{}"), "{}");
  EXPECT_EQ(arguments_of("[ 7 ]"), "[7]");
  EXPECT_EQ(arguments_of("null"), "");
  EXPECT_EQ(arguments_of(R"("{ not json")"), "{ not json");
}

TEST(ChatAnswer, ArgumentsNestedBeyondReasonAreRefused) {
  const auto body = [](std::size_t depth) {
    return R"({"choices":[{"message":{"tool_calls":[{"function":{"name":"f","arguments":)" +
           std::string(depth, '[') + std::string(depth, ']') + "}}]}}]}";
  };
  // Seven brackets of the envelope are open around the arguments.
  constexpr std::size_t kDeepest = kJsonDepthMax - 7;
  EXPECT_EQ(answer_of(body(kDeepest)).tool_calls.front().arguments.size(), 2 * kDeepest);
  for (const std::size_t depth : {kDeepest + 1, std::size_t{100'000}}) {
    EXPECT_EQ(defect_of(body(depth)), not_a_completion("the body is nested too deeply"));
  }
}

TEST(ChatAnswer, AnEmptyMessageIsAnAnswer) {
  EXPECT_EQ(answer_of(R"({"choices":[{"message":{}}]})"), ChatAnswer{});
  EXPECT_EQ(answer_of(R"({"choices":[{"message":{"content":"","tool_calls":null}}],"usage":null})"),
            ChatAnswer{});
  EXPECT_EQ(answer_of(R"({"choices":[{"finish_reason":null,"message":{"tool_calls":[]}}]})"),
            ChatAnswer{});
}

TEST(ChatAnswer, ReasoningHasTwoNames) {
  EXPECT_EQ(answer_of(R"({"choices":[{"message":{"reasoning_content":"b"}}]})").reasoning, "b");
  EXPECT_EQ(
      answer_of(R"({"choices":[{"message":{"reasoning":"a","reasoning_content":"b"}}]})").reasoning,
      "a");
  EXPECT_EQ(answer_of(R"({"choices":[{"message":{"reasoning":null,"reasoning_content":"b"}}]})")
                .reasoning,
            "b");
  EXPECT_EQ(answer_of(R"({"choices":[{"message":{"reasoning":["a"]}}]})").reasoning, "");
}

TEST(ChatAnswer, CountsThatAreNoCountsAreAbsent) {
  for (const std::string_view count :
       {"-1", "1.0", "1e3", "\"5\"", "null", "true", "[5]", "18446744073709551616"}) {
    const std::string body =
        R"({"choices":[{"message":{}}],"usage":{"prompt_tokens":)" + std::string(count) + "}}";
    EXPECT_EQ(answer_of(body).facts, AnswerFacts{}) << count;
  }
  EXPECT_EQ(answer_of(R"({"choices":[{"message":{}}],
                          "usage":{"prompt_tokens":18446744073709551615}})")
                .facts.input_tokens,
            18'446'744'073'709'551'615U);
  EXPECT_EQ(answer_of(R"({"choices":[{"message":{}}],"usage":[1]})").facts, AnswerFacts{});
}

TEST(ChatAnswer, AFinishReasonThatIsNoTextIsAbsent) {
  EXPECT_EQ(answer_of(R"({"choices":[{"finish_reason":7,"message":{}}]})").finish_reason,
            std::nullopt);
}

TEST(ChatAnswer, NoChoiceIsADefectOfItsOwn) {
  EXPECT_EQ(defect_of(R"({"id":"x","object":"chat.completion","choices":[]})"),
            (ChatAnswerDefect{Kind::kNoChoice, "\"choices\" is empty", std::nullopt}));
}

TEST(ChatAnswer, OtherJsonIsNotACompletion) {
  for (const std::string_view body :
       {R"({"error":{"message":"Overloaded","code":529}})", R"({"choices":null})",
        R"({"choices":{}})", R"({"choices":"none"})", R"(["choices"])", R"("choices")", "null",
        "17", "{}", "[]"}) {
    EXPECT_EQ(defect_of(body), not_a_completion("it has no \"choices\" array")) << body;
  }
}

TEST(ChatAnswer, AChoiceNeedsAMessageObject) {
  const std::string reason = "its first choice has no \"message\" object";
  for (const std::string_view body :
       {R"({"choices":[{}]})", R"({"choices":[null]})", R"({"choices":["text"]})",
        R"({"choices":[{"message":null}]})", R"({"choices":[{"message":"text"}]})"}) {
    EXPECT_EQ(defect_of(body), not_a_completion(reason)) << body;
  }
  EXPECT_EQ(defect_of(R"({"choices":[{"finish_reason":"error"}]})"),
            not_a_completion(reason, "error"));
}

TEST(ChatAnswer, ContentMustBeTextOrNull) {
  for (const std::string_view content : {R"([{"type":"text","text":"hi"}])", "{}", "5", "false"}) {
    const std::string body = R"({"choices":[{"finish_reason":"stop","message":{"content":)" +
                             std::string(content) + "}}]}";
    EXPECT_EQ(defect_of(body),
              not_a_completion("its message's \"content\" is neither text nor null", "stop"))
        << content;
  }
}

TEST(ChatAnswer, ToolCallsMustNameAFunction) {
  for (const std::string_view calls :
       {R"({})", R"("call")", R"([{}])", R"([null])", R"([{"function":null}])",
        R"([{"function":{"name":5}}])", R"([{"function":{"name":"ok"}},{"id":"x"}])"}) {
    const std::string body = R"({"choices":[{"finish_reason":"length","message":{"tool_calls":)" +
                             std::string(calls) + "}}]}";
    EXPECT_EQ(defect_of(body),
              not_a_completion("its message's \"tool_calls\" are not tool calls", "length"))
        << calls;
  }
}

TEST(ChatAnswer, WhatIsNoJsonSaysSo) {
  EXPECT_EQ(defect_of(""), not_a_completion("the body is empty"));
  for (const std::string_view body :
       {" ", "<html>502 Bad Gateway</html>", "data: {\"choices\":[]}", "{'choices':[]}",
        R"({"choices":[{"message":{"content":"cut)", R"({"choices":[{"message":{}}]}})",
        R"({"choices":[{"message":{}}]} trailing)", R"({"choices":[{"message":{}},]})"}) {
    EXPECT_EQ(defect_of(body), not_a_completion("the body is not JSON")) << body;
  }
}

TEST(ChatAnswer, EveryProperPrefixOfAnAnswerIsRefused) {
  const std::string body =
      R"({"choices":[{"finish_reason":"stop","message":{"content":"h\u00e9 \"x\""}}],"usage":{}})";
  EXPECT_EQ(answer_of(body).text, "h\xc3\xa9 \"x\"");
  for (std::size_t length = 1; length < body.size(); ++length) {
    EXPECT_EQ(defect_of(body.substr(0, length)), not_a_completion("the body is not JSON"))
        << length;
  }
}

TEST(ChatAnswer, InvalidUtf8IsNoJson) {
  for (const std::string_view text :
       {"\xff", "\xc3", "\xc3(", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xc0\x80"}) {
    const std::string body =
        R"({"choices":[{"message":{"content":")" + std::string(text) + R"("}}]})";
    EXPECT_EQ(defect_of(body), not_a_completion("the body is not JSON"));
  }
  EXPECT_EQ(defect_of(R"({"choices":[{"message":{"content":"\ud800"}}]})"),
            not_a_completion("the body is not JSON"));
}

TEST(ChatAnswer, NulBytesAreNoJsonWhereverTheyAre) {
  const std::string good = R"({"choices":[{"message":{"content":"a"}}]})";
  for (std::size_t place = 0; place <= good.size(); ++place) {
    std::string body = good;
    body.insert(place, 1, '\0');
    EXPECT_EQ(defect_of(body), not_a_completion("the body is not JSON")) << place;
  }
  EXPECT_EQ(defect_of(good + '\0' + "anything"), not_a_completion("the body is not JSON"));
  EXPECT_EQ(answer_of(R"({"choices":[{"message":{"content":"a\u0000b"}}]})").text,
            std::string("a\0b", 3))
      << "an escaped NUL is text";
}

// A number beyond the range of double makes the whole body unreadable, wherever it stands.
TEST(ChatAnswer, NumbersTooBigForADoubleAreNoJson) {
  EXPECT_EQ(defect_of(R"({"choices":[{"message":{}}],"created":1e999})"),
            not_a_completion("the body is not JSON"));
  EXPECT_EQ(defect_of(R"({"choices":[{"message":{}}],"created":)" + std::string(400, '9') + "}"),
            not_a_completion("the body is not JSON"));
  EXPECT_EQ(answer_of(R"({"choices":[{"message":{}}],"created":123456789012345678901234567890})"),
            ChatAnswer{});
}

TEST(ChatAnswer, DeepNestingNeitherCrashesNorCounts) {
  constexpr std::size_t kDepth = 100'000;
  const std::string open(kDepth, '[');
  const std::string close(kDepth, ']');
  const ChatAnswerDefect too_deep = not_a_completion("the body is nested too deeply");
  EXPECT_EQ(defect_of(open), too_deep);
  EXPECT_EQ(defect_of(open + close), too_deep);

  std::string objects;
  for (std::size_t i = 0; i < kDepth; ++i) {
    objects += R"({"a":)";
  }
  EXPECT_EQ(defect_of(objects), too_deep);
  EXPECT_EQ(defect_of(objects + "1" + std::string(kDepth, '}')), too_deep);

  EXPECT_EQ(defect_of(R"({"extra":)" + open + close + R"(,"choices":[{"message":{}}]})"), too_deep);
  EXPECT_EQ(answer_of(R"({"choices":[{"message":{"content":")" + open + R"("}}]})").text, open)
      << "brackets in a text are text";
}

TEST(ChatAnswer, TheLastOfEqualKeysCounts) {
  EXPECT_EQ(
      answer_of(R"({"choices":[],"choices":[{"message":{"content":"x","content":"y"}}]})").text,
      "y");
}

}  // namespace
}  // namespace squall::core::llm
