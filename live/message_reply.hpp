// SPDX-License-Identifier: MIT
//
// A chat completion as Anthropic's API would say it: a message, the stream of its events, or an
// error.
//
// @source docs.anthropic.com: "Messages", "Streaming messages", "Errors"
#pragma once

#include <string>

#include "core/json_text.hpp"

namespace squall::live {

/// The message, as JSON on one line.
///
/// @param completion  what `completion_of` gave, not null.
[[nodiscard]] std::string message_reply(const core::Json& completion);

/// The message as server-sent events, from message_start to message_stop.
///
/// @param completion  what `completion_of` gave, not null.
[[nodiscard]] std::string message_stream(const core::Json& completion);

/// The body of an error with HTTP status `status`.
[[nodiscard]] std::string message_error(int status);

}  // namespace squall::live
