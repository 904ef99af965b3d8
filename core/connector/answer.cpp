// SPDX-License-Identifier: MIT
#include "core/connector/answer.hpp"

#include <utility>

#include "core/connector/event_stream.hpp"
#include "core/json_text.hpp"

namespace squall::core::connector {
namespace {

RpcError read_error(const Json& error) {
  RpcError read;
  if (const Json* code = member(error, "code"); code != nullptr && code->is_number_integer()) {
    // A code beyond the signed range is no JSON-RPC code; it only decorates the message.
    read.code = code->is_number_unsigned() && code->get<std::uint64_t>() > INT64_MAX
                    ? 0
                    : code->get<std::int64_t>();
  }
  if (const Json* message = member(error, "message"); message != nullptr && message->is_string()) {
    read.message = message->get<std::string>();
  }
  return read;
}

Answer read_result(const Json& result) {
  if (!result.is_object()) {
    return AnswerDefect{"its \"result\" is not an object"};
  }
  if (const Json* type = member(result, "resultType"); type != nullptr && *type != "complete") {
    if (*type == "input_required") {
      return InputRequired{};
    }
    return AnswerDefect{"its \"resultType\" is unknown"};
  }
  ToolResult read;
  if (const Json* is_error = member(result, "isError")) {
    if (!is_error->is_boolean()) {
      return AnswerDefect{"its \"isError\" is neither true nor false"};
    }
    read.is_error = is_error->get<bool>();
  }
  if (const Json* structured = member(result, "structuredContent")) {
    read.structured = to_text(*structured);
  }
  if (const Json* content = member(result, "content")) {
    if (!content->is_array()) {
      return AnswerDefect{"its \"content\" is not an array"};
    }
    for (const Json& part : *content) {
      const Json* type = member(part, "type");
      if (type == nullptr || *type != "text") {
        continue;  // Ignored because images, sound and resources are no text.
      }
      const Json* text = member(part, "text");
      if (text == nullptr || !text->is_string()) {
        return AnswerDefect{"a text part of its \"content\" has no text"};
      }
      read.texts.push_back(text->get<std::string>());
    }
  }
  return read;
}

Answer read_message(const std::optional<Json>& message, std::uint64_t id) {
  if (!message) {
    return AnswerDefect{"it is not JSON"};
  }
  const Json* version = member(*message, "jsonrpc");
  if (version == nullptr || *version != "2.0") {
    return AnswerDefect{"it is not a JSON-RPC 2.0 object"};
  }
  if (member(*message, "method") != nullptr) {
    return AnswerDefect{"it is a request or a notification"};
  }
  const Json* error = member(*message, "error");
  const Json* result = member(*message, "result");
  const Json* answered = member(*message, "id");
  const bool is_ours = answered != nullptr
                           ? answered->is_number_unsigned() && answered->get<std::uint64_t>() == id
                           : error != nullptr;
  if (!is_ours) {
    return AnswerDefect{"it does not answer request " + std::to_string(id)};
  }
  if ((error == nullptr) == (result == nullptr)) {
    return AnswerDefect{error == nullptr ? "it has neither \"result\" nor \"error\""
                                         : "it has both \"result\" and \"error\""};
  }
  if (error == nullptr) {
    return read_result(*result);
  }
  if (!error->is_object()) {
    return AnswerDefect{"its \"error\" is not an object"};
  }
  return read_error(*error);
}

bool is_json(std::string_view body) {
  const std::size_t first = body.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return first != std::string_view::npos && (body[first] == '{' || body[first] == '[');
}

}  // namespace

Answer read_answer(std::string_view body, std::uint64_t id, bool complete) {
  if (body.empty()) {
    return AnswerDefect{"it is empty"};
  }
  if (is_json(body)) {
    return complete ? read_message(parse_json(body), id) : AnswerDefect{"it is incomplete"};
  }
  const std::vector<std::string> events = read_event_data(body, complete);
  std::string last_reason;
  for (const std::string& data : events) {
    Answer answer = read_message(parse_json(data), id);
    if (!std::holds_alternative<AnswerDefect>(answer)) {
      return answer;
    }
    last_reason = std::get<AnswerDefect>(std::move(answer)).reason;
  }
  return AnswerDefect{events.empty()
                          ? "it is neither JSON nor an event stream with data"
                          : "none of its events is the answer (the last one: " + last_reason + ")"};
}

}  // namespace squall::core::connector
