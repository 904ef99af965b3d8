// SPDX-License-Identifier: MIT
#include "cli/outputs.hpp"

#include <cstdint>
#include <filesystem>
#include <system_error>

#include "scenarios/files.hpp"
#include "scenarios/loader.hpp"

namespace squall::cli {
namespace {

/// The first bytes of every SQLite database. @source SQLite file format, section 1.3.1
constexpr std::string_view kSqliteMagic{"SQLite format 3\0", 16};

/// What users would lose, in words; empty when it is nothing of theirs.
std::string_view kind_of(const std::string& path, std::string_view text) {
  if (text.starts_with(kSqliteMagic)) {
    return "a database";
  }
  if (scenarios::load_scenario_file(path)) {
    return "a scenario";
  }
  return scenarios::load_policy_file(path) ? "a policy" : "";
}

}  // namespace

std::optional<core::Error> refusal_to_replace(const std::string& path, std::string_view content) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    return std::nullopt;
  }
  const auto text = scenarios::read_file(path, UINT64_MAX);
  if (!text || *text == content) {
    return std::nullopt;
  }
  const std::string_view kind = kind_of(path, *text);
  if (kind.empty()) {
    return std::nullopt;
  }
  return core::Error{.file = path,
                     .line = 0,
                     .pointer = {},
                     .message = "is " + std::string(kind) +
                                ", which is not replaced by a report; allowed: another file"};
}

}  // namespace squall::cli
