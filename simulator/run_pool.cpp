// SPDX-License-Identifier: MIT
#include "simulator/run_pool.hpp"

#include <algorithm>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace squall::simulator {
namespace {

/// Runs a worker claims at a time: few enough to stop soon, enough that claiming costs nothing.
constexpr std::uint64_t kRunsPerClaim = 64;

class Pool {
 public:
  Pool(const PoolOptions& options, const std::function<RunWorker(unsigned)>& make_worker)
      : options_(options), make_worker_(make_worker) {}

  std::uint64_t run() {
    const unsigned workers = worker_count(options_);
    {
      std::vector<std::jthread> threads;  // Joined on every way out of this block.
      try {
        for (unsigned worker = 1; worker < workers; ++worker) {
          threads.emplace_back([this, worker] { guarded(worker); });
        }
      } catch (const std::system_error&) {
        // The system gives no more threads: those there are do the work, and the result is the
        // same.
      }
      guarded(0);
    }
    if (failure_) {
      std::rethrow_exception(failure_);
    }
    return done_.load();
  }

 private:
  [[nodiscard]] bool is_interrupted() const {
    return options_.interrupted != nullptr && options_.interrupted->load(std::memory_order_relaxed);
  }

  /// Works, and keeps the first exception for the calling thread: an exception that leaves a thread
  /// would end the process without a word.
  void guarded(unsigned worker) {
    try {
      work(worker);
    } catch (...) {
      if (!failed_.exchange(true)) {
        failure_ = std::current_exception();
      }
    }
  }

  void work(unsigned worker) {
    const RunWorker make_run = make_worker_(worker);
    while (!is_interrupted()) {
      const std::uint64_t first = next_.fetch_add(kRunsPerClaim, std::memory_order_relaxed);
      if (first >= options_.runs) {
        return;
      }
      const std::uint64_t end = first + std::min(kRunsPerClaim, options_.runs - first);
      for (std::uint64_t run = first; run < end && !is_interrupted(); ++run) {
        if (!make_run(run)) {
          return;
        }
        done_.fetch_add(1, std::memory_order_relaxed);
      }
      if (worker == 0 && options_.progress) {
        options_.progress(done_.load(std::memory_order_relaxed));
      }
    }
  }

  const PoolOptions& options_;
  const std::function<RunWorker(unsigned)>& make_worker_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<std::uint64_t> done_{0};
  std::atomic<bool> failed_{false};
  std::exception_ptr failure_;  ///< Written by the one who set `failed_`, read after the join.
};

}  // namespace

unsigned worker_count(const PoolOptions& options) {
  const std::uint64_t claims = options.runs / kRunsPerClaim + (options.runs % kRunsPerClaim != 0);
  return static_cast<unsigned>(
      std::clamp<std::uint64_t>(options.threads, 1, std::max<std::uint64_t>(claims, 1)));
}

std::uint64_t run_pool(const PoolOptions& options,
                       const std::function<RunWorker(unsigned)>& make_worker) {
  return Pool(options, make_worker).run();
}

}  // namespace squall::simulator
