// SPDX-License-Identifier: MIT
#include "simulator/event_queue.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/check.hpp"
#include "core/random.hpp"

namespace squall::simulator {
namespace {

using core::Duration;
using core::Instant;
using core::kEndOfTime;
using core::RandomStream;
using testing::ElementsAre;
using namespace std::chrono_literals;

using Queue = EventQueue<std::uint64_t>;

Instant at(Duration since_start) {
  return Instant{since_start};
}

std::vector<std::uint64_t> drain(Queue& queue) {
  std::vector<std::uint64_t> payloads;
  while (!queue.empty()) {
    payloads.push_back(queue.pop().payload);
  }
  return payloads;
}

TEST(EventQueue, PopsInOrderOfTime) {
  Queue queue;
  queue.push(at(20s), 3);
  queue.push(at(120ms), 1);
  queue.push(at(5s), 2);
  queue.push(at(0s), 0);
  EXPECT_EQ(queue.size(), 4U);
  EXPECT_EQ(queue.next_time(), at(0s));
  EXPECT_THAT(drain(queue), ElementsAre(0, 1, 2, 3));
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.now(), at(20s));
}

TEST(EventQueue, EqualInstantsPopInOrderOfPush) {
  Queue queue;
  queue.push(at(1s), 0);
  queue.push(at(2s), 10);
  queue.push(at(1s), 1);
  queue.push(at(2s), 11);
  EXPECT_EQ(queue.pop().payload, 0U);
  queue.push(at(1s), 2);
  queue.push(at(2s), 12);
  EXPECT_THAT(drain(queue), ElementsAre(1, 2, 10, 11, 12));
}

TEST(EventQueue, AnEventMayScheduleAnotherAtOnce) {
  Queue queue;
  queue.push(at(7ns), 0);
  for (std::uint64_t i = 0; i != 1000; ++i) {
    const auto event = queue.pop();
    ASSERT_EQ(event.payload, i);
    ASSERT_EQ(event.at, at(7ns));
    queue.push(event.at, i + 1);
  }
}

TEST(EventQueue, ManyEqualInstantsStayInOrderThroughEveryMove) {
  // Three instants that share all but their last bits, in turns, enough to overflow the front and
  // to fill several blocks; earlier events on all scales force the later ones to be dealt out again
  // and again, and more of the equals arrive after each.
  constexpr std::int64_t kFar = 0x0123'4567'89ab'cde0;
  Queue queue;
  std::array<std::uint64_t, 3> pushed{};
  const auto push_some = [&](int count) {
    for (int i = 0; i != count; ++i) {
      for (std::size_t which = 0; which != 3; ++which) {
        queue.push(at(Duration{kFar + static_cast<std::int64_t>(which)}),
                   1000 * pushed[which]++ + which);
      }
    }
  };
  constexpr std::uint64_t kEarly = 999;
  push_some(200);
  for (int shift = 56; shift >= 4; shift -= 4) {
    const std::int64_t early = kFar >> shift << shift;
    for (int i = 0; i != 100; ++i) {
      queue.push(at(Duration{early}), kEarly);
    }
  }
  push_some(10);
  std::array<std::uint64_t, 3> popped{};
  std::size_t early_popped = 0;
  while (!queue.empty()) {
    const auto event = queue.pop();
    if (event.payload == kEarly) {
      if (++early_popped % 50 == 0) {
        push_some(10);
      }
      continue;
    }
    const std::size_t which = event.payload % 1000;
    ASSERT_EQ(event.at, at(Duration{kFar + static_cast<std::int64_t>(which)}));
    ASSERT_EQ(event.payload / 1000, popped[which]++);
    if (which > 0) {
      ASSERT_EQ(popped[which - 1], pushed[which - 1]) << "an earlier instant was not finished";
    }
  }
  EXPECT_EQ(popped, pushed);
  EXPECT_EQ(early_popped, 1400U);
}

TEST(EventQueue, TheEndOfTimeIsAnInstantLikeAnyOther) {
  Queue queue;
  queue.push(kEndOfTime, 1);
  queue.push(kEndOfTime - 1ns, 0);
  queue.push(kEndOfTime, 2);
  EXPECT_EQ(queue.pop().at, kEndOfTime - 1ns);
  queue.push(kEndOfTime, 3);
  EXPECT_THAT(drain(queue), ElementsAre(1, 2, 3));
  EXPECT_EQ(queue.now(), kEndOfTime);
}

TEST(EventQueue, RefusesThePast) {
  Queue queue;
  EXPECT_THROW(queue.push(at(-1ns), 0), core::CheckFailed);
  queue.push(at(5s), 0);
  (void)queue.pop();
  EXPECT_THROW(queue.push(at(5s - 1ns), 0), core::CheckFailed);
  EXPECT_TRUE(queue.empty());
  queue.push(at(5s), 1);
  EXPECT_EQ(queue.pop().payload, 1U);
}

TEST(EventQueue, LookingAheadDoesNotForbidTheInstantsBetween) {
  Queue queue;
  for (std::uint64_t i = 0; i != 500; ++i) {
    queue.push(at(1h + Duration{static_cast<std::int64_t>(i)}), 1000 + i);
  }
  EXPECT_EQ(queue.next_time(), at(1h));
  for (std::uint64_t i = 0; i != 500; ++i) {
    queue.push(at(1s + Duration{static_cast<std::int64_t>(i)}), i);
    EXPECT_EQ(queue.next_time(), at(1s));
  }
  EXPECT_EQ(queue.pop().payload, 0U);
  queue.push(at(1s), 9999);
  EXPECT_EQ(queue.pop().payload, 9999U);
  EXPECT_EQ(queue.pop().payload, 1U);
}

TEST(EventQueue, EmptyHasNothingToPop) {
  Queue queue;
  EXPECT_THROW((void)queue.pop(), core::CheckFailed);
  EXPECT_THROW((void)queue.next_time(), core::CheckFailed);
}

// An independent model: a binary heap on (instant, sequence number).
class Model {
 public:
  using Entry = std::tuple<Instant, std::uint64_t, std::uint64_t>;

