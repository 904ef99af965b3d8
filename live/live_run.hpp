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
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/event.hpp"
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
  explicit LiveRun(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// Runs the operation of `prepared` against `endpoint` and returns when it is over: finished, shut
/// down (`client.shutdown_at`, `interrupted`) or at the horizon. What the scenario says of a server
/// is not looked at. `prepared` must outlive the run.
[[nodiscard]] LiveRun run_live(const playback::PreparedScenario& prepared, const Endpoint& endpoint,
                               LiveOptions options = {});

}  // namespace squall::live
