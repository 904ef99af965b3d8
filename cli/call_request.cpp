// SPDX-License-Identifier: MIT
#include "cli/call_request.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "core/chat_request.hpp"
#include "core/connector/settings.hpp"
#include "core/connector/tool_request.hpp"
#include "core/json_text.hpp"
#include "scenarios/document.hpp"
#include "scenarios/files.hpp"
#include "scenarios/wording.hpp"

namespace squall::cli {
namespace {

using core::Error;
using core::Expected;
using core::Json;

/// A call has no other: one connection, one request.
constexpr std::uint64_t kRpcId = 1;

tl::unexpected<Error> bad(std::string file, std::string pointer, std::string message) {
  return tl::unexpected(Error{.file = std::move(file),
                              .line = 0,
                              .pointer = std::move(pointer),
                              .message = std::move(message)});
}

scenarios::OperationSpec chat(const Json& request) {
  Json parameters = request;
  parameters.erase("messages");
  const std::string members = parameters.dump();
  std::vector<std::string> messages;
  for (const Json& message : request["messages"]) {
    messages.push_back(message.dump());
  }
  scenarios::OperationSpec operation;
  operation.model = request["model"].get<std::string>();
  operation.request = std::make_shared<const core::ChatRequest>(
      std::string_view(members).substr(1, members.size() - 2), messages);
  return operation;
}

Expected<scenarios::OperationSpec, Error> chat_of_message(const CallWords& words) {
  Json request;
  request["model"] = words.model;
  request["messages"] = Json::array({{{"role", "user"}, {"content", words.message}}});
  // Writing replaces what is not UTF-8; then the server would get another text.
  const std::optional<Json> read_back = core::parse_json(core::to_text(request));
  if (!read_back || *read_back != request) {
    return bad({}, {}, "--message and --model must be UTF-8");
  }
  return chat(request);
}

Expected<scenarios::OperationSpec, Error> chat_of_file(const std::string& file) {
  const auto text = scenarios::read_file(file, scenarios::kFileBytesMax);
  if (!text) {
    return tl::unexpected(text.error());
  }
  auto request = scenarios::parse_document(*text, file);
  if (!request) {
    return tl::unexpected(request.error());
  }
  if (!request->is_object()) {
    return bad(file, {}, "a chat request is a JSON object");
  }
  const Json* const model = core::member(*request, "model");
  if (model == nullptr || !model->is_string()) {
    return bad(file, "/model", "a chat request needs the name of a model, a text");
  }
  const Json* const messages = core::member(*request, "messages");
  if (messages == nullptr || !messages->is_array() || messages->empty()) {
    return bad(file, "/messages", "a chat request needs a list of at least one message");
  }
  for (std::size_t i = 0; i < messages->size(); ++i) {
    if (!(*messages)[i].is_object()) {
      return bad(file, "/messages/" + std::to_string(i), "a message is a JSON object");
    }
  }
  if (const Json* const stream = core::member(*request, "stream");
      stream != nullptr && *stream != Json(false)) {
    return bad(file, "/stream", "answers in pieces are not understood, allowed: false");
  }
  return chat(*request);
}

Expected<scenarios::OperationSpec, Error> tool_call(const CallWords& words,
                                                    const live::Endpoint& endpoint) {
  scenarios::ToolCallWork work{.connector_label = "call",
                               .resource_uri = endpoint.display(),
                               .tool = words.tool,
                               .arguments = words.arguments.empty() ? "{}" : words.arguments,
                               .request = nullptr};
  auto request = core::connector::ToolRequest::make(kRpcId, work.tool, work.arguments);
  if (!request) {
    return tl::unexpected(request.error());
  }
  const auto settings = core::connector::check_settings(
      {.label = work.connector_label, .resource_uri = work.resource_uri});
  if (!settings) {
    return tl::unexpected(settings.error());
  }
  work.request = std::make_shared<const core::connector::ToolRequest>(*std::move(request));
  scenarios::OperationSpec operation;
  operation.work = std::move(work);
  return operation;
}

}  // namespace

Expected<scenarios::OperationSpec, Error> make_operation(const CallWords& words,
                                                         const live::Endpoint& endpoint) {
  const int wanted = static_cast<int>(!words.message.empty()) +
                     static_cast<int>(!words.request_file.empty()) +
                     static_cast<int>(!words.tool.empty());
  if (wanted != 1) {
    return bad({}, {},
               "what is to be sent? Give one of --message TEXT --model NAME, --request FILE, "
               "--tool NAME --arguments JSON");
  }
  if (words.message.empty() != words.model.empty()) {
    return bad({}, {},
               words.model.empty() ? "--message needs --model NAME beside it"
                                   : "--model goes with --message; a request names its own");
  }
  if (!words.arguments.empty() && words.tool.empty()) {
    return bad({}, {}, "--arguments goes with --tool");
  }
  auto operation = !words.message.empty() ? chat_of_message(words)
                   : words.tool.empty()   ? chat_of_file(words.request_file)
                                          : tool_call(words, endpoint);
  if (operation) {
    operation->metadata.purpose = "squall call";
  }
  return operation;
}

}  // namespace squall::cli
