// SPDX-License-Identifier: MIT
#include "core/llm/chat_answer.hpp"

#include <cstdint>
#include <utility>

#include "core/json_text.hpp"

namespace squall::core::llm {
namespace {

// Sorted, so that arguments which come as a value have one text.
using Json = SortedJson;

std::optional<std::string> text_member(const Json& object, const char* key) {
  const Json* value = member(object, key);
  return value != nullptr && value->is_string() ? std::optional(value->get<std::string>())
                                                : std::nullopt;
}

std::optional<std::uint64_t> count_member(const Json& object, const char* key) {
  const Json* value = member(object, key);
  return value != nullptr && value->is_number_unsigned()
             ? std::optional(value->get<std::uint64_t>())
             : std::nullopt;
}

Unexpected<ChatAnswerDefect> not_a_completion(std::string reason,
                                              std::optional<std::string> finish_reason = {}) {
  return Unexpected<ChatAnswerDefect>(ChatAnswerDefect{
      ChatAnswerDefect::Kind::kNotACompletion, std::move(reason), std::move(finish_reason)});
}

/// The arguments of a call as text.
std::string read_arguments(const Json& function) {
  const Json* value = member(function, "arguments");
  if (value == nullptr) {
    return "";
  }
  return value->is_string() ? value->get<std::string>() : value->dump();
}

/// Tool calls of a message; nothing when they are not shaped like tool calls.
std::optional<std::vector<ToolCall>> read_tool_calls(const Json& message) {
  std::vector<ToolCall> calls;
  const Json* listed = member(message, "tool_calls");
  if (listed == nullptr) {
    return calls;
  }
  if (!listed->is_array()) {
    return std::nullopt;
  }
  for (const Json& call : *listed) {
    const Json* function = member(call, "function");
    const std::optional<std::string> name =
        function != nullptr ? text_member(*function, "name") : std::nullopt;
    if (!name) {
      return std::nullopt;
    }
    calls.push_back({.id = text_member(call, "id").value_or(""),
                     .name = *name,
                     .arguments = read_arguments(*function)});
  }
  return calls;
}

AnswerFacts read_facts(const Json& envelope) {
  AnswerFacts facts;
  facts.upstream_provider = text_member(envelope, "provider");
  facts.system_fingerprint = text_member(envelope, "system_fingerprint");
  const Json* usage = member(envelope, "usage");
  if (usage == nullptr) {
    return facts;
  }
  facts.input_tokens = count_member(*usage, "prompt_tokens");
  facts.output_tokens = count_member(*usage, "completion_tokens");
  if (const Json* details = member(*usage, "prompt_tokens_details")) {
    facts.cached_tokens = count_member(*details, "cached_tokens");
  }
  if (!facts.cached_tokens) {
    facts.cached_tokens = count_member(*usage, "prompt_cache_hit_tokens");
  }
  facts.cache_miss_tokens = count_member(*usage, "prompt_cache_miss_tokens");
  if (const Json* cost = member(*usage, "cost"); cost != nullptr && cost->is_number()) {
    facts.cost = cost->get<double>();
  }
  return facts;
}

}  // namespace

Expected<ChatAnswer, ChatAnswerDefect> parse_chat_answer(std::string_view body) {
  const std::optional<Json> envelope = parse_json<Json>(body);
  if (!envelope) {
    return not_a_completion(body.empty()                 ? "the body is empty"
                            : is_nested_too_deeply(body) ? "the body is nested too deeply"
                                                         : "the body is not JSON");
  }
  const Json* choices = member(*envelope, "choices");
  if (choices == nullptr || !choices->is_array()) {
    return not_a_completion("it has no \"choices\" array");
  }
  if (choices->empty()) {
    return Unexpected<ChatAnswerDefect>(
        ChatAnswerDefect{ChatAnswerDefect::Kind::kNoChoice, "\"choices\" is empty", std::nullopt});
  }
  const Json& choice = choices->front();
  std::optional<std::string> finish_reason = text_member(choice, "finish_reason");
  const Json* message = member(choice, "message");
  if (message == nullptr || !message->is_object()) {
    return not_a_completion("its first choice has no \"message\" object", std::move(finish_reason));
  }
  const Json* content = member(*message, "content");
  if (content != nullptr && !content->is_string()) {
    return not_a_completion("its message's \"content\" is neither text nor null",
                            std::move(finish_reason));
  }
  std::optional<std::vector<ToolCall>> tool_calls = read_tool_calls(*message);
  if (!tool_calls) {
    return not_a_completion("its message's \"tool_calls\" are not tool calls",
                            std::move(finish_reason));
  }
  std::optional<std::string> reasoning = text_member(*message, "reasoning");
  if (!reasoning) {
    reasoning = text_member(*message, "reasoning_content");
  }
  return ChatAnswer{.text = text_member(*message, "content").value_or(""),
                    .reasoning = std::move(reasoning).value_or(""),
                    .tool_calls = *std::move(tool_calls),
                    .finish_reason = std::move(finish_reason),
                    .facts = read_facts(*envelope)};
}

}  // namespace squall::core::llm
