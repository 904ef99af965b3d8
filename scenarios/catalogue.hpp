// SPDX-License-Identifier: MIT
//
// What ships inside the program: the scenario library, the policies, the schemas and the golden
// digests, as the exact text of their files at build time. Reads nothing at run time.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace squall::scenarios {

/// A file that was embedded at build time.
struct StoredFile {
  std::string_view name;  ///< stem: "503-storm"
  std::string_view path;  ///< relative to the source tree: "scenarios/library/503-storm.json"
  std::string_view text;
};

/// The scenario library, sorted by name. Without the golden digests.
[[nodiscard]] std::span<const StoredFile> library_files();
/// The shipped policies, sorted by name.
[[nodiscard]] std::span<const StoredFile> policy_files();
/// The library scenario called `name`.
[[nodiscard]] std::optional<StoredFile> find_library_file(std::string_view name);
/// The shipped policy file called `name`.
[[nodiscard]] std::optional<StoredFile> find_policy_file(std::string_view name);

enum class SchemaKind : unsigned char { kScenario, kPolicy };
/// The published JSON Schema (draft 7), as in scenarios/<kind>.schema.json.
[[nodiscard]] std::string_view schema_text(SchemaKind kind);
/// scenarios/library/golden.json, see golden.hpp; "{}" when there was none.
[[nodiscard]] std::string_view golden_text();

}  // namespace squall::scenarios
