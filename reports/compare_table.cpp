// SPDX-License-Identifier: MIT
#include "reports/compare_table.hpp"

#include <algorithm>
#include <cstddef>

namespace squall::reports {

std::string name_field(const Style& style, std::string_view name, std::string_view text) {
  constexpr std::size_t kKeyColumns = 10;  // What `field` has room for.
  if (columns(name) <= kKeyColumns) {
    return field(style, name, text);
  }
  return "  " + paint(style, Tone::kFaint, name) + '\n' + field(style, "", text);
}

std::string aligned_table(const Style& style, const std::vector<Align>& aligns,
                          const std::vector<TableRow>& rows) {
  std::vector<std::size_t> widths(aligns.size(), 0);
  for (const TableRow& row : rows) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      widths[i] = std::max(widths[i], columns(row.cells[i]));
    }
  }
  std::string text;
  for (const TableRow& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      line += "  ";
      line += aligns[i] == Align::kLeft ? pad_right(row.cells[i], widths[i])
                                        : pad_left(row.cells[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += (&row == &rows.front() ? paint(style, Tone::kFaint, line) : line) + '\n';
    if (!row.below.empty()) {
      text += std::string(kBelowIndent, ' ') + row.below + '\n';
    }
  }
  return text;
}

}  // namespace squall::reports
