// SPDX-License-Identifier: MIT
//
// The event queue against std::priority_queue in the hold model: with n events pending, pop one and
// push it again after a delay. Both structures see the same delays and run in turn, batch by batch,
// in one process, so that a busy machine slows both; reported are the medians over the batches.
//
// The delays are drawn inside the timed loop, at equal cost for both (1 to 2 ns), which makes the
// reported speedup slightly too small. A digest of the order of events must agree at the end.
#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <vector>

#include <benchmark/benchmark.h>

#include "core/random.hpp"
#include "core/time.hpp"
#include "simulator/event_queue.hpp"

namespace {

using squall::core::Duration;
using squall::core::Instant;
using squall::core::RandomStream;
using namespace std::chrono_literals;

struct Event {
  Instant at;
  std::uint64_t payload;
};

class SquallQueue {
 public:
  void push(Instant at, std::uint64_t payload) { queue_.push(at, payload); }
  Event pop() {
    const auto event = queue_.pop();
    return {event.at, event.payload};
  }
  [[nodiscard]] std::size_t reserved_bytes() const { return queue_.reserved_bytes(); }

 private:
  squall::simulator::EventQueue<std::uint64_t> queue_;
};

/// The usual way: a binary heap of (instant, sequence number, payload), 24 bytes each.
class StandardQueue {
 public:
  void push(Instant at, std::uint64_t payload) { queue_.push({at, sequence_++, payload}); }
  Event pop() {
    const Entry entry = queue_.top();
    queue_.pop();
    return {entry.at, entry.payload};
  }

 private:
  struct Entry {
    Instant at;
    std::uint64_t sequence;
    std::uint64_t payload;
  };
  struct Later {
    bool operator()(const Entry& left, const Entry& right) const {
      return left.at != right.at ? left.at > right.at : left.sequence > right.sequence;
    }
  };
  std::priority_queue<Entry, std::vector<Entry>, Later> queue_;
  std::uint64_t sequence_ = 0;
};

/// About exponential with mean 1.5 * 2^29 ns = 0.8 s: a piecewise linear -log2 of a uniform word.
struct ExponentialDelay {
  static Duration draw(RandomStream& stream) {
    const std::uint64_t word = stream.next();
    const int whole = std::countl_zero(word | 1U);
    const std::uint64_t fraction = ~(word << whole) << 1 >> 35;
    return Duration{
        static_cast<std::int64_t>((static_cast<std::uint64_t>(whole) << 29) + fraction)};
  }
};

/// What retries do: half the events are answers after 120 ms, the other half waits of five sizes
/// with 25 % jitter either way.
struct RetryDelay {
  static Duration draw(RandomStream& stream) {
    static constexpr std::array<Duration, 5> kWaits = {5s, 10s, 20s, 40s, 60s};
    const std::uint64_t word = stream.next();
    if ((word & 1U) != 0) {
      return 120ms;
    }
    const auto wait =
        static_cast<std::uint64_t>(kWaits[((word >> 1 & 0xffffU) * kWaits.size()) >> 16].count());
    const std::uint64_t jitter = (wait / 2 >> 20) * (word >> 44);
    return Duration{static_cast<std::int64_t>(wait - wait / 4 + jitter)};
  }
};

template <class Queue, class Delay>
class World {
 public:
  explicit World(std::size_t pending) {
    for (std::size_t i = 0; i != pending; ++i) {
      queue_.push(Instant{} + Delay::draw(stream_), i);
    }
  }

  void run(std::size_t events) {
    for (std::size_t i = 0; i != events; ++i) {
      const Event event = queue_.pop();
      digest_ = digest_ * 0x9e3779b97f4a7c15U + event.payload;
      queue_.push(event.at + Delay::draw(stream_), event.payload);
    }
  }

  /// Runs and returns nanoseconds per event.
  double measure(std::size_t events) {
    const auto start = std::chrono::steady_clock::now();
    run(events);
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
    return spent.count() / static_cast<double>(events);
  }

  [[nodiscard]] std::uint64_t digest() const { return digest_; }
  [[nodiscard]] const Queue& queue() const { return queue_; }

 private:
  RandomStream stream_ = RandomStream(1).split("event_queue_bench");
  Queue queue_;
  std::uint64_t digest_ = 0;
};

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

template <class Delay>
void hold(benchmark::State& state) {
  const auto pending = static_cast<std::size_t>(state.range(0));
  World<SquallQueue, Delay> squall(pending);
  World<StandardQueue, Delay> standard(pending);
  // Every event is moved a few times first, so that the pending events are in their steady state.
  squall.run(4 * pending);
  standard.run(4 * pending);
  // Long enough that refilling the caches after the other structure's turn does not count.
  const std::size_t batch = std::max<std::size_t>(100'000, pending);
  std::vector<double> squall_times;
  std::vector<double> standard_times;
  for ([[maybe_unused]] const auto _ : state) {
    squall_times.push_back(squall.measure(batch));
    standard_times.push_back(standard.measure(batch));
  }
  if (squall.digest() != standard.digest()) {
    state.SkipWithError("the two structures ordered the events differently");
    return;
  }
  const double squall_median = median(squall_times);
  const double standard_median = median(standard_times);
  state.counters["ns_per_event_squall"] = squall_median;
  state.counters["ns_per_event_priority_queue"] = standard_median;
  state.counters["speedup"] = standard_median / squall_median;
  state.counters["reserved_per_live_byte"] =
      static_cast<double>(squall.queue().reserved_bytes()) / static_cast<double>(16 * pending);
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  for (const std::int64_t pending : {1, 3, 10, 30, 100, 1'000, 10'000, 100'000, 1'000'000}) {
    benchmark->Arg(pending)->Iterations(11);
  }
}

BENCHMARK_TEMPLATE(hold, ExponentialDelay)->Apply(sizes)->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(hold, RetryDelay)->Apply(sizes)->Unit(benchmark::kMillisecond);

}  // namespace
