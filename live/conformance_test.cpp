// SPDX-License-Identifier: MIT
//
// Two hosts, one operation: the Asio host under a clock that jumps must leave the very trace that
// the simulator leaves, record by record, over the whole library. Otherwise a simulated run would
// say nothing about a real one.
//
// The clock: its wait traits answer zero, so that Asio never waits, and note the earliest expiry
// that was asked about. Whenever nothing is left to do, the clock jumps there. Asio thereby becomes
// an exact simulator of discrete events, by code that shares nothing with `simulator/`.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "live/asio_host.hpp"
#include "playback/exchange.hpp"
#include "playback/run_draws.hpp"
#include "playback/scenarios_test_support.hpp"
#include "scenarios/loader.hpp"
#include "simulator/simulation.hpp"

namespace squall::live {
namespace {

using core::Duration;
using core::Instant;

/// Stands still until a test moves it.
struct ManualClock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<ManualClock>;
  [[maybe_unused]] static constexpr bool is_steady = true;

  static time_point now() { return current; }
  static inline time_point current{};
  /// The earliest expiry that Asio asked about since this was reset.
  static inline time_point asked = time_point::max();
};

struct JumpingWaits {
  static Duration to_wait_duration(const Duration& until_expiry) {
    ManualClock::asked = std::min(
        ManualClock::asked, until_expiry > ManualClock::time_point::max() - ManualClock::current
                                ? ManualClock::time_point::max()
                                : ManualClock::current + until_expiry);
    return Duration{0};
  }
  static Duration to_wait_duration(const ManualClock::time_point& expiry) {
    return to_wait_duration(expiry - ManualClock::current);
  }
};

Instant manual_now() {
  return Instant(ManualClock::now().time_since_epoch());
}

/// The scenario's provider on an Asio timer.
class ScriptedTransport {
 public:
  ScriptedTransport(boost::asio::io_context& context, const playback::PreparedScenario& prepared,
                    std::function<core::WallInstant()> wall_clock)
      : timer_(context), prepared_(prepared), wall_clock_(std::move(wall_clock)) {}

  void reset(core::RandomStream draws) { prepared_.playbook.reset(provider_, draws); }

  void send(core::AttemptId attempt, std::string_view, OnFact on_fact) {
    const playback::PreparedRespond& answer = prepared_.playbook.answer(provider_, manual_now());
    const auto* failure = std::get_if<scenarios::ConnectionFailure>(&answer.respond.what);
    reached_ = failure == nullptr || failure->fault == core::ConnectionFault::kReset;
    exchange_.open(attempt, answer, manual_now(), answer.latency.sample(provider_.draws));
    on_fact_ = std::move(on_fact);
    ++exchanges_;
    arm();
  }
  void close() {
    exchange_.close();
    ++exchanges_;
    timer_.cancel();
  }
  [[nodiscard]] bool request_reached() const { return reached_; }

 private:
  void arm() {
    if (!exchange_.next() || *exchange_.next() == core::kEndOfTime) {
      return;
    }
    timer_.expires_at(ManualClock::time_point(exchange_.next()->time_since_epoch()));
    timer_.async_wait([this, exchange = exchanges_](const auto& cancelled) {
      if (!cancelled) {
        play(exchange);
      }
    });
  }
  void play(std::uint64_t exchange) {
    const OnFact on_fact = on_fact_;
    while (exchange == exchanges_ && exchange_.next() && *exchange_.next() <= manual_now()) {
      on_fact(exchange_.take(wall_clock_()));
    }
    if (exchange == exchanges_) {
      arm();
    }
  }

