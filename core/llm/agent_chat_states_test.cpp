// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "core/check.hpp"
#include "core/llm/agent_chat.hpp"
#include "core/llm/agent_chat_test_support.hpp"

namespace squall::core::llm {
namespace {

// Every event in every state, and what it means that an operation is a value.

using std::chrono::seconds;

/// Machines in each state, last told something at 18 s; sleeps of 5 s, no jitter.
AgentChat idle() {
  return chat_with(without_jitter());
}
AgentChat ordered() {
  AgentChat chat = idle();
  (void)chat.handle(OperationStarted{}, at(seconds(10)));
  return chat;
}
AgentChat waiting() {
  AgentChat chat = ordered();
  (void)chat.handle(AttemptStarted{1}, at(seconds(10)));
  return chat;
}
AgentChat reading() {
  AgentChat chat = waiting();
  (void)chat.handle(headers(1, 200), at(seconds(15)));
  return chat;
}
AgentChat sleeping() {
  AgentChat chat = waiting();
  (void)chat.handle(refused(1), at(seconds(18)));
  return chat;
}
AgentChat succeeded() {
  AgentChat chat = reading();
  (void)chat.handle(BytesReceived{1, kGoodAnswer}, at(seconds(18)));
  (void)chat.handle(BodyEnded{1}, at(seconds(18)));
  return chat;
}
AgentChat exhausted() {
  AgentChat chat = waiting();
  (void)chat.handle(headers(1, 400), at(seconds(18)));
  (void)chat.handle(BodyEnded{1}, at(seconds(18)));
  return chat;
}

constexpr std::string_view kIgnored = "ignored";
constexpr std::string_view kBroken = "broken check";

/// What `event` at `now` makes of the machine.
std::string outcome(AgentChat chat, const Event& event, Instant now) {
  const std::string before = show(chat);
  const LlmTrail trail = chat.trail();
  const AgentChatResult result = chat.result();
  const AttemptId attempt = chat.attempt();
  std::string orders;
  try {
    orders = show(chat.handle(event, now));
  } catch (const CheckFailed&) {
    return std::string(kBroken);
  }
  if (orders.empty() && show(chat) == before) {
    EXPECT_EQ(chat.trail(), trail);
    EXPECT_EQ(chat.result(), result);
    EXPECT_EQ(chat.attempt(), attempt);
    return std::string(kIgnored);
  }
  return (orders.empty() ? "" : orders + " -> ") + show(chat);
}

TEST(AgentChatTable, EveryEventInEveryState) {
  struct Row {
    std::string name;
    Event event;
    Instant now;
    // idle, ordered, waiting, reading, sleeping; finished machines ignore everything.
    std::vector<std::string> outcomes;
  };
  const Instant now = at(seconds(20));
  const Instant due = at(seconds(10'000));
  const std::string ignored(kIgnored);
  const std::string broken(kBroken);
  const Lines all_ignored(5, ignored);
  const std::vector<Row> table{
      {"operation started",
       OperationStarted{},
       now,
       {"send 1 -> in flight, wakes 620s", ignored, ignored, ignored, ignored}},
      {"attempt started",
       AttemptStarted{1},
       now,
       {ignored, "in flight, wakes 620s", ignored, ignored, ignored}},
      {"headers",
       headers(1, 200),
       now,
       {ignored, "in flight, wakes 620s", "in flight, wakes 620s", ignored, ignored}},
      {"bytes",
       BytesReceived{1, "x"},
       now,
       {ignored, broken, broken, "in flight, wakes 620s", ignored}},
      {"no bytes",
       BytesReceived{1, ""},
       now,
       {ignored, broken, broken, "in flight, wakes 620s", ignored}},
      {"body ended",
       BodyEnded{1},
       now,
       {ignored, broken, broken, "record 0 as 1 after 10s -> sleeping, wakes 25s", ignored}},
      {"attempt failed",
       refused(1),
       now,
       {ignored, "record 0 as 1 -> sleeping, wakes 25s",
        "record 0 as 1 after 10s -> sleeping, wakes 25s",
        "record 0 as 1 after 10s -> sleeping, wakes 25s", ignored}},
      {"early wakeup", WakeupReached{}, now, all_ignored},
      {"due wakeup",
       WakeupReached{},
       due,
       {ignored, "abandon 1, record 0 as 1 -> sleeping, wakes 10005s",
        "abandon 1, record 0 as 1 after 9990s -> sleeping, wakes 10005s",
        "abandon 1, record 0 as 1 after 9990s -> sleeping, wakes 10005s",
        "send 2 -> in flight, wakes 10600s"}},
      {"shutdown",
       ShutdownRequested{},
       now,
       {"request after 0s, finish -> finished",
        "abandon 1, record 0 as 1, request after 10s, finish -> finished",
        "abandon 1, record 0 as 1 after 10s, request after 10s, finish -> finished",
        "abandon 1, record 0 as 1 after 10s, request after 10s, finish -> finished",
        "request after 10s, finish -> finished"}},
      {"other attempt started", AttemptStarted{2}, now, all_ignored},
      {"other headers", headers(2, 503, "30"), now, all_ignored},
      {"other bytes", BytesReceived{2, "x"}, now, all_ignored},
      {"other body ended", BodyEnded{2}, now, all_ignored},
      {"other attempt failed", refused(2), now, all_ignored},
      {"other facts when a timeout is due", refused(2), due, all_ignored},
  };
  for (const Row& row : table) {
    ASSERT_EQ(row.outcomes.size(), 5U);
    EXPECT_EQ(outcome(idle(), row.event, row.now), row.outcomes[0]) << row.name << ", idle";
    EXPECT_EQ(outcome(ordered(), row.event, row.now), row.outcomes[1]) << row.name << ", ordered";
    EXPECT_EQ(outcome(waiting(), row.event, row.now), row.outcomes[2]) << row.name << ", waiting";
    EXPECT_EQ(outcome(reading(), row.event, row.now), row.outcomes[3]) << row.name << ", reading";
    EXPECT_EQ(outcome(sleeping(), row.event, row.now), row.outcomes[4]) << row.name << ", sleeping";
    EXPECT_EQ(outcome(succeeded(), row.event, row.now), kIgnored) << row.name << ", succeeded";
    EXPECT_EQ(outcome(exhausted(), row.event, row.now), kIgnored) << row.name << ", exhausted";
  }
}

TEST(AgentChatTable, NextWakeupInEveryState) {
  EXPECT_EQ(show(idle()), "idle");
  EXPECT_EQ(show(ordered()), "in flight, wakes 610s");
  EXPECT_EQ(show(waiting()), "in flight, wakes 610s");
  EXPECT_EQ(show(reading()), "in flight, wakes 615s");
  EXPECT_EQ(show(sleeping()), "sleeping, wakes 23s");
  EXPECT_EQ(show(succeeded()), "finished");
  EXPECT_EQ(show(exhausted()), "finished");
}

using Script = std::vector<std::pair<Event, Instant>>;

Script long_script() {
  Script script{{OperationStarted{}, at(seconds(0))},
                {AttemptStarted{1}, at(seconds(0))},
                {headers(1, 429, "9"), at(seconds(2))},
                {BytesReceived{1, "slow "}, at(seconds(3))},
                {BytesReceived{1, "down"}, at(seconds(4))},
                {BodyEnded{1}, at(seconds(4))},
                {WakeupReached{}, at(seconds(13))},
                {AttemptStarted{2}, at(seconds(13))},
                {refused(2), at(seconds(14))},
                {WakeupReached{}, at(seconds(60))},
                {AttemptStarted{3}, at(seconds(60))},
                {WakeupReached{}, at(seconds(700))},
                {WakeupReached{}, at(seconds(800))},
                {AttemptStarted{4}, at(seconds(800))},
                {headers(4, 200), at(seconds(801))},
                {BytesReceived{4, kGoodAnswer}, at(seconds(802))},
                {BodyEnded{4}, at(seconds(803))},
                {ShutdownRequested{}, at(seconds(804))}};
  return script;
}

void feed(AgentChat& chat, const Script& script, std::size_t from, std::size_t to, Lines& log) {
  for (std::size_t i = from; i < to; ++i) {
    const Actions actions = chat.handle(script[i].first, script[i].second);
    log.push_back(show(actions) + " | " + show(chat));
  }
}

TEST(AgentChatValue, ACopyMadeAtAnyPointContinuesIdentically) {
  const Script script = long_script();
  AgentChat reference = chat_with(default_policy());
  Lines expected;
  feed(reference, script, 0, script.size(), expected);
  ASSERT_TRUE(std::holds_alternative<ChatAnswer>(reference.result()));
  ASSERT_EQ(reference.trail().size(), 3U);

  for (std::size_t point = 0; point <= script.size(); ++point) {
    AgentChat original = chat_with(default_policy());
    Lines original_log;
    feed(original, script, 0, point, original_log);

    AgentChat copy = original;
    Lines copy_log = original_log;
    feed(copy, script, point, script.size(), copy_log);
    EXPECT_EQ(copy_log, expected) << point;
    EXPECT_EQ(copy.result(), reference.result()) << point;
    EXPECT_EQ(copy.trail(), reference.trail()) << point;

    // The copy went to its end; the original must not have noticed.
    AgentChat assigned = idle();
    assigned = original;
    feed(original, script, point, script.size(), original_log);
    EXPECT_EQ(original_log, expected) << point;
    EXPECT_EQ(original.result(), reference.result()) << point;

    AgentChat moved = std::move(assigned);
    Lines moved_log(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(point));
    feed(moved, script, point, script.size(), moved_log);
    EXPECT_EQ(moved_log, expected) << point;
  }
}

// The text that events carry is borrowed: a machine must not look at it after the call.
TEST(AgentChatValue, KeepsNoViewOfAnEventsText) {
  AgentChat chat = chat_with(default_policy());
  (void)chat.handle(OperationStarted{}, at(seconds(0)));
  {
    std::string retry_after = "7";
    (void)chat.handle(headers(1, 503, retry_after), at(seconds(0)));
    retry_after = "9";
    std::string body = "out of order";
    (void)chat.handle(BytesReceived{1, body}, at(seconds(0)));
    body.assign(body.size(), '#');
    std::string detail = "ECONNRESET";
    (void)chat.handle(AttemptFailed{1, ConnectionFault::kBodyReset, detail}, at(seconds(0)));
    detail.assign(detail.size(), '#');
  }
  ASSERT_EQ(chat.trail().size(), 1U);
  EXPECT_EQ(chat.trail()[0].retry_after_ms, 7'000U);
  EXPECT_EQ(chat.trail()[0].error_chain,
            "the provider answered HTTP 503: the response body ended after 12 bytes: connection "
            "reset while reading the response body: ECONNRESET: out of order");
}

}  // namespace
}  // namespace squall::core::llm
