// SPDX-License-Identifier: MIT
//
// What a shell, a CI system or a hurried person does to the command: each ends in one line, and
// nothing the user had is lost.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "cli/command_line.hpp"
#include "cli/invocation_test_support.hpp"
#include "core/test_folder_test_support.hpp"

namespace squall::cli {
namespace {

using core::TestFolder;

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string scenario(const std::string& name, const std::string& expect,
                     const std::string& more = "") {
  return R"({ "name": ")" + name + R"(", "summary": "One.", "source": "Made up.",
    "operation": { "kind": "agent_chat",
      "request": { "model": "m", "messages": [ { "role": "user", "content": "?" } ] } },
    "server": { "respond": { "latency": "1s" } }, )" +
         more + R"("expect": )" + expect + " }";
}

TEST(HostileSurroundings, AnEmptyValueIsNotAMissingOption) {
  for (const char* option : {"--policy", "--threads", "--output", "--seed", "--runs"}) {
    expect_one_line(squall({"run", "healthy-answer", option, ""}), option);
  }
  expect_one_line(squall({"replay", "healthy-answer", "--policy", ""}), "--policy");
}

TEST(HostileSurroundings, OwnDescriptorsAreNoOutputFiles) {
  for (const char* file : {"/dev/stdout", "/dev/stderr", "/dev/fd/1", "/proc/self/fd/1"}) {
    const Ended ended = squall({"run", "healthy-answer", "--output", file});
    EXPECT_EQ(ended.code, kBadInput) << file;
    EXPECT_THAT(ended.err, HasSubstr("is this program's own output, allowed: a file"));
  }
}

TEST(HostileSurroundings, InterruptLeavesTheOutputFileAsItWas) {
  TestFolder folder;
  folder.write("results.json", "precious");
  const std::string path = folder.path("results.json");
  const std::atomic<bool> interrupted{true};
  const Ended ended =
      squall({"run", "weighted-mix", "--runs", "1M", "--output", path.c_str()}, &interrupted);
  EXPECT_EQ(ended.code, kInterrupted);
  EXPECT_EQ(folder.read("results.json"), "precious");
  EXPECT_THAT(ended.err, HasSubstr("is left as it was"));
}

TEST(HostileSurroundings, OneLongRunCanBeInterrupted) {
  const std::atomic<bool> interrupted{true};
  EXPECT_EQ(squall({"run", "endless-outage"}, &interrupted).code, kInterrupted);
  EXPECT_EQ(squall({"replay", "endless-outage"}, &interrupted).code, kInterrupted);
}

TEST(HostileSurroundings, PipesInAFolderAreNotWaitedFor) {
  TestFolder folder;
  folder.write("one.json", scenario("one", R"({ "outcome": "success" })"));
  ASSERT_EQ(mkfifo(folder.path("pipe.json").c_str(), 0600), 0);
  EXPECT_EQ(squall({"run", folder.path("").c_str()}).code, kFine);
}

TEST(HostileSurroundings, PoliciesMayLieBesideTheScenariosThatNameThem) {
  TestFolder folder;
  folder.copy(SQUALL_SOURCE_DIR "/scenarios/policies/comment.json");
  folder.write("one.json",
               scenario("one", R"({ "outcome": "success" })", R"("policy": "comment.json", )"));
  EXPECT_EQ(squall({"run", folder.path("").c_str()}).code, kFine);
}

TEST(HostileSurroundings, GoldenLinkThatLeadsNowhereIsAnError) {
  TestFolder folder;
  folder.write("one.json", scenario("one", R"({ "outcome": "success" })"));
  std::filesystem::create_symlink("nowhere", folder.path("golden.json"));
  expect_one_line(squall({"run", folder.path("").c_str()}), "golden.json");
}

TEST(HostileSurroundings, BlessingByTwoSpellingsKeepsBothDigests) {
  TestFolder folder;
  folder.write("one.json", scenario("one", R"({ "outcome": "success" })"));
  folder.write("two.json", scenario("two", R"({ "outcome": "success" })"));
  const std::string one = folder.path("one.json");
  const std::string two = folder.path("./two.json");
  EXPECT_EQ(squall({"run", "--bless", one.c_str(), two.c_str()}).code, kFine);
  EXPECT_THAT(folder.read("golden.json"), HasSubstr("\"one\""));
  EXPECT_THAT(folder.read("golden.json"), HasSubstr("\"two\""));
}

TEST(HostileSurroundings, AnInvariantThatDoesNotBreakAsExpectedIsUnmet) {
  TestFolder folder;
  folder.write("one.json", scenario("one", R"({ "breaks": "nope" })"));
  const std::string path = folder.path("one.json");
  const Ended ended = squall({"run", path.c_str()});
  EXPECT_EQ(ended.code, kUnexpected);
  EXPECT_THAT(ended.out, HasSubstr("breaks: nothing, expected nope once"));
}

TEST(HostileSurroundings, NamesOfFilesCannotBreakTheLineOrTheTerminal) {
  const Ended ended = squall({"run", "a\n\x1b[31mb.json"});
  expect_one_line(ended, "no such file");
  EXPECT_THAT(ended.err, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace squall::cli
