// SPDX-License-Identifier: MIT
//
// One chat request as the bytes that go over the wire. It is built once and never changes: an
// operation that needs to say more makes a new request by appending, so that everything already
// sent stays a byte prefix of the messages (and a provider's prefix cache keeps its value).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace squall::core {

/// An immutable chat request: `{<parameters>,"messages":[<m1>,<m2>,...]}`.
///
/// Parameters (model, tools, reasoning_effort, ...) come first and are never touched again; the
/// messages come last, so that appending extends the bytes.
class ChatRequest {
 public:
  /// @param parameters  serialized JSON members without braces, e.g. `"model":"m","top_p":1`; may
  ///                    be empty. Must not contain the member "messages".
  /// @param messages    serialized JSON objects, one a message.
  ChatRequest(std::string_view parameters, const std::vector<std::string>& messages);

  /// The whole body.
  [[nodiscard]] const std::string& body() const { return body_; }
  /// Everything before the messages: brace, parameters, `"messages":[`.
  [[nodiscard]] std::string_view parameters() const {
    return std::string_view(body_).substr(0, messages_begin_);
  }
  /// The messages, comma separated, without the brackets.
  [[nodiscard]] std::string_view messages() const {
    return std::string_view(body_).substr(messages_begin_,
                                          body_.size() - messages_begin_ - kTail.size());
  }
  /// This request with `message` (a serialized JSON object) after the last one.
  [[nodiscard]] ChatRequest appended(std::string_view message) const;

  friend bool operator==(const ChatRequest&, const ChatRequest&) = default;

 private:
  static constexpr std::string_view kTail = "]}";

  std::string body_;
  std::size_t messages_begin_ = 0;
};

}  // namespace squall::core
