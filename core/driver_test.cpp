// SPDX-License-Identifier: MIT
#include "core/driver.hpp"

#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace squall::core {
namespace {

using std::chrono::seconds;

Instant at(Duration since_start) {
  return Instant{since_start};
}

/// Answers each event with the next actions of a script and notes what it was told.
struct ScriptedMachine {
  std::deque<Actions> script;
  std::optional<Instant> wakeup;
  std::vector<std::string> told;

  Actions handle(const Event& event, Instant now) {
    std::string line = std::to_string(event.index());
    if (const auto* started = std::get_if<AttemptStarted>(&event)) {
      line = "started " + std::to_string(started->attempt);
    }
    told.push_back(line + " at " + std::to_string(now.time_since_epoch() / seconds(1)));
    if (script.empty()) {
      return {};
    }
    const Actions actions = script.front();
    script.pop_front();
    return actions;
  }
  [[nodiscard]] std::optional<Instant> next_wakeup() const { return wakeup; }
};

/// Writes down every call. Its clock moves on by a second with each request it sends.
struct NotingHost {
  Instant time = at(seconds(100));
  std::vector<std::string> calls;

  [[nodiscard]] Instant now() const { return time; }
  void observe(const Event& event, const Actions& actions, const ScriptedMachine& machine) {
    calls.push_back("observe event " + std::to_string(event.index()) + " with " +
                    std::to_string(actions.size()) + " after " +
                    std::to_string(machine.told.size()));
  }
  void send_attempt(AttemptId attempt, const ScriptedMachine&) {
    calls.push_back("send " + std::to_string(attempt));
    time += seconds(1);
  }
  void abandon_attempt(AttemptId attempt) { calls.push_back("abandon " + std::to_string(attempt)); }
  void record_failure(const RecordFailure& row, const ScriptedMachine&) {
    calls.push_back("record " + std::to_string(row.trail_index) + " as " +
                    std::to_string(row.failure_index));
  }
  void record_request(const RecordRequest& row, const ScriptedMachine&) {
    calls.push_back("request " + std::to_string(row.duration / seconds(1)) + " s");
  }
  void finish_operation(const ScriptedMachine&) { calls.push_back("finish"); }
  void arm_wakeup(std::optional<Instant> wakeup) {
    calls.push_back(wakeup ? "arm " + std::to_string(wakeup->time_since_epoch() / seconds(1))
                           : "disarm");
  }
};

Actions actions_of(std::initializer_list<Action> list) {
  Actions actions;
  for (const Action& action : list) {
    actions.add(action);
  }
  return actions;
}

using Lines = std::vector<std::string>;

TEST(Driver, AnEventWithoutOrdersIsObservedAndTheWakeupRearmed) {
  ScriptedMachine machine;
  machine.wakeup = at(seconds(130));
  NotingHost host;
  Driver(machine, host).deliver(OperationStarted{});
  EXPECT_EQ(host.calls, (Lines{"observe event 0 with 0 after 1", "arm 130"}));
  EXPECT_EQ(machine.told, (Lines{"0 at 100"}));
}

TEST(Driver, ASentAttemptIsConfirmedAtOnceAndTheWakeupArmedOnlyThen) {
  ScriptedMachine machine;
  machine.script = {actions_of({SendAttempt{3}})};
  machine.wakeup = at(seconds(700));
  NotingHost host;
  Driver(machine, host).deliver(OperationStarted{});
  EXPECT_EQ(host.calls, (Lines{"observe event 0 with 1 after 1", "send 3",
                               "observe event 1 with 0 after 2", "arm 700"}));
  EXPECT_EQ(machine.told, (Lines{"0 at 100", "started 3 at 101"}));
}

TEST(Driver, OrdersAreCarriedOutInTheirOrder) {
  ScriptedMachine machine;
  machine.script = {actions_of({AbandonAttempt{1}, RecordFailure{0, 1, std::nullopt},
                                RecordRequest{.duration = seconds(9)}, FinishOperation{}})};
  NotingHost host;
  Driver(machine, host).deliver(ShutdownRequested{});
  EXPECT_EQ(host.calls, (Lines{"observe event 7 with 4 after 1", "abandon 1", "record 0 as 1",
                               "request 9 s", "finish", "disarm"}));
}

TEST(Driver, AFailureIsRecordedBeforeTheNextAttemptIsSent) {
  ScriptedMachine machine;
  machine.script = {
      actions_of({AbandonAttempt{1}, RecordFailure{4, 5, std::nullopt}, SendAttempt{2}})};
  NotingHost host;
  Driver(machine, host).deliver(WakeupReached{});
  EXPECT_EQ(host.calls, (Lines{"observe event 6 with 3 after 1", "abandon 1", "record 4 as 5",
                               "send 2", "observe event 1 with 0 after 2", "disarm"}));
}

}  // namespace
}  // namespace squall::core
