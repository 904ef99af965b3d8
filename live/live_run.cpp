// SPDX-License-Identifier: MIT
#include "live/live_run.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "core/check.hpp"
#include "live/asio_host.hpp"
#include "live/clock.hpp"
#include "live/fault_server.hpp"
#include "playback/run_draws.hpp"

namespace squall::live {

namespace asio = boost::asio;

namespace {

using LiveHost = AsioHost<Clock, HttpTransport, ClockWaitTraits>;

core::WallInstant system_time() {
  return core::WallInstant(std::chrono::duration_cast<core::Duration>(
      std::chrono::system_clock::now().time_since_epoch()));
}

/// Calls `then` at `after` from now, unless that is never.
template <class Then>
void when_over(Timer& timer, core::Duration after, Then then) {
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

bool is_set(const std::atomic<bool>* flag) {
  return flag != nullptr && flag->load(std::memory_order_relaxed);
}

/// Asks for a shutdown once `interrupted` is set.
void watch(Timer& timer, const std::atomic<bool>& interrupted, LiveHost& host) {
  constexpr auto kEvery = std::chrono::milliseconds(20);
  if (is_set(&interrupted)) {
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

  State(const playback::PreparedScenario& prepared, std::uint64_t seed, std::uint64_t run,
        playback::Recording recording) {
    result.seed = seed;
    result.run = run;
    (void)watched.begin(prepared, playback::run_draws(seed, run), trace, 0, std::move(recording),
                        core::Instant{});
  }

  /// The run is over: fills in the result.
  void conclude() {
    watched.describe(result);
    result.violations = &watched.audit().violations();
    result.checks = &watched.audit().checks();
  }
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
  auto state = std::make_unique<LiveRun::State>(prepared, options.seed, options.run,
                                                std::move(options.recording));

  asio::io_context context(1);
  HttpTransport transport(context, endpoint,
                          HttpRequest(endpoint, scenario.operation.kind(), options.key),
                          options.key, std::move(options.tls));
  LiveHost host(context, transport, state->watched,
                {.wall_clock = options.wall_clock ? options.wall_clock : system_time,
                 .on_finished = [&context] { context.stop(); },
                 .on_event = std::move(options.on_event)});
  Timer shutdown(context);
  Timer horizon(context);
  Timer interruption(context);
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
    state->result.internal_error = failed.what();
    state->result.internal_error_at = host.now();
  }
  state->conclude();
  state->lateness_max = host.lateness_max();
  return LiveRun(std::move(state));
}

namespace {

/// Client and server of one process, and the operation between them.
class Loopback {
 public:
  /// What its host left behind, however it ended.
  struct Left {
    core::Instant now{};
    core::Duration lateness_max{0};
  };

  Loopback(const playback::PreparedScenario& prepared, const LoopbackOptions& options,
           playback::WatchedOperation& watched, Left& left)
      : scenario_(prepared.scenario),
        options_(options),
        watched_(watched),
        left_(left),
        server_(context_, scenario_,
                {.seed = options.seed,
                 .wall_clock = scenario_.client.wall_clock,
                 .request_deadline = kNoDeadline}) {
    server_.keep_exchanges(false);
  }

  /// @param steps  null: time passes by itself.
  [[nodiscard]] core::Expected<void, core::Error> play(SteppedTime* steps) {
    if (auto started = server_.start(); !started) {
      return started;
    }
    const bool is_tool_call = scenario_.operation.kind() == scenarios::OperationKind::kToolCall;
    const auto endpoint =
        parse_endpoint(server_.url() + (is_tool_call ? "/mcp" : "/v1/chat/completions"));
    SQUALL_CHECK(endpoint.has_value());
    HttpTransport transport(context_, *endpoint,
                            HttpRequest(*endpoint, scenario_.operation.kind(), Secret()), Secret(),
                            std::nullopt);
    const Clock::time_point start = Clock::now();
    Host host(context_, transport, watched_,
              {.wall_clock =
                   [&] {
                     return core::saturating_add(scenario_.client.wall_clock, Clock::now() - start);
                   },
               .on_finished = nullptr,
               .on_event = nullptr,
               // What is compared is when things happened, not when they were due.
               .lateness_forgiven = core::Duration{0}});
    const Leaving leaving{host, left_};
    const auto after = [start](core::Duration wait) {
      return wait > Clock::time_point::max() - start ? Clock::time_point::max() : start + wait;
    };
    const Clock::time_point horizon = after(scenario_.horizon);
    Clock::time_point shutdown = Clock::time_point::max();
    if (scenario_.client.shutdown_at == core::Duration{0}) {
      host.request_shutdown();
    } else if (scenario_.client.shutdown_at) {
      shutdown = after(*scenario_.client.shutdown_at);
    }
    host.start();
    while (!host.is_over()) {
      if (Clock::now() >= shutdown || is_set(options_.interrupted)) {
        shutdown = Clock::time_point::max();
        host.request_shutdown();
      }
      play_this_instant(host, steps != nullptr);
      if (!host.is_over() && Clock::now() >= horizon) {
        host.stop();
      } else if (!host.is_over() && steps != nullptr) {
        if (!steps->advance(std::min(horizon, shutdown))) {
          host.stop();  // Nothing more happens before the end of time.
        }
      }
    }
    server_.stop();
    return {};
  }

 private:
  using Host = LiveHost;

  /// Notes what the host leaves behind.
  struct Leaving {
    const Host& host;
    Left& left;

    Leaving(const Host& leaving_host, Left& to) : host(leaving_host), left(to) {}
    Leaving(const Leaving&) = delete;
    Leaving& operator=(const Leaving&) = delete;
    ~Leaving() { left = {.now = host.now(), .lateness_max = host.lateness_max()}; }
  };

  /// Beyond every horizon there is: the server never gives up on its client.
  static constexpr std::chrono::milliseconds kNoDeadline = std::chrono::hours(24 * 365 * 50);

  void play_this_instant(const Host& host, bool is_stepped) {
    context_.restart();
    if (!is_stepped) {
      // Looks up now and then: for an interruption, the shutdown and the horizon.
      context_.run_one_for(std::chrono::milliseconds(1));
      return;
    }
    do {
      context_.restart();
      while (context_.poll() > 0) {
      }
    } while (!host.is_over() && !is_set(options_.interrupted) &&
             context_.run_one_for(options_.quiet) > 0);
  }

  const scenarios::Scenario& scenario_;
  const LoopbackOptions& options_;
  playback::WatchedOperation& watched_;
  Left& left_;
  boost::asio::io_context context_{1};
  FaultServer server_;
};

}  // namespace

core::Expected<LiveRun, core::Error> run_over_loopback(const playback::PreparedScenario& prepared,
                                                       const LoopbackOptions& options) {
  auto state = std::make_unique<LiveRun::State>(prepared, options.seed, std::uint64_t{0},
                                                playback::Recording{});
  Loopback::Left left;
  const auto play = [&](SteppedTime* steps) -> core::Expected<void, core::Error> {
    try {
      return Loopback(prepared, options, state->watched, left).play(steps);
    } catch (const core::CheckFailed& failed) {
      state->result.internal_error = failed.what();
      state->result.internal_error_at = left.now;
      return {};
    }
  };
  core::Expected<void, core::Error> played;
  if (options.time_scale) {
    const ScaledTime hurry(*options.time_scale);
    played = play(nullptr);
  } else {
    SteppedTime steps;
    played = play(&steps);
  }
  if (!played) {
    return tl::unexpected(played.error());
  }
  state->conclude();
  state->lateness_max = left.lateness_max;
  return LiveRun(std::move(state));
}

}  // namespace squall::live
