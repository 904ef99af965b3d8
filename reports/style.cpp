// SPDX-License-Identifier: MIT
#include "reports/style.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace squall::reports {
namespace {

std::string_view escape_of(Tone tone) {
  switch (tone) {
    case Tone::kStrong:
      return "\x1b[1m";
    case Tone::kFaint:
      return "\x1b[2m";
    case Tone::kGood:
      return "\x1b[32m";
    case Tone::kBad:
      return "\x1b[31m";
    case Tone::kNotice:
      return "\x1b[33m";
    case Tone::kPlain:
      break;
  }
  return {};
}

bool continues(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

/// Length of the UTF-8 character at the start of `text`; 0 when there is none.
/// @source RFC 3629, section 4.
std::size_t character_length(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80U) {
    return 1;
  }
  const std::size_t length = lead >= 0xF0U ? 4 : lead >= 0xE0U ? 3 : 2;
  if (lead < 0xC2U || lead > 0xF4U || text.size() < length) {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues(text[i])) {
      return 0;
    }
  }
  const unsigned second = byte(1);
  const bool overlong = (lead == 0xE0U && second < 0xA0U) || (lead == 0xF0U && second < 0x90U);
  const bool outside = (lead == 0xEDU && second >= 0xA0U) || (lead == 0xF4U && second >= 0x90U);
  return overlong || outside ? 0 : length;
}

/// The character at the start of `text` as it is shown.
std::string shown(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character[0]);
  switch (character[0]) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      break;
  }
  if (lead < 0x20U || lead == 0x7FU) {
    return fmt::format("\\x{:02x}", lead);
  }
  // U+0080 to U+009F: control characters that terminals obey, too.
  if (lead == 0xC2U && static_cast<unsigned char>(character[1]) < 0xA0U) {
    return fmt::format("\\x{:02x}", static_cast<unsigned char>(character[1]));
  }
  // What turns the direction of a line: nobody should read another order than there is.
  constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kTurning{
      {{"\xe2\x80\x8e", "\\u200e"},
       {"\xe2\x80\x8f", "\\u200f"},
       {"\xe2\x80\xaa", "\\u202a"},
       {"\xe2\x80\xab", "\\u202b"},
       {"\xe2\x80\xac", "\\u202c"},
       {"\xe2\x80\xad", "\\u202d"},
       {"\xe2\x80\xae", "\\u202e"},
       {"\xe2\x81\xa6", "\\u2066"},
       {"\xe2\x81\xa7", "\\u2067"},
       {"\xe2\x81\xa8", "\\u2068"},
       {"\xe2\x81\xa9", "\\u2069"}}};
  for (const auto& [turning, words] : kTurning) {
    if (character == turning) {
      return std::string(words);
    }
  }
  return std::string(character);
}

}  // namespace

std::string paint(const Style& style, Tone tone, std::string_view text) {
  if (!style.color || tone == Tone::kPlain || text.empty()) {
    return std::string(text);
  }
  return fmt::format("{}{}\x1b[0m", escape_of(tone), text);
}

std::size_t columns(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = text.find('m', i);
      if (i == std::string_view::npos) {
        break;
      }
    } else if (!continues(text[i])) {
      ++count;
    }
  }
  return count;
}

std::string pad_right(std::string_view text, std::size_t width) {
  const std::size_t taken = columns(text);
  return std::string(text) + std::string(taken < width ? width - taken : 0, ' ');
}

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t taken = columns(text);
  return std::string(taken < width ? width - taken : 0, ' ') + std::string(text);
}

std::string excerpt(std::string_view text, std::size_t columns_max) {
  constexpr std::string_view kCut = "...";
  std::string out;
  std::size_t taken = 0;
  // What would remain if the text had to be cut right here.
  std::size_t keep = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text.substr(i));
    const std::string next = length == 0 ? "?" : shown(text.substr(i, length));
    taken += columns(next);
    if (taken > columns_max) {
      return out.substr(0, keep) + std::string(kCut);
    }
    out += next;
    if (taken + kCut.size() <= columns_max) {
      keep = out.size();
    }
    i += length == 0 ? 1 : length;
  }
  return out;
}

std::string wrapped(const Style& style, std::size_t indent, std::string_view text) {
  const std::size_t room = style.width > 2 * indent ? style.width - indent : style.width;
  std::string out;
  std::size_t taken = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (taken != 0 && taken + 1 + columns(word) > room) {
      out += '\n' + std::string(indent, ' ');
      taken = 0;
    } else if (taken != 0) {
      out += ' ';
      ++taken;
    }
    out += word;
    taken += columns(word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

namespace {

constexpr std::size_t kFieldIndent = 14;

std::string field_key(const Style& style, std::string_view key) {
  return "  " + paint(style, Tone::kFaint, pad_right(key, kFieldIndent - 4)) + "  ";
}

}  // namespace

std::string field(const Style& style, std::string_view key, std::string_view text) {
  return field_key(style, key) + wrapped(style, kFieldIndent, text) + '\n';
}

std::string unbroken_field(const Style& style, std::string_view key, std::string_view text) {
  return field_key(style, key) + std::string(text) + '\n';
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(text);
  }
  std::string quoted = "'";
  for (const char character : text) {
    quoted += character == '\'' ? std::string("'\\''") : std::string(1, character);
  }
  return quoted + "'";
}

}  // namespace squall::reports
