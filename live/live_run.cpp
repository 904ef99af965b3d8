// SPDX-License-Identifier: MIT
#include "live/live_run.hpp"

#include <chrono>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "core/check.hpp"
#include "core/random.hpp"
#include "live/asio_host.hpp"

namespace squall::live {

namespace asio = boost::asio;

namespace {

using SteadyHost = AsioHost<std::chrono::steady_clock, HttpTransport>;

core::WallInstant system_time() {
  return core::WallInstant(std::chrono::duration_cast<core::Duration>(
      std::chrono::system_clock::now().time_since_epoch()));
}

/// Calls `then` at `after` from now, unless that is never.
template <class Then>
void when_over(asio::steady_timer& timer, core::Duration after, Then then) {
  // Later than anybody waits, and early enough for the sum not to overflow.
  constexpr core::Duration kNever = std::chrono::hours(24 * 365 * 100);
  if (after >= kNever) {
    return;
  }
  timer.expires_after(after);
  timer.async_wait([then](const auto& cancelled) {
    if (!cancelled) {
      then();
    }
  });
}

/// Asks for a shutdown once `interrupted` is set.
void watch(asio::steady_timer& timer, const std::atomic<bool>& interrupted, SteadyHost& host) {
  constexpr auto kEvery = std::chrono::milliseconds(20);
  if (interrupted.load(std::memory_order_relaxed)) {
    host.request_shutdown();
    return;
  }
  when_over(timer, kEvery, [&] { watch(timer, interrupted, host); });
}

}  // namespace

struct LiveRun::State {
  playback::Trace trace;
  playback::WatchedOperation watched;
  playback::RunResult result;
  core::Duration lateness_max{0};
};

LiveRun::LiveRun(std::unique_ptr<State> state) : state_(std::move(state)) {}
LiveRun::LiveRun(LiveRun&&) noexcept = default;
LiveRun& LiveRun::operator=(LiveRun&&) noexcept = default;
LiveRun::~LiveRun() = default;

const playback::RunResult& LiveRun::result() const {
  return state_->result;
}
const playback::WatchedOperation& LiveRun::watched() const {
  return state_->watched;
}
core::Duration LiveRun::lateness_max() const {
  return state_->lateness_max;
}

LiveRun run_live(const playback::PreparedScenario& prepared, const Endpoint& endpoint,
                 LiveOptions options) {
  const scenarios::Scenario& scenario = prepared.scenario;
  auto state = std::make_unique<LiveRun::State>();
  playback::RunResult& result = state->result;
  result.seed = options.seed;
  result.run = options.run;
  const core::RandomStream draws = core::RandomStream(options.seed)
                                       .split("run")
                                       .split(options.run)
                                       .split("operation")
                                       .split(std::uint64_t{0});
  (void)state->watched.begin(prepared, draws, state->trace, 0, std::move(options.recording),
                             core::Instant{});

  asio::io_context context(1);
  HttpTransport transport(context, endpoint,
                          HttpRequest(endpoint, scenario.operation.kind(), options.key),
                          options.key, std::move(options.tls));
  SteadyHost host(context, transport, state->watched,
                  {.wall_clock = options.wall_clock ? options.wall_clock : system_time,
                   .on_finished = [&context] { context.stop(); },
                   .on_event = std::move(options.on_event)});
  asio::steady_timer shutdown(context);
  asio::steady_timer horizon(context);
  asio::steady_timer interruption(context);
  try {
    const std::optional<core::Duration>& shutdown_at = scenario.client.shutdown_at;
    if (shutdown_at == core::Duration{0}) {
      host.request_shutdown();
    }
    host.start();
    if (shutdown_at) {
      when_over(shutdown, *shutdown_at, [&host] { host.request_shutdown(); });
    }
    when_over(horizon, scenario.horizon, [&] {
      host.stop();
      context.stop();
    });
    if (options.interrupted != nullptr) {
      watch(interruption, *options.interrupted, host);
    }
    if (!host.is_over()) {
      context.run();
    }
  } catch (const core::CheckFailed& failed) {
    // A bug of squall itself: reported with everything needed to see it again.
    result.internal_error = failed.what();
    result.internal_error_at = host.now();
  }
  state->watched.describe(result);
  result.violations = &state->watched.audit().violations();
  result.checks = &state->watched.audit().checks();
  state->lateness_max = host.lateness_max();
  return LiveRun(std::move(state));
}

}  // namespace squall::live
