// SPDX-License-Identifier: MIT
//
// Randomness owned by value: an integer generator that is split by label, so that a new draw in one
// place never shifts another. Equal (seed, labels) give equal words on every compiler and CPU.
//
//   const RandomStream run = RandomStream(seed).split("run").split(17);
//   RandomStream backoff = run.split("backoff");
//   std::uint64_t word = backoff.next();
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace squall::core {

/// A stream of uniform 64-bit words. 24 bytes, copyable; a copy continues with the same words.
///
/// A stream can be told which words to give first (`beginning_with`), so that a run can show one
/// chosen course of chance: the longest sleeps, say.
///
/// @source SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (2014);
///         the constants are those of the published reference generator.
class RandomStream {
 public:
  explicit constexpr RandomStream(std::uint64_t seed) : state_(seed) {}

  /// Draws the next word; uniform over all 2^64 values.
  constexpr std::uint64_t next() {
    if (forced_ != forced_end_) [[unlikely]] {
      return *forced_++;
    }
    state_ += kIncrement;
    return mix(state_);
  }

  /// Draws a value uniform in [0, bound). Requires bound >= 1. Draws exactly one word; the bias of
  /// the multiply-and-shift is below bound / 2^64.
  constexpr std::uint64_t next_below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
  }

  /// This stream, except that it gives `words` before its own, which follow from the first one on.
  /// Streams split from it know nothing of them.
  ///
  /// @param words  not copied: must outlive the stream and all its copies.
  [[nodiscard]] constexpr RandomStream beginning_with(std::span<const std::uint64_t> words) const {
    RandomStream stream = *this;
    stream.forced_ = words.data();
    stream.forced_end_ = words.data() + words.size();
    return stream;
  }

  /// An independent stream named by `label`. Draws nothing from this one.
  [[nodiscard]] constexpr RandomStream split(std::string_view label) const {
    // FNV-1a, 64 bit; mixed again below, so that similar labels give unrelated streams.
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char character : label) {
      hash ^= static_cast<std::uint8_t>(character);
      hash *= 0x100000001b3U;
    }
    return split(hash);
  }

  /// An independent stream numbered `index` (run 17, operation 3).
  [[nodiscard]] constexpr RandomStream split(std::uint64_t index) const {
    return RandomStream(mix(state_ ^ mix(index + kIncrement)));
  }

  friend constexpr bool operator==(const RandomStream&, const RandomStream&) = default;

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr std::uint64_t kIncrement = 0x9e3779b97f4a7c15U;

  static constexpr std::uint64_t mix(std::uint64_t word) {
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9U;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebU;
    return word ^ (word >> 31);
  }

  std::uint64_t state_;
  /// The words still to be given before its own: [forced_, forced_end_).
  const std::uint64_t* forced_ = nullptr;
  const std::uint64_t* forced_end_ = nullptr;
};

}  // namespace squall::core
