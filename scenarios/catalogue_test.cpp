// SPDX-License-Identifier: MIT
#include "scenarios/catalogue.hpp"

#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/shipped_policies.hpp"
#include "scenarios/describe.hpp"
#include "scenarios/files.hpp"
#include "scenarios/golden.hpp"
#include "scenarios/loader.hpp"
#include "scenarios/samples_test_support.hpp"

namespace squall::scenarios {
namespace {

std::string on_disk(std::string_view path) {
  return read_file(SQUALL_SOURCE_DIR "/" + std::string(path)).value();
}

/// Names of the JSON files in a folder of the source tree.
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  const std::filesystem::path root = SQUALL_SOURCE_DIR "/" + folder;
  if (std::filesystem::exists(root)) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      if (entry.path().extension() == ".json" && entry.path().filename() != "golden.json") {
        names.push_back(entry.path().stem().string());
      }
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST(Catalogue, HoldsEveryFileByteForByte) {
  std::vector<std::string> names;
  for (const StoredFile& file : library_files()) {
    EXPECT_EQ(file.text, on_disk(file.path));
    EXPECT_EQ(find_library_file(file.name)->text, file.text);
    names.emplace_back(file.name);
  }
  EXPECT_EQ(names, names_in("scenarios/library"));
  names.clear();
  for (const StoredFile& file : policy_files()) {
    EXPECT_EQ(file.text, on_disk(file.path));
    names.emplace_back(file.name);
  }
  EXPECT_EQ(names, names_in("scenarios/policies"));
  EXPECT_EQ(schema_text(SchemaKind::kScenario), on_disk("scenarios/scenario.schema.json"));
  EXPECT_EQ(schema_text(SchemaKind::kPolicy), on_disk("scenarios/policy.schema.json"));
  EXPECT_FALSE(find_library_file("golden"));
  EXPECT_FALSE(find_policy_file("nosuch"));
}

TEST(Catalogue, LibraryScenariosLoad) {
  for (const StoredFile& file : library_files()) {
    const auto scenario = load_scenario(file.text, std::string(file.path));
    ASSERT_TRUE(scenario) << core::to_string(scenario.error());
    EXPECT_EQ(scenario->name, file.name);
    EXPECT_FALSE(scenario->expect.breaks) << file.name;
  }
}

TEST(Catalogue, GoldenDigestsBelongToLibraryScenarios) {
  const auto golden = parse_golden(golden_text(), "golden.json");
  ASSERT_TRUE(golden) << core::to_string(golden.error());
  for (const auto& [name, digest] : *golden) {
    EXPECT_TRUE(find_library_file(name)) << name;
  }
}

TEST(Catalogue, PolicyFilesEqualTheConstants) {
  EXPECT_EQ(policy_files().size(), core::kShippedPolicies.size());
  for (const core::NamedPolicy& shipped : core::kShippedPolicies) {
    const auto file = find_policy_file(shipped.name);
    ASSERT_TRUE(file) << shipped.name;
    const auto policy = load_policy_file(SQUALL_SOURCE_DIR "/" + std::string(file->path));
    ASSERT_TRUE(policy) << core::to_string(policy.error());
    EXPECT_EQ(*policy, shipped.make()) << shipped.name;
    EXPECT_THAT(std::string(file->text),
                testing::HasSubstr("\"summary\": \"" + std::string(shipped.summary) + "\""));
  }
}

TEST(Describe, CommittedReferenceIsWhatTheSchemasSay) {
  // When this fails: squall schema --markdown > docs/scenario-format.md
  EXPECT_EQ(describe_format(), on_disk("docs/scenario-format.md"));
}

}  // namespace
}  // namespace squall::scenarios
