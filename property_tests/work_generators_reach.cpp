// SPDX-License-Identifier: MIT
//
// The generators of work reach what the laws are about, see generators_reach.cpp.
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "property_tests/generators.hpp"
#include "property_tests/played.hpp"
#include "property_tests/work_generators.hpp"

namespace squall::property_tests {
namespace {

using scenarios::OperationKind;
using scenarios::Outcome;

using Counts = std::map<std::string, int>;

/// What came up in many cases of a kind, each at least `kEnough` times in the end.
constexpr int kSamples = 2'000;
constexpr int kEnough = 8;

Counts count(OperationKind kind) {
  Counts seen;
  rc::Random random(20'260'301);
  for (int sample = 0; sample < kSamples; ++sample) {
    const Case drawn = work_cases(kind)(random.split(), sample % rc::kNominalSize).value();
    const Played played(drawn);
    const playback::RunResult& result = played.result;
    ++seen["outcome " + std::string(label(result.outcome))];
    ++seen[drawn.scenario.operation.telemetry ? "recorded" : "silenced"];
    seen["many calls"] += result.attempts > 3 ? 1 : 0;
    for (std::size_t i = 0; i < result.trail.size(); ++i) {
      ++seen["class " + std::string(label(result.trail[i].failure_class))];
    }
    for (const core::OrderedSleep& sleep : *result.sleeps) {
      ++seen[sleep.by_retry_after ? "told sleeps" : "jittered sleeps"];
    }
    if (const auto shortfall = result.operation->shortfall()) {
      ++seen[shortfall->last_raw ? "last text" : "no last text"];
    }
    if (const core::llm::SynthesisRepaired* repaired = result.operation->synthesis()) {
      ++seen[repaired->remainder.empty() ? "placed all" : "left a remainder"];
      seen["several groups"] += repaired->groups.size() > 1 ? 1 : 0;
      seen["references"] += repaired->references.empty() ? 0 : 1;
      seen["several rounds"] += result.attempts > 1 && result.trail.empty() ? 1 : 0;
    }
    if (const auto failure = result.operation->as_tool_failure()) {
      ++seen["tool class " + std::string(label(failure->failure_class))];
    }
  }
  return seen;
}

void expect_to_reach(OperationKind kind, const std::vector<std::string>& everything) {
  Counts seen = count(kind);
  for (const std::string& one : everything) {
    if (seen[one] < kEnough) {
      ADD_FAILURE() << one << ": only " << seen[one];
    }
  }
}

TEST(WorkGenerators, ReachAllOfExtraction) {
  expect_to_reach(
      OperationKind::kExtraction,
      {"outcome success", "outcome exhausted", "outcome non_retryable", "outcome shutdown",
       "outcome unfinished", "class transport", "class truncated_envelope", "class parse",
       "class out_of_range_score", "class no_response", "class non_retryable", "class shutdown",
       "recorded", "silenced", "many calls", "told sleeps", "jittered sleeps", "last text",
       "no last text"});
}

TEST(WorkGenerators, ReachAllOfComment) {
  expect_to_reach(
      OperationKind::kComment,
      {"outcome success", "outcome degraded", "outcome shutdown", "outcome unfinished",
       "class transport", "class truncated_envelope", "class parse", "class out_of_range_score",
       "class no_response", "class non_retryable", "class shutdown", "recorded", "silenced",
       "many calls", "told sleeps", "jittered sleeps", "last text", "no last text"});
}

TEST(WorkGenerators, ReachAllOfSynthesis) {
  expect_to_reach(OperationKind::kSynthesis, {"outcome success",
                                              "outcome degraded",
                                              "outcome shutdown",
                                              "outcome unfinished",
                                              "class transport",
                                              "class truncated_envelope",
                                              "class parse",
                                              "class membership",
                                              "class completeness",
                                              "class contradiction_agents",
                                              "class validation_other",
                                              "class no_response",
                                              "class non_retryable",
                                              "class shutdown",
                                              "recorded",
                                              "silenced",
                                              "many calls",
                                              "told sleeps",
                                              "jittered sleeps",
                                              "placed all",
                                              "left a remainder",
                                              "several groups",
                                              "references",
                                              "several rounds"});
}

TEST(WorkGenerators, ReachAllOfResearchSynthesis) {
  expect_to_reach(OperationKind::kResearchSynthesis,
                  {"outcome success",   "outcome degraded",
                   "outcome exhausted", "outcome non_retryable",
                   "outcome shutdown",  "outcome unfinished",
                   "class transport",   "class truncated_envelope",
                   "class parse",       "class truncated_output",
                   "class no_response", "class non_retryable",
                   "class shutdown",    "recorded",
                   "silenced",          "many calls",
                   "told sleeps",       "jittered sleeps",
                   "last text",         "no last text"});
}

TEST(WorkGenerators, ReachAllOfContinuation) {
  expect_to_reach(OperationKind::kContinuation,
                  {"outcome success", "outcome exhausted", "outcome non_retryable",
                   "outcome shutdown", "outcome unfinished", "class transport",
                   "class truncated_envelope", "class parse", "class no_response",
                   "class non_retryable", "class shutdown", "recorded", "silenced", "many calls"});
}

TEST(WorkGenerators, ReachAllOfToolCall) {
  expect_to_reach(OperationKind::kToolCall, {"outcome success",
                                             "outcome exhausted",
                                             "outcome non_retryable",
                                             "outcome shutdown",
                                             "outcome unfinished",
                                             "class transport",
                                             "class auth",
                                             "class application",
                                             "class config",
                                             "recorded",
                                             "silenced",
                                             "many calls",
                                             "jittered sleeps",
                                             "tool class transient",
                                             "tool class rate_limited",
                                             "tool class timeout",
                                             "tool class unreachable",
                                             "tool class auth",
                                             "tool class invalid_argument",
                                             "tool class cancelled",
                                             "tool class internal"});
}

}  // namespace
}  // namespace squall::property_tests
