// SPDX-License-Identifier: MIT
//
// Which failure an answer with an error status is.
#pragma once

#include <string_view>

#include "core/llm/failure_class.hpp"
#include "core/status_set.hpp"

namespace squall::core::llm {

/// Classifies an answer that is not 2xx.
///
/// - A status outside `retried`: kNonRetryable, whatever the body.
/// - 429 is a full pool or an empty purse, and only the body tells them apart. A body that names a
///   passing limit is retryable even when it names a quota too; otherwise one that names a spent
///   quota or balance is kNonRetryable. Marker texts are found anywhere in the body, ASCII case
///   aside.
/// - What remains is retryable: kTruncatedEnvelope when the body was cut, else kTransport.
///
/// @param status    HTTP status; a 2xx one is a broken check.
/// @param body      What arrived of the body.
/// @param body_cut  Whether reading the body failed before its end.
/// @param retried   The policy's retried statuses (StatusSet::llm_default() for the built-in rule).
/// @cost            No allocation; a 429 body is searched a few times.
[[nodiscard]] FailureClass classify_status(int status, std::string_view body, bool body_cut,
                                           const StatusSet& retried);

}  // namespace squall::core::llm
