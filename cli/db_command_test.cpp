// SPDX-License-Identifier: MIT
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.hpp"
#include "cli/invocation_test_support.hpp"
#include "core/test_folder_test_support.hpp"
#include "telemetry/store.hpp"

namespace squall::cli {
namespace {

using core::TestFolder;

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

/// Two operations: one succeeds at once, one fails twice with the same class.
void record_sample(const std::string& path) {
  const auto store = telemetry::Store::open(path, {});
  ASSERT_TRUE(store.has_value());
  core::RequestRow row;
  row.operation_id = telemetry::operation_id((*store)->recording(), "storm", 7, 0);
  row.model = "m";
  row.retry_attempts = 1;
  row.success = true;
  (*store)->record(row);
  core::FailureRow failure;
  failure.operation_id = telemetry::operation_id((*store)->recording(), "storm", 7, 1);
  failure.failure_class = "transport";
  for (const std::uint32_t attempt : {1U, 2U}) {
    failure.attempt = attempt;
    (*store)->record(failure);
  }
  row.operation_id = failure.operation_id;
  row.success = false;
  row.failure_class = "transport";
  row.retry_attempts = 2;
  (*store)->record(row);
}

TEST(DbCommand, SumsUpADatabase) {
  const TestFolder folder;
  const std::string path = folder.path("t.db");
  record_sample(path);
  const Ended ended = squall({"db", path.c_str()});
  EXPECT_EQ(ended.code, kFine);
  EXPECT_THAT(ended.err, IsEmpty());
  EXPECT_THAT(ended.out, StartsWith(path + ": 2 operations in 1 recording\n"));
  EXPECT_THAT(ended.out, HasSubstr("  retried     1 (50%)\n"));
  EXPECT_THAT(ended.out, HasSubstr("  1/storm/7/1\n"));
  EXPECT_EQ(squall({"db", path.c_str()}).out, ended.out);
}

TEST(DbCommand, AsJsonIntoAFile) {
  const TestFolder folder;
  const std::string path = folder.path("t.db");
  const std::string output = folder.path("t.json");
  record_sample(path);
  const Ended ended = squall({"db", path.c_str(), "--json", "--output", output.c_str()});
  EXPECT_EQ(ended.code, kFine);
  EXPECT_EQ(ended.out, "wrote " + output + "\n");
  const auto document = nlohmann::json::parse(folder.read("t.json"));
  EXPECT_EQ(document["squall"]["kind"], "telemetry");
  EXPECT_EQ(document["failure_classes"],
            nlohmann::json::parse(R"([{"name": "transport", "count": 2}])"));
}

TEST(DbCommand, WhatIsNoDatabaseOfOursIsOneLine) {
  const TestFolder folder;
  folder.write("text", std::string(4'096, 'x'));
  const std::string text = folder.path("text");
  const std::string none = folder.path("none.db");
  expect_one_line(squall({"db", text.c_str()}), text + ": found a file that is no SQLite database");
  expect_one_line(squall({"db", none.c_str()}), none + ": there is no such file");
  expect_one_line(squall({"db", folder.path("").c_str()}), "found a folder");
  expect_one_line(squall({"db"}), "FILE");
  expect_one_line(squall({"db", ""}), "FILE");
}

TEST(DbCommand, TheDatabaseIsNoOutputFile) {
  const TestFolder folder;
  const std::string path = folder.path("t.db");
  record_sample(path);
  const std::string before = folder.read("t.db");
  expect_one_line(squall({"db", path.c_str(), "--output", path.c_str()}),
                  "--output would replace the database itself");
  EXPECT_EQ(folder.read("t.db"), before);
}

}  // namespace
}  // namespace squall::cli
