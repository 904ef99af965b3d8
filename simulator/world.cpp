// SPDX-License-Identifier: MIT
#include "simulator/world.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"

namespace squall::simulator {

void World::reset(core::WallInstant epoch) {
  queue_.clear();
  trace_.clear();
  active_ = 0;
  now_ = {};
  epoch_ = epoch;
}

Session& World::add_operation(const playback::PreparedScenario& prepared, core::RandomStream draws,
                              playback::Recording recording) {
  SQUALL_CHECK(active_ < playback::Trace::kOperationsMax, active_);
  if (active_ == sessions_.size()) {
    sessions_.emplace_back(*this, active_);
  }
  Session& session = sessions_[active_++];
  session.start(prepared, draws, std::move(recording));
  return session;
}

void World::run_until(core::Instant horizon, const std::atomic<bool>* interrupted) {
  while (!queue_.empty() && queue_.next_time() <= horizon) {
    if (interrupted != nullptr && interrupted->load(std::memory_order_relaxed)) {
      horizon = now_;
      break;
    }
    const auto event = queue_.pop();
    now_ = event.at;
    sessions_[event.payload].fire();
  }
  now_ = std::max(now_, horizon);
  for (std::uint32_t session = 0; session < active_; ++session) {
    sessions_[session].stop();
  }
}

}  // namespace squall::simulator
