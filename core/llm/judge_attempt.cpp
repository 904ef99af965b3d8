// SPDX-License-Identifier: MIT
#include "core/llm/judge_attempt.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "core/check.hpp"
#include "core/llm/classify_status.hpp"

namespace squall::core::llm {
namespace {

bool is_success(int status) {
  return status >= 200 && status <= 299;
}

/// Bytes of the well-formed UTF-8 character at the front of `text`, 0 when there is none (RFC 3629,
/// section 4). Requires a text that is not empty.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80U) {
    return 1;
  }
  const std::size_t length = lead < 0xC2U ? 0 : lead < 0xE0U ? 2 : lead < 0xF0U ? 3 : 4;
  if (length == 0 || lead > 0xF4U || text.size() < length) {
    return 0;
  }
  // The second byte alone rules out overlong forms, surrogates and what lies above U+10FFFF.
  const unsigned char low = lead == 0xE0U ? 0xA0U : lead == 0xF0U ? 0x90U : 0x80U;
  const unsigned char high = lead == 0xEDU ? 0x9FU : lead == 0xF4U ? 0x8FU : 0xBFU;
  if (byte(1) < low || byte(1) > high) {
    return 0;
  }
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80U || byte(i) > 0xBFU) {
      return 0;
    }
  }
  return length;
}

/// `byte`, or a blank instead of a control character.
constexpr unsigned char printable(unsigned char byte) {
  return byte < 0x20U || byte == 0x7FU ? 0x20U : byte;
}

/// append_quoted for a text with bytes beyond ASCII.
void append_quoted_characters(std::string& out, std::string_view text) {
  std::size_t used = 0;
  while (used < text.size()) {
    const std::size_t length = character_length(text.substr(used));
    const std::size_t taken = std::max<std::size_t>(length, 1);
    if (used + taken > kQuotedBodyBytesMax) {
      out += "...";
      return;
    }
    if (length > 1) {
      out += text.substr(used, length);
    } else {
      out +=
          length == 0 ? '?' : static_cast<char>(printable(static_cast<unsigned char>(text[used])));
    }
    used += taken;
  }
}

/// Foreign text on one line, at most kQuotedBodyBytesMax bytes of it, cut between characters.
/// Control characters become blanks and bytes that are not UTF-8 become '?', because the chain goes
/// into logs, JSON and databases.
void append_quoted(std::string& out, std::string_view text) {
  const std::size_t begin = out.size();
  const std::size_t length = std::min(text.size(), kQuotedBodyBytesMax);
  out += text.substr(0, length);
  // Plain ASCII is what error bodies are, and most of what a storm stores: one simple pass, which
  // the compiler can turn into vector code.
  char* const quoted = out.data() + begin;
  unsigned char seen = 0;
  for (std::size_t i = 0; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(quoted[i]);
    seen |= byte;
    quoted[i] = static_cast<char>(printable(byte));
  }
  if ((seen & 0x80U) != 0) {
    out.resize(begin);
    append_quoted_characters(out, text);
  } else if (length < text.size()) {
    out += "...";
  }
}

