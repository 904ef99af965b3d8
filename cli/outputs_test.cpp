// SPDX-License-Identifier: MIT
#include "cli/outputs.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/test_folder_test_support.hpp"

namespace squall::cli {
namespace {

using core::TestFolder;

const std::string kExamples = std::string(SQUALL_SOURCE_DIR) + "/docs/examples/";

TEST(Outputs, WhatUsersWriteThemselvesIsNotReplaced) {
  TestFolder folder;
  folder.copy(kExamples + "impatient.json");
  folder.copy(kExamples + "thirty-second-restart.json");
  folder.write("golden.json", R"({ "one": "0123456789abcdef" })");
  folder.write("wrong.json", R"({ "name": "other", "operation": 1, "server": {} // not yet
      })");
  folder.write("half.json", R"({ "attempts": "x", "backoff": {} })");
  folder.write("rows.db", std::string("SQLite format 3\0 and more", 25));
  for (const auto& [name, kind] :
       {std::pair("impatient.json", "is a policy"),
        std::pair("thirty-second-restart.json", "is a scenario"),
        std::pair("wrong.json", "is a scenario"), std::pair("half.json", "is a policy"),
        std::pair("golden.json", "is a file of golden digests"),
        std::pair("rows.db", "is a database")}) {
    const auto refusal = refusal_to_replace(folder.path(name), "a report");
    ASSERT_TRUE(refusal.has_value()) << name;
    EXPECT_THAT(to_string(*refusal), testing::HasSubstr(kind));
  }
}

TEST(Outputs, EverythingElseMayBeWritten) {
  TestFolder folder;
  folder.copy(kExamples + "impatient.json");
  folder.write("report.json", R"({ "squall": { "schema": 1 } })");
  folder.write("empty.json", "{}");
  EXPECT_EQ(refusal_to_replace(folder.path("report.json"), "x"), std::nullopt);
  EXPECT_EQ(refusal_to_replace(folder.path("empty.json"), "x"), std::nullopt);
  EXPECT_EQ(refusal_to_replace(folder.path("absent.json"), "x"), std::nullopt);
  EXPECT_EQ(refusal_to_replace("/dev/null", "x"), std::nullopt);
  // The same bytes again lose nothing.
  EXPECT_EQ(refusal_to_replace(folder.path("impatient.json"), folder.read("impatient.json")),
            std::nullopt);
}

}  // namespace
}  // namespace squall::cli
