// SPDX-License-Identifier: MIT
//
// From the failures of the other operations to the failure of a tool, so that one failed call can
// be followed from the wire to the words the model reads. A class that its own taxonomy sends again
// maps to one that is retryable, and no other does.
//
// | LLM class                                    | tool class    | why                           |
// |----------------------------------------------|---------------|-------------------------------|
// | transport, truncated_envelope                | transient     | passes; how far it got is     |
// |                                              |               | not known from the class      |
// | parse, out_of_range_score, membership,       | self_reported | the operation looked at the   |
// | completeness, contradiction_agents,          |               | answer, rejects it and wants  |
// | validation_other, truncated_output,          |               | another; no wait makes that   |
// | no_response                                  |               | one better                    |
// | non_retryable                                | internal      | credentials, credit, unknown  |
// |                                              |               | model: a person must mend it  |
// | shutdown                                     | cancelled     | stopped on this side          |
//
// | connector kind                               | tool class       | why                        |
// |----------------------------------------------|------------------|----------------------------|
// | transport, stopped by a shutdown             | cancelled        | stopped on this side       |
// | transport, no attempt sent a byte or was let | unreachable or   | provably not accepted; the |
// | in                                           | rate_limited     | last attempt says which    |
// | transport, the last attempt timed out        | timeout          | nobody knows how far       |
// | transport, otherwise                         | transient        | passes                     |
// | auth                                         | auth             |                            |
// | application                                  | invalid_argument | only another call can fare |
// |                                              |                  | better; the connector's    |
// |                                              |                  | message says why           |
// | config                                       | internal         | this side's settings       |
#pragma once

#include "core/connector/kind.hpp"
#include "core/connector/tool_call.hpp"
#include "core/llm/failure_class.hpp"
#include "core/llm/judge_attempt.hpp"
#include "core/tool/failure.hpp"
#include "core/tool/failure_class.hpp"

namespace squall::core::tool {

/// The tool class of an LLM failure class. Requires one of the enumerators.
[[nodiscard]] FailureClass class_of(llm::FailureClass failure_class);

/// The tool class of a connector kind of which nothing else is known: kTransport is kTransient.
/// Requires one of the enumerators.
[[nodiscard]] FailureClass class_of(connector::Kind kind);

/// The tool class of a failed tool call, with all that its attempts tell.
[[nodiscard]] FailureClass class_of(const connector::ToolCallFailure& failure);

/// A failed tool call as a tool's failure.
///
/// Code: the kind's token, or "shutdown". Message: the last entry of the trail, else the sentence
/// for the model. Causes: the entries of the trail, newest first. retry_after: that of the last
/// entry. kApplication advises to read the connector's message.
///
/// @param idempotency  the host's word on this very call.
[[nodiscard]] Failure failure_of(const connector::ToolCallFailure& failure,
                                 Idempotency idempotency);

/// A failed LLM operation as a tool's failure. Code: the label of the final class. Message: the
/// operation's own detail. Causes and retry_after as above.
[[nodiscard]] Failure failure_of(const llm::LlmExhausted& failure, Idempotency idempotency);

}  // namespace squall::core::tool
