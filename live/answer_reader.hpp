// SPDX-License-Identifier: MIT
//
// Reads one HTTP/1.x answer from bytes as they arrive: the sans-I/O half of the transport. It takes
// whatever a server may send, holds no more than a head's worth of it, and says what it came to in
// the words of `core::ConnectionFault`.
//
//   - interim answers (1xx) are skipped, a bounded number of them
//   - of a field that occurs twice the first counts
//   - a body without an announced length ends with the connection
//   - Content-Encoding is not looked at: bytes are passed on as they came (we ask for identity)
//   - what comes after the answer is not looked at: a connection serves one attempt
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/event.hpp"

namespace squall::live {

/// What a piece of an answer brought, in this order.
struct AnswerNews {
  /// Set when the head became complete. The texts of `core::ResponseHead` are kept here.
  struct Head {
    int status = 0;
    std::optional<std::uint64_t> content_length;
    std::optional<std::string> retry_after;
    std::optional<std::string> retry_after_ms;
  };
  struct Failure {
    core::ConnectionFault fault = core::ConnectionFault::kSend;
    std::string detail;
  };
  std::optional<Head> head;
  std::string body;
  /// The answer is whole.
  bool complete = false;
  /// The answer will not become whole.
  std::optional<Failure> failure;
};

/// How a connection ended.
enum class ConnectionEnd : std::uint8_t {
  kClosed,  ///< in order
  kCut,     ///< without the TLS goodbye: whether all was sent cannot be known
  kReset,   ///< by the peer
  kBroken,  ///< any other way
};

class AnswerReader {
 public:
  /// Largest head of an answer, or of an interim one; the same bounds the size line of a chunk and
  /// the fields after the last one. @source chosen: eight times what common servers send.
  static constexpr std::size_t kHeadBytesMax = std::size_t{64} << 10;
  /// Most interim answers before the real one. @source chosen
  static constexpr int kInterimAnswersMax = 16;

  AnswerReader();
  ~AnswerReader();

  /// Takes bytes that arrived. Requires !is_over().
  [[nodiscard]] AnswerNews take(std::string_view bytes);
  /// The connection ended. Requires !is_over().
  ///
  /// @param words  what the system calls it, for the detail.
  [[nodiscard]] AnswerNews end(ConnectionEnd how, std::string_view words);

  /// Whether the answer is whole or failed.
  [[nodiscard]] bool is_over() const { return over_; }

 private:
  class Parser;

  /// The head is complete: tells it, or starts over after an interim answer.
  [[nodiscard]] std::optional<AnswerNews::Failure> on_head(AnswerNews& news);
  [[nodiscard]] bool begins_like_http() const;
  [[nodiscard]] AnswerNews::Failure broken(std::string_view what) const;

  std::unique_ptr<Parser> parser_;
  /// Bytes that the parser wants to see again with more behind them.
  std::string pending_;
  std::size_t head_bytes_ = 0;
  int interim_answers_ = 0;
  bool any_bytes_ = false;
  bool head_told_ = false;
  bool over_ = false;
};

}  // namespace squall::live
