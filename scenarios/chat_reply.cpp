// SPDX-License-Identifier: MIT
#include "scenarios/chat_reply.hpp"

#include <cstdint>

namespace squall::scenarios {
namespace {

// Fixed, so that equal scenarios give equal bytes: 2026-01-15T08:00:00Z, the default wall clock.
constexpr std::int64_t kCreated = 1'768'464'000;

Json render_tool_calls(const Json& calls) {
  Json rendered = Json::array();
  for (const Json& call : calls) {
    const Json arguments = call.value("arguments", Json::object());
    rendered.push_back({
        {"id", call.value("id", "call_" + std::to_string(rendered.size() + 1))},
        {"type", "function"},
        {"function",
         {{"name", call.at("name")},
          {"arguments", arguments.is_string() ? arguments : Json(arguments.dump())}}},
    });
  }
  return rendered;
}

/// The text of the answer, or null beside tool calls alone.
Json render_content(const Json& reply) {
  std::string text = "ok";
  if (reply.contains("json") || reply.contains("proposal")) {
    text = reply[reply.contains("json") ? "json" : "proposal"].dump();
  } else if (reply.contains("text")) {
    text = reply["text"];
  } else if (reply.contains("tool_calls")) {
    return nullptr;
  }
  return reply.value("fence", false) ? "```json\n" + text + "\n```" : text;
}

/// What is not told is not rendered, except the token counts that every provider sends.
Json render_usage(const Json& usage) {
  const auto prompt = usage.value("prompt_tokens", std::uint64_t{0});
  const auto completion = usage.value("completion_tokens", std::uint64_t{0});
  Json rendered = {{"prompt_tokens", prompt},
                   {"completion_tokens", completion},
                   {"total_tokens", prompt + completion}};
  if (usage.contains("cached_tokens")) {
    rendered["prompt_tokens_details"] = {{"cached_tokens", usage["cached_tokens"]}};
  }
  if (usage.contains("cache_miss_tokens")) {
    rendered["prompt_cache_miss_tokens"] = usage["cache_miss_tokens"];
  }
  if (usage.contains("cost")) {
    rendered["cost"] = usage["cost"];
  }
  return rendered;
}

}  // namespace

std::string render_reply(const Json& reply, const std::string& model) {
  const bool has_calls = reply.contains("tool_calls");
  Json content = render_content(reply);
  const bool has_text = !content.is_null();

  Json message = {{"role", "assistant"}, {"content", std::move(content)}};
  if (reply.contains("reasoning")) {
    message["reasoning"] = reply["reasoning"];
  }
  if (has_calls) {
    message["tool_calls"] = render_tool_calls(reply["tool_calls"]);
  }
  const Json finish_reason = reply.contains("finish_reason")
                                 ? reply["finish_reason"]
                                 : Json(has_text ? "stop" : "tool_calls");

  Json completed;
  completed["id"] = "chatcmpl-squall";
  completed["object"] = "chat.completion";
  completed["created"] = kCreated;
  completed["model"] = reply.value("model", model);
  if (reply.contains("provider")) {
    completed["provider"] = reply["provider"];
  }
  completed["choices"] = Json::array(
      {{{"index", 0}, {"message", std::move(message)}, {"finish_reason", finish_reason}}});
  completed["usage"] = render_usage(reply.value("usage", Json::object()));
  if (reply.contains("system_fingerprint")) {
    completed["system_fingerprint"] = reply["system_fingerprint"];
  }
  return completed.dump();
}

}  // namespace squall::scenarios
