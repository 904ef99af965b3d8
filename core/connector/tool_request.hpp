// SPDX-License-Identifier: MIT
//
// One `tools/call` request as the bytes that go over the wire. It is built once and never changes:
// every attempt of a call sends the same bytes, the id included.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.hpp"
#include "core/expected.hpp"

namespace squall::core::connector {

class ToolRequest {
 public:
  /// Builds `{"jsonrpc":"2.0","id":<id>,"method":"tools/call","params":{"name":<name>,
  /// "arguments":<arguments>}}`.
  ///
  /// @param name       UTF-8, not empty.
  /// @param arguments  a JSON object, sent as written; empty means `{}`.
  /// @errors           an empty name or one that is not UTF-8; arguments that are no JSON object.
  [[nodiscard]] static Expected<ToolRequest, Error> make(std::uint64_t id, std::string_view name,
                                                         std::string_view arguments);

  /// The whole body.
  [[nodiscard]] const std::string& body() const { return body_; }
  /// The id that the answer must carry.
  [[nodiscard]] std::uint64_t id() const { return id_; }

  friend bool operator==(const ToolRequest&, const ToolRequest&) = default;

 private:
  ToolRequest(std::uint64_t id, std::string body) : body_(std::move(body)), id_(id) {}

  std::string body_;
  std::uint64_t id_;
};

}  // namespace squall::core::connector