void append_seconds(std::string& out, Duration duration) {
  out += std::to_string(duration.count() / 1'000'000'000);
  if (const auto rest = duration.count() % 1'000'000'000; rest != 0) {
    std::string digits = std::to_string(1'000'000'000 + rest).substr(1);
    digits.erase(digits.find_last_not_of('0') + 1);
    out += '.';
    out += digits;
  }
  out += " s";
}

/// "120 of 512 bytes", or "120 bytes" when no length was announced.
void append_progress(std::string& out, const Attempt& attempt) {
  out += std::to_string(attempt.body().size());
  if (attempt.content_length()) {
    out += " of ";
    out += std::to_string(*attempt.content_length());
  }
  out += " bytes";
}

void append_fault(std::string& out, const Attempt& attempt) {
  out += describe(attempt.fault());
  if (!attempt.fault_detail().empty()) {
    out += ": ";
    append_quoted(out, attempt.fault_detail());
  }
}

/// The length of the timeout that ran out.
void append_timeout(std::string& out, const Attempt& attempt, const Timeouts& timeouts) {
  append_seconds(out, (attempt.whole_attempt_is_due_first() ? timeouts.attempt : timeouts.idle)
                          .value_or(Duration{0}));
}

/// Appends what went wrong below the meaning of the answer.
void append_cause(std::string& out, const Attempt& attempt, AttemptEnd end,
                  const Timeouts& timeouts) {
  switch (end) {
    case AttemptEnd::kConnectionFailed:
      append_fault(out, attempt);
      return;
    case AttemptEnd::kHeadersTimedOut:
      out += "no response headers within ";
      append_timeout(out, attempt, timeouts);
      return;
    case AttemptEnd::kBodyTimedOut:
      // Bytes may have flowed until the end of the whole attempt: then nothing stalled.
      if (attempt.whole_attempt_is_due_first()) {
        out += "the response body was not complete after ";
        append_progress(out, attempt);
        out += ": the attempt may take ";
      } else {
        out += "the response body stalled after ";
        append_progress(out, attempt);
        out += ": nothing for ";
      }
      append_timeout(out, attempt, timeouts);
      return;
    case AttemptEnd::kBodyCut:
      out += "the response body ended after ";
      append_progress(out, attempt);
      out += ": ";
      append_fault(out, attempt);
      return;
    case AttemptEnd::kBodyTooLarge:
      out += "the response body exceeds ";
      out += std::to_string(Attempt::kBodyBytesMax);
      out += " bytes";
      return;
    case AttemptEnd::kAnswered:
      return;
  }
}

FailureClass unless_left_out(bool retried, FailureClass failure_class) {
  return retried ? failure_class : FailureClass::kNonRetryable;
}

LlmFailure judge_status(const Attempt& attempt, AttemptEnd end, const RetryPolicy& policy,
                        std::optional<std::uint64_t> retry_after_ms) {
  const bool body_cut = end != AttemptEnd::kAnswered;
  FailureClass failure_class =
      classify_status(attempt.status(), attempt.body(), body_cut, policy.retry_on.statuses);
  if (failure_class == FailureClass::kTruncatedEnvelope) {
    failure_class = unless_left_out(policy.retry_on.cut_bodies, failure_class);
  }
  std::string chain;
  chain.reserve(64 + std::min(attempt.body().size(), kQuotedBodyBytesMax));
  chain += "the provider answered HTTP ";
  chain += std::to_string(attempt.status());
  if (body_cut) {
    chain += ": ";
    append_cause(chain, attempt, end, policy.timeouts);
  }
  if (!attempt.body().empty()) {
    chain += ": ";
    append_quoted(chain, attempt.body());
  }
  return {failure_class, std::move(chain), std::nullopt, retry_after_ms};
}

LlmFailure judge_unusable(const Attempt& attempt, const ChatAnswerDefect& defect,
                          const RetryOn& retry_on) {
  if (defect.kind == ChatAnswerDefect::Kind::kNoChoice) {
    return {unless_left_out(retry_on.unusable_answers, FailureClass::kNoResponse),
            "the chat completion is unusable: " + defect.reason, defect.finish_reason,
            std::nullopt};
  }
  std::string chain = "the answer is not a chat completion: " + defect.reason;
  if (attempt.content_length() && *attempt.content_length() != attempt.body().size()) {
    chain += ": ";
    append_progress(chain, attempt);
    return {unless_left_out(retry_on.cut_bodies, FailureClass::kTruncatedEnvelope),
            std::move(chain), defect.finish_reason, std::nullopt};
  }
  if (!attempt.body().empty()) {
    chain += ": ";
    append_quoted(chain, attempt.body());
  }
  return {unless_left_out(retry_on.unusable_answers, FailureClass::kParse), std::move(chain),
          defect.finish_reason, std::nullopt};
}

}  // namespace

std::variant<ChatAnswer, LlmFailure> judge_attempt(const Attempt& attempt, AttemptEnd end,
                                                   const RetryPolicy& policy,
                                                   std::optional<std::uint64_t> retry_after_ms) {
  if (attempt.has_headers() && !is_success(attempt.status())) {
    return judge_status(attempt, end, policy, retry_after_ms);
  }
  if (end == AttemptEnd::kAnswered) {
    Expected<ChatAnswer, ChatAnswerDefect> answer = parse_chat_answer(attempt.body());
    if (answer) {
      return *std::move(answer);
    }
    return judge_unusable(attempt, answer.error(), policy.retry_on);
  }
  std::string chain = "the chat request failed: ";
  append_cause(chain, attempt, end, policy.timeouts);
  const bool before_headers = !attempt.has_headers();
  const FailureClass failure_class =
      before_headers
          ? unless_left_out(policy.retry_on.connection_failures, FailureClass::kTransport)
          : unless_left_out(policy.retry_on.cut_bodies, FailureClass::kTruncatedEnvelope);
  return LlmFailure{failure_class, std::move(chain), std::nullopt, std::nullopt};
}

LlmFailure shutdown_failure() {
  return {FailureClass::kShutdown, "the chat request was stopped: shutdown requested", std::nullopt,
          std::nullopt};
}

}  // namespace squall::core::llm
