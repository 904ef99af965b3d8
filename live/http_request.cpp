// SPDX-License-Identifier: MIT
#include "live/http_request.hpp"

namespace squall::live {
namespace {

void add_field(std::string& out, std::string_view name, std::string_view value) {
  out += name;
  out += ": ";
  out += value;
  out += "\r\n";
}

}  // namespace

HttpRequest::HttpRequest(const Endpoint& endpoint, scenarios::OperationKind kind,
                         const Secret& key) {
  fields_ = "POST " + endpoint.target + " HTTP/1.1\r\n";
  add_field(fields_, "Host", endpoint.authority());
  add_field(fields_, "User-Agent", "squall");
  add_field(fields_, "Content-Type", "application/json");
  if (kind == scenarios::OperationKind::kToolCall) {
    // Both are demanded; which of them comes back, the core sees by the body.
    add_field(fields_, "Accept", "application/json, text/event-stream");
    add_field(fields_, "MCP-Protocol-Version", kMcpRevision);
  } else {
    add_field(fields_, "Accept", "application/json");
  }
  add_field(fields_, "Accept-Encoding", "identity");
  add_field(fields_, "Connection", "close");
  if (!key.empty()) {
    add_field(fields_, "Authorization", "Bearer " + key.reveal());
  }
}

std::string HttpRequest::head(std::size_t body_bytes) const {
  std::string head = fields_;
  add_field(head, "Content-Length", std::to_string(body_bytes));
  head += "\r\n";
  return head;
}

}  // namespace squall::live
