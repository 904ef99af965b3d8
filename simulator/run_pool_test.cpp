// SPDX-License-Identifier: MIT
#include "simulator/run_pool.hpp"

#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace squall::simulator {
namespace {

using testing::Each;

PoolOptions options_of(std::uint64_t runs, unsigned threads) {
  return {.runs = runs, .threads = threads, .interrupted = nullptr, .progress = {}};
}

TEST(RunPool, NoMoreWorkersThanClaimsOfSixtyFour) {
  EXPECT_EQ(worker_count(options_of(0, 8)), 1U);
  EXPECT_EQ(worker_count(options_of(64, 8)), 1U);
  EXPECT_EQ(worker_count(options_of(65, 8)), 2U);
  EXPECT_EQ(worker_count(options_of(1'000'000'000, 8)), 8U);
  EXPECT_EQ(worker_count(options_of(1'000, 0)), 1U);
}

TEST(RunPool, EveryRunIsMadeOnceOnAnyNumberOfThreads) {
  for (const unsigned threads : {1U, 2U, 7U}) {
    std::vector<std::atomic<int>> made(1'000);
    const std::uint64_t done = run_pool(options_of(1'000, threads), [&](unsigned) {
      return [&](std::uint64_t run) { return ++made[run] > 0; };
    });
    EXPECT_EQ(done, 1'000U);
    const std::vector<int> counts(made.begin(), made.end());
    EXPECT_THAT(counts, Each(1)) << threads;
  }
}

TEST(RunPool, AHalfRunEndsItsWorkerAndDoesNotCount) {
  const std::uint64_t done = run_pool(
      options_of(100, 1), [](unsigned) { return [](std::uint64_t run) { return run < 70; }; });
  EXPECT_EQ(done, 70U);
}

TEST(RunPool, AnInterruptStopsBeforeTheNextRun) {
  std::atomic<bool> interrupted{false};
  PoolOptions options = options_of(100, 1);
  options.interrupted = &interrupted;
  const std::uint64_t done = run_pool(options, [&](unsigned) {
    return [&](std::uint64_t run) {
      interrupted = run == 5;
      return true;
    };
  });
  EXPECT_EQ(done, 6U);
}

TEST(RunPool, WhatAWorkerThrowsReachesTheCaller) {
  for (const unsigned threads : {1U, 4U}) {
    EXPECT_THROW(run_pool(options_of(1'000, threads),
                          [](unsigned) -> RunWorker {
                            return [](std::uint64_t) -> bool { throw std::runtime_error("no"); };
                          }),
                 std::runtime_error);
  }
}

TEST(RunPool, ProgressTellsRunsDone) {
  PoolOptions options = options_of(130, 1);
  std::vector<std::uint64_t> told;
  options.progress = [&](std::uint64_t done) { told.push_back(done); };
  run_pool(options, [](unsigned) { return [](std::uint64_t) { return true; }; });
  EXPECT_THAT(told, testing::ElementsAre(64, 128, 130));
}

}  // namespace
}  // namespace squall::simulator
