// SPDX-License-Identifier: MIT
//
// The generators reach everything the properties are about: a property over cases in which nothing
// happens would hold for the wrong reason.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "property_tests/generators.hpp"
#include "property_tests/played.hpp"
#include "property_tests/reference_model.hpp"

namespace squall::property_tests {
namespace {

using playback::TraceKind;
using scenarios::Outcome;

using Counts = std::map<std::string, int>;

void expect_at_least(int count, Counts& seen, const std::vector<std::string>& kinds) {
  for (const std::string& kind : kinds) {
    if (seen[kind] < count) {
      ADD_FAILURE() << kind << ": only " << seen[kind];
    }
  }
}

TEST(Generators, ReachEveryOutcomeAndEveryClass) {
  constexpr int kSamples = 3'000;
  Counts seen;
  rc::Random random(20'260'101);
  for (int sample = 0; sample < kSamples; ++sample) {
    const Case drawn = cases()(random.split(), sample % rc::kNominalSize).value();
    if (!is_plain(drawn.scenario)) {
      FAIL() << "the reference model cannot play this\n" << rc::toString(drawn);
    }
    const Played played(drawn);
    ++seen["outcome " + std::string(label(played.result.outcome))];
    seen["silenced"] += drawn.scenario.operation.telemetry ? 0 : 1;
    for (std::size_t i = 0; i < played.result.trail.size(); ++i) {
      ++seen["class " + std::string(label(played.result.trail[i].failure_class))];
    }
    for (const core::OrderedSleep& sleep : *played.result.sleeps) {
      ++seen[sleep.by_retry_after ? "told sleeps" : "jittered sleeps"];
    }
    seen["abandoned"] += static_cast<int>(played.records(TraceKind::kAttemptAbandoned).size());
    const std::vector<playback::TraceRecord> bytes = played.records(TraceKind::kBytesReceived);
    seen["bodies in pieces"] += std::adjacent_find(bytes.begin(), bytes.end(),
                                                   [](const playback::TraceRecord& left,
                                                      const playback::TraceRecord& right) {
                                                     return left.detail == right.detail;
                                                   }) != bytes.end()
                                    ? 1
                                    : 0;
    seen["used budgets"] +=
        played.result.outcome == Outcome::kExhausted && played.result.attempts > 3 ? 1 : 0;
  }
  expect_at_least(
      kSamples / 100, seen,
      {"outcome success", "outcome exhausted", "outcome non_retryable", "outcome shutdown",
       "outcome unfinished", "class transport", "class truncated_envelope", "class parse",
       "class no_response", "class non_retryable", "class shutdown", "told sleeps",
       "jittered sleeps", "abandoned", "used budgets", "silenced", "bodies in pieces"});
}

TEST(Generators, ReachServersOfEveryShape) {
  constexpr int kSamples = 1'000;
  Counts seen;
  rc::Random random(20'260'101);
  for (int sample = 0; sample < kSamples; ++sample) {
    const Case drawn = wild_cases()(random.split(), sample % rc::kNominalSize).value();
    const Played played(drawn);
    ++seen["outcome " + std::string(label(played.result.outcome))];
    seen["phases"] += drawn.scenario.server.phases.size() > 1 ? 1 : 0;
    for (const scenarios::Phase& phase : drawn.scenario.server.phases) {
      seen["sequences"] += phase.sequence.size() > 1 ? 1 : 0;
      for (const scenarios::Step& step : phase.sequence) {
        seen["mixes"] += step.mix.size() > 1 ? 1 : 0;
        ++seen["latency kind " + std::to_string(step.mix.front().respond.latency.index())];
      }
    }
    seen["many calls"] += played.result.attempts > 3 ? 1 : 0;
  }
  expect_at_least(
      kSamples / 50, seen,
      {"outcome success", "outcome exhausted", "outcome non_retryable", "outcome shutdown",
       "outcome unfinished", "phases", "sequences", "mixes", "latency kind 0", "latency kind 1",
       "latency kind 2", "latency kind 3", "latency kind 4", "many calls"});
}

}  // namespace
}  // namespace squall::property_tests
