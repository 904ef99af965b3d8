// SPDX-License-Identifier: MIT
#include "cli/outputs.hpp"

#include <cstdint>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "scenarios/document.hpp"
#include "scenarios/files.hpp"
#include "scenarios/golden.hpp"
#include "scenarios/loader.hpp"
#include "scenarios/wording.hpp"

namespace squall::cli {
namespace {

namespace fs = std::filesystem;

/// The first bytes of every SQLite database. @source SQLite file format, section 1.3.1
constexpr std::string_view kSqliteMagic{"SQLite format 3\0", 16};

/// What users would lose, in words; empty when it is nothing of theirs.
std::string_view kind_of(const std::string& path, std::string_view text) {
  if (text.starts_with(kSqliteMagic)) {
    return "a database";
  }
  // A file with a mistake in it is its writer's all the same.
  if (const auto document = scenarios::parse_document(text, path);
      document && document->is_object()) {
    if (document->contains("operation") && document->contains("server")) {
      return "a scenario";
    }
    if (document->contains("backoff") &&
        (document->contains("attempts") || document->contains("budgets"))) {
      return "a policy";
    }
  }
  if (const auto digests = scenarios::parse_golden(text, path); digests && !digests->empty()) {
    return "a file of golden digests";
  }
  return scenarios::load_policy_file(path) ? "a policy" : "";
}

}  // namespace

core::Error output_complaint(std::string_view option, const std::string& path,
                             std::string_view words) {
  return scenarios::error_of(fmt::format("{}: {} {}", option, path, words));
}

std::optional<core::Error> unwritable(std::string_view option, const std::string& path) {
  std::error_code ignored;
  const fs::path file(path);
  if (fs::is_directory(file, ignored)) {
    return output_complaint(option, path, "is a folder, not a file");
  }
  if (fs::exists(file, ignored) && !fs::is_regular_file(file, ignored)) {
    return std::nullopt;  // A device or a pipe is written to, not replaced.
  }
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, ignored)) {
    return output_complaint(
        option, path, fmt::format("cannot be written: there is no folder {}", folder.string()));
  }
  if (::access(folder.c_str(), W_OK) != 0) {
    return output_complaint(option, path, "cannot be written: its folder is read-only");
  }
  return std::nullopt;
}

std::optional<core::Error> refusal_to_replace(const std::string& path, std::string_view content) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) {
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
