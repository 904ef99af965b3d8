// SPDX-License-Identifier: MIT
//
// How text for people is dressed: colour, the characters that bars are drawn with, columns. Knows
// nothing of terminals: whoever prints decides what the reader's one can show and says so in a
// `Style`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace squall::reports {

struct Style {
  bool color = false;       ///< ANSI colours; otherwise the text carries no escape sequence at all
  bool unicode = true;      ///< block characters; otherwise ASCII alone is drawn with
  std::size_t width = 100;  ///< columns to stay within where the content allows it
};

/// What a piece of text means; colours follow from it.
enum class Tone : std::uint8_t { kPlain, kStrong, kFaint, kGood, kBad, kNotice };

/// `text` in the colour of `tone`; unchanged without colour.
[[nodiscard]] std::string paint(const Style& style, Tone tone, std::string_view text);

/// Columns that `text` takes: its characters, escape sequences left out.
[[nodiscard]] std::size_t columns(std::string_view text);
/// `text` with blanks after (before) it up to `width` columns; longer text stays as it is.
[[nodiscard]] std::string pad_right(std::string_view text, std::size_t width);
[[nodiscard]] std::string pad_left(std::string_view text, std::size_t width);

/// Text of strangers (bodies, answers, file contents) made safe to print on one line: control
/// characters become escapes ("\n", "\x1b"), broken UTF-8 becomes "?", and what exceeds
/// `columns_max` is cut and ends in "...".
[[nodiscard]] std::string excerpt(std::string_view text, std::size_t columns_max);

/// `text` broken at blanks so that no line exceeds the width where that can be helped; every line
/// but the first is indented, and the first is taken to begin in that column. No line break at the
/// end.
[[nodiscard]] std::string wrapped(const Style& style, std::size_t indent, std::string_view text);

/// "  key         text": one line of a list of facts, continued below itself when `text` exceeds
/// the width. Ends in a line break.
[[nodiscard]] std::string field(const Style& style, std::string_view key, std::string_view text);
/// The same without wrapping: for what people copy into a shell.
[[nodiscard]] std::string unbroken_field(const Style& style, std::string_view key,
                                         std::string_view text);

/// `text` as one word of a POSIX shell, quoted only when it must be.
[[nodiscard]] std::string shell_word(std::string_view text);

}  // namespace squall::reports
