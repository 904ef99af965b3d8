// SPDX-License-Identifier: MIT
//
// The pending events of a simulated world, ordered by (instant, order of scheduling). Exploits that
// virtual time never runs backwards: a radix heap, which moves events sequentially between buckets
// instead of comparing them all over memory, and needs no sequence numbers.
//
//   EventQueue<Payload> queue;
//   queue.push(Instant{120ms}, payload);
//   while (!queue.empty()) {
//     const auto [at, what] = queue.pop();  // may push again, at `at` or later
//   }
//
// How it works. Every pending event is in one of two places:
//  - the front: a short array sorted by instant, holding every event up to `front_limit_`;
//  - a bucket: an event later than that lies in bucket (level, digit), where `level` is the highest
//    base-16 digit in which its instant differs from `base_`, and `digit` is its own digit there.
// The events of a lower bucket are all earlier than those of a higher one. When the front runs dry,
// the lowest bucket is sorted into it if it is small, and otherwise dealt out over the lower levels
// (all empty then) relative to a new `base_`: its own earliest instant. Each such move takes an
// event to a lower level, so there are at most 15 of them. Many events of one instant end in a
// bucket of level 0, whose events are all equal, and are popped from there.
//
// Why equal instants stay in order of scheduling, without sequence numbers:
//  1. The place of an event depends on nothing but its instant, `front_limit_` and `base_`, so that
//     events of equal instant always lie in the same place. (A new `base_` lies within the lowest
//     bucket's range, so it agrees with the old one in every digit that placed the other events.)
//  2. Each move keeps the order of equal instants: a bucket appends, and is dealt out from its
//     first event to its last into buckets that were empty; the front inserts behind all equals,
//     and is dealt out from its first to its last.
//  3. A new event was scheduled after all pending ones, and each place puts it behind its equals.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "core/check.hpp"
#include "core/time.hpp"

namespace squall::simulator {

/// A stable priority queue for monotone virtual time. One thread at a time; neither copied nor
/// moved. `Payload` is what to do when the time has come: a small trivially copyable value.
///
/// @cost push and pop: amortized constant (at most 15 moves between buckets, and a sorted insertion
///       among at most 64); no allocation once the queue has seen its peak, none at all for up to
///       32 pending events. Memory: 9 KiB in the object; on the heap at most twice what the peak of
///       pending events takes (8 bytes and a payload each, in blocks of 63, the last block of each
///       non-empty bucket partly filled), and 4 blocks to begin with.
template <class Payload>
class EventQueue {
  static_assert(std::is_trivially_copyable_v<Payload> && std::is_default_constructible_v<Payload>);

 public:
  /// An event and the instant it was scheduled for.
  struct Event {
    core::Instant at;
    Payload payload;
  };

  EventQueue() = default;
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;
  ~EventQueue() = default;

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }

  /// The instant of the event popped last; the start of time (zero) before the first pop.
  [[nodiscard]] core::Instant now() const { return core::Instant{core::Duration{now_}}; }

  /// Schedules an event. Requires at >= now(). Events of equal instant pop in order of push.
  void push(core::Instant at, const Payload& payload) {
    const Key key = at.time_since_epoch().count();
    SQUALL_CHECK(key >= now_, key, now_);
    if (key <= front_limit_) {
      if (front_end_ == kFrontSlots) [[unlikely]] {
        make_room_in_front();
      }
      if (key <= front_limit_) {
        insert_in_front({key, payload});
        ++size_;
        return;
      }
    }
    append(index_of(key), {key, payload});
    ++size_;
  }

  /// The instant of the next event. Requires !empty().
  [[nodiscard]] core::Instant next_time() const {
    SQUALL_CHECK(size_ != 0);
    return core::Instant{core::Duration{front_begin_ != front_end_ ? front_[front_begin_].key
                                                                   : buckets_[lowest()].earliest}};
  }

  /// Removes the next event. Requires !empty().
  Event pop() {
    SQUALL_CHECK(size_ != 0);
    if (front_begin_ == front_end_) {
      refill();
    }
    --size_;
    if (front_begin_ != front_end_) [[likely]] {
      const Entry entry = front_[front_begin_++];
      if (front_begin_ == front_end_) {
        front_begin_ = front_end_ = 0;
      }
      return leave(entry);
    }
    return leave(take_first(lowest()));
  }

