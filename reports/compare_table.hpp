// SPDX-License-Identifier: MIT
//
// Cells in aligned columns. Knows nothing of what is in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reports/style.hpp"

namespace squall::reports {

inline constexpr std::size_t kBelowIndent = 4;

enum class Align : std::uint8_t { kLeft, kRight };

/// One line of cells; fewer than there are columns is fine.
struct TableRow {
  std::vector<std::string> cells;
  /// Text below the cells that begins in column kBelowIndent; empty: none.
  std::string below = {};
};

/// A field (see style.hpp) whose key is a name of any length: a long one has a line of its own.
[[nodiscard]] std::string name_field(const Style& style, std::string_view name,
                                     std::string_view text);

/// Rows indented by two columns, columns two apart, no blanks at line ends. The first row is the
/// head. Cells may be painted already.
[[nodiscard]] std::string aligned_table(const Style& style, const std::vector<Align>& aligns,
                                        const std::vector<TableRow>& rows);

}  // namespace squall::reports
