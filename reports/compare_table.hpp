// SPDX-License-Identifier: MIT
//
// Cells in aligned columns. Knows nothing of what is in them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reports/style.hpp"

namespace squall::reports {

enum class Align : std::uint8_t { kLeft, kRight };

/// One line of cells; fewer than there are columns is fine.
struct TableRow {
  std::vector<std::string> cells;
  /// A line that takes the whole width below the cells, indented by two columns; empty: none.
  std::string below = {};
};

/// Rows indented by two columns, columns two apart, no blanks at line ends. The first row is the
/// head. Cells may be painted already.
[[nodiscard]] std::string aligned_table(const Style& style, const std::vector<Align>& aligns,
                                        const std::vector<TableRow>& rows);

}  // namespace squall::reports
