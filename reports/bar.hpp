// SPDX-License-Identifier: MIT
//
// Bars on a scale of virtual time. A bar is laid out in cells first (what each cell shows) and
// turned into characters last, so that the law of the scale can be tested without drawing:
//  - both ends of a span are rounded to the nearest cell boundary, so that spans that follow each
//    other meet, and cells add up to the whole;
//  - a span that has any length takes at least one cell, however short it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/time.hpp"
#include "reports/style.hpp"

namespace squall::reports {

/// Maps [0, total] to `cells` cells. Requires total >= 0 and cells >= 1.
class Scale {
 public:
  Scale(core::Duration total, std::size_t cells);

  [[nodiscard]] core::Duration total() const { return total_; }
  [[nodiscard]] std::size_t cells() const { return cells_; }
  /// The cell boundary nearest to `at`, 0 to cells(). Monotone.
  [[nodiscard]] std::size_t boundary(core::Duration at) const;

  struct Span {
    std::size_t begin = 0;  ///< first cell
    std::size_t end = 0;    ///< one past the last cell

    [[nodiscard]] std::size_t size() const { return end - begin; }
    friend bool operator==(const Span&, const Span&) = default;
  };
  /// The cells of [from, to): at least one, within [0, cells()). Requires 0 <= from <= to <= total.
  [[nodiscard]] Span span(core::Duration from, core::Duration to) const;

  /// Distance between two marks of the axis: a round time of at least `cells_min` cells.
  [[nodiscard]] core::Duration step(std::size_t cells_min) const;

 private:
  core::Duration total_;
  std::size_t cells_;
};

enum class Cell : std::uint8_t {
  kEmpty,
  kWaiting,    ///< an attempt waits for headers
  kReceiving,  ///< headers are there, the body arrives
  kSleep,
  kShutdown,
};

/// One row of cells.
class Bar {
 public:
  explicit Bar(const Scale& scale) : scale_(scale), cells_(scale.cells(), Cell::kEmpty) {}

  /// An attempt from `started` to `ended`, whose headers came at `headers` (equal to `ended` when
  /// they never came). Of two phases that share one cell the longer one is seen.
  Bar& attempt(core::Duration started, core::Duration headers, core::Duration ended);
  Bar& sleep(core::Duration from, core::Duration to);
  Bar& shutdown(core::Duration at);

  [[nodiscard]] const std::vector<Cell>& cells() const { return cells_; }
  /// The row as characters, one column a cell, attempts painted in `attempt_tone`.
  [[nodiscard]] std::string draw(const Style& style, Tone attempt_tone) const;

 private:
  void fill(Scale::Span span, Cell cell);

  Scale scale_;
  std::vector<Cell> cells_;
};

/// The two lines of an axis: labels ("0 s", "2 min", ...) and the line with its marks, each
/// exactly scale.cells() columns wide.
struct Axis {
  std::string labels;
  std::string line;
};
[[nodiscard]] Axis draw_axis(const Scale& scale, const Style& style);

/// Which character means what, on one line.
[[nodiscard]] std::string bar_legend(const Style& style);

/// A plain horizontal bar of `value` on a scale of `value_max`, at most `cells` wide; at least one
/// cell unless `value` is 0. Requires value <= value_max.
[[nodiscard]] std::string amount_bar(std::uint64_t value, std::uint64_t value_max,
                                     std::size_t cells, const Style& style);

}  // namespace squall::reports
