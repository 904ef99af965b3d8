// SPDX-License-Identifier: MIT
#include "core/quote.hpp"

#include <algorithm>
#include <cstdint>

namespace squall::core {
namespace {

/// Bytes of the well-formed UTF-8 character at the front of `text`, 0 when there is none (RFC 3629,
/// section 4). Requires a text that is not empty.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80U) {
    return 1;
  }
  const std::size_t length = lead < 0xC2U ? 0 : lead < 0xE0U ? 2 : lead < 0xF0U ? 3 : 4;
  if (length == 0 || lead > 0xF4U || text.size() < length) {
    return 0;
  }
  // The second byte alone rules out overlong forms, surrogates and what lies above U+10FFFF.
  const unsigned char low = lead == 0xE0U ? 0xA0U : lead == 0xF0U ? 0x90U : 0x80U;
  const unsigned char high = lead == 0xEDU ? 0x9FU : lead == 0xF4U ? 0x8FU : 0xBFU;
  if (byte(1) < low || byte(1) > high) {
    return 0;
  }
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80U || byte(i) > 0xBFU) {
      return 0;
    }
  }
  return length;
}

/// A running maximum over bytes instead of an early exit: the compiler makes vector code of it.
bool is_printable_ascii(std::string_view text) {
  std::uint8_t highest = 0;
  for (const char character : text) {
    highest = std::max(highest, static_cast<std::uint8_t>(character - ' '));
  }
  return highest <= '~' - ' ';
}

}  // namespace

void append_quoted(std::string& out, std::string_view text, std::size_t bytes_max) {
  // Nearly every error body is plain ASCII, and quoting them is most of what a storm does.
  if (const std::string_view head = text.substr(0, bytes_max); is_printable_ascii(head)) {
    out += head;
    if (head.size() < text.size()) {
      out += "...";
    }
    return;
  }
  std::size_t used = 0;
  while (used < text.size()) {
    const std::size_t length = character_length(text.substr(used));
    if (used + std::max<std::size_t>(length, 1) > bytes_max) {
      out += "...";
      return;
    }
    // Pretty-printed JSON comes this way: single characters are cheap, a substring each is not.
    if (length > 1) {
      out += text.substr(used, length);
    } else {
      const char first = text[used];
      const bool is_control = static_cast<unsigned char>(first) < 0x20U || first == '\x7f';
      out += length == 0 ? '?' : is_control ? ' ' : first;
    }
    used += std::max<std::size_t>(length, 1);
  }
}

}  // namespace squall::core
