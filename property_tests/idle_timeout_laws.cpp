// SPDX-License-Identifier: MIT
//
// The idle timeout is exact on both sides, for every length of it and every kind of wait: what
// comes one nanosecond before it counts and restarts the wait, what comes at it is too late.
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "property_tests/bodies.hpp"
#include "property_tests/generators.hpp"
#include "property_tests/played.hpp"

namespace squall::property_tests {
namespace {

using core::Duration;
using core::llm::FailureClass;
using scenarios::Outcome;

constexpr Duration kNanosecond{1};

/// 2 ns up to 3 d, the built-in 600 s included.
rc::Gen<Duration> idle_timeouts() {
  return one_of<Duration>(
      {rc::gen::just(core::kIdleTimeout),
       rc::gen::map(rc::gen::resize(rc::kNominalSize,
                                    rc::gen::inRange<std::int64_t>(2, 259'200'000'000'000)),
                    [](std::int64_t nanoseconds) { return Duration(nanoseconds); })});
}

core::RetryPolicy one_attempt(Duration idle) {
  core::RetryPolicy policy;
  policy.budgets.attempts_max = 1;
  policy.timeouts.idle = idle;
  return policy;
}

Case case_of(const core::RetryPolicy& policy, scenarios::Respond respond) {
  Case made{.scenario = scenario_of(policy, std::vector<scenarios::Respond>{std::move(respond)}),
            .seed = 1};
  made.scenario.horizon = Duration::max();
  return made;
}

scenarios::Respond good(Duration latency, scenarios::Delivery delivery = scenarios::AtOnce{}) {
  scenarios::HttpAnswer answer;
  answer.body = kGoodBodies.front().bytes;
  answer.delivery = std::move(delivery);
  return {.what = std::move(answer), .latency = latency};
}

void plays_to(const Case& drawn, Outcome outcome, Duration elapsed,
              std::optional<FailureClass> final_class = std::nullopt) {
  RC_LOG(rc::toString(drawn));
  const Played played(drawn);
  RC_ASSERT(label(played.result.outcome) == label(outcome));
  RC_ASSERT(played.result.elapsed.count() == elapsed.count());
  if (final_class) {
    RC_ASSERT(label(played.result.operation->shortfall()->final_class) == label(*final_class));
  }
}

RC_GTEST_PROP(IdleTimeout, OfTheHeadersIsExact, ()) {
  const Duration idle = *idle_timeouts();
  const core::RetryPolicy policy = one_attempt(idle);
  plays_to(case_of(policy, good(idle - kNanosecond)), Outcome::kSuccess, idle - kNanosecond);
  for (const Duration late : {Duration(0), kNanosecond, idle}) {
    plays_to(case_of(policy, good(idle + late)), Outcome::kExhausted, idle,
             FailureClass::kTransport);
  }
}

// Pieces that each come in the last nanosecond, then one at the timeout: everything before it
// counts, however long it took together.
RC_GTEST_PROP(IdleTimeout, OfEachPieceOfTheBodyIsExact, ()) {
  const Duration idle = *idle_timeouts();
  const core::RetryPolicy policy = one_attempt(idle);
  const std::size_t in_time = *index_below(20);
  scenarios::Chunks chunks;
  for (std::size_t piece = 0; piece < in_time; ++piece) {
    chunks.pieces.push_back({.bytes = 1, .after = idle - kNanosecond});
  }
  const Duration so_far = static_cast<int>(in_time) * (idle - kNanosecond);
  scenarios::Chunks barely = chunks;
  barely.pieces.push_back({.bytes = 1'000, .after = idle - kNanosecond});
  scenarios::Chunks late = chunks;
  late.pieces.push_back({.bytes = 1'000, .after = idle});

  plays_to(case_of(policy, good(Duration(0), barely)), Outcome::kSuccess,
           so_far + idle - kNanosecond);
  plays_to(case_of(policy, good(Duration(0), late)), Outcome::kExhausted, so_far + idle,
           FailureClass::kTruncatedEnvelope);
}

RC_GTEST_PROP(IdleTimeout, NeverCutsABodyThatKeepsTrickling, ()) {
  const Duration idle = *idle_timeouts();
  const auto pieces = static_cast<std::int64_t>(kGoodBodies.front().bytes.size());
  const Case drawn = case_of(one_attempt(idle),
                             good(idle - kNanosecond, scenarios::Trickle{1, idle - kNanosecond}));
  plays_to(drawn, Outcome::kSuccess, (pieces + 1) * (idle - kNanosecond));
}

RC_GTEST_PROP(IdleTimeout, OfASilentProviderIsExact, ()) {
  const Duration idle = *idle_timeouts();
  plays_to(case_of(one_attempt(idle), {.what = scenarios::SilentHeaders{}}), Outcome::kExhausted,
           idle, FailureClass::kTransport);
  const Duration latency = idle - kNanosecond;
  scenarios::Respond stalled = good(latency);
  std::get<scenarios::HttpAnswer>(stalled.what).ending = scenarios::Stalls{{-1}};
  plays_to(case_of(one_attempt(idle), stalled), Outcome::kExhausted, latency + idle,
           FailureClass::kTruncatedEnvelope);
}

// The end of the whole attempt cuts what the idle timeout would let through for ever.
RC_GTEST_PROP(AttemptTimeout, IsExactAndCutsWhatTrickles, ()) {
  const Duration limit = *idle_timeouts();
  core::RetryPolicy policy = one_attempt(limit);
  policy.timeouts.attempt = limit;
  policy.timeouts.idle = *any_of<std::optional<Duration>>({std::nullopt, limit});
  const Duration half = limit / 2;
  const Duration rest = limit - half;  // At least 1 ns.
  const auto two_pieces = [](Duration after) {
    return scenarios::Chunks{
        {{.bytes = 1, .after = Duration(0)}, {.bytes = 1'000, .after = after}}};
  };
  plays_to(case_of(policy, good(half, two_pieces(rest - kNanosecond))), Outcome::kSuccess,
           limit - kNanosecond);
  plays_to(case_of(policy, good(half, two_pieces(rest))), Outcome::kExhausted, limit,
           FailureClass::kTruncatedEnvelope);
}

}  // namespace
}  // namespace squall::property_tests
