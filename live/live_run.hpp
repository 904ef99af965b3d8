// SPDX-License-Identifier: MIT
//
// One operation against a real server, from its start to its end, in real time.
//
//   const LiveRun run = run_live(prepared, *parse_endpoint("http://127.0.0.1:8080/"), {.seed = 1});
//   run.result().outcome ...
//
// A run draws from the same streams as the simulated run of the same seed and number, so that both
// sleep the same. Runs share nothing: any number may follow each other or run beside each other on
// threads of their own.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/error.hpp"
#include "core/event.hpp"
#include "core/expected.hpp"
#include "core/telemetry.hpp"
#include "core/time.hpp"
#include "live/endpoint.hpp"
#include "live/http_transport.hpp"
#include "live/secret.hpp"
#include "playback/prepared_scenario.hpp"
#include "playback/run_result.hpp"
#include "playback/watched_operation.hpp"

namespace squall::live {

struct LiveOptions {
  std::uint64_t seed = 1;
  std::uint64_t run = 0;
  Secret key = {};
  /// Nothing: the system's certificates.
  std::optional<TlsSettings> tls = std::nullopt;
  playback::Recording recording = {};
  /// When it becomes true the operation is shut down; looked at 50 times a second. May be null.
  const std::atomic<bool>* interrupted = nullptr;
  /// Called for each fact that the operation is told, see `Surroundings::on_event`. May be empty.
  std::function<void(const core::Event&, const playback::WatchedOperation&, core::Instant)>
      on_event = nullptr;
  /// Empty: the system's.
  std::function<core::WallInstant()> wall_clock = nullptr;
};

struct LoopbackOptions;

/// A run that is over, and everything it left behind.
class LiveRun {
 public:
  LiveRun(LiveRun&&) noexcept;
  LiveRun& operator=(LiveRun&&) noexcept;
  ~LiveRun();

  /// Valid as long as this is; points at the scenario that was run.
  [[nodiscard]] const playback::RunResult& result() const;
  [[nodiscard]] const playback::WatchedOperation& watched() const;
  /// The longest that a wake-up was noticed late.
  [[nodiscard]] core::Duration lateness_max() const;

 private:
  struct State;
  friend LiveRun run_live(const playback::PreparedScenario& prepared, const Endpoint& endpoint,
                          LiveOptions options);
  friend core::Expected<LiveRun, core::Error> run_over_loopback(
      const playback::PreparedScenario& prepared, const LoopbackOptions& options);
  explicit LiveRun(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// Runs the operation of `prepared` against `endpoint` and returns when it is over: finished, shut
/// down (`client.shutdown_at`, `interrupted`) or at the horizon. What the scenario says of a server
/// is not looked at. `prepared` must outlive the run.
[[nodiscard]] LiveRun run_live(const playback::PreparedScenario& prepared, const Endpoint& endpoint,
                               LiveOptions options = {});

/// How a scenario is played between a client and a server of this very process.
struct LoopbackOptions {
  /// Of the scenario's first run.
  std::uint64_t seed = 1;
  /// So many times faster than written. Nothing: time stands still while anything moves between
  /// the two, and jumps when nothing does, so that hours pass at once and no machine is too slow.
  std::optional<std::uint64_t> time_scale = std::nullopt;
  /// Stepped time: how long, in real time, nothing must have moved before time jumps.
  std::chrono::microseconds quiet{200};
  /// When it becomes true the operation is shut down. May be null.
  const std::atomic<bool>* interrupted = nullptr;
};

/// Runs the operation of `prepared` against a fault server that plays its provider, both on real
/// sockets of the loopback device and on one clock. The calendar is the scenario's. `prepared` must
/// outlive the run.
///
/// @errors  no port can be listened on.
[[nodiscard]] core::Expected<LiveRun, core::Error> run_over_loopback(
    const playback::PreparedScenario& prepared, const LoopbackOptions& options);

}  // namespace squall::live
