// SPDX-License-Identifier: MIT
//
// The JSON value in a model's text. Models like to wrap JSON in a Markdown fence and to talk around
// it; this is the one place that decides what counts.
//
// The rule: the first fenced block that holds JSON wins, else the whole text is the JSON. A fence
// is read as CommonMark (0.30, section 4.5) reads it: a line of at least three backticks, indented
// by at most three blanks, opens a block; a line of at least as many and nothing else closes it; a
// block that nothing closes reaches to the end of the text. Only a block whose info string is empty
// or begins with the word `json` (any case) can win; what is fenced inside a longer fence is text.
//
// JSON is read strictly (RFC 8259). Two texts that a lenient reader would accept are refused, since
// nobody can tell what they mean: an object that repeats a name, and nesting beyond kJsonDepthMax.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "core/expected.hpp"

namespace squall::core::llm {

/// @return the value, or why there is none, without a quote of the text: "it is not JSON".
/// @cost   linear in the text.
[[nodiscard]] Expected<nlohmann::json, std::string> parse_json_answer(std::string_view text);

}  // namespace squall::core::llm
