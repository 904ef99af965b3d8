// SPDX-License-Identifier: MIT
//
// A provider's prefix cache as far as it concerns one operation: which leading bytes of a request
// the provider has seen before. Real caches forget, and count in blocks of tokens; this one
// remembers every byte, so that what it reports is the most that an operation's own requests allow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace squall::playback {

/// How much of one request was new to the provider.
struct PrefixReuse {
  std::uint64_t request_bytes = 0;
  /// Leading bytes that an earlier request of the operation had brought to the provider.
  std::uint64_t seen_bytes = 0;

  friend bool operator==(const PrefixReuse&, const PrefixReuse&) = default;
};

class PrefixCache {
 public:
  /// Forgets everything and keeps the memory.
  void clear() { used_ = 0; }

  /// Length of the longest prefix of `body` that was seen.
  [[nodiscard]] std::uint64_t seen_of(std::string_view body) const;

  /// Takes note of a request that reached the provider.
  void see(std::string_view body);

 private:
  // Only bodies that are no prefix of another one; the first `used_` are in use.
  std::vector<std::string> bodies_;
  std::size_t used_ = 0;
};

/// Seen bytes of all requests in millionths of all their bytes, rounded down; 0 without requests.
[[nodiscard]] std::uint32_t prefix_reuse_ppm(const std::vector<PrefixReuse>& requests);

}  // namespace squall::playback
