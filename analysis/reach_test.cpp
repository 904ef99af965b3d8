// SPDX-License-Identifier: MIT
#include "analysis/reach.hpp"

#include <set>

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace squall::analysis {
namespace {

ReachProblem problem(std::int64_t limit, std::uint32_t steps, std::vector<Stretch> each) {
  return {.limit = limit,
          .steps_max = steps,
          .choices = [each = std::move(each)](std::uint32_t) { return each; },
          .alike_from = 0};
}

TEST(Reach, TakesAsFewStepsAsTheLimitNeeds) {
  const Reached reached = reach(problem(10, 5, {{2, 4}}));
  EXPECT_EQ(reached.sum, 10);
  EXPECT_EQ(reached.parts, (std::vector<ReachedStep>{{0, 4}, {0, 4}, {0, 2}}));
}

TEST(Reach, StopsWhereStepsEnd) {
  EXPECT_EQ(reach(problem(100, 3, {{2, 4}})).sum, 12);
  EXPECT_EQ(reach(problem(100, 0, {{2, 4}})).sum, 0);
}

TEST(Reach, FindsTheLargestSumBelowAGap) {
  // 3 or 10 to 11: 3, 6, 9, 10, 11, 13 ... nothing gives 8, and 7 neither.
  EXPECT_EQ(reach(problem(8, 9, {{3, 3}, {10, 11}})).sum, 6);
}

TEST(Reach, AStepThatDoesNotFitIsNotTaken) {
  const Reached reached = reach(problem(4, 9, {{5, 7}}));
  EXPECT_EQ(reached.sum, 0);
  EXPECT_TRUE(reached.parts.empty());
}

TEST(Reach, EndlessStepsOfNothingEnd) {
  EXPECT_EQ(reach(problem(4, 1'000'000'000, {{0, 0}})).sum, 0);
}

TEST(Reach, TheTailTakesTheRest) {
  ReachProblem tailed = problem(10, 3, {{4, 4}});
  tailed.tail_max = [](std::uint32_t steps) { return steps < 3 ? 1 : 0; };
  const Reached reached = reach(tailed);
  EXPECT_EQ(reached.sum, 9);  // 4 + 4 + 1; three steps exceed 10.
  EXPECT_EQ(reached.tail, 1);
}

/// Every sum, one by one.
std::int64_t by_hand(const ReachProblem& asked) {
  std::set<std::int64_t> sums{0};
  std::int64_t best = std::min(asked.limit, asked.tail_max(0));
  for (std::uint32_t step = 0; step < asked.steps_max; ++step) {
    std::set<std::int64_t> next;
    for (const std::int64_t sum : sums) {
      for (const Stretch& choice : asked.choices(step)) {
        for (std::int64_t amount = choice.low; amount <= choice.high; ++amount) {
          if (sum + amount <= asked.limit) {
            next.insert(sum + amount);
          }
        }
      }
    }
    sums = std::move(next);
    if (sums.empty()) {
      break;
    }
    best = std::max(best, std::min(asked.limit, *sums.rbegin() + asked.tail_max(step + 1)));
  }
  return best;
}

TEST(Reach, AgreesWithCountingOutEverySum) {
  core::RandomStream draws(1);
  for (int trial = 0; trial < 5'000; ++trial) {
    std::vector<std::vector<Stretch>> steps(draws.next_below(6) + 1);
    for (std::vector<Stretch>& choices : steps) {
      choices.resize(draws.next_below(2) + 1);
      for (Stretch& choice : choices) {
        choice.low = static_cast<std::int64_t>(draws.next_below(15));
        choice.high = choice.low + static_cast<std::int64_t>(draws.next_below(5));
      }
    }
    const auto tail = static_cast<std::int64_t>(draws.next_below(4));
    const auto count = static_cast<std::uint32_t>(steps.size());
    const ReachProblem asked{
        .limit = static_cast<std::int64_t>(draws.next_below(60)),
        .steps_max = count,
        .choices = [&](std::uint32_t step) { return steps.at(step); },
        .alike_from = count - 1,
        .tail_max = [&](std::uint32_t taken) { return tail * (count - taken); }};
    const Reached reached = reach(asked);
    ASSERT_EQ(reached.sum, by_hand(asked)) << trial;
    // The parts must be possible and add up.
    std::int64_t sum = reached.tail;
    ASSERT_LE(reached.tail, asked.tail_max(static_cast<std::uint32_t>(reached.parts.size())));
    for (std::size_t step = 0; step < reached.parts.size(); ++step) {
      const ReachedStep& part = reached.parts[step];
      ASSERT_GE(part.amount, steps[step].at(part.choice).low);
      ASSERT_LE(part.amount, steps[step].at(part.choice).high);
      sum += part.amount;
    }
    ASSERT_EQ(sum, reached.sum);
  }
}

}  // namespace
}  // namespace squall::analysis
