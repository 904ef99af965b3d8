// SPDX-License-Identifier: MIT
//
// extraction: a conversation that ends in the wish for JSON, asked until an answer parses as the
// target and passes the validator.
//
// A provider failure sends the same request again. An answer that is a tool call or does not parse
// as the target is `parse`; one that the validator rejects is `out_of_range_score`. After both,
// when another attempt follows, the model's own text and a re-prompt are added to the messages;
// what was sent before stays a byte prefix. After every failure the scheduled sleep follows.
//
// Under the comment policy, for callers that can go on without the JSON, it is the operation
// `comment`: `falls_back` makes its end without JSON a degraded one, not a failed one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "core/llm/chat_operation.hpp"
#include "core/llm/validators.hpp"

namespace squall::core::llm {

/// What the user says after an answer that could not be used.
inline constexpr std::string_view kExtractionReprompt =
    "That was not the requested JSON. Reply with the JSON object alone: valid, complete and within "
    "the stated limits. Do not call tools.";

struct ExtractionInput {
  /// Never null; the prompt that asks for the JSON is its last message.
  std::shared_ptr<const ChatRequest> request;
  ExtractionTarget target;
  Validator validator;
  /// Whether the caller goes on with the raw text when there is no JSON.
  bool falls_back = false;
};

struct Extracted {
  /// The value in one canonical form: compact JSON, names sorted by bytes.
  std::string json;
  /// The answer it was read from.
  ChatAnswer answer;

  friend bool operator==(const Extracted&, const Extracted&) = default;
};

/// A caller that falls back got no JSON. It goes on with `exhausted.last_raw`, which is absent when
/// the last attempt died: then there is nothing to go on with, but the caller goes on all the same.
struct Degraded {
  LlmExhausted exhausted;

  friend bool operator==(const Degraded&, const Degraded&) = default;
};

/// How an extraction ended; `monostate` while it has not. With `falls_back`, exhaustion and a final
/// failure are Degraded; a shutdown never is, because it ends the caller too.
using ExtractionResult = std::variant<std::monostate, Extracted, Degraded, LlmExhausted>;

class ExtractionStrategy : public ChatTerms<ExtractionStrategy> {
 public:
  using Result = ExtractionResult;

  explicit ExtractionStrategy(ExtractionInput input);

  /// The request of the next attempt; after the end, of the last one made.
  [[nodiscard]] const ChatRequest& request() const { return *request_; }
  [[nodiscard]] NextStep on_answer(ChatAnswer answer, ChatContext& context);
  void on_attempt_died();
  void conclude(FailureClass final_class, ChatContext& context);
  [[nodiscard]] const ExtractionResult& result() const { return result_; }

 private:
  /// Takes `answer` when it can be used and leaves it when not.
  [[nodiscard]] std::variant<Extracted, LlmFailure> extract(ChatAnswer& answer) const;

  ExtractionInput input_;
  std::shared_ptr<const ChatRequest> request_;
  /// What the last attempt sent; differs from `request_` only between attempts.
  std::shared_ptr<const ChatRequest> sent_;
  /// The text of the last attempt; absent when it died.
  std::optional<std::string> last_raw_;
  ExtractionResult result_;
};

class Extraction : public ChatOperation<ExtractionStrategy> {
 public:
  Extraction(const RetryPolicy& policy, ExtractionInput input, RandomStream jitter, bool metadata)
      : RetryingOperation(policy, ExtractionStrategy(std::move(input)), jitter, metadata) {}
};

}  // namespace squall::core::llm
