// SPDX-License-Identifier: MIT
#include "core/llm/chat_message.hpp"

#include "core/json_text.hpp"

namespace squall::core::llm {

std::string user_message(std::string_view content) {
  return to_text({{"role", "user"}, {"content", content}});
}

std::string assistant_message(std::string_view content) {
  return to_text({{"role", "assistant"}, {"content", content}});
}

std::string reasoning_message(std::string_view reasoning) {
  return to_text({{"role", "assistant"}, {"content", ""}, {"reasoning", reasoning}});
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\n\r\v\f") == std::string_view::npos;
}

}  // namespace squall::core::llm
