// SPDX-License-Identifier: MIT
//
// The machine itself is proven through the operations that use it, chat and tool call alike. Here
// is what no single one of them shows: that it asks nothing of a strategy but the concept, and what
// becomes of an attempt whose start the host never confirmed.
#include "core/retrying_operation.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "core/driver.hpp"

namespace squall::core {

/// A taxonomy of its own.
enum class Knock : std::uint8_t { kTransport, kNobodyHome };
constexpr std::string_view label(Knock knock) {
  return knock == Knock::kTransport ? "transport" : "nobody_home";
}
constexpr bool is_retryable(Knock) {
  return true;
}

namespace {

using std::chrono::seconds;

struct Door {
  int number = 7;
};
struct Open {
  std::string word;
};
struct Closed {
  int status = 0;
};

/// Knocks until a door says "done"; every other open door is a part of the result.
struct Visitor {
  using Class = Knock;
  using Request = Door;
  using Answer = Open;
  using Failure = Closed;
  using Result = std::variant<std::monostate, std::string>;
  using Context = OperationContext<Knock>;

  bool stays_at_home = false;
  Door door;
  std::string heard;
  Result heard_at_the_end;

  [[nodiscard]] const Door& request() const { return door; }
  [[nodiscard]] NextStep on_start(Context&) { return stays_at_home ? end() : NextStep::send_now(); }
  [[nodiscard]] static std::variant<Open, Closed> judge(const Attempt& attempt, AttemptEnd end,
                                                        const RetryPolicy&,
                                                        std::optional<std::uint64_t>) {
    if (end == AttemptEnd::kAnswered && attempt.status() == 200) {
      return Open{attempt.body()};
    }
    return Closed{attempt.status()};
  }
  NextStep on_answer(const Open& answer, Context& context) {
    heard += answer.word;
    if (answer.word == "done") {
      return end();
    }
    context.record_accepted_round();
    return NextStep::send_now();
  }
  static NextStep on_failure(const Closed& failure, Context& context) {
    context.record({Knock::kNobodyHome, std::to_string(failure.status), std::nullopt, {}});
    return NextStep::send_now();
  }
  void on_exhausted(Context&) { end(); }
  [[nodiscard]] static FailureRecord<Knock> shutdown_failure() {
    return {Knock::kTransport, "stopped", std::nullopt, std::nullopt};
  }
  void on_shutdown(bool, Context&) {
    heard += " stopped";
    end();
  }
  [[nodiscard]] const Result& result() const { return heard_at_the_end; }
  NextStep end() {
    heard_at_the_end = heard;
    return NextStep::finish();
  }
};

using Visit = RetryingOperation<Visitor>;
static_assert(OperationMachine<Visit>);

Instant at(int second) {
  return Instant{seconds(second)};
}

Visit visit(bool stays_at_home = false) {
  return Visit(
      default_policy(),
      Visitor{.stays_at_home = stays_at_home, .door = {}, .heard = {}, .heard_at_the_end = {}},
      RandomStream(1), /*metadata=*/true);
}

/// Ends attempt `id` with this answer at `second`; returns the orders that follow.
Actions answer(Visit& machine, AttemptId id, int status, std::string_view body, int second) {
  ResponseHead head;
  head.status = status;
  EXPECT_TRUE(machine.handle(HeadersReceived{id, head, WallInstant{}}, at(second)).empty());
  if (!body.empty()) {
    EXPECT_TRUE(machine.handle(BytesReceived{id, body}, at(second)).empty());
  }
  return machine.handle(BodyEnded{id}, at(second));
}

/// The duration in the first failure row among `actions`.
std::optional<Duration> duration_in(const Actions& actions) {
  for (const Action& action : actions) {
    if (const auto* row = std::get_if<RecordFailure>(&action)) {
      return row->attempt_duration;
    }
  }
  ADD_FAILURE() << "no failure row";
  return std::nullopt;
}

TEST(RetryingOperation, RunsAnyStrategyWithATaxonomyOfItsOwn) {
  Visit machine = visit();
  (void)machine.handle(OperationStarted{}, at(0));
  EXPECT_EQ(machine.request().number, 7);
  (void)answer(machine, 1, 404, {}, 1);
  (void)answer(machine, 2, 200, "done", 2);
  EXPECT_EQ(machine.state(), OperationState::kFinished);
  EXPECT_EQ(machine.result(), Visitor::Result("done"));
  EXPECT_EQ(machine.trail(),
            (Trail<Knock>{{Knock::kNobodyHome, "404", std::nullopt, std::nullopt}}));
}

TEST(RetryingOperation, AStrategyMayEndItBeforeTheFirstAttempt) {
  Visit machine = visit(/*stays_at_home=*/true);
  const Actions actions = machine.handle(OperationStarted{}, at(3));
  ASSERT_EQ(actions.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<RecordRequest>(actions.begin()[0]));
  EXPECT_TRUE(std::holds_alternative<FinishOperation>(actions.begin()[1]));
  EXPECT_EQ(machine.state(), OperationState::kFinished);
  EXPECT_EQ(machine.attempt(), 0U);
  EXPECT_EQ(machine.result(), Visitor::Result(""));
}

// The start of an accepted round serves no record, so it is still there when the next attempt is
// ordered. That attempt must not inherit it.
TEST(RetryingOperation, AnAttemptNeverTakesItsStartFromTheRoundBeforeIt) {
  Visit machine = visit();
  (void)machine.handle(OperationStarted{}, at(0));
  (void)machine.handle(AttemptStarted{1}, at(1));
  (void)answer(machine, 1, 200, "part", 2);
  EXPECT_EQ(machine.attempt(), 2U);
  EXPECT_EQ(duration_in(answer(machine, 2, 500, {}, 9)), std::nullopt) << "never confirmed";
  (void)machine.handle(AttemptStarted{3}, at(10));
  EXPECT_EQ(duration_in(answer(machine, 3, 500, {}, 14)), std::optional<Duration>(seconds(4)));
}

TEST(RetryingOperation, AShutdownOfAnUnconfirmedAttemptHasNoDurationEither) {
  Visit machine = visit();
  (void)machine.handle(OperationStarted{}, at(0));
  (void)machine.handle(AttemptStarted{1}, at(1));
  (void)answer(machine, 1, 200, "part", 2);
  EXPECT_EQ(duration_in(machine.handle(ShutdownRequested{}, at(5))), std::nullopt);
  EXPECT_EQ(machine.result(), Visitor::Result("part stopped"));
}

}  // namespace
}  // namespace squall::core
