// SPDX-License-Identifier: MIT
//
// Reads the body of a 2xx answer to a `tools/call` request: JSON-RPC 2.0 over streamable HTTP,
// either one JSON object or an event stream whose data are such objects. It judges nothing: an
// error and a failed tool are answers too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace squall::core::connector {

/// What a tool returned.
struct ToolResult {
  /// `structuredContent` as JSON on one line, members in the order received; absent when it is
  /// absent or null.
  std::optional<std::string> structured;
  /// The `text` of every text part of `content`, in order.
  std::vector<std::string> texts;
  /// `isError`: the tool ran and failed.
  bool is_error = false;

  friend bool operator==(const ToolResult&, const ToolResult&) = default;
};

/// A JSON-RPC error answer.
struct RpcError {
  /// 0 when it is absent or no 64-bit integer.
  std::int64_t code = 0;
  /// Empty when it is absent or no text.
  std::string message;

  friend bool operator==(const RpcError&, const RpcError&) = default;
};

/// The connector wants input before it goes on. @source Model Context Protocol, revision
/// 2026-07-28, multi round-trip requests: `resultType` "input_required".
struct InputRequired {
  friend bool operator==(const InputRequired&, const InputRequired&) = default;
};

/// The body holds no answer to the request.
struct AnswerDefect {
  /// What is missing or wrong, for the error chain.
  std::string reason;

  friend bool operator==(const AnswerDefect&, const AnswerDefect&) = default;
};

using Answer = std::variant<ToolResult, RpcError, InputRequired, AnswerDefect>;

/// Reads `body` as the answer to request `id`.
///
/// A body that begins with a brace or a bracket (blanks and a byte order mark aside) is JSON, every
/// other one an event stream; the content type is not needed for that. In an event stream the first
/// message that answers `id` counts and what else the connector says is skipped.
///
/// An answer has `"jsonrpc": "2.0"`, the id, and either a result or an error; null counts as
/// absent. An error without an id is one too (JSON-RPC 2.0, section 5: the id could not be read). A
/// result needs neither content nor structured content.
///
/// @param complete  whether the body arrived as a whole. If not, only an event that is complete in
///                  itself can answer.
[[nodiscard]] Answer read_answer(std::string_view body, std::uint64_t id, bool complete);

}  // namespace squall::core::connector
