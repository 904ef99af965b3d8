// SPDX-License-Identifier: MIT
//
// Equal seeds give equal bytes: alone, after other runs, beside other operations in one world, and
// from a file that the scenario was written to and loaded from.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/random.hpp"
#include "property_tests/generators.hpp"
#include "property_tests/played.hpp"
#include "scenarios/loader.hpp"
#include "scenarios/writer.hpp"
#include "simulator/world.hpp"

namespace squall::property_tests {
namespace {

using playback::PreparedScenario;
using playback::TraceRecord;
using simulator::Simulation;
using simulator::World;

RC_GTEST_PROP(Determinism, RunsAreIndependentOfTheirOrder, ()) {
  const Case drawn = *wild_cases();
  const PreparedScenario prepared(drawn.scenario);
  constexpr std::uint64_t kRuns = 4;
  std::vector<std::uint64_t> digests;
  Simulation forwards(prepared);
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    digests.push_back(forwards.run(drawn.seed, run).digest);
  }
  Simulation backwards(prepared);
  for (std::uint64_t run = kRuns; run-- > 0;) {
    RC_ASSERT(backwards.run(drawn.seed, run).digest == digests[run]);
    Simulation alone(prepared);
    RC_ASSERT(alone.run(drawn.seed, run).trace->records() == backwards.result().trace->records());
  }
}

/// The records of one operation, with its number taken out.
std::vector<TraceRecord> records_of(const World& world, std::uint32_t operation) {
  std::vector<TraceRecord> records;
  for (TraceRecord record : world.trace().records()) {
    if (record.operation() == operation) {
      record.operation_and_kind &= 0xffU;
      records.push_back(record);
    }
  }
  return records;
}

RC_GTEST_PROP(Determinism, OperationsOfOneWorldDoNotInfluenceEachOther, ()) {
  std::vector<Case> drawn = *list_of(wild_cases(), 6);
  const core::Instant horizon(std::chrono::hours(24 * 30));
  const core::WallInstant epoch = scenarios::ClientSpec{}.wall_clock;
  std::vector<std::unique_ptr<PreparedScenario>> prepared;
  World together;
  together.reset(epoch);
  for (const Case& one : drawn) {
    prepared.push_back(std::make_unique<PreparedScenario>(one.scenario));
    (void)together.add_operation(*prepared.back(), core::RandomStream(one.seed));
  }
  together.run_until(horizon);

  World alone;
  for (std::uint32_t i = 0; i < drawn.size(); ++i) {
    alone.reset(epoch);
    (void)alone.add_operation(*prepared[i], core::RandomStream(drawn[i].seed));
    alone.run_until(horizon);
    RC_ASSERT(records_of(alone, 0) == records_of(together, i));
    RC_ASSERT(alone.operation(0).watched().audit().violations().empty());
    RC_ASSERT(together.operation(i).watched().audit().violations().empty());
  }
}

RC_GTEST_PROP(Files, WhatIsWrittenLoadsBackEqualAndPlaysEqual, ()) {
  const Case drawn = *wild_cases();
  // As a failing property prints it, the command that replays it included.
  const auto loaded = scenarios::load_scenario(rc::toString(drawn), "written");
  if (!loaded) {
    RC_FAIL(to_string(loaded.error()));
  }
  RC_ASSERT((*loaded == drawn.scenario));
  RC_ASSERT(scenarios::write_scenario(*loaded) == scenarios::write_scenario(drawn.scenario));
  const Played original(drawn);
  const Played again(Case{.scenario = *loaded, .seed = drawn.seed});
  RC_ASSERT(again.result.digest == original.result.digest);
}

RC_GTEST_PROP(Files, PoliciesLoadBackEqual, ()) {
  const core::RetryPolicy policy = *policies();
  const std::string text = scenarios::write_policy(policy, "drawn", "generated");
  RC_LOG(text);
  const auto loaded = scenarios::load_policy(text, "written");
  if (!loaded) {
    RC_FAIL(to_string(loaded.error()));
  }
  RC_ASSERT((*loaded == policy));
}

}  // namespace
}  // namespace squall::property_tests
