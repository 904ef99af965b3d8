// SPDX-License-Identifier: MIT
#include "core/llm/classify_status.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "core/check.hpp"

namespace squall::core::llm {
namespace {

constexpr int kTooManyRequests = 429;

// Both lists are part of the built-in LLM retry rules. Lower case: that is what they are compared
// in.
constexpr std::array<std::string_view, 2> kPassingLimitMarkers = {"temporarily rate-limited",
                                                                  "upstream_provider_shared_pool"};
constexpr std::array<std::string_view, 5> kSpentQuotaMarkers = {
    "insufficient balance", "insufficient_quota", "quota exhausted", "quota exceeded",
    "error code 1113"};

constexpr char to_ascii_lower(char character) {
  return character >= 'A' && character <= 'Z' ? static_cast<char>(character - 'A' + 'a')
                                              : character;
}

bool contains_any(std::string_view body, std::span<const std::string_view> lower_case_markers) {
  const auto equal_but_for_case = [](char of_body, char of_marker) {
    return to_ascii_lower(of_body) == of_marker;
  };
  return std::any_of(lower_case_markers.begin(), lower_case_markers.end(),
                     [&](std::string_view marker) {
                       return std::search(body.begin(), body.end(), marker.begin(), marker.end(),
                                          equal_but_for_case) != body.end();
                     });
}

}  // namespace

FailureClass classify_status(int status, std::string_view body, bool body_cut,
                             const StatusSet& retried) {
  SQUALL_CHECK(status < 200 || status > 299, status);
  if (!retried.contains(status)) {
    return FailureClass::kNonRetryable;
  }
  if (status == kTooManyRequests && !contains_any(body, kPassingLimitMarkers) &&
      contains_any(body, kSpentQuotaMarkers)) {
    return FailureClass::kNonRetryable;
  }
  return body_cut ? FailureClass::kTruncatedEnvelope : FailureClass::kTransport;
}

}  // namespace squall::core::llm
