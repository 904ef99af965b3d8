// SPDX-License-Identifier: MIT
//
// The bounds against brute force: every server that picks, call by call, one of some forty ways to
// behave, played on the operations themselves with their own clock. The search knows nothing of the
// analysis; it must find nothing beyond its bounds, and the bounds themselves.
//
// A way to behave is a class of answer, a Retry-After at or around the limits of the clamp, and a
// timing: each wait as short as possible or as long as it may be. Where there is a time budget, an
// attempt may also end so that a sleep of some length ends with the budget, or a nanosecond beyond.
//
// Two operations that have made the same calls, stand at the same instant and have slept alike
// decide alike from there on (what else they remember is the trail, for their caller): one of them
// is followed. `EveryCourseIsFollowed` shows on shorter courses that this leaves nothing out.
#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/worst_case.hpp"
#include "core/connector/policy.hpp"
#include "core/connector/tool_call.hpp"
#include "core/llm/agent_chat.hpp"
#include "core/llm/continuation.hpp"
#include "core/llm/extraction.hpp"
#include "core/llm/research_synthesis.hpp"
#include "core/llm/synthesis.hpp"

namespace squall::analysis {
namespace {

using core::Actions;
using core::Duration;
using core::Instant;
using core::RetryPolicy;
using scenarios::OperationKind;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr Duration kTick{1};
constexpr std::string_view kChatAnswer =
    R"({"choices":[{"finish_reason":"stop","message":{"content":"fine"}}]})";
constexpr std::string_view kBlankAnswer =
    R"({"choices":[{"finish_reason":"stop","message":{"content":""}}]})";
constexpr std::string_view kToolAnswer =
    R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"fine"}]}})";

/// How long a wait lasts.
enum class Wait { kNone, kLongest };
/// What follows the headers.
enum class Body { kEnds, kLateEnd, kStalls, kBreaks, kByteThenStalls };

struct Behaviour {
  int status = 0;  ///< 0: no headers
  std::string_view body{};
  std::string retry_after_ms{};
  Wait headers = Wait::kNone;
  Body ending = Body::kEnds;
  bool silent = false;           ///< without headers: says nothing instead of refusing
  std::optional<Duration> at{};  ///< overrides `headers`: since the operation's start
};

std::vector<Behaviour> behaviours(std::string_view answer) {
  std::vector<Behaviour> all;
  for (const Wait headers : {Wait::kNone, Wait::kLongest}) {
    all.push_back({.headers = headers});
    all.push_back({.status = 200, .body = answer, .headers = headers});
    all.push_back({.status = 200, .body = kBlankAnswer, .headers = headers});
    all.push_back({.status = 200, .body = "<html>", .headers = headers});
    all.push_back({.status = 401, .headers = headers});
    all.push_back({.status = 503, .headers = headers});
    for (const Body ending : {Body::kLateEnd, Body::kStalls, Body::kBreaks}) {
      all.push_back({.status = 200, .body = "<", .headers = headers, .ending = ending});
      all.push_back({.status = 503, .body = "<", .headers = headers, .ending = ending});
    }
    all.push_back(
        {.status = 200, .body = kBlankAnswer, .headers = headers, .ending = Body::kLateEnd});
  }
  all.push_back({.silent = true});
  for (const char* const asked :
       {"0", "4999", "5000", "5001", "59999", "60000", "60001", "99999999999999999999", "soon"}) {
    all.push_back({.status = 429, .retry_after_ms = asked});
    all.push_back({.status = 429,
                   .retry_after_ms = asked,
                   .headers = Wait::kLongest,
                   .ending = Body::kStalls});
    all.push_back({.status = 429,
                   .body = "<",
                   .retry_after_ms = asked,
                   .headers = Wait::kLongest,
                   .ending = Body::kLateEnd});
  }
  return all;
}

/// Ends of an attempt from which a sleep of some length reaches the budget, or misses it.
std::vector<Behaviour> aimed_at(const RetryPolicy& policy) {
  std::vector<Behaviour> all;
  if (!policy.budgets.time) {
    return all;
  }
  std::vector<std::uint64_t> sleeps = {0, policy.retry_after.clamp_min_ms,
                                       policy.retry_after.clamp_max_ms};
  for (std::uint32_t slot = 0; slot < std::min(core::sleeps_max(policy), 5U); ++slot) {
    sleeps.push_back(core::sleep_interval(policy, slot).min_ms);
    sleeps.push_back(core::sleep_interval(policy, slot).max_ms);
  }
  std::sort(sleeps.begin(), sleeps.end());
  sleeps.erase(std::unique(sleeps.begin(), sleeps.end()), sleeps.end());
  for (const std::uint64_t sleep_ms : sleeps) {
    for (const Duration beyond : {Duration(0), kTick}) {
      const Duration at = *policy.budgets.time - core::from_milliseconds(sleep_ms) + beyond;
      all.push_back({.status = 503, .at = at});
      all.push_back({.status = 429, .retry_after_ms = "0", .at = at});
      all.push_back({.status = 429, .retry_after_ms = "60000", .at = at});
      all.push_back({.status = 200, .body = kBlankAnswer, .at = at});
    }
  }
  return all;
}

