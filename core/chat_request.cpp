// SPDX-License-Identifier: MIT
#include "core/chat_request.hpp"

namespace squall::core {

ChatRequest::ChatRequest(std::string_view parameters, const std::vector<std::string>& messages) {
  body_ = '{';
  body_ += parameters;
  if (!parameters.empty()) {
    body_ += ',';
  }
  body_ += "\"messages\":[";
  messages_begin_ = body_.size();
  bool first = true;
  for (const std::string& message : messages) {
    if (!first) {
      body_ += ',';
    }
    body_ += message;
    first = false;
  }
  body_ += kTail;
}

ChatRequest ChatRequest::appended(std::string_view message) const {
  ChatRequest longer = *this;
  longer.body_.resize(body_.size() - kTail.size());
  if (!messages().empty()) {
    longer.body_ += ',';
  }
  longer.body_ += message;
  longer.body_ += kTail;
  return longer;
}

}  // namespace squall::core
