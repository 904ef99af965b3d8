// SPDX-License-Identifier: MIT
//
// How an operation's request becomes HTTP: everything but the body, which is the operation's own
// bytes. Pure text.
//
// All operations are a POST of JSON. A chat is sent to an OpenAI-compatible endpoint; a tool call
// to an MCP server over streamable HTTP that answers without a session.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "live/endpoint.hpp"
#include "live/secret.hpp"
#include "scenarios/model.hpp"

namespace squall::live {

/// The revision of the Model Context Protocol that tool calls announce. @source Model Context
/// Protocol, 2025-06-18, "Transports": the first revision that demands the field.
inline constexpr std::string_view kMcpRevision = "2025-06-18";

/// What every attempt sends before the body.
class HttpRequest {
 public:
  /// @param key  sent as `Authorization: Bearer <key>`; nothing without one.
  HttpRequest(const Endpoint& endpoint, scenarios::OperationKind kind, const Secret& key);

  /// The whole head for a body of `body_bytes`, blank line included. Says `Connection: close`: each
  /// attempt has a connection of its own, so that no attempt can break by what another one left.
  [[nodiscard]] std::string head(std::size_t body_bytes) const;

 private:
  std::string fields_;
};

}  // namespace squall::live
