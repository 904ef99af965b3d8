// SPDX-License-Identifier: MIT
//
// The simulated host of one operation: it carries out the operation's orders against the simulated
// provider and tells it what happens, by the one driver that production uses too. It decides
// nothing about retries.
//
// Everything that can happen to an operation next (its wake-up, the next bytes, a shutdown) is
// merged into one due instant, so that a session has one live entry in the event queue however
// often its wake-up moves. Of several things due at one instant the shutdown comes first, then the
// wake-up, then what the provider sends: an idle wait of exactly the timeout is over before bytes
// of that instant arrive.
#pragma once

#include <cstdint>
#include <optional>

#include "core/driver.hpp"
#include "core/event.hpp"
#include "core/random.hpp"
#include "core/time.hpp"
#include "playback/exchange.hpp"
#include "playback/playbook.hpp"
#include "playback/prepared_scenario.hpp"
#include "playback/watched_operation.hpp"

namespace squall::simulator {

class World;

class Session {
 public:
  Session(World& world, std::uint32_t id) : world_(world), id_(id) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Starts an operation of `prepared` now. `prepared` must outlive it.
  /// @param draws  the operation's own stream; split for backoff and provider.
  void start(const playback::PreparedScenario& prepared, core::RandomStream draws,
             playback::Recording recording);
  /// Plays what is due. Called by the world when an entry of this session comes up.
  void fire();
  /// The horizon was reached: closes the audit of an operation still under way.
  void stop();

  /// The operation, and everything that was noted of it.
  [[nodiscard]] const playback::WatchedOperation& watched() const { return watched_; }

  // ---- the host's side of the driver ----
  using Watched = playback::WatchedOperation;
  [[nodiscard]] core::Instant now() const;
  void observe(const core::Event&, const core::Actions&, const Watched&) {}
  void send_attempt(core::AttemptId attempt, const Watched&);
  void abandon_attempt(core::AttemptId attempt);
  void record_failure(const core::RecordFailure& row, const Watched&);
  void record_request(const core::RecordRequest& row, const Watched&);
  void finish_operation(const Watched&);
  void arm_wakeup(std::optional<core::Instant> wakeup) { wakeup_ = wakeup; }

 private:
  void deliver(const core::Event& event);
  void count_delivery();
  [[nodiscard]] core::Instant due() const;
  void reschedule();

  World& world_;
  std::uint32_t id_;
  const playback::PreparedScenario* prepared_ = nullptr;
  playback::WatchedOperation watched_;
  playback::ProviderState provider_;
  playback::Exchange exchange_;
  std::optional<core::Instant> wakeup_;
  std::optional<core::Instant> shutdown_;
  core::Instant queued_at_ = core::kEndOfTime;
  core::Instant delivered_at_{};
  std::uint32_t deliveries_at_instant_ = 0;
};

}  // namespace squall::simulator