/// One operation under way: the smallest host there can be.
template <class Machine>
struct Course {
  Machine machine;
  Instant now{};
  Duration slept{0};
  std::uint32_t sleeps = 0;

  void tell(const core::Event& event, Instant at) {
    now = at;
    const Actions actions = machine.handle(event, now);
    for (const core::Action& action : actions) {
      if (const auto* send = std::get_if<core::SendAttempt>(&action)) {
        (void)machine.handle(core::AttemptStarted{send->attempt}, now);
      }
    }
  }
  [[nodiscard]] bool is_over() const {
    return machine.state() == decltype(machine.state())::kFinished;
  }

  /// Plays the call under way to its end and sleeps. @return whether this behaviour is possible.
  bool play(const Behaviour& chosen) {
    using State = decltype(machine.state());
    const core::AttemptId id = machine.attempt();
    const std::optional<Instant> deadline = machine.next_wakeup();
    Instant at = chosen.headers == Wait::kLongest && deadline ? *deadline - kTick : now;
    if (chosen.at) {
      at = Instant(*chosen.at);
      if (at < now || (deadline && at >= *deadline)) {
        return false;
      }
    }
    if (chosen.status == 0 && chosen.silent) {
      tell(core::WakeupReached{}, *deadline);
    } else if (chosen.status == 0) {
      tell(core::AttemptFailed{id, core::ConnectionFault::kRefused, {}}, at);
    } else {
      answer(id, chosen, at);
    }
    if (machine.state() == State::kSleeping) {
      slept += machine.ordered_sleep()->duration;
      ++sleeps;
      tell(core::WakeupReached{}, *machine.next_wakeup());
    }
    return true;
  }

 private:
  void answer(core::AttemptId id, const Behaviour& chosen, Instant at) {
    core::ResponseHead head{.status = chosen.status,
                            .content_length = std::nullopt,
                            .retry_after = std::nullopt,
                            .retry_after_ms = std::nullopt};
    if (!chosen.retry_after_ms.empty()) {
      head.retry_after_ms = chosen.retry_after_ms;
    }
    tell(core::HeadersReceived{id, head, core::WallInstant{}}, at);
    switch (chosen.ending) {
      case Body::kEnds:
        body(id, chosen.body, now);
        tell(core::BodyEnded{id}, now);
        return;
      case Body::kLateEnd:
        body(id, chosen.body, *machine.next_wakeup() - kTick);
        tell(core::BodyEnded{id}, now);
        return;
      case Body::kByteThenStalls:
        body(id, "<", *machine.next_wakeup() - kTick);
        [[fallthrough]];
      case Body::kStalls:
        tell(core::WakeupReached{}, *machine.next_wakeup());
        return;
      case Body::kBreaks:
        tell(core::AttemptFailed{id, core::ConnectionFault::kBodyReset, {}}, now);
        return;
    }
  }
  void body(core::AttemptId id, std::string_view bytes, Instant at) {
    if (!bytes.empty()) {
      tell(core::BytesReceived{id, bytes}, at);
    }
  }
};

/// The extremes of all courses.
struct Found {
  std::uint32_t calls_max = 0;
  std::uint32_t calls_min = ~0U;
  Duration longest{0};
  Duration most_slept{0};
  std::uint64_t played = 0;

  template <class Machine>
  void note(const Course<Machine>& course) {
    calls_max = std::max(calls_max, course.machine.attempt());
    calls_min = std::min(calls_min, course.machine.attempt());
    longest = std::max(longest, course.now.time_since_epoch());
    most_slept = std::max(most_slept, course.slept);
  }
};

