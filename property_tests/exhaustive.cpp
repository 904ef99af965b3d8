// SPDX-License-Identifier: MIT
//
// Every short schedule over a small alphabet of answers, under a few policies, against the
// reference model and the audit: nothing is drawn here, nothing is left out.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "property_tests/bodies.hpp"
#include "property_tests/generators.hpp"
#include "property_tests/played.hpp"

namespace squall::property_tests {
namespace {

using core::Duration;
using scenarios::Respond;
using std::chrono::milliseconds;
using std::chrono::seconds;

Respond http(int status, std::string_view body, std::vector<scenarios::Header> headers = {},
             Duration latency = milliseconds(120)) {
  scenarios::HttpAnswer answer;
  answer.status = status;
  answer.body = body;
  answer.headers = std::move(headers);
  return {.what = std::move(answer), .latency = latency};
}

/// One answer of each kind that is treated in its own way.
std::vector<Respond> alphabet() {
  Respond cut = http(200, kGoodBodies[0].bytes);
  std::get<scenarios::HttpAnswer>(cut.what).ending = scenarios::Breaks{.after = {-1}};
  return {
      http(200, kGoodBodies[0].bytes),
      http(503, "", {}, Duration(0)),
      http(429, "", {{"retry-after", "7"}}),
      http(429, "", {{"retry-after-ms", "90000"}}),
      http(401, ""),
      {.what = scenarios::ConnectionFailure{core::ConnectionFault::kRefused}},
      {.what = scenarios::SilentHeaders{}},
      cut,
      http(200, "[]"),
  };
}

std::vector<core::RetryPolicy> policy_set() {
  core::RetryPolicy time_budget = core::default_policy();
  time_budget.jitter = core::NoJitter{};
  time_budget.budgets.time = seconds(15);  // Two sleeps of 5 s and 10 s end exactly here.
  core::RetryPolicy hasty;
  hasty.budgets.attempts_max = 4;
  hasty.backoff = core::ConstantBackoff{.delay_ms = 0};
  hasty.retry_after.clamp_min_ms = 0;
  hasty.retry_after.ignore_above_ms = 60'000;
  hasty.timeouts = {.idle = seconds(1), .attempt = milliseconds(120)};
  hasty.retry_on.cut_bodies = false;
  core::RetryPolicy once = core::default_policy();
  once.budgets.attempts_max = 1;
  core::RetryPolicy never = core::default_policy();
  never.budgets.attempts_max = 0;
  core::RetryPolicy five = core::default_policy();
  five.budgets.attempts_max = 5;
  five.jitter = core::FullJitter{};
  return {core::default_policy(),
          core::comment_policy(),
          core::continuation_policy(),
          time_budget,
          hasty,
          once,
          never,
          five};
}

/// Calls `visit` with every schedule of 1 to `length_max` answers.
template <class Visit>
void each_schedule(std::size_t length_max, Visit visit) {
  const std::vector<Respond> letters = alphabet();
  std::vector<Respond> schedule;
  const auto extend = [&](const auto& self) -> void {
    for (const Respond& letter : letters) {
      schedule.push_back(letter);
      visit(schedule);
      if (schedule.size() < length_max) {
        self(self);
      }
      schedule.pop_back();
    }
  };
  extend(extend);
}

/// Stops the test at the first defect, with the file that shows it again.
void agrees(const Case& tried) {
  const Played played(tried);
  const std::optional<std::string> difference = disagreement(played.result, tried.scenario);
  const std::optional<std::string> defect = difference ? difference : complaint(played.result);
  if (defect) {
    FAIL() << *defect << '\n' << rc::toString(tried);
  }
}

TEST(Exhaustive, EveryScheduleOfUpToFourAnswersAgreesWithTheReferenceModel) {
  for (const core::RetryPolicy& policy : policy_set()) {
    each_schedule(4, [&policy](const std::vector<Respond>& schedule) {
      if (!testing::Test::HasFatalFailure()) {
        agrees({.scenario = scenario_of(policy, schedule), .seed = 1});
      }
    });
  }
}

TEST(Exhaustive, AShutdownAtEveryInterestingInstantAgreesWithTheReferenceModel) {
  for (const core::RetryPolicy& policy : policy_set()) {
    each_schedule(2, [&policy](const std::vector<Respond>& schedule) {
      Case tried{.scenario = scenario_of(policy, schedule), .seed = 1};
      const Played undisturbed(tried);
      Duration last(-1);
      for (const playback::TraceRecord& record : undisturbed.result.trace->records()) {
        const Duration at(record.at_ns);
        if (at == last) {
          continue;
        }
        last = at;
        for (const Duration offset : {Duration(-1), Duration(0), Duration(1)}) {
          if (at + offset >= Duration(0) && !testing::Test::HasFatalFailure()) {
            tried.scenario.client.shutdown_at = at + offset;
            agrees(tried);
          }
        }
      }
    });
  }
}

}  // namespace
}  // namespace squall::property_tests
