// SPDX-License-Identifier: MIT
#include "cli/progress.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "reports/figures.hpp"

namespace squall::cli {

using std::chrono::milliseconds;

std::string progress_line(std::uint64_t done, std::uint64_t total, milliseconds elapsed) {
  constexpr std::uint64_t kCells = 30;
  const std::uint64_t reached = std::min(done, total);
  const double share =
      static_cast<double>(reached) / static_cast<double>(std::max<std::uint64_t>(total, 1));
  const auto cells = static_cast<std::uint64_t>(share * kCells);
  const double seconds = static_cast<double>(std::max<std::int64_t>(elapsed.count(), 1)) / 1e3;
  const double rate = static_cast<double>(reached) / seconds;
  std::string line =
      fmt::format("[{}{}] {}%, {} of {} runs, {} a second", std::string(cells, '#'),
                  std::string(kCells - cells, ' '), static_cast<std::uint64_t>(share * 100),
                  reports::count_text(reached), reports::count_text(total),
                  reports::count_text(static_cast<std::uint64_t>(rate)));
  if (rate > 0) {
    const auto left = static_cast<std::uint64_t>(static_cast<double>(total - reached) / rate);
    line += fmt::format(", {} left", reports::long_text(std::chrono::seconds(left)));
  }
  return line;
}

Progress::Progress(const Console& console, std::uint64_t total)
    : console_(console), total_(total), started_(Clock::now()), drawn_(started_) {}

Progress::~Progress() {
  if (visible_) {
    console_.err << "\r\x1b[K" << std::flush;
  }
}

void Progress::update(std::uint64_t done) {
  if (!console_.err_is_terminal) {
    return;
  }
  const Clock::time_point now = Clock::now();
  if (now - started_ < std::chrono::seconds(1) || now - drawn_ < milliseconds(100)) {
    return;
  }
  drawn_ = now;
  visible_ = true;
  console_.err << '\r'
               << progress_line(done, total_,
                                std::chrono::duration_cast<milliseconds>(now - started_))
               << "\x1b[K" << std::flush;
}

}  // namespace squall::cli
