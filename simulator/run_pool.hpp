// SPDX-License-Identifier: MIT
//
// Many runs on a few threads. Runs are independent, so that which thread makes which run must not
// show in any result: workers fold what they see into sums, or write it where the run's number
// says.
//
//   std::vector<Part> parts(worker_count(options));
//   run_pool(options, [&](unsigned worker) {
//     auto simulation = std::make_shared<Simulation>(prepared);
//     return [&part = parts[worker], simulation](std::uint64_t run) { ...; return true; };
//   });
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace squall::simulator {

struct PoolOptions {
  /// The runs numbered 0 to runs - 1 are made.
  std::uint64_t runs = 0;
  /// Threads wanted, the calling one included; 0 counts as 1.
  unsigned threads = 1;
  /// Set by a signal handler: workers stop after the run they are at. May be null.
  const std::atomic<bool>* interrupted = nullptr;
  /// Called now and then with the number of runs done, on the calling thread only. May be empty.
  std::function<void(std::uint64_t)> progress;
};

/// Makes one run; false when it was interrupted half way, which ends the worker.
using RunWorker = std::function<bool(std::uint64_t run)>;

/// How many workers there will be: no more than there is work for, at least 1.
[[nodiscard]] unsigned worker_count(const PoolOptions& options);

/// Makes all runs, with `make_worker(0 .. worker_count - 1)`, each called in the worker's own
/// thread. Where the system gives fewer threads those there are do the work.
///
/// @return the number of runs made; fewer than asked for after an interrupt.
/// @throws what a worker threw first, once all have stopped.
std::uint64_t run_pool(const PoolOptions& options,
                       const std::function<RunWorker(unsigned)>& make_worker);

}  // namespace squall::simulator
