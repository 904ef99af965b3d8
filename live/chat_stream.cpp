// SPDX-License-Identifier: MIT
#include "live/chat_stream.hpp"

#include <algorithm>
#include <optional>

namespace squall::live {
namespace {

using core::Json;
using core::member;

/// About what providers send at a time.
constexpr std::size_t kPieceBytes = 24;

class ChunkWriter {
 public:
  explicit ChunkWriter(const Json& completion) {
    for (const char* const name : {"id", "created", "model", "provider", "system_fingerprint"}) {
      if (const Json* value = member(completion, name)) {
        shared_[name] = *value;
      }
    }
    shared_["object"] = "chat.completion.chunk";
  }

  void delta(Json delta) { chunk(std::move(delta), nullptr); }

  void chunk(Json delta, const Json& finish_reason) {
    Json event = shared_;
    event["choices"] = Json::array(
        {{{"index", 0}, {"delta", std::move(delta)}, {"finish_reason", finish_reason}}});
    write(core::to_text(event));
  }

  void usage(const Json& usage) {
    Json event = shared_;
    event["choices"] = Json::array();
    event["usage"] = usage;
    write(core::to_text(event));
  }

  void write(std::string_view data) { stream.append("data: ").append(data).append("\n\n"); }

  std::string stream;

 private:
  Json shared_ = Json::object();
};

std::string text_of(const Json* value) {
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

void write_tool_call(ChunkWriter& writer, std::size_t index, const Json& call) {
  const Json* function = member(call, "function");
  const Json empty = Json::object();
  const Json& named = function == nullptr ? empty : *function;
  writer.delta(
      {{"tool_calls",
        Json::array(
            {{{"index", index},
              {"id", text_of(member(call, "id"))},
              {"type", "function"},
              {"function", {{"name", text_of(member(named, "name"))}, {"arguments", ""}}}}})}});
  for (const std::string& piece : text_pieces(text_of(member(named, "arguments")))) {
    writer.delta(
        {{"tool_calls", Json::array({{{"index", index}, {"function", {{"arguments", piece}}}}})}});
  }
}

}  // namespace

Json completion_of(std::string_view body) {
  std::optional<Json> value = core::parse_json(body);
  const Json* choices = value ? member(*value, "choices") : nullptr;
  if (choices == nullptr || !choices->is_array() || choices->empty()) {
    return nullptr;
  }
  const Json* message = member(choices->front(), "message");
  return message != nullptr && message->is_object() ? *std::move(value) : Json(nullptr);
}

std::vector<std::string> text_pieces(std::string_view text) {
  std::vector<std::string> pieces;
  while (!text.empty()) {
    std::size_t size = std::min(kPieceBytes, text.size());
    if (size < text.size()) {
      if (const std::size_t blank = text.substr(0, size).rfind(' ');
          blank != std::string_view::npos) {
        size = blank + 1;
      }
      // Bytes 10xxxxxx go on with a character.
      while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) {
        ++size;
      }
    }
    pieces.emplace_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return pieces;
}

std::string chat_stream(const Json& completion, bool include_usage) {
  const Json& choice = completion.at("choices").front();
  const Json& message = choice.at("message");
  ChunkWriter writer(completion);
  writer.delta({{"role", "assistant"}, {"content", ""}});
  for (const std::string& piece : text_pieces(text_of(member(message, "reasoning")))) {
    writer.delta({{"reasoning", piece}});
  }
  for (const std::string& piece : text_pieces(text_of(member(message, "content")))) {
    writer.delta({{"content", piece}});
  }
  if (const Json* calls = member(message, "tool_calls"); calls != nullptr && calls->is_array()) {
    for (std::size_t index = 0; index < calls->size(); ++index) {
      write_tool_call(writer, index, (*calls)[index]);
    }
  }
  const Json* reason = member(choice, "finish_reason");
  writer.chunk(Json::object(), reason == nullptr ? Json(nullptr) : *reason);
  if (const Json* usage = member(completion, "usage"); include_usage && usage != nullptr) {
    writer.usage(*usage);
  }
  writer.write("[DONE]");
  return std::move(writer.stream);
}

}  // namespace squall::live
