// SPDX-License-Identifier: MIT
//
// A progress bar on the terminal, for work that lasts: shown after a second, redrawn a few times a
// second, gone at the end. Writes nothing when standard error is no terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "cli/console.hpp"

namespace squall::cli {

/// One line of a progress bar, without escape sequences: "[#####     ] 52%, 520k of 1M runs, ...".
///
/// @param elapsed  since the start of the work; above 0.
[[nodiscard]] std::string progress_line(std::uint64_t done, std::uint64_t total,
                                        std::chrono::milliseconds elapsed);

class Progress {
 public:
  /// @param total  number of runs.
  Progress(const Console& console, std::uint64_t total);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Erases the bar.
  ~Progress();

  /// Tells how many runs are done.
  void update(std::uint64_t done);

 private:
  using Clock = std::chrono::steady_clock;

  const Console& console_;
  std::uint64_t total_;
  Clock::time_point started_;
  Clock::time_point drawn_;
  bool visible_ = false;
};

}  // namespace squall::cli
