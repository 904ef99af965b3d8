// SPDX-License-Identifier: MIT
//
// The optional whitespace that may surround a header field's value.
#pragma once

#include <string_view>

namespace squall::core {

/// `text` without the spaces and tabs around it; other white space is kept, it is not optional.
///
/// @source RFC 9110, section 5.6.3 (OWS)
[[nodiscard]] constexpr std::string_view without_blanks_around(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace squall::core
