// SPDX-License-Identifier: MIT
//
// Foreign text made fit for an error chain, which goes into logs, JSON and databases.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace squall::core {

/// Appends at most `bytes_max` bytes of `text` to `out`, on one line: control characters become
/// spaces, bytes that are not UTF-8 become '?', and a cut falls between characters and is shown as
/// "...".
void append_quoted(std::string& out, std::string_view text, std::size_t bytes_max);

}  // namespace squall::core
