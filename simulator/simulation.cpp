// SPDX-License-Identifier: MIT
#include "simulator/simulation.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/check.hpp"
#include "playback/run_draws.hpp"

namespace squall::simulator {

void Simulation::play(World& world, std::uint64_t seed, std::uint64_t run,
                      playback::RunResult& result, playback::Recording recording) {
  const scenarios::Scenario& scenario = prepared_.scenario;
  result.seed = seed;
  result.run = run;
  result.internal_error.reset();
  world.reset(scenario.client.wall_clock);
  try {
    world.add_operation(prepared_, playback::run_draws(seed, run), std::move(recording));
    world.run_until(core::Instant(scenario.horizon), interrupted_);
  } catch (const core::CheckFailed& failed) {
    // A bug of squall itself: reported with everything needed to see it again.
    result.internal_error = failed.what();
    result.internal_error_at = world.now();
  }
}

const playback::RunResult& Simulation::run(std::uint64_t seed, std::uint64_t run) {
  playback::Recording recording;
  if (sink_ != nullptr) {
    recording = {.sink = sink_, .operation_id = operation_id_(run)};
  }
  play(world_, seed, run, result_, std::move(recording));
  const playback::WatchedOperation& watched = world_.operation(0).watched();
  watched.describe(result_);
  result_.interrupted = !watched.finished() && is_interrupted();
  violations_ = watched.audit().violations();
  checks_ = watched.audit().checks();
  result_.violations = &violations_;
  result_.checks = &checks_;
  return result_;
}

const playback::RunResult& Simulation::verify_determinism() {
  playback::RunResult second;
  play(again_, result_.seed, result_.run, second, {});
  if (is_interrupted()) {
    return result_;
  }
  if (result_.interrupted || is_interrupted()) {
    return result_;  // Half a run says nothing.
  }
  ++checks_[static_cast<std::size_t>(playback::Invariant::kDeterministic)];
  if (const auto difference = first_difference(world_.trace(), again_.trace())) {
    violations_.push_back(
        {playback::Invariant::kDeterministic, difference->at,
         fmt::format("a second run of the same seed differs from trace record {} on",
                     difference->record)});
  }
  return result_;
}

}  // namespace squall::simulator