  /// Forgets all events and starts time anew. Keeps the memory for the next run.
  void clear() {
    while (occupied_levels_ != 0) {
      release_all(lowest());
    }
    size_ = 0;
    front_begin_ = front_end_ = 0;
    now_ = base_ = 0;
    front_limit_ = kLastKey;
  }

  /// Bytes held on the heap, used or not. For tests of the memory bound and for benchmarks.
  [[nodiscard]] std::size_t reserved_bytes() const { return reserved_blocks_ * sizeof(Block); }

 private:
  /// Nanoseconds since the start of time. Never negative, so that the digits sort like the number.
  using Key = core::Duration::rep;
  struct Entry {
    Key key;
    Payload payload;
  };

  static constexpr Key kLastKey = std::numeric_limits<Key>::max();

  // Measured: the best or level with the best from 3 to a million pending events, among digits of
  // 1 to 5 bits, fronts of 32 to 128 slots, small buckets of 8 to 48 events and blocks of 31 or 63.
  static constexpr unsigned kDigitBits = 4;
  static constexpr std::uint32_t kFrontSlots = 64;
  static constexpr std::uint32_t kSmallBucket = 32;
  /// With the link and 16-byte entries a block is 1 KiB.
  static constexpr std::uint32_t kBlockEntries = 63;

  static constexpr unsigned kDigits = 1U << kDigitBits;
  static constexpr unsigned kLevels = 64 / kDigitBits;
  static_assert(kSmallBucket <= kFrontSlots && kSmallBucket <= kBlockEntries);

  struct Block {
    Block* next;
    std::array<Entry, kBlockEntries> entries;
  };

  /// A chain of blocks, full but for the ends. Empty: no blocks, `used == kBlockEntries`.
  struct Bucket {
    Block* first = nullptr;
    Block* last = nullptr;
    Key earliest = kLastKey;
    std::uint32_t taken = 0;             ///< Entries already popped from `first`.
    std::uint32_t used = kBlockEntries;  ///< Entries written to `last`.
  };

  Event leave(const Entry& entry) {
    now_ = entry.key;
    return {core::Instant{core::Duration{entry.key}}, entry.payload};
  }

  [[nodiscard]] unsigned index_of(Key key) const {
    const auto difference = static_cast<std::uint64_t>(key ^ base_);
    const unsigned level =
        (static_cast<unsigned>(std::bit_width(difference | 1U)) - 1) / kDigitBits;
    const auto digit =
        static_cast<unsigned>(static_cast<std::uint64_t>(key) >> (level * kDigitBits)) &
        (kDigits - 1);
    return level * kDigits + digit;
  }

  /// Requires a non-empty bucket.
  [[nodiscard]] unsigned lowest() const {
    const auto level = static_cast<unsigned>(std::countr_zero(occupied_levels_));
    return level * kDigits + static_cast<unsigned>(std::countr_zero(occupied_digits_[level]));
  }

  void append(unsigned index, const Entry& entry) {
    Bucket& bucket = buckets_[index];
    if (bucket.used == kBlockEntries) {
      extend(bucket, index);
    }
    bucket.last->entries[bucket.used++] = entry;
    bucket.earliest = std::min(bucket.earliest, entry.key);
  }

  void extend(Bucket& bucket, unsigned index) {
    Block* const block = obtain_block();
    block->next = nullptr;
    if (bucket.last == nullptr) {
      bucket.first = block;
      occupied_digits_[index / kDigits] |= 1U << (index % kDigits);
      occupied_levels_ |= std::uint64_t{1} << (index / kDigits);
    } else {
      bucket.last->next = block;
    }
    bucket.last = block;
    bucket.used = 0;
  }

  void mark_empty(unsigned index) {
    buckets_[index] = Bucket{};
    const unsigned level = index / kDigits;
    occupied_digits_[level] &= ~(1U << (index % kDigits));
    if (occupied_digits_[level] == 0) {
      occupied_levels_ &= ~(std::uint64_t{1} << level);
    }
  }

  /// Pops from a bucket of level 0: all its events are of one instant.
  Entry take_first(unsigned index) {
    Bucket& bucket = buckets_[index];
    Block* const block = bucket.first;
    const Entry entry = block->entries[bucket.taken++];
    if (bucket.taken == (block == bucket.last ? bucket.used : kBlockEntries)) {
      bucket.first = block->next;
      bucket.taken = 0;
      if (block == bucket.last) {
        mark_empty(index);
      }
      release(block);
    }
    return entry;
  }

