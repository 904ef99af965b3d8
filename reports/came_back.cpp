// SPDX-License-Identifier: MIT
#include "reports/came_back.hpp"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "reports/figures.hpp"
#include "reports/style.hpp"

namespace squall::reports {
namespace {

/// The chain without the words that the row says anyway.
std::string shortened(std::string chain) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kShorter{{
      {"the chat request failed: ", ""},
      {"the chat request was ", ""},
      {"the provider answered ", ""},
      {"the connector answered ", ""},
      {"the tool call failed: ", ""},
      {"the response body ", "body "},
      {"no response headers within ", "no headers for "},
      {"the chat completion is unusable", "unusable answer"},
      {"the answer is not a chat completion", "no chat completion"},
      {" before the response headers", " before headers"},
  }};
  for (const auto& [words, shorter] : kShorter) {
    if (const std::size_t at = chain.find(words); at != std::string::npos && at < 40) {
      chain.replace(at, words.size(), shorter);
    }
  }
  return chain;
}

/// As many links of the chain as fit, at least the first.
std::string fitted(const std::string& chain, std::size_t columns_max) {
  std::size_t end = chain.size();
  while (end != 0 && columns(excerpt(chain.substr(0, end), end * 4)) > columns_max) {
    const std::size_t link = chain.rfind(": ", end - 1);
    if (link == std::string::npos || link == 0) {
      break;
    }
    end = link;
  }
  return excerpt(chain.substr(0, end), columns_max);
}

/// What a provider says: the message of an error object where the body is one, else the body.
std::string_view provider_words(std::string_view body) {
  constexpr std::string_view kMember = "\"message\":\"";
  if (const std::size_t at = body.find(kMember); body.starts_with('{') && at != body.npos) {
    body.remove_prefix(at + kMember.size());
    body = body.substr(0, body.find('"'));
  }
  return body;
}

/// "HTTP 503: The server is ...": of an error status the words may be cut, the status not.
std::string status_text(const AttemptRow& row, const std::string& chain, std::size_t columns_max) {
  std::string text = fmt::format("HTTP {}", *row.status);
  if (row.retry_after_ms) {
    text += fmt::format(", Retry-After {}", milliseconds_text(*row.retry_after_ms));
  }
  const std::string head = fmt::format("HTTP {}: ", *row.status);
  constexpr std::size_t kWorthShowing = 12;
  if (chain.starts_with(head) && columns(text) + 2 + kWorthShowing <= columns_max) {
    const std::size_t room = columns_max - columns(text) - 2;
    constexpr std::string_view kBody = "body ";
    const std::string rest = chain.substr(head.size());
    // A body that was cut: how far it came says more than what there is of it.
    text += ": " + (rest.starts_with(kBody) ? fitted(rest.substr(kBody.size()), room)
                                            : excerpt(provider_words(rest), room));
  }
  return text;
}

}  // namespace

std::string answer_text(const RunReport& report, std::size_t columns_max) {
  const std::vector<core::llm::ToolCall> none;
  const auto& tool_calls = report.chat_answer ? report.chat_answer->tool_calls : none;
  const std::string& answer = report.answer.value();
  std::string text;
  if (!answer.empty() || tool_calls.empty()) {
    const bool is_json = report.subject.kind == scenarios::OperationKind::kToolCall;
    const std::string words = excerpt(answer, columns_max > 2 ? columns_max - 2 : 0);
    text = answer.empty() ? std::string("an empty text")
           : is_json      ? words
                          : fmt::format("\"{}\"", words);
  }
  for (const core::llm::ToolCall& call : tool_calls) {
    text += fmt::format("{}tool call {}", text.empty() ? "" : ", ", call.name);
  }
  return excerpt(text, columns_max);
}

std::string came_back_text(const AttemptRow& row, const RunReport& report,
                           std::size_t columns_max) {
  if (row.accepted && report.answer) {
    constexpr std::string_view kHead = "answer ";
    return std::string(kHead) + answer_text(report, columns_max - kHead.size());
  }
  if (row.accepted_round) {
    return "a part accepted";
  }
  if (!row.failure_class) {
    return row.headers ? fmt::format("still reading: {} so far", count_of(row.body_bytes, "byte"))
                       : std::string("still waiting for headers");
  }
  const std::string chain = shortened(row.error_chain);
  if (row.status && (*row.status < 200 || *row.status > 299)) {
    return status_text(row, chain, columns_max);
  }
  return fitted(chain, columns_max);
}

}  // namespace squall::reports
