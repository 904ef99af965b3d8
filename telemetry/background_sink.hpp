// SPDX-License-Identifier: MIT
//
// A sink that makes nobody wait: rows go into a bounded queue and a thread of its own hands them to
// the sink behind it, in the order they came. However slow or stuck that one is, `record` costs a
// lock and a copy. When the queue is full rows are dropped and counted.
//
//   telemetry::BackgroundSink background(*store, {.warn = warn, .on_idle = [&] { store->flush();
//   }});
//
// Any number of threads may record.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <variant>

#include "core/telemetry.hpp"

namespace squall::telemetry {

class BackgroundSink final : public core::TelemetrySink {
 public:
  struct Options {
    /// Told once, in a thread that records, that the queue is full: one line without a line break.
    /// May be empty; what it throws is ignored.
    std::function<void(const std::string&)> warn = {};
    /// Called in the writing thread whenever it has handed on all there was. May be empty.
    std::function<void()> on_idle = {};
    /// Most rows that wait. Chosen: some megabytes, minutes of a busy service. Requires >= 1.
    std::size_t rows_max = 10'000;
  };

  /// @param sink  used by the writing thread alone, until the destructor returns.
  BackgroundSink(core::TelemetrySink& sink, Options options);
  /// Hands on every row that waits, however long the sink takes. Requires that nobody records.
  ~BackgroundSink() override;
  BackgroundSink(const BackgroundSink&) = delete;
  BackgroundSink& operator=(const BackgroundSink&) = delete;

  void record(const core::FailureRow& row) override;
  void record(const core::RequestRow& row) override;

  /// Rows that never reached the sink.
  [[nodiscard]] std::uint64_t dropped() const;

 private:
  using Row = std::variant<core::FailureRow, core::RequestRow>;

  template <class R>
  void enqueue(const R& row) noexcept;
  void drop() noexcept;
  void work() noexcept;
  void hand_on(const Row& row) noexcept;

  core::TelemetrySink& sink_;
  const Options options_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Row> rows_;
  std::uint64_t dropped_ = 0;
  bool warned_ = false;
  bool closing_ = false;
  std::thread worker_;  // last: it uses all of the above
};

}  // namespace squall::telemetry
