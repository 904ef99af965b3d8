// SPDX-License-Identifier: MIT
#include "core/tool/failure.hpp"

#include <algorithm>
#include <utility>

#include "core/quote.hpp"

namespace squall::core::tool {

bool reports_retryable(const CauseChain& chain) {
  return std::any_of(chain.begin(), chain.end(), [](const Cause& cause) {
    return cause.reporter != nullptr && cause.reporter->retryable();
  });
}

Expected<void, Error> check_code(std::string_view code) {
  const bool has_only_words = std::all_of(code.begin(), code.end(), [](char character) {
    return (character >= 'a' && character <= 'z') || character == '_';
  });
  const bool fits = !code.empty() && code.size() <= kCodeBytesMax && has_only_words &&
                    code.front() != '_' && code.back() != '_' &&
                    code.find("__") == std::string_view::npos;
  if (!fits) {
    Error error;
    error.message = "failure code \"";
    append_quoted(error.message, code, kCodeBytesMax);
    error.message +=
        "\" is not stable; allowed: 1 to 64 bytes, words of a-z joined by single \"_\"";
    return Unexpected<Error>(std::move(error));
  }
  return {};
}

}  // namespace squall::core::tool
