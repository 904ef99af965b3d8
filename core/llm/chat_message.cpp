// SPDX-License-Identifier: MIT
#include "core/llm/chat_message.hpp"

#include <nlohmann/json.hpp>

namespace squall::core::llm {
namespace {

using Json = nlohmann::ordered_json;

std::string bytes_of(const Json& message) {
  return message.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

}  // namespace

std::string user_message(std::string_view content) {
  return bytes_of({{"role", "user"}, {"content", content}});
}

std::string assistant_message(std::string_view content) {
  return bytes_of({{"role", "assistant"}, {"content", content}});
}

std::string reasoning_message(std::string_view reasoning) {
  return bytes_of({{"role", "assistant"}, {"content", ""}, {"reasoning", reasoning}});
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\n\r\v\f") == std::string_view::npos;
}

}  // namespace squall::core::llm
