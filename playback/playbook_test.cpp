// SPDX-License-Identifier: MIT
#include "playback/playbook.hpp"

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "playback/scenarios_test_support.hpp"

namespace squall::playback {
namespace {

using core::Instant;
using core::RandomStream;
using namespace std::chrono_literals;

int status_of(const PreparedRespond& prepared) {
  return std::get<scenarios::HttpAnswer>(prepared.respond.what).status;
}

scenarios::Respond status(int code) {
  return answer(code, "", core::Duration{0});
}

class Player {
 public:
  explicit Player(const scenarios::Server& server) : playbook_(server) {
    playbook_.reset(state_, RandomStream(1));
  }
  int call(core::Duration at) { return status_of(playbook_.answer(state_, Instant(at))); }
  [[nodiscard]] const RandomStream& draws() const { return state_.draws; }

 private:
  Playbook playbook_;
  ProviderState state_;
};

TEST(Playbook, SequenceCountsCallsAndTheLastStepStays) {
  Player player(sequence({step(2, status(503)), step(1, status(429)), step(1, status(200))}));
  std::vector<int> seen;
  for (int call = 0; call < 6; ++call) {
    seen.push_back(player.call(0s));
  }
  EXPECT_EQ(seen, (std::vector{503, 503, 429, 200, 200, 200}));
}

TEST(Playbook, PhaseEndIsExclusiveAndEachPhaseCountsItsOwnCalls) {
  scenarios::Server server;
  server.phases = {
      {.until = 9min, .sequence = {step(1, status(500)), step(1, status(502))}},
      {.until = std::nullopt, .sequence = {step(1, status(503)), step(1, status(200))}}};
  Player player(server);
  EXPECT_EQ(player.call(0s), 500);
  EXPECT_EQ(player.call(9min - 1ns), 502);
  EXPECT_EQ(player.call(9min), 503);
  EXPECT_EQ(player.call(10min), 200);
}

TEST(Playbook, SingleAnswersDrawNothing) {
  Player player(sequence({step(1, status(200))}));
  (void)player.call(0s);
  EXPECT_EQ(player.draws(), RandomStream(1));
}

TEST(Playbook, MixFollowsItsWeights) {
  scenarios::Server server = sequence({step(1, status(200))});
  server.phases[0].sequence[0].mix = {{.weight = 1, .respond = status(500)},
                                      {.weight = 2, .respond = status(502)},
                                      {.weight = 7, .respond = status(200)}};
  Player player(server);
  std::array<int, 600> counts{};
  for (int call = 0; call < 100'000; ++call) {
    ++counts[static_cast<std::size_t>(player.call(0s))];
  }
  // Binomial(100 000, p): six standard deviations are at most 6 * sqrt(100 000 / 4) < 950.
  EXPECT_NEAR(counts[500], 10'000, 950);
  EXPECT_NEAR(counts[502], 20'000, 950);
  EXPECT_NEAR(counts[200], 70'000, 950);
}

TEST(Playbook, RetryAfterHeadersAreFoundInAnyCase) {
  auto respond = status(429);
  std::get<scenarios::HttpAnswer>(respond.what).headers = {{"x-request-id", std::string("req_1")},
                                                           {"RETRY-after", std::string("7")}};
  const PreparedRespond prepared(respond);
  ASSERT_NE(prepared.retry_after, nullptr);
  EXPECT_EQ(std::get<std::string>(prepared.retry_after->value), "7");
  EXPECT_EQ(prepared.retry_after_ms, nullptr);
}

}  // namespace
}  // namespace squall::playback
