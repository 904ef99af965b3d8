// SPDX-License-Identifier: MIT
#include "scenarios/tool_reply.hpp"

namespace squall::scenarios {

std::string render_tool_answer(const Json& respond) {
  Json message = {{"jsonrpc", "2.0"}, {"id", 1}};
  if (respond.contains("error")) {
    message["error"] = respond["error"];
  } else if (respond.contains("result")) {
    message["result"] = respond["result"];
  } else {
    message["result"]["content"] = Json::array({{{"type", "text"}, {"text", "ok"}}});
  }
  const std::string text = message.dump();
  return respond.value("event_stream", false) ? "event: message\ndata: " + text + "\n\n" : text;
}

}  // namespace squall::scenarios
