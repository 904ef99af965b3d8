// SPDX-License-Identifier: MIT
#include "reports/markdown.hpp"

#include <algorithm>
#include <cstddef>

#include "reports/style.hpp"

namespace squall::reports {
namespace {

constexpr std::size_t kTextMax = 400;
constexpr std::size_t kCodeMax = 4'000;  // Commands are copied: cut only what nobody copies.

}  // namespace

std::string markdown_plain(std::string_view text) {
  constexpr std::string_view kMarkup = "\\`*_[]<>|#~@";
  std::string out;
  for (const char character : excerpt(text, kTextMax)) {
    if (kMarkup.find(character) != std::string_view::npos) {
      out += '\\';
    }
    out += character;
  }
  return out;
}

std::string markdown_code(std::string_view text, bool in_table) {
  std::string code;
  std::size_t ticks = 0;
  std::size_t longest = 0;
  for (const char character : excerpt(text, kCodeMax)) {
    ticks = character == '`' ? ticks + 1 : 0;
    longest = std::max(longest, ticks);
    code += character == '|' && in_table ? "\\|" : std::string(1, character);
  }
  const std::string fence(longest + 1, '`');
  const std::string blank = longest > 0 ? " " : "";
  return fence + blank + code + blank + fence;
}

}  // namespace squall::reports
