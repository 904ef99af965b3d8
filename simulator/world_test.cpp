// SPDX-License-Identifier: MIT
#include "simulator/world.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "playback/scenarios_test_support.hpp"

namespace squall::simulator {
namespace {

using core::RandomStream;
using playback::good;
using playback::overloaded;
using playback::scenario;
using playback::sequence;
using playback::silent;
using playback::step;
using scenarios::Outcome;
using namespace std::chrono_literals;

TEST(World, HostsManyOperationsThatDoNotDisturbEachOther) {
  const playback::PreparedScenario storm(
      scenario(sequence({step(3, overloaded()), step(1, good())})));
  const playback::PreparedScenario healthy(scenario(sequence({step(1, good(2s))})));
  World alone;
  alone.reset({});
  const Session& reference = alone.add_operation(storm, RandomStream(5));
  alone.run_until(core::Instant(24h));

  World crowd;
  crowd.reset({});
  std::vector<const Session*> storms;
  std::vector<const Session*> calm;
  for (int i = 0; i < 500; ++i) {
    storms.push_back(&crowd.add_operation(storm, RandomStream(5)));
    calm.push_back(&crowd.add_operation(healthy, RandomStream(static_cast<std::uint64_t>(i))));
  }
  crowd.run_until(core::Instant(24h));

  for (int i = 0; i < 500; ++i) {
    const auto index = static_cast<std::size_t>(i);
    EXPECT_EQ(storms[index]->watched().outcome(), Outcome::kSuccess);
    EXPECT_EQ(storms[index]->watched().elapsed(), reference.watched().elapsed());
    EXPECT_EQ(storms[index]->watched().sleeps(), reference.watched().sleeps());
    EXPECT_TRUE(storms[index]->watched().audit().violations().empty());
    EXPECT_EQ(calm[index]->watched().elapsed(), 2s);
  }
}

TEST(World, TraceKeepsTheOrderOfSchedulingAtOneInstant) {
  const playback::PreparedScenario healthy(scenario(sequence({step(1, good(2s))})));
  World world;
  world.reset({});
  for (int i = 0; i < 3; ++i) {
    (void)world.add_operation(healthy, RandomStream(1));
  }
  world.run_until(core::Instant(1h));
  std::vector<std::uint32_t> finished;
  for (const playback::TraceRecord& record : world.trace().records()) {
    if (record.kind() == playback::TraceKind::kOperationFinished) {
      finished.push_back(record.operation());
    }
  }
  EXPECT_EQ(finished, (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST(World, ResetStartsOver) {
  const playback::PreparedScenario hung(scenario(sequence({step(1, silent())})));
  World world;
  world.reset({});
  (void)world.add_operation(hung, RandomStream(1));
  world.run_until(core::Instant(10s));
  EXPECT_EQ(world.now(), core::Instant(10s));
  world.reset({});
  EXPECT_EQ(world.now(), core::Instant(0s));
  EXPECT_TRUE(world.trace().records().empty());
  world.run_until(core::Instant(24h));
  EXPECT_TRUE(world.trace().records().empty());
}

}  // namespace
}  // namespace squall::simulator
