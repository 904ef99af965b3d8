// SPDX-License-Identifier: MIT
#include "scenarios/wording.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace squall::scenarios {
namespace {

// Long enough to recognise a value by, short enough to keep the line readable.
constexpr std::size_t kQuotedBytesMax = 48;
// A key of a few letters is no candidate for a much longer misspelling.
constexpr std::size_t kMisspelledBytesMax = 64;

std::size_t edit_distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= left.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t replaced = diagonal + (left[i - 1] == right[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[right.size()];
}

}  // namespace

std::string on_one_line(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string line;
  for (const char character : text) {
    const auto byte = static_cast<std::uint8_t>(character);
    if (byte >= 0x20 && byte != 0x7f) {
      line += character;
    } else {
      line += "\\u00";
      line += kHex[byte >> 4U];
      line += kHex[byte & 0xfU];
    }
  }
  return line;
}

std::string in_quotes(std::string_view text) {
  const bool cut = text.size() > kQuotedBytesMax;
  if (cut) {
    std::size_t end = kQuotedBytesMax;
    while (end > 0 && (static_cast<std::uint8_t>(text[end]) & 0xc0U) == 0x80U) {
      --end;  // Never inside a character.
    }
    text = text.substr(0, end);
  }
  return '"' + on_one_line(text) + (cut ? "\"..." : "\"");
}

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : ", ") + word;
  }
  return text;
}

std::string enumerate(const std::vector<std::string>& words, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) {
      text += i + 1 == words.size() ? " " + std::string(last) + " " : ", ";
    }
    text += words[i];
  }
  return text;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.size() > kMisspelledBytesMax) {
    return {};
  }
  const std::string* nearest = nullptr;
  // Two slips at most, and never a third of the word or more: "by" is no misspelling of "is".
  std::size_t distance_limit = std::min<std::size_t>(3, word.size() / 3 + 1);
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < distance_limit) {
      distance_limit = distance;
      nearest = &candidate;
    }
  }
  return nearest == nullptr ? std::string() : " (did you mean " + in_quotes(*nearest) + "?)";
}

std::string found_allowed(std::string_view found, std::string_view allowed) {
  std::string text = "found ";
  text += found;
  text += ", allowed: ";
  text += allowed;
  return text;
}

}  // namespace squall::scenarios