  boost::asio::basic_waitable_timer<ManualClock, JumpingWaits> timer_;
  const playback::PreparedScenario& prepared_;
  std::function<core::WallInstant()> wall_clock_;
  playback::ProviderState provider_;
  playback::Exchange exchange_;
  OnFact on_fact_;
  std::uint64_t exchanges_ = 0;
  bool reached_ = false;
};

using JumpingHost = AsioHost<ManualClock, ScriptedTransport, JumpingWaits>;

class MemorySink final : public core::TelemetrySink {
 public:
  void record(const core::FailureRow& row) override { failures.push_back(row); }
  void record(const core::RequestRow& row) override { requests.push_back(row); }
  std::vector<core::FailureRow> failures;
  std::vector<core::RequestRow> requests;
};

/// Everything one host left behind.
struct Played {
  playback::Trace trace;
  playback::WatchedOperation watched;
  playback::RunResult result;
  MemorySink rows;
};

/// Lets Asio do all that is due, then moves the clock on; @return whether it could.
bool jump(boost::asio::io_context& context, Instant limit) {
  ManualClock::asked = ManualClock::time_point::max();
  if (context.stopped()) {
    context.restart();
  }
  if (context.poll() > 0) {
    return true;  // Something happened: perhaps there is more at this instant.
  }
  if (ManualClock::asked > ManualClock::time_point(limit.time_since_epoch())) {
    return false;
  }
  ManualClock::current = std::max(ManualClock::current, ManualClock::asked);
  return true;
}

void play_on_asio(const playback::PreparedScenario& prepared, std::uint64_t seed, std::uint64_t run,
                  Played& played) {
  const scenarios::ClientSpec& client = prepared.scenario.client;
  ManualClock::current = {};
  const auto wall_clock = [&client] {
    return core::saturating_add(client.wall_clock, manual_now().time_since_epoch());
  };
  boost::asio::io_context context;
  ScriptedTransport transport(context, prepared, wall_clock);
  transport.reset(played.watched.begin(prepared, playback::run_draws(seed, run), played.trace, 0,
                                       {.sink = &played.rows, .operation_id = "one"}, Instant{}));
  JumpingHost host(context, transport, played.watched,
                   {.wall_clock = wall_clock, .on_finished = {}, .on_event = {}});

  const Instant horizon(prepared.scenario.horizon);
  Instant shutdown = client.shutdown_at ? Instant(*client.shutdown_at) : core::kEndOfTime;
  if (shutdown == Instant{}) {
    host.request_shutdown();
  }
  host.start();
  while (!host.is_over()) {
    const Instant limit = std::min(shutdown, horizon);
    if (manual_now() >= shutdown) {
      shutdown = core::kEndOfTime;
      host.request_shutdown();
    } else if (!jump(context, limit)) {
      ManualClock::current = ManualClock::time_point(limit.time_since_epoch());
      if (shutdown > horizon) {
        host.stop();
      }
    }
  }
  EXPECT_EQ(host.lateness_max(), Duration{0});
  played.watched.describe(played.result);
}

void expect_same(const playback::RunResult& asio, const playback::RunResult& simulated) {
  EXPECT_EQ(asio.outcome, simulated.outcome);
  EXPECT_EQ(asio.attempts, simulated.attempts);
  EXPECT_EQ(asio.calls_wasted, simulated.calls_wasted);
  EXPECT_EQ(asio.elapsed, simulated.elapsed);
  EXPECT_EQ(asio.sleep_total, simulated.sleep_total);
  EXPECT_EQ(asio.digest, simulated.digest);
  ASSERT_EQ(asio.sleeps->size(), simulated.sleeps->size());
  for (std::size_t i = 0; i < asio.sleeps->size(); ++i) {
    EXPECT_EQ((*asio.sleeps)[i].duration, (*simulated.sleeps)[i].duration) << i;
    EXPECT_EQ((*asio.sleeps)[i].by_retry_after, (*simulated.sleeps)[i].by_retry_after) << i;
  }
  ASSERT_EQ(asio.prefix_reuse->size(), simulated.prefix_reuse->size());
  for (std::size_t i = 0; i < asio.prefix_reuse->size(); ++i) {
    EXPECT_EQ((*asio.prefix_reuse)[i].request_bytes, (*simulated.prefix_reuse)[i].request_bytes);
    EXPECT_EQ((*asio.prefix_reuse)[i].seen_bytes, (*simulated.prefix_reuse)[i].seen_bytes) << i;
  }
  EXPECT_EQ(asio.operation->answer(), simulated.operation->answer());
}

/// Plays one run on both hosts and wants no difference at all.
void expect_conformance(const playback::PreparedScenario& prepared, std::uint64_t seed,
                        std::uint64_t run) {
  SCOPED_TRACE(testing::Message() << prepared.scenario.name << " seed " << seed << " run " << run);
  MemorySink simulated_rows;
  simulator::Simulation simulation(prepared);
  simulation.record_to(simulated_rows, [](std::uint64_t) { return std::string("one"); });
  const playback::RunResult& simulated = simulation.run(seed, run);

  Played played;
  play_on_asio(prepared, seed, run, played);
  const auto difference = first_difference(played.trace, *simulated.trace);
  EXPECT_FALSE(difference) << "the traces part at record " << difference->record << " of "
                           << simulated.trace->records().size() << ", at "
                           << difference->at.time_since_epoch().count() << " ns";
  expect_same(played.result, simulated);
  EXPECT_THAT(played.watched.audit().violations(), testing::IsEmpty());
  EXPECT_EQ(played.watched.audit().checks(), *simulated.checks);
  EXPECT_EQ(played.rows.failures, simulated_rows.failures);
  EXPECT_EQ(played.rows.requests, simulated_rows.requests);
}

std::vector<std::string> library() {
  std::vector<std::string> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(SQUALL_SOURCE_DIR "/scenarios/library")) {
    if (entry.path().extension() == ".json" && entry.path().stem() != "golden") {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Conformance, EveryScenarioOfTheLibraryLeavesTheSimulatorsTrace) {
  const std::vector<std::string> files = library();
  ASSERT_GE(files.size(), 200U);
  for (const std::string& file : files) {
    auto scenario = scenarios::load_scenario_file(file);
    ASSERT_TRUE(scenario) << to_string(scenario.error());
    const playback::PreparedScenario prepared(*std::move(scenario));
    expect_conformance(prepared, 1, 0);
    expect_conformance(prepared, 1, 17);
    expect_conformance(prepared, 42, 3);
    if (HasFailure()) {
      return;  // One difference is enough to read.
    }
  }
}

TEST(Conformance, AShutdownComesBeforeWhateverElseItsInstantBrings) {
  // Attempt 1 fails at 120 ms; the answer of the second one, the end of its idle wait and the
  // shutdown meet at one instant.
  const Duration idle = std::chrono::seconds(2);
  core::RetryPolicy policy = core::continuation_policy();
  policy.timeouts.idle = idle;
  for (const bool with_shutdown : {false, true}) {
    scenarios::Scenario scenario =
        playback::scenario(playback::sequence({playback::step(1, playback::overloaded()),
                                               playback::step(1, playback::good(idle))}),
                           policy);
    if (with_shutdown) {
      scenario.client.shutdown_at = std::chrono::milliseconds(120) + idle;
    }
    const playback::PreparedScenario prepared(std::move(scenario));
    expect_conformance(prepared, 1, 0);
    Played played;
    play_on_asio(prepared, 1, 0, played);
    EXPECT_EQ(played.result.outcome,
              with_shutdown ? scenarios::Outcome::kShutdown : scenarios::Outcome::kExhausted);
    EXPECT_EQ(played.result.attempts, with_shutdown ? 2U : 3U);
  }
}

TEST(Conformance, AnOperationWithoutAnEndIsStoppedAtTheHorizon) {
  core::RetryPolicy policy = core::default_policy();
  policy.timeouts = {};
  scenarios::Scenario scenario =
      playback::scenario(playback::sequence({playback::step(1, playback::silent())}), policy);
  scenario.horizon = std::chrono::hours(3);
  expect_conformance(playback::PreparedScenario(std::move(scenario)), 1, 0);
}

TEST(AsioHost, AShutdownDoesNotOvertakeAWakeUpThatWasDueBefore) {
  const playback::PreparedScenario prepared(playback::scenario(
      playback::sequence({playback::step(1, playback::overloaded(std::chrono::milliseconds(120))),
                          playback::step(1, playback::good())})));
  for (const Duration late : {Duration{-1}, Duration{0}, Duration{1}}) {
    ManualClock::current = {};
    boost::asio::io_context context;
    Played played;
    const auto wall_clock = [] { return core::WallInstant{}; };
    ScriptedTransport transport(context, prepared, wall_clock);
    transport.reset(
        played.watched.begin(prepared, playback::run_draws(1, 0), played.trace, 0, {}, Instant{}));
    JumpingHost host(context, transport, played.watched,
                     {.wall_clock = wall_clock, .on_finished = {}, .on_event = {}});
    host.start();
    while (played.watched.sleeps().empty() && jump(context, core::kEndOfTime)) {
    }
    ManualClock::current += played.watched.sleeps().front().duration + late;
    host.request_shutdown();
    EXPECT_TRUE(host.is_over());
    played.watched.describe(played.result);
    EXPECT_EQ(played.result.outcome, scenarios::Outcome::kShutdown);
    EXPECT_EQ(played.result.attempts, late > Duration{0} ? 2U : 1U) << late.count();
    EXPECT_THAT(played.watched.audit().violations(), testing::IsEmpty());
  }
}

/// When attempt 2 was sent, after a sleep that was noticed `late`.
Instant second_attempt_after(Duration late, Duration& lateness_max) {
  const playback::PreparedScenario prepared(playback::scenario(
      playback::sequence({playback::step(1, playback::overloaded(std::chrono::milliseconds(120))),
                          playback::step(1, playback::good())})));
  ManualClock::current = {};
  boost::asio::io_context context;
  Played played;
  const auto wall_clock = [] { return core::WallInstant{}; };
  ScriptedTransport transport(context, prepared, wall_clock);
  transport.reset(
      played.watched.begin(prepared, playback::run_draws(1, 0), played.trace, 0, {}, Instant{}));
  int finished = 0;
  JumpingHost host(
      context, transport, played.watched,
      {.wall_clock = wall_clock, .on_finished = [&finished] { ++finished; }, .on_event = {}});
  host.start();
  while (played.watched.sleeps().empty() && jump(context, core::kEndOfTime)) {
  }
  const Duration sleep = played.watched.sleeps().front().duration;
  ManualClock::current += sleep + late;
  while (!host.is_over() && jump(context, core::kEndOfTime)) {
  }
  EXPECT_EQ(finished, 1);
  lateness_max = host.lateness_max();
  for (const playback::TraceRecord& record : played.trace.records()) {
    if (record.kind() == playback::TraceKind::kAttemptSent && record.detail == 2) {
      return record.at() - std::chrono::milliseconds(120) - sleep;
    }
  }
  ADD_FAILURE() << "no second attempt";
  return {};
}

// What was ordered is what is recorded; but an attempt must not begin in a past so far back that
// its timeouts are over.
TEST(AsioHost, AWakeUpNoticedLateCountsWhenItWasDueUnlessThatIsLongAgo) {
  Duration lateness{0};
  EXPECT_EQ(second_attempt_after(std::chrono::milliseconds(300), lateness), Instant{});
  EXPECT_EQ(lateness, std::chrono::milliseconds(300));
  EXPECT_EQ(second_attempt_after(std::chrono::hours(2), lateness), Instant(std::chrono::hours(2)));
  EXPECT_EQ(lateness, std::chrono::hours(2));
}

}  // namespace
}  // namespace squall::live
