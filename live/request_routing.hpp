// SPDX-License-Identifier: MIT
//
// What a request is to the fault server: a call that the script answers, or something that is
// answered at once and counts for nothing (a handshake, a health check, a mistake). Holds no socket
// and no clock.
//
// Paths are known by their ends, so that any base URL works:
//   .../chat/completions  chat completions (OpenAI and the many that follow it), `stream` included
//   .../messages          messages (Anthropic), `stream` included
//   /mcp, or the path of the scenario's connector   MCP over streamable HTTP
//   /healthz              200
// A scenario is either of chats or of tool calls; the other kind of request gets 404.
#pragma once

#include <string>
#include <variant>

#include "live/request_log.hpp"
#include "live/request_reader.hpp"
#include "scenarios/model.hpp"

namespace squall::live {

/// A call that the script answers.
struct ScriptedCall {
  WireForm form = WireForm::kChat;
  bool include_usage = false;  ///< kChatStream: the last chunk tells the tokens
  std::string rpc_id = {};     ///< kToolCall: the id of the call, as JSON
};

/// An answer outside the script, complete.
struct ReadyAnswer {
  int status = 200;
  std::string body = {};   ///< JSON; may be empty
  std::string allow = {};  ///< value of the Allow header; empty for none
  /// One sentence for the log when the client made a mistake; empty otherwise.
  std::string complaint = {};
};

class RequestRouter {
 public:
  explicit RequestRouter(const scenarios::OperationSpec& operation);

  [[nodiscard]] std::variant<ScriptedCall, ReadyAnswer> route(const ReceivedRequest& request) const;

  /// Path of the connector: of its URI, or "/mcp"; empty for a scenario of chats.
  [[nodiscard]] const std::string& tool_path() const { return tool_path_; }

 private:
  [[nodiscard]] std::variant<ScriptedCall, ReadyAnswer> route_rpc(
      const ReceivedRequest& request) const;

  std::string tool_path_;
  std::string tool_;
};

/// An answer that says what is wrong with a request, in words.
[[nodiscard]] ReadyAnswer mistake(int status, const std::string& reason);

}  // namespace squall::live
