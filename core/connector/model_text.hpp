// SPDX-License-Identifier: MIT
//
// What the model reads of a tool call: one JSON text for every outcome. The raw words of a
// transport never get here; only a connector's own message does.
#pragma once

#include <string>
#include <string_view>

#include "core/connector/answer.hpp"
#include "core/connector/kind.hpp"

namespace squall::core::connector {

/// What the model reads of a success.
///
/// Structured content as it is; else the text parts one after the other: as JSON when they parse
/// as one value, else `{"result": <text>}`; else `{"ok": true}`. JSON is
/// written on one line with its members in the order received.
[[nodiscard]] std::string success_json(const ToolResult& result);

/// The failure object, `{"error": <message>, "kind": <token>}`.
[[nodiscard]] std::string failure_json(Kind kind, std::string_view message);

/// The connector's own message of a result with `isError`: structured content, else the text parts,
/// else a plain sentence.
[[nodiscard]] std::string result_message(const ToolResult& result);

/// The sentence for a call that failed. Transport, auth and config have one fixed sentence each.
///
/// @param own  the connector's message: all there is to say of kApplication, and ignored otherwise.
///             When it is empty, a plain sentence stands in.
[[nodiscard]] std::string call_message(Kind kind, std::string_view own);

/// The sentence for a dial that failed. A connector that was not reached says nothing, so
/// kApplication, which cannot come from a dial, gets the sentence of kTransport.
[[nodiscard]] std::string_view dial_message(Kind kind);

}  // namespace squall::core::connector
