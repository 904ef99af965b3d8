// SPDX-License-Identifier: MIT
#include "telemetry/background_sink.hpp"

#include <atomic>
#include <future>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "telemetry/store_test_support.hpp"

namespace squall::telemetry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Keeps the ids of rows.
class ListSink : public core::TelemetrySink {
 public:
  void record(const core::FailureRow& row) override { ids_.push_back("f" + row.operation_id); }
  void record(const core::RequestRow& row) override { ids_.push_back("r" + row.operation_id); }
  [[nodiscard]] const std::vector<std::string>& ids() const { return ids_; }

 private:
  std::vector<std::string> ids_;
};

/// Takes the first row and lets go of it only when it may.
class StuckSink final : public ListSink {
 public:
  using ListSink::record;
  void record(const core::RequestRow& row) override {
    ListSink::record(row);
    if (ids().size() == 1) {
      entered_.count_down();
      released_.wait();
    }
  }
  void wait_until_stuck() { entered_.wait(); }
  void release() { released_.count_down(); }

 private:
  std::latch entered_{1};
  std::latch released_{1};
};

TEST(BackgroundSink, HandsOnEveryRowInOrder) {
  ListSink list;
  {
    BackgroundSink background(list, {});
    background.record(request_row("1"));
    background.record(failure_row("2", "parse"));
    background.record(request_row("3"));
  }
  EXPECT_THAT(list.ids(), ElementsAre("r1", "f2", "r3"));
}

// Were the caller made to wait, this test would never end: the sink is released by the same thread
// after the last row.
TEST(BackgroundSink, AStuckSinkBlocksNobody) {
  StuckSink stuck;
  {
    BackgroundSink background(stuck, {});
    background.record(request_row("1"));
    stuck.wait_until_stuck();
    for (int i = 0; i < 1'000; ++i) {
      background.record(request_row("2"));
    }
    EXPECT_EQ(stuck.ids().size(), 1U);
    EXPECT_EQ(background.dropped(), 0U);
    stuck.release();
  }
  EXPECT_EQ(stuck.ids().size(), 1'001U);
}

TEST(BackgroundSink, AFullQueueDropsTheNewestAndWarnsOnce) {
  StuckSink stuck;
  std::vector<std::string> warnings;
  {
    BackgroundSink background(
        stuck, {.warn = [&](const std::string& text) { warnings.push_back(text); }, .rows_max = 2});
    background.record(request_row("1"));
    stuck.wait_until_stuck();
    for (const char* id : {"2", "3", "4", "5"}) {
      background.record(request_row(id));
    }
    EXPECT_EQ(background.dropped(), 2U);
    EXPECT_THAT(warnings, ElementsAre(HasSubstr("rows are dropped")));
    stuck.release();
  }
  EXPECT_THAT(stuck.ids(), ElementsAre("r1", "r2", "r3"));
  EXPECT_EQ(warnings.size(), 1U);
}

TEST(BackgroundSink, TellsWhenAllIsHandedOn) {
  StuckSink stuck;
  std::promise<std::size_t> at_idle;
  std::atomic<int> idle = 0;
  BackgroundSink background(stuck, {.on_idle = [&] {
                              if (++idle == 1) {
                                at_idle.set_value(stuck.ids().size());
                              }
                            }});
  background.record(request_row("1"));
  stuck.wait_until_stuck();
  background.record(request_row("2"));
  background.record(request_row("3"));
  EXPECT_EQ(idle, 0);
  stuck.release();
  EXPECT_EQ(at_idle.get_future().get(), 3U);
}

TEST(BackgroundSink, ManyThreadsLoseNothing) {
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kRows = 2'000;
  ListSink list;
  {
    BackgroundSink background(list, {.rows_max = kThreads * kRows});
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&background, t] {
        for (std::size_t i = 0; i < kRows; ++i) {
          background.record(request_row(std::to_string(t)));
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    EXPECT_EQ(background.dropped(), 0U);
  }
  for (std::size_t t = 0; t < kThreads; ++t) {
    EXPECT_EQ(std::count(list.ids().begin(), list.ids().end(), "r" + std::to_string(t)), kRows);
  }
}

TEST(BackgroundSink, WhatASinkOrAWarningThrowsEndsThere) {
  class Throwing final : public core::TelemetrySink {
    void record(const core::FailureRow&) override { throw std::runtime_error("no"); }
    void record(const core::RequestRow&) override { throw 1; }
  } throwing;
  std::promise<void> idle;
  BackgroundSink background(throwing, {.on_idle = [&] {
                              idle.set_value();  // the second time it throws as well
                            }});
  background.record(failure_row("1", "parse"));
  idle.get_future().wait();
  EXPECT_EQ(background.dropped(), 1U);
  background.record(request_row("2"));
}

TEST(BackgroundSink, ALockedStoreBlocksNobody) {
  const TestFolder folder;
  const auto store = open_store(folder.path("t.db"));
  {
    BackgroundSink background(*store, {.on_idle = [&store] { store->flush(); }});
    SQLite::Database other(folder.path("t.db"), SQLite::OPEN_READWRITE);
    const SQLite::Transaction lock(other, SQLite::TransactionBehavior::EXCLUSIVE);
    for (int i = 0; i < 100; ++i) {
      background.record(request_row("o"));
    }
    EXPECT_EQ(background.dropped(), 0U);
  }
  EXPECT_EQ(
      static_cast<std::int64_t>(store->dropped()) + count_of(folder.path("t.db"), "llm_requests"),
      100);
}

}  // namespace
}  // namespace squall::telemetry
