// SPDX-License-Identifier: MIT
//
// Whole operations over real connections in real time, and what a simulated run says of them.
#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "live/live_run.hpp"
#include "live/scripted_peer_test_support.hpp"
#include "playback/scenarios_test_support.hpp"
#include "simulator/simulation.hpp"

namespace squall::live {
namespace {

using core::Duration;
using scenarios::Outcome;
using std::chrono::milliseconds;
using testing::IsEmpty;

std::vector<std::string> broken(const playback::RunResult& result) {
  std::vector<std::string> messages;
  for (const playback::Violation& violation : *result.violations) {
    messages.push_back(violation.message);
  }
  return messages;
}

/// 20 ms doubling to 40 ms, jittered, Retry-After taken as it is.
core::RetryPolicy quick_policy() {
  core::RetryPolicy policy = core::default_policy();
  policy.backoff = core::ExponentialBackoff{.base_ms = 20, .cap_ms = 40};
  policy.retry_after.clamp_min_ms = 0;
  return policy;
}

TEST(LiveRun, SleepsAndEndsAsTheSimulatedRunOfItsSeed) {
  scenarios::HttpAnswer busy;
  busy.status = 503;
  busy.body = "busy";
  busy.headers = {{.name = "retry-after-ms", .value = "30"}};
  const playback::PreparedScenario prepared(playback::scenario(
      playback::sequence({playback::step(1, playback::broken(core::ConnectionFault::kReset)),
                          playback::step(1, {.what = busy, .latency = Duration{0}}),
                          playback::step(2, playback::overloaded()),
                          playback::step(1, playback::good())}),
      quick_policy()));
  Peer peer({[](Peer::Talk& talk) {
               talk.read_request();
               talk.reset();
             },
             answering(http_answer("503 Busy", "busy", "retry-after-ms: 30\r\n")),
             answering(http_answer("503 Busy", "busy")), answering(http_answer("503 Busy", "busy")),
             answering(http_answer("200 OK", playback::completion("ok")))});

  const LiveRun run = run_live(prepared, *parse_endpoint(peer.url("/v1")), {.seed = 7, .run = 3});
  const playback::RunResult& live = run.result();
  simulator::Simulation simulation(prepared);
  const playback::RunResult& simulated = simulation.run(7, 3);

  EXPECT_EQ(live.outcome, Outcome::kSuccess);
  EXPECT_EQ(live.outcome, simulated.outcome);
  EXPECT_EQ(live.attempts, simulated.attempts);
  EXPECT_EQ(live.sleep_total, simulated.sleep_total);
  ASSERT_EQ(live.sleeps->size(), simulated.sleeps->size());
  for (std::size_t i = 0; i < live.sleeps->size(); ++i) {
    EXPECT_EQ((*live.sleeps)[i].duration, (*simulated.sleeps)[i].duration) << i;
  }
  EXPECT_EQ(live.operation->answer(), "ok");
  EXPECT_GE(live.elapsed, live.sleep_total);
  EXPECT_THAT(broken(live), IsEmpty());
}

// No attempt can succeed here, so that a machine too busy to answer in time changes nothing.
TEST(LiveRun, CutsAnAttemptAtTheIdleTimeout) {
  core::RetryPolicy policy = core::continuation_policy();
  policy.timeouts.idle = milliseconds(30);
  const playback::PreparedScenario prepared(
      playback::scenario(playback::sequence({playback::step(1, playback::good())}), policy));
  Peer peer({[](Peer::Talk& talk) { talk.wait_until_left(); },
             [](Peer::Talk& talk) {
               talk.read_request();
               talk.write("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhello");
               talk.wait_until_left();
             }});
  const LiveRun run = run_live(prepared, *parse_endpoint(peer.url()));
  EXPECT_EQ(run.result().outcome, Outcome::kExhausted);
  EXPECT_EQ(run.result().attempts, 3U);
  EXPECT_GE(run.result().elapsed, milliseconds(90));
  EXPECT_THAT(broken(run.result()), IsEmpty());
}

TEST(LiveRun, AnInterruptionEndsTheSleepAtOnce) {
  core::RetryPolicy policy = core::default_policy();
  policy.backoff = core::ConstantBackoff{.delay_ms = 3'600'000};
  const playback::PreparedScenario prepared(
      playback::scenario(playback::sequence({playback::step(1, playback::good())}), policy));
  std::atomic<bool> interrupted{false};
  Peer peer({answering(http_answer("503 Busy", "busy"))});
  const LiveRun run =
      run_live(prepared, *parse_endpoint(peer.url()),
               {.interrupted = &interrupted,
                .on_event = [&](const core::Event&, const playback::WatchedOperation& watched,
                                core::Instant) { interrupted = !watched.sleeps().empty(); }});
  EXPECT_EQ(run.result().outcome, Outcome::kShutdown);
  EXPECT_EQ(run.result().attempts, 1U);
  EXPECT_THAT(broken(run.result()), IsEmpty());
}

TEST(LiveRun, AnInterruptionEndsAWaitAtOnce) {
  const playback::PreparedScenario prepared(
      playback::scenario(playback::sequence({playback::step(1, playback::good())})));
  std::atomic<bool> interrupted{false};
  Peer peer({[&interrupted](Peer::Talk& talk) {
    talk.read_request();
    interrupted = true;
    talk.wait_until_left();
  }});
  const LiveRun run =
      run_live(prepared, *parse_endpoint(peer.url()), {.interrupted = &interrupted});
  EXPECT_EQ(run.result().outcome, Outcome::kShutdown);
  EXPECT_THAT(broken(run.result()), IsEmpty());
}

TEST(LiveRun, HonoursTheScenariosShutdownAndHorizon) {
  for (const bool at_horizon : {false, true}) {
    scenarios::Scenario scenario =
        playback::scenario(playback::sequence({playback::step(1, playback::good())}));
    if (at_horizon) {
      scenario.horizon = milliseconds(40);
    } else {
      scenario.client.shutdown_at = milliseconds(40);
    }
    const playback::PreparedScenario prepared(std::move(scenario));
    Peer peer({[](Peer::Talk& talk) { talk.wait_until_left(); }});
    const LiveRun run = run_live(prepared, *parse_endpoint(peer.url()));
    EXPECT_EQ(run.result().outcome, at_horizon ? Outcome::kUnfinished : Outcome::kShutdown);
    EXPECT_GE(run.result().elapsed, milliseconds(40));
    EXPECT_THAT(broken(run.result()), IsEmpty());
  }
  scenarios::Scenario scenario =
      playback::scenario(playback::sequence({playback::step(1, playback::good())}));
  scenario.client.shutdown_at = Duration{0};
  const playback::PreparedScenario prepared(std::move(scenario));
  const LiveRun run = run_live(prepared, *parse_endpoint("http://127.0.0.1:1/"));
  EXPECT_EQ(run.result().outcome, Outcome::kShutdown);
  EXPECT_EQ(run.result().attempts, 0U);
}

TEST(LiveRun, ABodyBeyondAllBoundsIsCut) {
  core::RetryPolicy policy = core::continuation_policy();
  policy.budgets.attempts_max = 1;
  const playback::PreparedScenario prepared(
      playback::scenario(playback::sequence({playback::step(1, playback::good())}), policy));
  Peer peer({[](Peer::Talk& talk) {
    talk.read_request();
    talk.write("HTTP/1.1 200 OK\r\n\r\n");
    const std::string piece(std::size_t{1} << 20, 'x');
    for (int i = 0; i < 1'000; ++i) {
      talk.write(piece);  // Goes nowhere once the client has left.
    }
  }});
  const LiveRun run = run_live(prepared, *parse_endpoint(peer.url()));
  ASSERT_EQ(run.result().trail.size(), 1U);
  EXPECT_THAT(std::string(run.result().trail[0].error_chain),
              testing::HasSubstr("exceeds 67108864 bytes"));
  EXPECT_THAT(broken(run.result()), IsEmpty());
}

}  // namespace
}  // namespace squall::live
