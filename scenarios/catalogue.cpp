// SPDX-License-Identifier: MIT
#include "scenarios/catalogue.hpp"

#include <algorithm>
#include <vector>

#include "core/check.hpp"
#include "scenarios/embedded_files.hpp"

namespace squall::scenarios {
namespace {

constexpr std::string_view kLibrary = "scenarios/library/";
constexpr std::string_view kPolicies = "scenarios/policies/";
constexpr std::string_view kGolden = "scenarios/library/golden.json";

std::vector<StoredFile> files_under(std::string_view folder) {
  std::vector<StoredFile> files;
  for (const StoredFile& file : embedded_files()) {
    if (file.path.starts_with(folder) && file.path != kGolden) {
      files.push_back(file);
    }
  }
  std::sort(files.begin(), files.end(),
            [](const StoredFile& left, const StoredFile& right) { return left.name < right.name; });
  return files;
}

std::optional<StoredFile> find_by_name(std::span<const StoredFile> files, std::string_view name) {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [name](const StoredFile& file) { return file.name == name; });
  return found == files.end() ? std::nullopt : std::optional(*found);
}

std::optional<std::string_view> text_at(std::string_view path) {
  for (const StoredFile& file : embedded_files()) {
    if (file.path == path) {
      return file.text;
    }
  }
  return std::nullopt;
}

}  // namespace

std::span<const StoredFile> library_files() {
  static const std::vector<StoredFile> files = files_under(kLibrary);
  return files;
}

std::span<const StoredFile> policy_files() {
  static const std::vector<StoredFile> files = files_under(kPolicies);
  return files;
}

std::optional<StoredFile> find_library_file(std::string_view name) {
  return find_by_name(library_files(), name);
}

std::optional<StoredFile> find_policy_file(std::string_view name) {
  return find_by_name(policy_files(), name);
}

std::string_view schema_text(SchemaKind kind) {
  const std::string_view path = kind == SchemaKind::kScenario ? "scenarios/scenario.schema.json"
                                                              : "scenarios/policy.schema.json";
  const std::optional<std::string_view> text = text_at(path);
  SQUALL_CHECK(text.has_value(), path);
  return *text;
}

std::string_view golden_text() {
  return text_at(kGolden).value_or("{}");
}

}  // namespace squall::scenarios
