// SPDX-License-Identifier: MIT
//
// A call as it happens, for a person who waits for it: one line for each thing worth knowing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/event.hpp"
#include "core/time.hpp"
#include "playback/watched_operation.hpp"

namespace squall::cli {

class CallWatch {
 public:
  /// The lines that `event` is worth, without line breaks and free of control characters; usually
  /// one or none. Pieces of a body are counted and told with its end.
  [[nodiscard]] std::vector<std::string> lines(const core::Event& event,
                                               const playback::WatchedOperation& watched,
                                               core::Instant now);

 private:
  std::uint64_t body_bytes_ = 0;
  std::size_t failures_told_ = 0;
  std::size_t sleeps_told_ = 0;
};

}  // namespace squall::cli
