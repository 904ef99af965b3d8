// SPDX-License-Identifier: MIT
#include "core/error.hpp"

#include "core/quote.hpp"

namespace squall::core {
namespace {

/// Names of files and members come from outside: they may be long and hold anything.
constexpr std::size_t kShownBytesMax = 1'000;

}  // namespace

std::string to_string(const Error& error) {
  std::string text;
  if (!error.file.empty()) {
    append_quoted(text, error.file, kShownBytesMax);
    if (error.line != 0) {
      text += ':';
      text += std::to_string(error.line);
    }
    text += ": ";
  }
  if (!error.pointer.empty()) {
    append_quoted(text, error.pointer, kShownBytesMax);
    text += ": ";
  }
  text += error.message;
  return text;
}

}  // namespace squall::core
