// SPDX-License-Identifier: MIT
//
// What is stored of a run is what happened in it: row by row, as a sink receives them.
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "property_tests/generators.hpp"
#include "property_tests/played.hpp"
#include "property_tests/watched.hpp"
#include "property_tests/work_generators.hpp"

namespace squall::property_tests {
namespace {

using core::Duration;
using core::FailureRow;
using core::RequestRow;
using playback::TraceKind;
using scenarios::OperationKind;
using scenarios::Outcome;

/// Run 0 of a case with everything that it stored.
struct Stored {
  explicit Stored(const Case& drawn) : prepared(drawn.scenario), simulation(prepared) {
    simulation.record_to(sink, [](std::uint64_t run) { return "op-" + std::to_string(run); });
    (void)simulation.run(drawn.seed, 0);
  }

  [[nodiscard]] const playback::RunResult& result() const { return simulation.result(); }
  [[nodiscard]] std::vector<FailureRow> failures() const {
    std::vector<FailureRow> found;
    for (const Rows::Row& row : sink.rows) {
      if (row.failure) {
        found.push_back(*row.failure);
      }
    }
    return found;
  }
  /// Of the rounds, and of the operation when it is over.
  [[nodiscard]] std::vector<RequestRow> requests() const {
    std::vector<RequestRow> found;
    for (const Rows::Row& row : sink.rows) {
      if (row.request) {
        found.push_back(*row.request);
      }
    }
    return found;
  }
  [[nodiscard]] bool finished() const { return result().outcome != Outcome::kUnfinished; }

  playback::PreparedScenario prepared;
  Rows sink;
  simulator::Simulation simulation;
};

rc::Gen<Case> every_kind() {
  return one_of<Case>({any_work_cases(), any_work_cases(), any_work_cases(), cases()});
}

Case with_metadata(Case drawn) {
  drawn.scenario.operation.telemetry = true;
  return drawn;
}

RC_GTEST_PROP(Telemetry, FailureRowsAreTheTrail, ()) {
  const Case drawn = with_metadata(*every_kind());
  const Stored stored(drawn);
  const std::vector<FailureRow> rows = stored.failures();
  const playback::TrailView trail = stored.result().trail;
  // An entry that no call stands behind has no row: the reason of a fallback or of bad settings.
  const bool has_no_call_behind = trail.size() == 1 && rows.empty();
  RC_ASSERT(rows.size() + (has_no_call_behind ? 1 : 0) == trail.size());
  if (has_no_call_behind) {
    const OperationKind kind = drawn.scenario.operation.kind();
    RC_ASSERT((kind == OperationKind::kSynthesis || kind == OperationKind::kToolCall));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    RC_ASSERT(rows[i].operation_id == "op-0");
    RC_ASSERT(rows[i].attempt == i + 1);
    RC_ASSERT(rows[i].failure_class == label(trail[i].failure_class));
    RC_ASSERT(rows[i].error_chain == trail[i].error_chain);
    RC_ASSERT(rows[i].retry_after_ms == trail[i].retry_after_ms);
    RC_ASSERT(rows[i].finish_reason.has_value() == trail[i].finish_reason.has_value());
    RC_ASSERT(rows[i].finish_reason.value_or("") == trail[i].finish_reason.value_or(""));
    RC_ASSERT(rows[i].attempt_duration.has_value());
  }
}

RC_GTEST_PROP(Telemetry, StoresNothingWithoutMetadata, ()) {
  Case drawn = *every_kind();
  drawn.scenario.operation.telemetry = false;
  RC_ASSERT(Stored(drawn).sink.rows.empty());
}

// One row an ended attempt (failed, or a round that was accepted), then one for the whole.
RC_GTEST_PROP(Telemetry, StoresOneRowAnAttemptAndOneAnOperation, ()) {
  const Case drawn = with_metadata(*every_kind());
  const Stored stored(drawn);
  std::vector<Rows::Row> rows = stored.sink.rows;
  const bool is_synthesis = drawn.scenario.operation.kind() == OperationKind::kSynthesis;
  const Outcome outcome = stored.result().outcome;
  if (stored.finished()) {
    RC_ASSERT_FALSE(rows.empty());
    RC_ASSERT(rows.back().request.has_value());
    const RequestRow own = *rows.back().request;
    rows.pop_back();
    RC_ASSERT(own.success == (outcome == Outcome::kSuccess || outcome == Outcome::kDegraded));
    RC_ASSERT(own.retry_attempts == stored.result().attempts);
    RC_ASSERT(own.duration == stored.result().elapsed);
    RC_ASSERT(own.metadata.routing == "default");
    RC_ASSERT(own.failure_class.has_value() == (outcome != Outcome::kSuccess));
    if (!own.success) {
      RC_ASSERT((own.answer == core::AnswerFacts{}));
    }
  }
  // What is left stands for one attempt each, in order.
  std::size_t accepted = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].request) {
      RC_ASSERT(is_synthesis);
      RC_ASSERT(rows[i].request->retry_attempts == i + 1);
      RC_ASSERT(rows[i].request->success);
      RC_ASSERT_FALSE(rows[i].request->failure_class.has_value());
      ++accepted;
    }
  }
  classify(accepted > 0, "accepted rounds");
  // Beside them, the attempt that succeeded as a whole or is still under way.
  const bool one_more = outcome == Outcome::kUnfinished
                            ? rows.size() < stored.result().attempts
                            : outcome == Outcome::kSuccess && !is_synthesis;
  RC_ASSERT(rows.size() + (one_more ? 1 : 0) == stored.result().attempts);
  if (stored.result().operation->synthesis() != nullptr) {
    RC_ASSERT(accepted > 0U);
  }
}

