// SPDX-License-Identifier: MIT
//
// Reads a complete 2xx body as an OpenAI-shaped chat completion. Nothing here judges the answer:
// an empty text, a tool call or a cut-off text are all answers. A body nested deeper than
// kJsonDepthMax is none.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/expected.hpp"
#include "core/telemetry.hpp"

namespace squall::core::llm {

/// One requested tool call.
struct ToolCall {
  std::string id;
  std::string name;
  /// The arguments as the model wrote them: JSON text, not necessarily valid. A provider that sends
  /// them as a JSON value and not as text gives that value's compact text, its members by name;
  /// null and absent arguments are empty.
  std::string arguments;

  friend bool operator==(const ToolCall&, const ToolCall&) = default;
};

/// The first choice of a chat completion.
struct ChatAnswer {
  /// Empty when the content is null or absent.
  std::string text;
  /// `reasoning` or `reasoning_content`, empty when absent.
  std::string reasoning;
  std::vector<ToolCall> tool_calls;
  std::optional<std::string> finish_reason;
  /// What the provider says about the answer. Best effort: what is missing or of another type than
  /// expected is absent and never makes an answer unusable.
  ///
  ///   input_tokens        usage.prompt_tokens
  ///   output_tokens       usage.completion_tokens
  ///   cached_tokens       usage.prompt_tokens_details.cached_tokens, else (DeepSeek)
  ///                       usage.prompt_cache_hit_tokens
  ///   cache_miss_tokens   usage.prompt_cache_miss_tokens (DeepSeek)
  ///   cost                usage.cost, any number (OpenRouter)
  ///   upstream_provider   provider, at the top level (OpenRouter)
  ///   system_fingerprint  system_fingerprint, at the top level
  AnswerFacts facts;

  friend bool operator==(const ChatAnswer&, const ChatAnswer&) = default;
};

/// Why a body gives no answer.
struct ChatAnswerDefect {
  enum class Kind : std::uint8_t {
    kNotACompletion,  ///< not JSON, or not shaped like a chat completion
    kNoChoice,        ///< a valid envelope whose `choices` is empty
  };
  Kind kind = Kind::kNotACompletion;
  /// What is missing or wrong, for the error chain.
  std::string reason;
  /// `choices[0].finish_reason`, best effort.
  std::optional<std::string> finish_reason;

  friend bool operator==(const ChatAnswerDefect&, const ChatAnswerDefect&) = default;
};

[[nodiscard]] Expected<ChatAnswer, ChatAnswerDefect> parse_chat_answer(std::string_view body);

}  // namespace squall::core::llm
