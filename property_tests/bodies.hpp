// SPDX-License-Identifier: MIT
//
// Bodies whose meaning is known beforehand, judged by hand. Neither the generators nor the
// reference model ever parse an answer: a body is looked up here, and what is not listed (any
// proper prefix of a listed body that is not listed itself) is no chat completion.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace squall::property_tests {

/// What a complete 2xx body is.
enum class Meaning : std::uint8_t {
  kAnswer,          ///< a chat completion
  kNotACompletion,  ///< anything else
  kNoChoice,        ///< a chat completion with an empty list of choices
};

struct KnownBody {
  std::string_view bytes;
  Meaning meaning = Meaning::kNotACompletion;
  /// Text of the answer; only with kAnswer.
  std::string_view text{};
  /// `choices[0].finish_reason`, when there is one.
  std::optional<std::string_view> finish_reason{};
};

/// Chat completions, the simplest first.
inline constexpr std::array<KnownBody, 5> kGoodBodies{{
    {R"({"choices":[{"message":{"content":"ok"},"finish_reason":"stop"}]})", Meaning::kAnswer, "ok",
     "stop"},
    {R"({"choices":[{"message":{"content":""},"finish_reason":"length"}]})", Meaning::kAnswer, "",
     "length"},
    {R"({"choices":[{"message":{"content":null,"tool_calls":[{"id":"call_1","function":)"
     R"({"name":"search","arguments":"{}"}}]},"finish_reason":"tool_calls"}]})",
     Meaning::kAnswer, "", "tool_calls"},
    {R"({ "id" : "c1", "choices" : [ { "message" : { "content" : "gr\u00fc\u00dfe" } } ] })",
     Meaning::kAnswer,
     "gr\xc3\xbc\xc3\x9f"
     "e"},
    {"{\"choices\":[{\"message\":{\"content\":\"\xe2\x82\xac\"}},{\"message\":{}}]}",
     Meaning::kAnswer, "\xe2\x82\xac"},
}};

/// What a 2xx may carry instead of a chat completion.
inline constexpr std::array<KnownBody, 10> kUnusableBodies{{
    {""},
    {R"({"choices":[]})", Meaning::kNoChoice},
    {"upstream connect error"},
    {"{}"},
    {"[]"},
    {R"({"error":{"message":"overloaded"}})"},
    {R"({"choices":{}})"},
    {R"({"choices":[null]})"},
    {R"({"choices":[{"finish_reason":"length"}]})", Meaning::kNotACompletion, {}, "length"},
    {R"({"choices":[{"message":{"content":7},"finish_reason":"stop"}]})",
     Meaning::kNotACompletion,
     {},
     "stop"},
}};

/// Bodies of error answers; all but the first two tell a 429 apart.
inline constexpr std::array<KnownBody, 8> kErrorBodies{{
    {""},
    {R"({"error":{"message":"overloaded"}})"},
    {R"({"error":{"code":"insufficient_quota"}})"},
    {"Quota Exceeded for this month"},
    {R"({"error":{"message":"model is Temporarily Rate-Limited upstream"}})"},
    {"quota exhausted in UPSTREAM_PROVIDER_SHARED_POOL"},
    {"\xe4\xbd\x99\xe9\xa2\x9d: error code 1113"},
    // Longer than what an error chain quotes, with the telling words at the very end.
    {"<html>................................................................................"
     ".........................................................................................."
     ".........................................................................................."
     ".........................................................................................."
     ".........................................................................................."
     ".........................................................................................."
     "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac insufficient balance"},
}};

/// The listed body with these bytes; any other is no chat completion.
[[nodiscard]] constexpr KnownBody known_body(std::string_view bytes) {
  const auto find = [bytes](const auto& list) {
    return std::find_if(list.begin(), list.end(),
                        [bytes](const KnownBody& known) { return known.bytes == bytes; });
  };
  if (const auto* good = find(kGoodBodies); good != kGoodBodies.end()) {
    return *good;
  }
  if (const auto* unusable = find(kUnusableBodies); unusable != kUnusableBodies.end()) {
    return *unusable;
  }
  return {.bytes = bytes};
}

}  // namespace squall::property_tests