template <class Machine>
void search(const Machine& machine, const std::vector<Behaviour>& behaviours, bool merges,
            Found& found) {
  Course<Machine> first{machine};
  first.tell(core::OperationStarted{}, Instant{});
  std::vector<Course<Machine>> courses;
  if (first.is_over()) {
    found.note(first);
  } else {
    courses.push_back(std::move(first));
  }
  while (!courses.empty()) {
    std::vector<Course<Machine>> next;
    // The number of sleeps so far decides the slot; with the instant and the sum of the sleeps it
    // is all that a decision can depend on.
    std::map<std::tuple<Instant, Duration, std::uint32_t>, bool> seen;
    for (const Course<Machine>& course : courses) {
      for (const Behaviour& behaviour : behaviours) {
        Course<Machine> followed = course;
        if (!followed.play(behaviour)) {
          continue;
        }
        ++found.played;
        if (followed.is_over()) {
          found.note(followed);
          continue;
        }
        bool& known = seen[{followed.now, followed.slept, followed.sleeps}];
        if (!known || !merges) {
          known = true;
          next.push_back(std::move(followed));
        }
      }
    }
    courses = std::move(next);
  }
}

std::shared_ptr<const core::ChatRequest> chat_request() {
  return std::make_shared<const core::ChatRequest>(
      R"("model":"m")", std::vector<std::string>{R"({"role":"user","content":"?"})"});
}

/// A word that draws the longest sleep in every slot: one less than a multiple of all widths.
std::uint64_t longest_word(const RetryPolicy& policy) {
  std::uint64_t multiple = 1;
  for (std::uint32_t slot = 0; slot < std::min(core::sleeps_max(policy), 6U); ++slot) {
    const core::SleepInterval sleep = core::sleep_interval(policy, slot);
    multiple = std::lcm(multiple, sleep.max_ms - sleep.min_ms + 1);
  }
  return multiple - 1;
}

