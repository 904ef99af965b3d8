// SPDX-License-Identifier: MIT
//
// Runs a prepared scenario, one run at a time, reusing all memory. Runs are independent: run 17 of
// seed 42 gives the same bytes alone, after others, or on another thread.
//
//   Simulation simulation(prepared);
//   const playback::RunResult& result = simulation.run(/*seed=*/42, /*run=*/17);
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "core/telemetry.hpp"
#include "playback/prepared_scenario.hpp"
#include "playback/run_result.hpp"
#include "simulator/world.hpp"

namespace squall::simulator {

/// The id under which the rows of a run are stored, by its number.
using OperationIds = std::function<std::string(std::uint64_t run)>;

class Simulation {
 public:
  /// `prepared` must outlive the simulation.
  /// @param interrupted  when set: a run stops where it is once it becomes true.
  explicit Simulation(const playback::PreparedScenario& prepared,
                      const std::atomic<bool>* interrupted = nullptr)
      : prepared_(prepared), interrupted_(interrupted) {}

  /// From now on the rows of every run go to `sink`, which must outlive the simulation, under the
  /// operation id that `operation_id` gives the run. Determinism checks write nothing.
  void record_to(core::TelemetrySink& sink, OperationIds operation_id) {
    sink_ = &sink;
    operation_id_ = std::move(operation_id);
  }

  /// Plays the scenario once. The result stays valid until the next run.
  const playback::RunResult& run(std::uint64_t seed, std::uint64_t run);

  /// The result of the last run.
  [[nodiscard]] const playback::RunResult& result() const { return result_; }

  /// Plays the run just made again and compares the traces record by record; a difference is added
  /// to the result as a violation of `deterministic`.
  const playback::RunResult& verify_determinism();

 private:
  [[nodiscard]] bool is_interrupted() const {
    return interrupted_ != nullptr && interrupted_->load(std::memory_order_relaxed);
  }
  void play(World& world, std::uint64_t seed, std::uint64_t run, playback::RunResult& result,
            playback::Recording recording);

  const playback::PreparedScenario& prepared_;
  const std::atomic<bool>* interrupted_;
  core::TelemetrySink* sink_ = nullptr;
  OperationIds operation_id_;
  World world_;
  World again_;
  std::vector<playback::Violation> violations_;
  playback::CheckCounts checks_{};
  playback::RunResult result_;
};

}  // namespace squall::simulator
