// SPDX-License-Identifier: MIT
#include "core/error.hpp"

namespace squall::core {

std::string to_string(const Error& error) {
  std::string text;
  if (!error.file.empty()) {
    text += error.file;
    if (error.line != 0) {
      text += ':';
      text += std::to_string(error.line);
    }
    text += ": ";
  }
  if (!error.pointer.empty()) {
    text += error.pointer;
    text += ": ";
  }
  text += error.message;
  return text;
}

}  // namespace squall::core
