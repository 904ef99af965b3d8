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

}  // namespace

std::string render_reply(const Json& reply, const std::string& model) {
  const bool has_calls = reply.contains("tool_calls");
  const bool has_text = reply.contains("text") || !has_calls;

  Json message = {{"role", "assistant"},
                  {"content", has_text ? Json(reply.value("text", "ok")) : Json(nullptr)}};
  if (reply.contains("reasoning")) {
    message["reasoning"] = reply["reasoning"];
  }
  if (has_calls) {
    message["tool_calls"] = render_tool_calls(reply["tool_calls"]);
  }
  const Json finish_reason = reply.contains("finish_reason")
                                 ? reply["finish_reason"]
                                 : Json(has_text ? "stop" : "tool_calls");
  const Json usage = reply.value("usage", Json::object());
  const auto prompt = usage.value("prompt_tokens", std::uint64_t{0});
  const auto completion = usage.value("completion_tokens", std::uint64_t{0});

  Json completed;
  completed["id"] = "chatcmpl-squall";
  completed["object"] = "chat.completion";
  completed["created"] = kCreated;
  completed["model"] = reply.value("model", model);
  completed["choices"] = Json::array(
      {{{"index", 0}, {"message", std::move(message)}, {"finish_reason", finish_reason}}});
  completed["usage"] = {{"prompt_tokens", prompt},
                        {"completion_tokens", completion},
                        {"total_tokens", prompt + completion}};
  return completed.dump();
}

}  // namespace squall::scenarios