  void push(Instant instant, std::uint64_t payload) {
    heap_.emplace(instant, sequence_++, payload);
  }
  [[nodiscard]] Instant next_time() const { return std::get<0>(heap_.top()); }
  Entry pop() {
    const Entry entry = heap_.top();
    heap_.pop();
    return entry;
  }
  [[nodiscard]] std::size_t size() const { return heap_.size(); }

 private:
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap_;
  std::uint64_t sequence_ = 0;
};

/// A delay of one of several kinds, so that ties, near misses and huge leaps all occur.
Duration draw_delay(RandomStream& stream, std::uint64_t kind) {
  switch (kind) {
    case 0:
      return Duration{static_cast<std::int64_t>(stream.next_below(4))};
    case 1:
      return Duration{static_cast<std::int64_t>(stream.next_below(8)) * 1'000'000'000};
    case 2:
      return Duration{static_cast<std::int64_t>((stream.next() >> 1) >> stream.next_below(63))};
    case 3:
      return stream.next_below(3) == 0 ? Duration::max() : 0ns;
    default:
      return Duration{static_cast<std::int64_t>(stream.next_below(10'000'000'000))};
  }
}

void expect_same_as_model(Queue& queue, RandomStream stream) {
  Model model;
  const std::uint64_t kinds = 1 + stream.next_below(5);
  const std::uint64_t first_kind = stream.next_below(5);
  const std::uint64_t peak = std::uint64_t{1} << stream.next_below(12);
  std::uint64_t payload = 0;
  Instant now{};
  // Grows to about the peak, holds there, and is drained at the end.
  for (std::uint64_t step = 0; step != 3 * peak + 50; ++step) {
    const bool grow = model.size() < peak && stream.next_below(8) != 0;
    for (std::uint64_t burst = grow ? 1 + stream.next_below(4) : stream.next_below(2); burst != 0;
         --burst) {
      const std::uint64_t kind = (first_kind + stream.next_below(kinds)) % 5;
      const Instant instant = core::saturating_add(now, draw_delay(stream, kind));
      queue.push(instant, payload);
      model.push(instant, payload++);
    }
    ASSERT_EQ(queue.size(), model.size());
    if (model.size() != 0 && stream.next_below(2) == 0) {
      ASSERT_EQ(queue.next_time(), model.next_time());
      const auto event = queue.pop();
      const auto [instant, sequence, expected] = model.pop();
      ASSERT_EQ(event.at, instant);
      ASSERT_EQ(event.payload, expected);
      now = instant;
      ASSERT_EQ(queue.now(), now);
    }
  }
  // Every fourth schedule is left unfinished, for clear() to deal with.
  const std::size_t keep = stream.next_below(4) == 0 ? model.size() / 2 : 0;
  while (model.size() > keep) {
    const auto event = queue.pop();
    const auto [instant, sequence, expected] = model.pop();
    ASSERT_EQ(event.at, instant);
    ASSERT_EQ(event.payload, expected);
  }
  ASSERT_EQ(queue.size(), keep);
}

TEST(EventQueue, SameAsABinaryHeapOverRandomSchedules) {
  Queue reused;
  for (std::uint64_t round = 0; round != 250; ++round) {
    SCOPED_TRACE(round);
    const RandomStream stream = RandomStream(41).split(round);
    ASSERT_NO_FATAL_FAILURE(expect_same_as_model(reused, stream));
    reused.clear();
    ASSERT_TRUE(reused.empty());
    Queue fresh;
    ASSERT_NO_FATAL_FAILURE(expect_same_as_model(fresh, stream));
  }
}

TEST(EventQueue, ClearStartsTimeAnew) {
  Queue queue;
  for (std::uint64_t i = 0; i != 1000; ++i) {
    queue.push(at(Duration{static_cast<std::int64_t>(i * i)}), i);
  }
  (void)queue.pop();
  (void)queue.pop();
  queue.clear();
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.now(), at(0s));
  queue.push(at(0s), 1);
  queue.push(at(0s), 2);
  EXPECT_THAT(drain(queue), ElementsAre(1, 2));
}

TEST(EventQueue, NextRunsNeedNoNewMemory) {
  Queue queue;
  std::size_t reserved = 0;
  for (int run = 0; run != 5; ++run) {
    RandomStream stream(51);
    for (std::uint64_t i = 0; i != 20'000; ++i) {
      queue.push(at(Duration{static_cast<std::int64_t>(stream.next_below(60'000'000'000))}), i);
    }
    for (std::uint64_t i = 0; i != 60'000; ++i) {
      const auto event = queue.pop();
      const auto delay = static_cast<std::int64_t>(stream.next_below(60'000'000'000));
      queue.push(event.at + Duration{delay}, event.payload);
    }
    queue.clear();
    if (run == 0) {
      reserved = queue.reserved_bytes();
    }
  }
  EXPECT_EQ(queue.reserved_bytes(), reserved);
}

TEST(EventQueue, UpTo32PendingEventsNeedNoHeapMemory) {
  Queue queue;
  RandomStream stream(61);
  for (std::uint64_t i = 0; i != 32; ++i) {
    queue.push(at(0s), i);
  }
  for (std::uint64_t i = 0; i != 100'000; ++i) {
    const auto event = queue.pop();
    queue.push(event.at + draw_delay(stream, 4), event.payload);
  }
  EXPECT_EQ(queue.reserved_bytes(), 0U);
}

TEST(EventQueue, ReservedMemoryIsBoundedByThePeak) {
  Queue queue;
  RandomStream stream(71);
  constexpr std::size_t kPending = 200'000;
  for (std::uint64_t i = 0; i != kPending; ++i) {
    queue.push(at(draw_delay(stream, 4)), i);
  }
  for (std::uint64_t i = 0; i != 5 * kPending; ++i) {
    const auto event = queue.pop();
    queue.push(event.at + draw_delay(stream, 4), event.payload);
  }
  EXPECT_LT(queue.reserved_bytes(), 2 * 16 * kPending);
}

}  // namespace
}  // namespace squall::simulator