// Every row carries the calendar time at which it was stored and the length of its attempt, as the
// trace has them.
RC_GTEST_PROP(Telemetry, DatesItsRows, ()) {
  const Case drawn = with_metadata(*every_kind());
  const Stored stored(drawn);
  std::vector<std::int64_t> sent;
  std::vector<std::int64_t> stored_at;
  for (const playback::TraceRecord& record : stored.result().trace->records()) {
    if (record.kind() == TraceKind::kAttemptSent) {
      sent.push_back(record.at_ns);
    } else if (record.kind() == TraceKind::kFailureRow || record.kind() == TraceKind::kRequestRow) {
      stored_at.push_back(record.at_ns);
    }
  }
  RC_ASSERT(stored_at.size() == stored.sink.rows.size());
  for (std::size_t i = 0; i < stored_at.size(); ++i) {
    const Rows::Row& row = stored.sink.rows[i];
    const core::WallInstant at =
        core::saturating_add(drawn.scenario.client.wall_clock, Duration(stored_at[i]));
    if (row.failure) {
      RC_ASSERT((row.failure->recorded_at == at));
      RC_ASSERT(row.failure->attempt_duration->count() == stored_at[i] - sent[i]);
    } else {
      RC_ASSERT((row.request->recorded_at == at));
    }
  }
}

// What the provider says of its answer is kept of the answer that the caller got.
RC_GTEST_PROP(Telemetry, KeepsTheFactsOfTheAnswerThatWasAccepted, ()) {
  const Case drawn = with_metadata(*any_work_cases());
  const Watched watched(drawn);  // Sleeps differ, and with them perhaps the end: see below.
  const Stored stored(drawn);
  const OperationKind kind = drawn.scenario.operation.kind();
  if (stored.result().outcome != Outcome::kSuccess ||
      watched.result().outcome != Outcome::kSuccess ||
      stored.result().attempts != watched.result().attempts || kind == OperationKind::kSynthesis ||
      kind == OperationKind::kToolCall) {
    return;
  }
  const RequestRow own = stored.requests().back();
  const bool has_facts =
      watched.calls().back().body.find("\"prompt_tokens\":100") != std::string::npos;
  classify(has_facts, "facts");
  RC_ASSERT(own.answer.input_tokens ==
            (has_facts ? std::optional<std::uint64_t>(100) : std::nullopt));
  RC_ASSERT(own.answer.output_tokens ==
            (has_facts ? std::optional<std::uint64_t>(7) : std::nullopt));
  RC_ASSERT(own.answer.upstream_provider ==
            (has_facts ? std::optional<std::string>("upstream") : std::nullopt));
  RC_ASSERT(own.finish_reason == watched.last_reply()->finish_reason);
}

}  // namespace
}  // namespace squall::property_tests
