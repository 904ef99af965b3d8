// SPDX-License-Identifier: MIT
#include "live/request_routing.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "core/json_text.hpp"
#include "live/http_request.hpp"
#include "live/request_facts.hpp"

namespace squall::live {
namespace {

using core::Json;

/// @source modelcontextprotocol.io/specification/versioning
constexpr std::array<std::string_view, 3> kProtocolVersions{kMcpRevision, "2025-03-26",
                                                            "2024-11-05"};
/// @source JSON-RPC 2.0, section 5.1
constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kMethodNotFound = -32601;

std::string path_of_uri(std::string_view uri) {
  const std::size_t scheme = uri.find("://");
  const std::size_t slash = scheme == std::string_view::npos ? scheme : uri.find('/', scheme + 3);
  if (slash == std::string_view::npos) {
    return "/mcp";
  }
  const std::string_view path = uri.substr(slash);
  return std::string(path.substr(0, path.find_first_of("?#")));
}

/// The path of a request target, of the absolute form too.
std::string_view path_of_target(std::string_view target) {
  if (const std::size_t scheme = target.find("://");
      scheme != std::string_view::npos && !target.starts_with('/')) {
    const std::size_t slash = target.find('/', scheme + 3);
    target = slash == std::string_view::npos ? std::string_view("/") : target.substr(slash);
  }
  return target.substr(0, target.find_first_of("?#"));
}

ReadyAnswer wrong_method(const std::string& allowed) {
  ReadyAnswer answer = mistake(405, "this path takes " + allowed + " only");
  answer.allow = allowed;
  return answer;
}

ReadyAnswer rpc_answer(const std::string& id, const char* member, const Json& value) {
  // The id is JSON text already.
  return {.status = 200,
          .body = R"({"jsonrpc":"2.0","id":)" + (id.empty() ? "null" : id) + ",\"" + member +
                  "\":" + core::to_text(value) + "}"};
}

ReadyAnswer rpc_mistake(int code, const std::string& reason) {
  ReadyAnswer answer = rpc_answer({}, "error", {{"code", code}, {"message", reason}});
  answer.status = 400;
  answer.complaint = reason;
  return answer;
}

}  // namespace

ReadyAnswer mistake(int status, const std::string& reason) {
  return {.status = status,
          .body = core::to_text(
              {{"error", {{"message", reason}, {"type", "squall_serve"}, {"code", status}}}}),
          .complaint = reason};
}

RequestRouter::RequestRouter(const scenarios::OperationSpec& operation) {
  if (const auto* call = std::get_if<scenarios::ToolCallWork>(&operation.work)) {
    tool_path_ = path_of_uri(call->resource_uri);
    tool_ = call->tool;
  }
}

std::variant<ScriptedCall, ReadyAnswer> RequestRouter::route(const ReceivedRequest& request) const {
  const std::string_view path = path_of_target(request.target);
  if (path == "/healthz") {
    return request.method == "GET" || request.method == "HEAD"
               ? ReadyAnswer{.status = 200, .body = R"({"status":"ok"})"}
               : wrong_method("GET, HEAD");
  }
  if (!tool_path_.empty() && (path == tool_path_ || path == "/mcp")) {
    return request.method == "POST" ? route_rpc(request)
                                    : std::variant<ScriptedCall, ReadyAnswer>(wrong_method("POST"));
  }
  const bool is_chat = path.ends_with("/chat/completions");
  if (!tool_path_.empty() || !(is_chat || path.ends_with("/messages"))) {
    return mistake(404, tool_path_.empty()
                            ? "nothing here: this scenario answers POST /v1/chat/completions and "
                              "/v1/messages"
                            : "nothing here: this scenario answers POST " + tool_path_);
  }
  if (request.method != "POST") {
    return wrong_method("POST");
  }
  const std::optional<RequestFacts> facts = facts_of(request.body);
  if (!facts) {
    return mistake(400, "the body is not one JSON object");
  }
  ScriptedCall call;
  if (is_chat) {
    call.form = facts->stream ? WireForm::kChatStream : WireForm::kChat;
    call.include_usage = facts->include_usage;
  } else {
    call.form = facts->stream ? WireForm::kMessageStream : WireForm::kMessage;
  }
  return call;
}

std::variant<ScriptedCall, ReadyAnswer> RequestRouter::route_rpc(
    const ReceivedRequest& request) const {
  const std::optional<RequestFacts> facts = facts_of(request.body);
  if (!facts) {
    return rpc_mistake(kParseError, "the body is not one JSON object");
  }
  const std::string& method = facts->rpc_method;
  if (method == "tools/call") {
    if (facts->rpc_id.empty()) {
      return rpc_mistake(kInvalidRequest, "tools/call without an id that is a number or a text");
    }
    return ScriptedCall{.form = WireForm::kToolCall, .rpc_id = facts->rpc_id};
  }
  if (method.empty() || method.starts_with("notifications/")) {
    // Notifications, and answers to requests that this server never makes.
    return ReadyAnswer{.status = 202};
  }
  if (method == "initialize") {
    const bool known = std::find(kProtocolVersions.begin(), kProtocolVersions.end(),
                                 facts->protocol_version) != kProtocolVersions.end();
    return rpc_answer(
        facts->rpc_id, "result",
        {{"protocolVersion", known ? facts->protocol_version : std::string(kProtocolVersions[0])},
         {"capabilities", {{"tools", Json::object()}}},
         {"serverInfo", {{"name", "squall"}, {"version", "1"}}}});
  }
  if (method == "ping") {
    return rpc_answer(facts->rpc_id, "result", Json::object());
  }
  if (method == "tools/list") {
    const Json tool = {{"name", tool_},
                       {"description", "The tool of the scenario."},
                       {"inputSchema", {{"type", "object"}}}};
    return rpc_answer(facts->rpc_id, "result", {{"tools", Json::array({tool})}});
  }
  return rpc_answer(facts->rpc_id, "error",
                    {{"code", kMethodNotFound}, {"message", "no such method: " + method}});
}

}  // namespace squall::live
