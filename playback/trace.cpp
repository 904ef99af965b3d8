// SPDX-License-Identifier: MIT
#include "playback/trace.hpp"

#define XXH_INLINE_ALL
#include <algorithm>
#include <bit>

#include <xxhash.h>

namespace squall::playback {

// The digest is taken over the records as they lie in memory.
static_assert(std::endian::native == std::endian::little);

std::uint64_t digest_of(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::uint64_t Trace::digest() const {
  return XXH3_64bits(records_.data(), records_.size() * sizeof(TraceRecord));
}

std::optional<TraceDifference> first_difference(const Trace& left, const Trace& right) {
  const auto& ours = left.records();
  const auto& theirs = right.records();
  const auto [at_ours, at_theirs] =
      std::mismatch(ours.begin(), ours.end(), theirs.begin(), theirs.end());
  if (at_ours == ours.end() && at_theirs == theirs.end()) {
    return std::nullopt;
  }
  return TraceDifference{.record = static_cast<std::size_t>(at_ours - ours.begin()),
                         .at = at_ours != ours.end() ? at_ours->at() : at_theirs->at()};
}

}  // namespace squall::playback
