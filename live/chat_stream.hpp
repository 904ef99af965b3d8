// SPDX-License-Identifier: MIT
//
// A chat completion as the stream of its chunks, in the shape of the OpenAI API: what a client gets
// that asks with `"stream": true`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json_text.hpp"

namespace squall::live {

/// The value of `body` when it is a chat completion with a message in it; otherwise null.
[[nodiscard]] core::Json completion_of(std::string_view body);

/// `text` in pieces of a few words each, cut between characters; nothing of an empty one.
[[nodiscard]] std::vector<std::string> text_pieces(std::string_view text);

/// Server-sent events: the role, the reasoning, the text and the tool calls in pieces, why it
/// ended, perhaps the tokens, `[DONE]`.
///
/// @param completion  what `completion_of` gave, not null.
[[nodiscard]] std::string chat_stream(const core::Json& completion, bool include_usage);

}  // namespace squall::live
