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
#include <vector>

#include "core/driver.hpp"
#include "core/event.hpp"
#include "core/llm/agent_chat.hpp"
#include "core/random.hpp"
#include "core/time.hpp"
#include "scenarios/model.hpp"
#include "simulator/audit.hpp"
#include "simulator/exchange.hpp"
#include "simulator/prepared_scenario.hpp"
#include "simulator/trace.hpp"

namespace squall::simulator {

class World;

/// One sleep between two attempts, as taken.
struct SleepTaken {
  std::uint32_t slot = 0;  ///< 0-based: the sleep after attempt slot + 1
  core::Duration duration{0};
  bool by_retry_after = false;

  friend bool operator==(const SleepTaken&, const SleepTaken&) = default;
};

class Session {
 public:
  Session(World& world, std::uint32_t id) : world_(world), id_(id) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Starts an operation of `prepared` now. `prepared` must outlive it.
  /// @param draws  the operation's own stream; split for backoff and provider.
  void start(const PreparedScenario& prepared, core::RandomStream draws);
  /// Plays what is due. Called by the world when an entry of this session comes up.
  void fire();
  /// The horizon was reached: closes the audit of an operation still under way.
  void stop();

  [[nodiscard]] const core::llm::AgentChat& operation() const { return *machine_; }
  [[nodiscard]] const Audit& audit() const { return audit_; }
  [[nodiscard]] scenarios::Outcome outcome() const;
  [[nodiscard]] core::Duration elapsed() const { return ended_at_ - started_at_; }
  [[nodiscard]] const std::vector<SleepTaken>& sleeps() const { return sleeps_; }
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
    trace_row(row);
  }
  template <class Machine>
  void record_request(const core::RecordRequest& row, const Machine&) {
    trace_row(row);
  }
  template <class Machine>
  void finish_operation(const Machine& machine);
  void arm_wakeup(std::optional<core::Instant> wakeup) { wakeup_ = wakeup; }

 private:
  struct Tampered;

  void deliver(const core::Event& event);
  void trace_event(const core::Event& event);
  void trace_row(const core::RecordFailure& row);
  void trace_row(const core::RecordRequest& row);
  void count_delivery();
  void note_failures();
  [[nodiscard]] core::Instant due() const;
  void reschedule();

  World& world_;
  std::uint32_t id_;
  const PreparedScenario* prepared_ = nullptr;
  std::optional<core::llm::AgentChat> machine_;
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
  std::vector<SleepTaken> sleeps_;
  std::size_t failures_seen_ = 0;
  std::uint64_t request_digest_ = 0;
  const core::ChatRequest* digested_request_ = nullptr;
  bool finished_ = false;
};

}  // namespace squall::simulator
