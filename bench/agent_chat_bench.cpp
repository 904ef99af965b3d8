// SPDX-License-Identifier: MIT
//
// What the whole harness costs over the least that any answer to "what does this policy do?" needs.
//
// The run: one agent_chat under the default policy in an endless 503 storm: 13 attempts with a 2 KB
// request and a real error body, all invariants, trace, digest and trail on. The baseline: a plain
// loop that only computes the 12 sleeps and stores the same 13 records. Both run in turn, batch by
// batch, in one process, so that a busy machine slows both; reported are medians over the batches.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <time.h>

#include "core/chat_request.hpp"
#include "core/llm/judge_attempt.hpp"
#include "core/policy.hpp"
#include "core/random.hpp"
#include "scenarios/model.hpp"
#include "simulator/batch.hpp"
#include "simulator/simulation.hpp"

namespace {

namespace core = squall::core;
namespace scenarios = squall::scenarios;
namespace simulator = squall::simulator;

constexpr std::size_t kRequestBytes = 2'048;
const std::string kErrorBody =
    R"({"error":{"message":"The server is currently overloaded with other requests. Sorry about )"
    R"(that! You can retry your request.","type":"server_error","param":null,"code":null}})";

scenarios::Scenario storm() {
  scenarios::HttpAnswer unavailable;
  unavailable.status = 503;
  unavailable.body = kErrorBody;
  scenarios::Scenario scenario;
  scenario.name = "503-storm";
  const std::string parameters = R"("model":"gpt-5-mini","reasoning_effort":"high")";
  const std::string frame = R"({"role":"user","content":""})";
  const std::size_t padding = kRequestBytes - core::ChatRequest(parameters, {frame}).body().size();
  scenario.operation.request = std::make_shared<const core::ChatRequest>(
      parameters, std::vector<std::string>{R"({"role":"user","content":")" +
                                           std::string(padding, 'x') + R"("})"});
  scenario.policy = core::default_policy();
  scenario.server.phases = {
      {.until = std::nullopt,
       .sequence = {{.times = 1,
                     .mix = {{.weight = 1,
                              .respond = {.what = unavailable,
                                          .latency = std::chrono::milliseconds(120)}}}}}}};
  return scenario;
}

/// The baseline: sleeps and records, nothing else. Returns something that depends on all of it.
std::uint64_t plain_loop(const core::RetryPolicy& policy, std::uint64_t run) {
  core::RandomStream jitter = core::RandomStream(1).split(run);
  core::llm::LlmTrail trail;
  std::uint64_t slept_ms = 0;
  for (std::uint32_t attempt = 1; attempt <= policy.budgets.attempts_max; ++attempt) {
    std::string chain = "the provider answered HTTP ";
    chain += std::to_string(503);
    chain += ": ";
    chain += kErrorBody;
    trail.push_back(
        {core::llm::FailureClass::kTransport, std::move(chain), std::nullopt, std::nullopt});
    if (attempt < policy.budgets.attempts_max) {
      slept_ms += core::sleep_ms(policy, attempt - 1, std::nullopt, jitter.next());
    }
  }
  benchmark::DoNotOptimize(trail.data());
  return slept_ms + trail.size();
}

/// CPU time of this thread: what another process takes from the core in between does not count.
double cpu_nanoseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void storm_against_plain_loop(benchmark::State& state) {
  constexpr std::uint64_t kBatch = 50;
  const squall::playback::PreparedScenario prepared(storm());
  simulator::Simulation simulation(prepared);
  std::vector<double> simulated;
  std::vector<double> plain;
  std::vector<double> ratios;
  std::uint64_t run = 0;
  for (auto _ : state) {
    const double start = cpu_nanoseconds();
    for (std::uint64_t i = 0; i < kBatch; ++i) {
      benchmark::DoNotOptimize(plain_loop(prepared.scenario.policy, run + i));
    }
    const double middle = cpu_nanoseconds();
    for (std::uint64_t i = 0; i < kBatch; ++i) {
      const squall::playback::RunResult& result = simulation.run(1, run + i);
      if (result.attempts != 13 || !result.sound()) {
        state.SkipWithError("the storm did not run as it should");
        return;
      }
    }
    plain.push_back((middle - start) / kBatch);
    simulated.push_back((cpu_nanoseconds() - middle) / kBatch);
    ratios.push_back(simulated.back() / plain.back());
    run += kBatch;
  }
  state.counters["ns_per_storm"] = median(simulated);
  state.counters["ns_per_plain_loop"] = median(plain);
  state.counters["ratio"] = median(ratios);
}
BENCHMARK(storm_against_plain_loop)->Unit(benchmark::kMillisecond)->MinTime(3.0);

/// Storms a second over all threads; the digest proves that the work was the same.
void storms_on_threads(benchmark::State& state) {
  const squall::playback::PreparedScenario prepared(storm());
  simulator::BatchOptions options;
  options.runs = 20'000;
  options.threads = static_cast<unsigned>(state.range(0));
  std::uint64_t digest = 0;
  for (auto _ : state) {
    digest = simulator::run_batch(prepared, options).digest;
  }
  state.counters["storms_per_second"] = benchmark::Counter(
      static_cast<double>(options.runs), benchmark::Counter::kIsIterationInvariantRate);
  state.SetLabel("digest " + std::to_string(digest));
}
BENCHMARK(storms_on_threads)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
