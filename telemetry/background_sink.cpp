// SPDX-License-Identifier: MIT
#include "telemetry/background_sink.hpp"

#include <utility>

#include "core/check.hpp"

namespace squall::telemetry {

BackgroundSink::BackgroundSink(core::TelemetrySink& sink, Options options)
    : sink_(sink), options_(std::move(options)) {
  SQUALL_CHECK(options_.rows_max >= 1);
  worker_ = std::thread([this] { work(); });
}

BackgroundSink::~BackgroundSink() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_one();
  worker_.join();
}

void BackgroundSink::record(const core::FailureRow& row) {
  enqueue(row);
}
void BackgroundSink::record(const core::RequestRow& row) {
  enqueue(row);
}

std::uint64_t BackgroundSink::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

template <class R>
void BackgroundSink::enqueue(const R& row) noexcept {
  try {
    Row copy = row;  // outside the lock: rows hold long texts
    const std::lock_guard lock(mutex_);
    if (rows_.size() < options_.rows_max) {
      rows_.push_back(std::move(copy));
      changed_.notify_one();
      return;
    }
  } catch (...) {
    // No memory for a row is no room in the queue.
  }
  drop();
}

void BackgroundSink::drop() noexcept {
  {
    const std::lock_guard lock(mutex_);
    ++dropped_;
    if (std::exchange(warned_, true)) {
      return;
    }
  }
  try {
    if (options_.warn) {
      options_.warn("telemetry: rows come faster than they can be written, " +
                    std::to_string(options_.rows_max) +
                    " wait; rows are dropped until there is room");
    }
  } catch (...) {
    // Nobody is left to tell.
  }
}

void BackgroundSink::work() noexcept {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return closing_ || !rows_.empty(); });
    if (rows_.empty()) {
      return;
    }
    while (!rows_.empty()) {
      const Row row = std::move(rows_.front());
      rows_.pop_front();
      lock.unlock();
      hand_on(row);
      lock.lock();
    }
    lock.unlock();
    try {
      if (options_.on_idle) {
        options_.on_idle();
      }
    } catch (...) {
      // Idleness has nothing to lose.
    }
    lock.lock();
  }
}

void BackgroundSink::hand_on(const Row& row) noexcept {
  try {
    std::visit([this](const auto& one) { sink_.record(one); }, row);
  } catch (...) {
    // A sink must not throw; should one do so, the row is lost, not the program.
    const std::lock_guard lock(mutex_);
    ++dropped_;
  }
}

}  // namespace squall::telemetry
