// SPDX-License-Identifier: MIT
#include "playback/prefix_cache.hpp"

#include <algorithm>

namespace squall::playback {

std::uint64_t PrefixCache::seen_of(std::string_view body) const {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < used_; ++i) {
    const std::string_view seen = bodies_[i];
    if (seen == body) {
      return body.size();  // The usual case, at the speed of memcmp.
    }
    const auto end = std::mismatch(body.begin(), body.end(), seen.begin(), seen.end()).first;
    longest = std::max(longest, static_cast<std::size_t>(end - body.begin()));
  }
  return longest;
}

void PrefixCache::see(std::string_view body) {
  for (std::size_t i = 0; i < used_; ++i) {
    if (bodies_[i].starts_with(body)) {
      return;
    }
    if (body.starts_with(bodies_[i])) {
      bodies_[i] = body;
      return;
    }
  }
  if (used_ == bodies_.size()) {
    bodies_.emplace_back();
  }
  bodies_[used_++] = body;
}

std::uint32_t prefix_reuse_ppm(const std::vector<PrefixReuse>& requests) {
  __extension__ using Wide = unsigned __int128;
  Wide bytes = 0;
  Wide seen = 0;
  for (const PrefixReuse& request : requests) {
    bytes += request.request_bytes;
    seen += request.seen_bytes;
  }
  return bytes == 0 ? 0 : static_cast<std::uint32_t>(seen * 1'000'000U / bytes);
}

}  // namespace squall::playback
