// SPDX-License-Identifier: MIT
#include "simulator/simulation.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/check.hpp"
#include "core/random.hpp"

namespace squall::simulator {

void Simulation::play(World& world, std::uint64_t seed, std::uint64_t run, RunResult& result,
                      Recording recording) {
  const scenarios::Scenario& scenario = prepared_.scenario;
  result.seed = seed;
  result.run = run;
  result.internal_error.reset();
  world.reset(scenario.client.wall_clock);
  const core::RandomStream draws = core::RandomStream(seed).split("run").split(run);
  try {
    world.add_operation(prepared_, draws.split("operation").split(std::uint64_t{0}),
                        std::move(recording));
    world.run_until(core::Instant(scenario.horizon), interrupted_);
  } catch (const core::CheckFailed& failed) {
    // A bug of squall itself: reported with everything needed to see it again.
    result.internal_error = failed.what();
    result.internal_error_at = world.now();
  }
}

const RunResult& Simulation::run(std::uint64_t seed, std::uint64_t run) {
  Recording recording;
  if (sink_ != nullptr) {
    recording = {.sink = sink_, .operation_id = operation_id_(run)};
  }
  play(world_, seed, run, result_, std::move(recording));
  const Session& session = world_.operation(0);
  result_.outcome = session.outcome();
  result_.attempts = session.audit().calls();
  result_.interrupted = !session.finished() && is_interrupted();
  result_.elapsed = session.elapsed();
  result_.sleeps = &session.sleeps();
  result_.sleep_total = core::Duration{0};
  for (const core::OrderedSleep& sleep : session.sleeps()) {
    result_.sleep_total = sleep.duration > core::Duration::max() - result_.sleep_total
                              ? core::Duration::max()
                              : result_.sleep_total + sleep.duration;
  }
  result_.operation = &session.operation();
  result_.trail = session.operation().trail();
  result_.calls_wasted = session.audit().calls_wasted();
  result_.prefix_reuse = &session.prefix_reuse();
  result_.trace = &world_.trace();
  result_.digest = world_.trace().digest();
  violations_ = session.audit().violations();
  checks_ = session.audit().checks();
  result_.violations = &violations_;
  result_.checks = &checks_;
  return result_;
}

const RunResult& Simulation::verify_determinism() {
  RunResult second;
  play(again_, result_.seed, result_.run, second, {});
  if (is_interrupted()) {
    return result_;
  }
  if (result_.interrupted || is_interrupted()) {
    return result_;  // Half a run says nothing.
  }
  ++checks_[static_cast<std::size_t>(Invariant::kDeterministic)];
  if (const auto difference = first_difference(world_.trace(), again_.trace())) {
    violations_.push_back(
        {Invariant::kDeterministic, difference->at,
         fmt::format("a second run of the same seed differs from trace record {} on",
                     difference->record)});
  }
  return result_;
}

}  // namespace squall::simulator
