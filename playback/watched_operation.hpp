// SPDX-License-Identifier: MIT
//
// An operation under observation, the same on every host: each fact it is told and each order it
// gives passes through here into the trace, the audit and the telemetry rows. It is what a driver
// drives; the host only carries out and calls back. Nothing is decided here.
//
//   provider_draws = watched.begin(prepared, draws, trace, id, recording, now);
//   core::Driver(watched, host).deliver(core::OperationStarted{});
//
// Each order the driver hands to the host has its counterpart here, to be called as it is carried
// out: `send`, `abandon`, `record`, `finish`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/event.hpp"
#include "core/random.hpp"
#include "core/retry_loop.hpp"
#include "core/telemetry.hpp"
#include "core/time.hpp"
#include "playback/audit.hpp"
#include "playback/operation.hpp"
#include "playback/prefix_cache.hpp"
#include "playback/prepared_scenario.hpp"
#include "playback/run_result.hpp"
#include "playback/saboteur.hpp"
#include "playback/trace.hpp"
#include "scenarios/model.hpp"

namespace squall::playback {

/// Where the rows of an operation go, and the id they carry.
struct Recording {
  /// Null: nowhere.
  core::TelemetrySink* sink = nullptr;
  std::string operation_id;
};

class WatchedOperation {
 public:
  /// Starts over with the operation of `prepared`, which must outlive it, as must `trace`.
  ///
  /// @param draws  the operation's own stream.
  /// @param id     its number within the trace.
  /// @returns the part of `draws` that is the provider's.
  [[nodiscard]] core::RandomStream begin(const PreparedScenario& prepared, core::RandomStream draws,
                                         Trace& trace, std::uint32_t id, Recording recording,
                                         core::Instant now);

  // ---- what the driver drives ----
  [[nodiscard]] core::Actions handle(const core::Event& event, core::Instant now);
  [[nodiscard]] std::optional<core::Instant> next_wakeup() const;

  // ---- what the host calls when it carries out an order ----
  /// The bytes to send. A saboteur may ask for several calls (see `calls_per_send`).
  [[nodiscard]] RequestView send(core::AttemptId attempt, core::Instant now);
  /// Notes that `body` was sent, and whether it may have reached the provider.
  void note_sent(std::string_view body, bool reached);
  void abandon(core::AttemptId attempt, core::Instant now);
  void record(const core::RecordFailure& order, core::Instant now, core::WallInstant wall_clock);
  void record(const core::RecordRequest& order, core::Instant now, core::WallInstant wall_clock);
  void finish(core::Instant now);
  /// The host stops with the operation still under way; nothing when it is over.
  void stop(core::Instant now);

  [[nodiscard]] bool finished() const { return finished_; }
  [[nodiscard]] const Operation& operation() const { return *machine_; }
  [[nodiscard]] const Audit& audit() const { return audit_; }
  [[nodiscard]] scenarios::Outcome outcome() const;
  [[nodiscard]] core::Duration elapsed() const { return ended_at_ - started_at_; }
  [[nodiscard]] const std::vector<core::OrderedSleep>& sleeps() const { return sleeps_; }
  /// By attempt: how much of its request the provider had seen.
  [[nodiscard]] const std::vector<PrefixReuse>& prefix_reuse() const { return prefix_reuse_; }
  /// Everything a result says of the operation; the lists stay here.
  void describe(RunResult& result) const;

 private:
  [[nodiscard]] core::Actions handle_tampered(const core::Event& event, core::Instant now);
  void trace_event(const core::Event& event, core::Instant now);
  void note_failures(core::Instant now);

  const PreparedScenario* prepared_ = nullptr;
  Trace* trace_ = nullptr;
  std::uint32_t id_ = 0;
  std::optional<Operation> machine_;
  std::unique_ptr<Saboteur> saboteur_;
  Audit audit_;
  Recording recording_;
  core::Instant started_at_{};
  core::Instant ended_at_{};
  std::vector<core::OrderedSleep> sleeps_;
  std::vector<PrefixReuse> prefix_reuse_;
  PrefixCache prefix_cache_;
  bool first_request_seen_ = false;
  std::size_t failures_seen_ = 0;
  core::AttemptId last_sent_ = 0;
  bool finished_ = false;
};

}  // namespace squall::playback
