// SPDX-License-Identifier: MIT
#include "reports/bar.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/check.hpp"
#include "reports/figures.hpp"

namespace squall::reports {
namespace {

using core::Duration;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;

__extension__ using Wide = unsigned __int128;

/// Round distances in a unit: 1 2 5 10 20 50 ... below a second, clock-like from there on.
constexpr std::array<Duration, 42> kSteps{nanoseconds(1),
                                          nanoseconds(10),
                                          nanoseconds(100),
                                          nanoseconds(1'000),
                                          nanoseconds(10'000),
                                          nanoseconds(100'000),
                                          milliseconds(1),
                                          milliseconds(2),
                                          milliseconds(5),
                                          milliseconds(10),
                                          milliseconds(20),
                                          milliseconds(50),
                                          milliseconds(100),
                                          milliseconds(200),
                                          milliseconds(500),
                                          seconds(1),
                                          seconds(2),
                                          seconds(5),
                                          seconds(10),
                                          seconds(20),
                                          seconds(30),
                                          minutes(1),
                                          minutes(2),
                                          minutes(5),
                                          minutes(10),
                                          minutes(20),
                                          minutes(30),
                                          hours(1),
                                          hours(2),
                                          hours(3),
                                          hours(6),
                                          hours(12),
                                          hours(24),
                                          hours(48),
                                          hours(24 * 5),
                                          hours(24 * 10),
                                          hours(24 * 30),
                                          hours(24 * 100),
                                          hours(24 * 365),
                                          hours(24 * 3'650),
                                          hours(24 * 18'250),
                                          hours(24 * 36'500)};

struct Glyphs {
  std::string_view waiting, receiving, sleep, shutdown, amount, line, mark, first;
};

const Glyphs& glyphs(const Style& style) {
  static constexpr Glyphs kBlocks{"▒", "█", "·", "▼", "█", "─", "┬", "┌"};
  static constexpr Glyphs kAscii{"=", "#", ".", "!", "#", "-", "+", "+"};
  return style.unicode ? kBlocks : kAscii;
}

}  // namespace

Scale::Scale(Duration total, std::size_t cells) : total_(total), cells_(cells) {
  SQUALL_CHECK(total >= Duration{0} && cells >= 1, total.count(), cells);
}

std::size_t Scale::boundary(Duration at) const {
  SQUALL_CHECK(at >= Duration{0} && at <= total_, at.count(), total_.count());
  if (total_ == Duration{0}) {
    return 0;
  }
  const auto whole = static_cast<Wide>(total_.count());
  const auto scaled = static_cast<Wide>(at.count()) * cells_;
  return static_cast<std::size_t>((scaled + whole / 2) / whole);
}

Scale::Span Scale::span(Duration from, Duration to) const {
  SQUALL_CHECK(from <= to, from.count(), to.count());
  // A span that begins at the very end is seen in the last cell.
  const std::size_t begin = std::min(boundary(from), cells_ - 1);
  return {.begin = begin, .end = std::max(boundary(to), begin + 1)};
}

Duration Scale::step(std::size_t cells_min) const {
  const auto fits = [&](Duration candidate) {
    return static_cast<Wide>(candidate.count()) * cells_ >=
           static_cast<Wide>(total_.count()) * cells_min;
  };
  const auto* found = std::find_if(kSteps.begin(), kSteps.end(), fits);
  return found == kSteps.end() ? kSteps.back() : *found;
}

void Bar::fill(Scale::Span span, Cell cell) {
  std::fill(cells_.begin() + static_cast<std::ptrdiff_t>(span.begin),
            cells_.begin() + static_cast<std::ptrdiff_t>(span.end), cell);
}

Bar& Bar::attempt(Duration started, Duration headers, Duration ended) {
  const auto waiting = [&] { fill(scale_.span(started, headers), Cell::kWaiting); };
  const auto receiving = [&] { fill(scale_.span(headers, ended), Cell::kReceiving); };
  if (headers == ended) {
    waiting();
  } else if (headers == started) {
    receiving();
  } else if (headers - started >= ended - headers) {
    receiving();
    waiting();
  } else {
    waiting();
    receiving();
  }
  return *this;
}

Bar& Bar::sleep(Duration from, Duration to) {
  fill(scale_.span(from, to), Cell::kSleep);
  return *this;
}

Bar& Bar::shutdown(Duration at) {
  fill(scale_.span(at, at), Cell::kShutdown);
  return *this;
}

std::string Bar::draw(const Style& style, Tone attempt_tone) const {
  const Glyphs& shapes = glyphs(style);
  const auto shape = [&](Cell cell) -> std::string_view {
    switch (cell) {
      case Cell::kEmpty:
        break;
      case Cell::kWaiting:
        return shapes.waiting;
      case Cell::kReceiving:
        return shapes.receiving;
      case Cell::kSleep:
        return shapes.sleep;
      case Cell::kShutdown:
        return shapes.shutdown;
    }
    return " ";
  };
  const auto tone = [&](Cell cell) {
    switch (cell) {
      case Cell::kWaiting:
      case Cell::kReceiving:
        return attempt_tone;
      case Cell::kSleep:
        return Tone::kFaint;
      case Cell::kShutdown:
        return Tone::kNotice;
      case Cell::kEmpty:
        break;
    }
    return Tone::kPlain;
  };
  std::string row;
  for (std::size_t i = 0; i < cells_.size();) {
    std::string same;
    const Cell cell = cells_[i];
    for (; i < cells_.size() && cells_[i] == cell; ++i) {
      same += shape(cell);
    }
    row += paint(style, tone(cell), same);
  }
  return row;
}

Axis draw_axis(const Scale& scale, const Style& style) {
  constexpr std::size_t kCellsBetweenMarks = 8;
  const Glyphs& shapes = glyphs(style);
  std::string labels;
  std::vector<std::string_view> line(scale.cells(), shapes.line);
  const Duration step = scale.step(kCellsBetweenMarks);
  Duration at{0};
  while (true) {
    const std::size_t cell = scale.boundary(at);
    const std::string label = long_text(at);
    if (cell >= scale.cells() || cell + label.size() > scale.cells()) {
      break;
    }
    line[cell] = cell == 0 ? shapes.first : shapes.mark;
    if (labels.empty() || labels.size() < cell) {
      labels = pad_right(labels, cell) + label;
    }
    if (step > scale.total() - at) {
      break;
    }
    at += step;
  }
  Axis axis{.labels = pad_right(labels, scale.cells()), .line = {}};
  for (const std::string_view piece : line) {
    axis.line += piece;
  }
  return axis;
}

std::string bar_legend(const Style& style) {
  const Glyphs& shapes = glyphs(style);
  std::string legend;
  legend += shapes.waiting;
  legend += " waiting for headers   ";
  legend += shapes.receiving;
  legend += " body   ";
  legend += shapes.sleep;
  legend += " sleep";
  return legend;
}

std::string amount_bar(std::uint64_t value, std::uint64_t value_max, std::size_t cells,
                       const Style& style) {
  if (value == 0) {
    return {};
  }
  SQUALL_CHECK(value <= value_max, value, value_max);
  const auto scaled = (static_cast<Wide>(value) * cells + value_max / 2) / value_max;
  std::string bar;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, static_cast<std::size_t>(scaled)); ++i) {
    bar += glyphs(style).amount;
  }
  return bar;
}

}  // namespace squall::reports
