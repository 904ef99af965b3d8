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
#include "core/shipped_policies.hpp"
#include "core/test_folder_test_support.hpp"

namespace squall::cli {
namespace {

using core::TestFolder;

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

nlohmann::json json_of(const std::vector<std::string>& arguments) {
  const Ended ended = squall(arguments);
  EXPECT_EQ(ended.code, kFine) << ended.err;
  return nlohmann::json::parse(ended.out);
}

TEST(WorstCaseCommand, AShippedPolicyIsPlayedByTheOperationItIsMadeFor) {
  for (const core::NamedPolicy& policy : core::kShippedPolicies) {
    const std::string name(policy.name);
    const auto document = json_of({"worst-case", name.c_str(), "--json"});
    const std::string operation = name == "default"     ? "agent_chat"
                                  : name == "connector" ? "tool_call"
                                                        : name;
    EXPECT_EQ(document["operation"], operation);
  }
  EXPECT_EQ(json_of({"worst-case", "default", "--operation", "continuation",
                     "--json"})["sleep"]["total_ns"],
            0);
}

TEST(WorstCaseCommand, WitnessesAreFilesThatRun) {
  const TestFolder folder;
  const std::string witnesses = folder.path("a/b");
  const auto document =
      json_of({"worst-case", "connector", "--json", "--write-witness", witnesses.c_str()});
  ASSERT_GE(document["witnesses"].size(), 8U);
  for (const auto& witness : document["witnesses"]) {
    EXPECT_EQ(witness["file"], witnesses + "/" + witness["scenario"].get<std::string>() + ".json");
  }
  const Ended ran = squall({"run", witnesses.c_str()});
  EXPECT_EQ(ran.code, kFine) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("connector-silent-body"));
}

TEST(WorstCaseCommand, APolicyFileIsWrittenIntoItsWitnesses) {
  const TestFolder folder;
  folder.write("My Policy_.json", R"({
    "attempts": 2, "backoff": { "constant": "1s" }, "jitter": { "kind": "none" },
    "retry_after": { "sources": [], "clamp": ["0s", "0s"] }, "timeouts": { "idle": "10s" },
    "name": "My Policy_", "summary": "A name that is no scenario's name.",
    "retry_on": { "statuses": ["5xx"], "failures": ["connection"] }
  })");
  // The name of a policy must be plain too, so the file is refused under this one.
  expect_one_line(squall({"worst-case", folder.path("My Policy_.json").c_str()}), "/name");
  folder.write("mine.json", R"({
    "name": "mine", "summary": "Two calls.",
    "attempts": 2, "backoff": { "constant": "1s" }, "jitter": { "kind": "none" },
    "retry_after": { "sources": [], "clamp": ["0s", "0s"] }, "timeouts": { "idle": "10s" },
    "retry_on": { "statuses": ["5xx"], "failures": ["connection"] }
  })");
  const std::string policy = folder.path("mine.json");
  const std::string witnesses = folder.path("witnesses");
  const auto document = json_of({"worst-case", policy.c_str(), "--operation", "extraction",
                                 "--json", "--write-witness", witnesses.c_str()});
  // A cut body is final here, a whole error that ends just in time is not, and no more than a
  // rejected answer: 20 s - 2 ns, 1 s, 20 s - 1 ns.
  EXPECT_EQ(document["longest"][1]["operation_ns"], 40'999'999'997);
  EXPECT_EQ(document["witnesses"][0]["scenario"], "mine-extraction-fewest-calls");
  EXPECT_EQ(squall({"run", witnesses.c_str()}).code, kFine);
}

TEST(WorstCaseCommand, BadInputIsOneLine) {
  expect_one_line(squall({"worst-case"}), "POLICY is required");
  expect_one_line(squall({"worst-case", "defualt"}), R"(did you mean "default"?)");
  expect_one_line(squall({"worst-case", "default", "--operation", "chat"}),
                  R"(--operation: found "chat", allowed: agent_chat, extraction)");
  expect_one_line(squall({"worst-case", "default", "--body-waits", "x"}), "--body-waits");
  expect_one_line(squall({"worst-case", "default", "--body-waits", "1000001"}), "--body-waits");
  expect_one_line(squall({"worst-case", "default", "--operation", "tool_call"}),
                  "default: connector policy: a time budget is required");
  const TestFolder folder;
  folder.write("file", "");
  expect_one_line(
      squall({"worst-case", "default", "--write-witness", folder.path("file/x").c_str()}),
      "cannot make the folder");
}

TEST(WorstCaseCommand, SaysHowToGetWitnesses) {
  const Ended ended = squall({"worst-case", "default", "--body-waits", "2"});
  EXPECT_EQ(ended.code, kFine);
  EXPECT_THAT(ended.out, StartsWith("default: the worst that one agent_chat can take\n"));
  EXPECT_THAT(ended.out,
              HasSubstr("squall worst-case default --body-waits 2 --write-witness DIR\n"));
  EXPECT_THAT(squall({"worst-case", "--help"}).out, HasSubstr("squall worst-case default"));
}

}  // namespace
}  // namespace squall::cli
