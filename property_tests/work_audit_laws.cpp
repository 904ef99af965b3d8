// SPDX-License-Identifier: MIT
//
// What holds for every kind of operation: the audit has nothing to say, two runs of one seed are
// one, a case can be written down and loaded back, and an end explains itself.
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "property_tests/generators.hpp"
#include "property_tests/played.hpp"
#include "property_tests/watched.hpp"
#include "property_tests/work_generators.hpp"
#include "scenarios/loader.hpp"
#include "scenarios/writer.hpp"

namespace squall::property_tests {
namespace {

using scenarios::OperationKind;
using scenarios::Outcome;

void satisfies_the_audit(OperationKind kind) {
  const Case drawn = *work_cases(kind);
  Played played(drawn);
  (void)played.simulation.verify_determinism();
  if (const std::optional<std::string> defect = complaint(played.result)) {
    RC_FAIL(*defect);
  }
  classify(true, std::string(label(played.result.outcome)));
  classify(played.result.attempts > 1, "more than one call");
}

RC_GTEST_PROP(Extraction, SatisfiesTheAudit, ()) {
  satisfies_the_audit(OperationKind::kExtraction);
}
RC_GTEST_PROP(Comment, SatisfiesTheAudit, ()) {
  satisfies_the_audit(OperationKind::kComment);
}
RC_GTEST_PROP(Synthesis, SatisfiesTheAudit, ()) {
  satisfies_the_audit(OperationKind::kSynthesis);
}
RC_GTEST_PROP(ResearchSynthesis, SatisfiesTheAudit, ()) {
  satisfies_the_audit(OperationKind::kResearchSynthesis);
}
RC_GTEST_PROP(Continuation, SatisfiesTheAudit, ()) {
  satisfies_the_audit(OperationKind::kContinuation);
}
RC_GTEST_PROP(ToolCall, SatisfiesTheAudit, ()) {
  satisfies_the_audit(OperationKind::kToolCall);
}

RC_GTEST_PROP(Files, CasesOfEveryKindLoadBackEqual, ()) {
  const Case drawn = *any_work_cases();
  const auto loaded = scenarios::load_scenario(rc::toString(drawn), "written");
  if (!loaded) {
    RC_FAIL(to_string(loaded.error()));
  }
  RC_ASSERT((*loaded == drawn.scenario));
  const Played original(drawn);
  const Played again(Case{.scenario = *loaded, .seed = drawn.seed});
  RC_ASSERT(again.result.digest == original.result.digest);
}

// The detail counts the whole trail and ends with its last record; the text of the last attempt is
// there exactly when that attempt brought one, however the operation ended.
RC_GTEST_PROP(EveryOperation, ExplainsAnEndWithoutItsResult, ()) {
  const Case drawn = *any_work_cases();
  const Watched run(drawn);
  const auto shortfall = run.result().operation->shortfall();
  RC_ASSERT(shortfall.has_value() == (run.finished() && run.result().outcome != Outcome::kSuccess));
  if (!shortfall || drawn.scenario.operation.kind() == OperationKind::kToolCall) {
    return;  // A connector's sentence is for the model; see the laws of tool calls.
  }
  const playback::TrailView trail = run.result().trail;
  const std::string detail =
      trail.empty() ? fmt::format("operation failed: {}", label(shortfall->final_class))
                    : fmt::format("{} attempt(s) failed (last: {}): {}", trail.size(),
                                  label(shortfall->final_class), trail.back().error_chain);
  RC_ASSERT(std::string(shortfall->detail) == detail);
  const std::optional<Reply> reply = run.last_reply();
  // A continuation that got text has succeeded.
  const bool has_text = reply && drawn.scenario.operation.kind() != OperationKind::kContinuation;
  RC_ASSERT(shortfall->last_raw.has_value() == has_text);
  if (has_text) {
    RC_ASSERT(std::string(*shortfall->last_raw) == reply->text);
  }
}

}  // namespace
}  // namespace squall::property_tests
