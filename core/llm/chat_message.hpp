// SPDX-License-Identifier: MIT
//
// Chat messages as the bytes that a ChatRequest carries. Operations append only what is made here,
// so that equal texts give equal bytes: compact JSON, members in the order role, content,
// reasoning; bytes that are not UTF-8 become U+FFFD.
#pragma once

#include <string>
#include <string_view>

namespace squall::core::llm {

/// `{"role":"user","content":<content>}`
[[nodiscard]] std::string user_message(std::string_view content);

/// `{"role":"assistant","content":<content>}`
[[nodiscard]] std::string assistant_message(std::string_view content);

/// `{"role":"assistant","content":"","reasoning":<reasoning>}`: a turn in which the model only
/// thought.
[[nodiscard]] std::string reasoning_message(std::string_view reasoning);

/// Whether a model's text says nothing: it is empty or consists of ASCII white space.
[[nodiscard]] bool is_blank(std::string_view text);

}  // namespace squall::core::llm
