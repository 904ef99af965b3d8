// SPDX-License-Identifier: MIT
//
// Bad input, described once so that a person can mend it: which file, where in it, what was found
// and what would have been accepted. One Error prints as exactly one line.
#pragma once

#include <cstddef>
#include <string>

namespace squall::core {

/// One defect of an input.
struct Error {
  /// File as the user named it; empty when the input is not a file (a flag, a value in memory).
  std::string file;
  /// 1-based line in `file`; 0 when unknown.
  std::size_t line = 0;
  /// RFC 6901 JSON pointer of the offending value ("/server/phases/0/until"); empty when there is
  /// none or when the whole document is meant.
  std::string pointer;
  /// What is wrong, naming the value found and the values allowed. No line breaks.
  std::string message;

  friend bool operator==(const Error&, const Error&) = default;
};

/// Renders `file:line: pointer: message`, leaving out the parts that are unknown.
[[nodiscard]] std::string to_string(const Error& error);

}  // namespace squall::core
