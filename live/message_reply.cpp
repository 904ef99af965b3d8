// SPDX-License-Identifier: MIT
#include "live/message_reply.hpp"

#include <optional>
#include <string_view>
#include <utility>

#include "live/chat_stream.hpp"

namespace squall::live {
namespace {

using core::Json;
using core::member;

Json stop_reason_of(const Json* finish_reason) {
  if (finish_reason == nullptr || !finish_reason->is_string()) {
    return nullptr;
  }
  const std::string& reason = finish_reason->get_ref<const std::string&>();
  for (const auto& [chat, message] :
       {std::pair{"stop", "end_turn"}, std::pair{"length", "max_tokens"},
        std::pair{"tool_calls", "tool_use"}, std::pair{"content_filter", "refusal"}}) {
    if (reason == chat) {
      return message;
    }
  }
  return reason;
}

/// The input of a tool: the object that the arguments are, or text that is none, as it is.
Json input_of(const std::string& arguments) {
  std::optional<Json> value = core::parse_json(arguments);
  return value && value->is_object() ? *std::move(value) : Json(arguments);
}

std::string text_of(const Json& object, const char* name) {
  const Json* value = member(object, name);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

/// The blocks of a message's content; a tool's input is its arguments as text.
Json blocks_of(const Json& message) {
  Json blocks = Json::array();
  if (std::string reasoning = text_of(message, "reasoning"); !reasoning.empty()) {
    blocks.push_back(
        {{"type", "thinking"}, {"thinking", std::move(reasoning)}, {"signature", "squall"}});
  }
  if (const Json* text = member(message, "content"); text != nullptr && text->is_string()) {
    blocks.push_back({{"type", "text"}, {"text", *text}});
  }
  if (const Json* calls = member(message, "tool_calls"); calls != nullptr && calls->is_array()) {
    for (const Json& call : *calls) {
      const Json function =
          call.is_object() ? call.value("function", Json::object()) : Json::object();
      blocks.push_back({{"type", "tool_use"},
                        {"id", text_of(call, "id")},
                        {"name", text_of(function, "name")},
                        {"input", text_of(function, "arguments")}});
    }
  }
  return blocks;
}

Json count_of(const Json* usage, const char* name) {
  const Json* count = usage == nullptr ? nullptr : member(*usage, name);
  return count == nullptr || !count->is_number() ? Json(0) : *count;
}

/// Tokens as Anthropic counts them: those read from the cache are no part of the input.
Json usage_of(const Json& completion) {
  const Json* usage = member(completion, "usage");
  Json counted = {{"input_tokens", count_of(usage, "prompt_tokens")},
                  {"output_tokens", count_of(usage, "completion_tokens")}};
  const Json* details = usage == nullptr ? nullptr : member(*usage, "prompt_tokens_details");
  const Json cached = count_of(details, "cached_tokens");
  if (const Json& input = counted["input_tokens"];
      cached.is_number_unsigned() && input.is_number_unsigned() &&
      cached.get<std::uint64_t>() <= input.get<std::uint64_t>() && cached != 0) {
    counted["input_tokens"] = input.get<std::uint64_t>() - cached.get<std::uint64_t>();
    counted["cache_read_input_tokens"] = cached;
  }
  return counted;
}

Json envelope_of(const Json& completion) {
  return {{"id", "msg_squall"},
          {"type", "message"},
          {"role", "assistant"},
          {"model", text_of(completion, "model")}};
}

Json stop_reason_in(const Json& completion) {
  return stop_reason_of(member(completion.at("choices").front(), "finish_reason"));
}

void write_event(std::string& stream, Json event) {
  stream.append("event: ").append(event.at("type").get_ref<const std::string&>());
  stream.append("\ndata: ").append(core::to_text(event)).append("\n\n");
}

/// One block: an empty one, its pieces, its end.
void write_block(std::string& stream, std::size_t index, Json block) {
  const std::string type = block.at("type");
  const char* const filled = type == "tool_use"   ? "input"
                             : type == "thinking" ? "thinking"
                                                  : "text";
  const std::string delta_type = type == "tool_use" ? "input_json_delta" : type + "_delta";
  const char* const delta_name = type == "tool_use" ? "partial_json" : filled;
  const std::string content = block.at(filled);
  block[filled] = type == "tool_use" ? Json::object() : Json("");
  if (type == "thinking") {
    block["signature"] = "";
  }
  write_event(stream,
              {{"type", "content_block_start"}, {"index", index}, {"content_block", block}});
  const auto write_delta = [&](Json delta) {
    write_event(stream, {{"type", "content_block_delta"}, {"index", index}, {"delta", delta}});
  };
  for (const std::string& piece : text_pieces(content)) {
    write_delta({{"type", delta_type}, {delta_name, piece}});
  }
  if (type == "thinking") {
    write_delta({{"type", "signature_delta"}, {"signature", "squall"}});
  }
  write_event(stream, {{"type", "content_block_stop"}, {"index", index}});
}

std::string_view error_type_of(int status) {
  switch (status) {
    case 400:
      return "invalid_request_error";
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    case 404:
      return "not_found_error";
    case 413:
      return "request_too_large";
    case 429:
      return "rate_limit_error";
    case 504:
      return "timeout_error";
    case 529:
      return "overloaded_error";
    default:
      return status < 500 ? "invalid_request_error" : "api_error";
  }
}

}  // namespace

std::string message_reply(const Json& completion) {
  Json blocks = blocks_of(completion.at("choices").front().at("message"));
  for (Json& block : blocks) {
    if (block.at("type") == "tool_use") {
      block["input"] = input_of(block.at("input"));
    }
  }
  Json message = envelope_of(completion);
  message["content"] = std::move(blocks);
  message["stop_reason"] = stop_reason_in(completion);
  message["stop_sequence"] = nullptr;
  message["usage"] = usage_of(completion);
  return core::to_text(message);
}

std::string message_stream(const Json& completion) {
  Json usage = usage_of(completion);
  const Json output_tokens = usage["output_tokens"];
  usage["output_tokens"] = 1;  // What a message begins with; the delta at the end has the total.
  Json start = envelope_of(completion);
  start["content"] = Json::array();
  start["stop_reason"] = nullptr;
  start["stop_sequence"] = nullptr;
  start["usage"] = usage;
  std::string stream;
  write_event(stream, {{"type", "message_start"}, {"message", start}});
  const Json blocks = blocks_of(completion.at("choices").front().at("message"));
  for (std::size_t index = 0; index < blocks.size(); ++index) {
    write_block(stream, index, blocks[index]);
  }
  write_event(stream,
              {{"type", "message_delta"},
               {"delta", {{"stop_reason", stop_reason_in(completion)}, {"stop_sequence", nullptr}}},
               {"usage", {{"output_tokens", output_tokens}}}});
  write_event(stream, {{"type", "message_stop"}});
  return stream;
}

std::string message_error(int status) {
  const std::string_view type = error_type_of(status);
  return core::to_text({{"type", "error"},
                        {"error", {{"type", type}, {"message", "squall: " + std::string(type)}}}});
}

}  // namespace squall::live