/// Searches all courses of `kind` under `policy`, for each way that chance can fall: all sleeps at
/// their shortest or longest. In every combination where a time budget lets one decide about the
/// next, else all alike and in turns.
Found search(const RetryPolicy& policy, OperationKind kind, bool merges = true,
             std::vector<Behaviour> extra = {}) {
  std::vector<Behaviour> all =
      behaviours(kind == OperationKind::kToolCall ? kToolAnswer : kChatAnswer);
  for (std::vector<Behaviour> more : {aimed_at(policy), std::move(extra)}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  Found found;
  const std::uint64_t longest = longest_word(policy);
  const std::uint32_t slots = std::min(core::sleeps_max(policy), 5U);
  const std::uint32_t patterns = 1U << slots;
  for (std::uint32_t pattern = 0; pattern < patterns; ++pattern) {
    const bool alike_or_in_turns = pattern == 0 || pattern == patterns - 1 ||
                                   pattern == (0b10101U & (patterns - 1)) ||
                                   pattern == (0b01010U & (patterns - 1));
    if (!policy.budgets.time && !alike_or_in_turns) {
      continue;
    }
    std::vector<std::uint64_t> words;
    for (std::uint32_t draw = 0; draw < slots; ++draw) {
      words.push_back((pattern >> draw & 1U) != 0 ? longest : 0);
    }
    const core::RandomStream jitter = core::RandomStream(1).beginning_with(words);
    switch (kind) {
      case OperationKind::kAgentChat:
        search(core::llm::AgentChat(policy, chat_request(), jitter, true), all, merges, found);
        break;
      case OperationKind::kExtraction:
      case OperationKind::kComment:
        search(core::llm::Extraction(policy,
                                     {.request = chat_request(),
                                      .target = {},
                                      .validator = {},
                                      .falls_back = kind == OperationKind::kComment},
                                     jitter, true),
               all, merges, found);
        break;
      case OperationKind::kSynthesis:
        search(core::llm::Synthesis(policy, chat_request(), {{"a"}, {"b"}}, jitter, true), all,
               merges, found);
        break;
      case OperationKind::kResearchSynthesis:
        search(core::llm::ResearchSynthesis(policy, chat_request(), jitter, true), all, merges,
               found);
        break;
      case OperationKind::kContinuation:
        search(core::llm::Continuation(policy, {.request = chat_request(), .reasoning = "thinking"},
                                       jitter, true),
               all, merges, found);
        break;
      case OperationKind::kToolCall: {
        const auto request = core::connector::ToolRequest::make(1, "t", "{}");
        search(core::connector::ToolCall(
                   policy,
                   {.request = std::make_shared<const core::connector::ToolRequest>(*request),
                    .settings = std::nullopt},
                   jitter, true),
               all, merges, found);
        break;
      }
    }
  }
  return found;
}

/// Nothing found may lie beyond a bound, and every bound must be found.
void expect_found(const RetryPolicy& policy, OperationKind kind, bool merges = true) {
  const auto worst = worst_case(policy, kind);
  ASSERT_TRUE(worst.has_value());
  const Found found = search(policy, kind, merges);
  EXPECT_EQ(found.calls_max, worst->calls_max);
  EXPECT_EQ(found.calls_min, worst->calls_min);
  EXPECT_EQ(found.most_slept.count(), worst->sleep.total.count());
  EXPECT_EQ(found.longest.count(), worst->longest[1].operation.count());
  testing::Test::RecordProperty("played", std::to_string(found.played));
}

RetryPolicy with_attempts(RetryPolicy policy, std::uint32_t attempts) {
  policy.budgets.attempts_max = attempts;
  return policy;
}

TEST(ExhaustiveSearch, DefaultPolicyWithSixCalls) {
  expect_found(with_attempts(core::default_policy(), 6), OperationKind::kAgentChat);
}

TEST(ExhaustiveSearch, EveryCourseIsFollowed) {
  expect_found(with_attempts(core::default_policy(), 3), OperationKind::kAgentChat, false);
}

TEST(ExhaustiveSearch, ShippedPoliciesOfThreeCalls) {
  expect_found(core::synthesis_policy(), OperationKind::kSynthesis);
  expect_found(core::synthesis_policy(), OperationKind::kResearchSynthesis);
  expect_found(core::comment_policy(), OperationKind::kComment);
  expect_found(core::continuation_policy(), OperationKind::kContinuation);
  expect_found(core::continuation_policy(), OperationKind::kAgentChat);
}

TEST(ExhaustiveSearch, EveryOperationUnderTheDefaultPolicy) {
  for (const OperationKind kind :
       {OperationKind::kExtraction, OperationKind::kSynthesis, OperationKind::kResearchSynthesis,
        OperationKind::kContinuation, OperationKind::kToolCall}) {
    SCOPED_TRACE(static_cast<int>(kind));
    expect_found(with_attempts(core::default_policy(), 4), kind);
  }
}

TEST(ExhaustiveSearch, ConnectorWithSixCalls) {
  expect_found(with_attempts(core::connector::connector_policy(), 6), OperationKind::kToolCall);
}

TEST(ExhaustiveSearch, TimeBudgetOfAnLlmPolicy) {
  RetryPolicy policy = with_attempts(core::default_policy(), 4);
  for (const Duration budget : {Duration(0), Duration(milliseconds(5'000)),
                                Duration(milliseconds(66'249) + nanoseconds(1))}) {
    SCOPED_TRACE(budget.count());
    policy.budgets.time = budget;
    const auto worst = worst_case(policy, OperationKind::kAgentChat);
    ASSERT_TRUE(worst.has_value());
    const Found found = search(policy, OperationKind::kAgentChat);
    EXPECT_EQ(found.longest.count(), worst->longest[1].operation.count());
    EXPECT_EQ(found.calls_max, worst->calls_max);
    EXPECT_LE(found.most_slept, worst->sleep.total);
  }
}

TEST(ExhaustiveSearch, WhatIsRetriedDecidesTheBound) {
  for (int without = 0; without < 16; ++without) {
    RetryPolicy policy = with_attempts(core::default_policy(), 3);
    SCOPED_TRACE(without);
    if ((without & 1) != 0) {
      policy.retry_on.statuses = {};
    }
    policy.retry_on.connection_failures = (without & 2) == 0;
    policy.retry_on.cut_bodies = (without & 4) == 0;
    policy.retry_on.unusable_answers = (without & 8) == 0;
    expect_found(policy, OperationKind::kAgentChat);
    expect_found(policy, OperationKind::kExtraction);
    expect_found(policy, OperationKind::kResearchSynthesis);
    expect_found(policy, OperationKind::kToolCall);
  }
}

TEST(ExhaustiveSearch, TwoWaitsForTheBody) {
  const RetryPolicy policy = with_attempts(core::default_policy(), 4);
  const auto worst = worst_case(policy, OperationKind::kAgentChat, 2);
  ASSERT_TRUE(worst.has_value());
  std::vector<Behaviour> late_byte;
  for (const char* const asked : {"", "60000"}) {
    late_byte.push_back({.status = 429,
                         .retry_after_ms = asked,
                         .headers = Wait::kLongest,
                         .ending = Body::kByteThenStalls});
  }
  EXPECT_EQ(search(policy, OperationKind::kAgentChat, true, late_byte).longest.count(),
            worst->longest[2].operation.count());
}

TEST(ExhaustiveSearch, IdleAndAttemptTimeoutTogether) {
  RetryPolicy policy = with_attempts(core::default_policy(), 4);
  for (const Duration attempt :
       {Duration(seconds(600)), Duration(seconds(700)), Duration(seconds(1'200) - nanoseconds(1)),
        Duration(seconds(1'300))}) {
    SCOPED_TRACE(attempt.count());
    policy.timeouts.attempt = attempt;
    expect_found(policy, OperationKind::kAgentChat);
    expect_found(policy, OperationKind::kToolCall);
  }
}

}  // namespace
}  // namespace squall::analysis
