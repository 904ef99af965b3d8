// SPDX-License-Identifier: MIT
//
// Text of the user inside Markdown. Internal to the folder.
#pragma once

#include <string>
#include <string_view>

namespace squall::reports {

/// `text` made plain, on one line: what Markdown would take for markup is escaped.
[[nodiscard]] std::string markdown_plain(std::string_view text);

/// `text` as code, on one line, whatever it holds. Inside a table when `in_table`.
[[nodiscard]] std::string markdown_code(std::string_view text, bool in_table = false);

}  // namespace squall::reports