  /// Inserts behind all events up to the entry's instant, by moving the fewer of the earlier events
  /// (into the gap that pops have left) and the later ones.
  void insert_in_front(const Entry& entry) {
    const std::uint32_t middle = front_begin_ + (front_end_ - front_begin_) / 2;
    if (front_begin_ != 0 && entry.key < front_[middle].key) {
      std::uint32_t slot = --front_begin_;
      while (front_[slot + 1].key <= entry.key) {
        front_[slot] = front_[slot + 1];
        ++slot;
      }
      front_[slot] = entry;
    } else {
      std::uint32_t slot = front_end_++;
      while (slot != front_begin_ && front_[slot - 1].key > entry.key) {
        front_[slot] = front_[slot - 1];
        --slot;
      }
      front_[slot] = entry;
    }
  }

  /// The front's last slot is taken: closes the gap that pops have left, or, if that is small,
  /// deals the front out over the levels below the bucket it came from.
  void make_room_in_front() {
    const std::uint32_t begin = front_begin_;
    const std::uint32_t end = front_end_;
    if (begin >= kFrontSlots / 2) {
      std::copy(front_.begin() + begin, front_.begin() + end, front_.begin());
      front_begin_ = 0;
      front_end_ = end - begin;
      return;
    }
    front_begin_ = front_end_ = 0;
    base_ = now_;
    front_limit_ = now_ - 1;
    for (std::uint32_t slot = begin; slot != end; ++slot) {
      append(index_of(front_[slot].key), front_[slot]);
    }
  }

  /// Brings the earliest events to the front or, if there are many of one instant, into a bucket
  /// of level 0. Requires an empty front and a pending event.
  void refill() {
    for (;;) {
      const unsigned index = lowest();
      const Bucket bucket = buckets_[index];
      const unsigned level = index / kDigits;
      if (bucket.first == bucket.last && bucket.used - bucket.taken <= kSmallBucket) {
        for (std::uint32_t i = bucket.taken; i != bucket.used; ++i) {
          insert_in_front(bucket.first->entries[i]);
        }
        release(bucket.first);
        mark_empty(index);
        front_limit_ = occupied_levels_ == 0
                           ? kLastKey
                           : bucket.earliest |
                                 static_cast<Key>((std::uint64_t{1} << (level * kDigitBits)) - 1);
        return;
      }
      if (level == 0) {
        return;
      }
      mark_empty(index);
      base_ = bucket.earliest;
      for (Block* block = bucket.first; block != nullptr;) {
        const std::uint32_t end = block == bucket.last ? bucket.used : kBlockEntries;
        for (std::uint32_t i = 0; i != end; ++i) {
          append(index_of(block->entries[i].key), block->entries[i]);
        }
        Block* const next = block->next;
        release(block);
        block = next;
      }
    }
  }

  void release_all(unsigned index) {
    buckets_[index].last->next = free_;
    free_ = buckets_[index].first;
    mark_empty(index);
  }

  void release(Block* block) {
    block->next = free_;
    free_ = block;
  }

  Block* obtain_block() {
    if (free_ != nullptr) {
      Block* const block = free_;
      free_ = block->next;
      return block;
    }
    if (fresh_begin_ == fresh_end_) {
      const std::size_t count = std::clamp<std::size_t>(reserved_blocks_, 4, 1024);
      slabs_.push_back(std::make_unique_for_overwrite<Block[]>(count));
      fresh_begin_ = slabs_.back().get();
      fresh_end_ = fresh_begin_ + count;
      reserved_blocks_ += count;
    }
    return fresh_begin_++;
  }

  std::size_t size_ = 0;
  Key now_ = 0;
  Key base_ = 0;
  Key front_limit_ = kLastKey;
  std::uint32_t front_begin_ = 0;
  std::uint32_t front_end_ = 0;
  std::array<Entry, kFrontSlots> front_;
  std::uint64_t occupied_levels_ = 0;
  std::array<std::uint32_t, kLevels> occupied_digits_{};
  std::array<Bucket, std::size_t{kLevels} * kDigits> buckets_;
  Block* free_ = nullptr;
  Block* fresh_begin_ = nullptr;
  Block* fresh_end_ = nullptr;
  std::size_t reserved_blocks_ = 0;
  std::vector<std::unique_ptr<Block[]>> slabs_;
};

}  // namespace squall::simulator
