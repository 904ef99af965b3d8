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
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/driver.hpp"
#include "core/event.hpp"
#include "core/random.hpp"
#include "core/retry_loop.hpp"
#include "core/telemetry.hpp"
#include "core/time.hpp"
#include "scenarios/model.hpp"
#include "simulator/audit.hpp"
#include "simulator/exchange.hpp"
#include "simulator/operation.hpp"
#include "simulator/prefix_cache.hpp"
#include "simulator/prepared_scenario.hpp"
#include "simulator/trace.hpp"

namespace squall::simulator {

class World;

/// Where the rows of an operation go, and the id they carry.
struct Recording {
  /// Null: nowhere.
  core::TelemetrySink* sink = nullptr;
  std::string operation_id;
};

class Session {
 public:
  Session(World& world, std::uint32_t id) : world_(world), id_(id) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Starts an operation of `prepared` now. `prepared` must outlive it.
  /// @param draws  the operation's own stream; split for backoff and provider.
  void start(const PreparedScenario& prepared, core::RandomStream draws, Recording recording);
  /// Plays what is due. Called by the world when an entry of this session comes up.
  void fire();
  /// The horizon was reached: closes the audit of an operation still under way.
  void stop();

  [[nodiscard]] const Operation& operation() const { return *machine_; }
  [[nodiscard]] const Audit& audit() const { return audit_; }
  [[nodiscard]] scenarios::Outcome outcome() const;
  [[nodiscard]] core::Duration elapsed() const { return ended_at_ - started_at_; }
  [[nodiscard]] const std::vector<core::OrderedSleep>& sleeps() const { return sleeps_; }
  /// By attempt: how much of its request the provider had seen.
  [[nodiscard]] const std::vector<PrefixReuse>& prefix_reuse() const { return prefix_reuse_; }
  [[nodiscard]] bool finished() const { return finished_; }

  // ---- the host's side of the driver ----
  [[nodiscard]] core::Instant now() const;
  template <class Machine>
  void observe(const core::Event& event, const core::Actions& actions, const Machine& machine);
  template <class Machine>
  void send_attempt(core::AttemptId attempt, const Machine& machine);
  void abandon_attempt(core::AttemptId attempt);
  template <class Machine>
  void record_failure(const core::RecordFailure& row, const Machine&) {
    record(row);
  }
  template <class Machine>
  void record_request(const core::RecordRequest& row, const Machine&) {
    record(row);
  }
  template <class Machine>
  void finish_operation(const Machine& machine);
  void arm_wakeup(std::optional<core::Instant> wakeup) { wakeup_ = wakeup; }

 private:
  struct Tampered;

  void deliver(const core::Event& event);
  void trace_event(const core::Event& event);
  void record(const core::RecordFailure& order);
  void record(const core::RecordRequest& order);
  void note_prefix_reuse(std::string_view body, const PreparedRespond& answer);
  void count_delivery();
  void note_failures();
  [[nodiscard]] core::Instant due() const;
  void reschedule();

  World& world_;
  std::uint32_t id_;
  const PreparedScenario* prepared_ = nullptr;
  std::optional<Operation> machine_;
  std::unique_ptr<Saboteur> saboteur_;
  Audit audit_;
  ProviderState provider_;
  Exchange exchange_;
  std::optional<core::Instant> wakeup_;
  std::optional<core::Instant> shutdown_;
  core::Instant queued_at_ = core::kEndOfTime;
  core::Instant delivered_at_{};
  std::uint32_t deliveries_at_instant_ = 0;
  core::Instant started_at_{};
  core::Instant ended_at_{};
  std::vector<core::OrderedSleep> sleeps_;
  std::vector<PrefixReuse> prefix_reuse_;
  PrefixCache prefix_cache_;
  std::size_t failures_seen_ = 0;
  core::AttemptId last_sent_ = 0;
  Recording recording_;
  bool finished_ = false;
};

}  // namespace squall::simulator
