// SPDX-License-Identifier: MIT
#include "cli/command_line.hpp"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/invocation_test_support.hpp"
#include "cli/progress.hpp"
#include "core/test_folder_test_support.hpp"

namespace squall::cli {
namespace {

using core::TestFolder;

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const std::string kLibrary = SQUALL_SOURCE_DIR "/scenarios/library/";
const std::string kMustFail = SQUALL_SOURCE_DIR "/scenarios/must_fail/";

TEST(CommandLine, BadUsageIsOneLine) {
  expect_one_line(squall({"rum"}), R"(unknown command "rum" (did you mean "run"?), allowed: run,)");
  expect_one_line(squall({"run", "--frobnicate"}), "--frobnicate (see squall run --help)");
  expect_one_line(squall({"run", "--runs"}), "--runs");
  expect_one_line(squall({"run", "--runs", "0"}), R"(--runs: found "0", allowed: 1 to 1000000000)");
  expect_one_line(squall({"run", "--runs", "1001M"}), "--runs");
  expect_one_line(squall({"run", "--runs", "1G"}), "--runs");
  expect_one_line(squall({"run", "--seed", "-1"}), "--seed");
  expect_one_line(squall({"run", "--seed", "18446744073709551616"}), "--seed");
  expect_one_line(squall({"run", "--threads", "0"}), "--threads");
  expect_one_line(squall({"replay"}), "SCENARIO");
  expect_one_line(squall({"schema", "polizy"}), R"(found "polizy", allowed: scenario or policy)");
  expect_one_line(squall({"scenarios", "--tag", "outag"}), R"((did you mean "outage"?))");
}

TEST(CommandLine, UnknownNamesSuggestTheRightOne) {
  expect_one_line(squall({"run", "healthy-answr"}), R"((did you mean "healthy-answer"?))");
  expect_one_line(squall({"scenarios", "healthy-answr"}), R"((did you mean "healthy-answer"?))");
  expect_one_line(squall({"run", "healthy-answer", "--policy", "defalt"}),
                  R"((did you mean "default"?))");
  expect_one_line(squall({"policies", "no/such/file.json"}), "no/such/file.json");
}

TEST(CommandLine, WithoutACommandItHelpsAndFails) {
  const Ended ended = squall({});
  EXPECT_EQ(ended.code, kBadInput);
  EXPECT_THAT(ended.err, HasSubstr("Subcommands:"));
}

TEST(CommandLine, EveryCommandHelpsWithAnExample) {
  for (const char* command : {"run", "replay", "policies", "scenarios", "schema", "db"}) {
    const Ended ended = squall({command, "--help"});
    EXPECT_EQ(ended.code, kFine);
    EXPECT_THAT(ended.out, HasSubstr(std::string("Example:\n  squall ") + command));
    EXPECT_THAT(ended.err, IsEmpty());
  }
  EXPECT_EQ(squall({"--help"}).code, kFine);
  EXPECT_EQ(squall({"--version"}).out, "squall " SQUALL_VERSION "\n");
}

TEST(CommandLine, OneScenarioIsATimeline) {
  const Ended ended = squall({"run", "healthy-answer"});
  EXPECT_EQ(ended.code, kFine);
  EXPECT_THAT(ended.out, StartsWith("healthy-answer: "));
  EXPECT_THAT(ended.out, HasSubstr("outcome     success after 1 call in"));
  EXPECT_THAT(ended.err, IsEmpty());
}

TEST(CommandLine, TheWholeLibraryIsAsExpected) {
  const Ended ended = squall({"run"});
  EXPECT_EQ(ended.code, kFine) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr(" as expected, 0 not\n"));
  EXPECT_EQ(squall({"run", kLibrary.c_str()}).code, kFine);
}

TEST(CommandLine, BytesDoNotDependOnThreads) {
  const std::vector<std::string> words{"run",    "--json", "503-storm-nine-minutes",
                                       "--runs", "500",    "weighted-mix",
                                       "--seed", "7",      "--threads"};
  auto one = words;
  one.push_back("1");
  auto many = words;
  many.push_back("4");
  EXPECT_EQ(squall(one).out, squall(many).out);
  EXPECT_THAT(squall(one).out, HasSubstr(R"("kind": "catalogue")"));
}

TEST(CommandLine, AnUnmetExpectationExitsWithOne) {
  TestFolder folder;
  const std::string path = folder.path("strict.json");
  folder.write("strict.json", R"({
    "name": "strict", "summary": "Too strict.", "source": "Made up.",
    "operation": { "kind": "agent_chat", "request": { "model": "m", "messages": [ { "role": "user", "content": "?" } ] } },
    "server": { "respond": { "status": 401 } }, "expect": { "outcome": "success" } })");
  const Ended ended = squall({"run", path.c_str()});
  EXPECT_EQ(ended.code, kUnexpected);
  EXPECT_THAT(ended.out, HasSubstr("FAIL  outcome: non_retryable, expected success\n"));
  const Ended many = squall({"run", path.c_str(), "healthy-answer", "--quiet"});
  EXPECT_EQ(many.code, kUnexpected);
  EXPECT_THAT(many.out, HasSubstr("outcome: non_retryable, expected success\n"));
  EXPECT_THAT(many.out, HasSubstr("squall replay " + path + " --seed 1 --run 0\n"));
  EXPECT_THAT(many.out, Not(HasSubstr("ok    healthy-answer")));
  // Under another policy its expectations say nothing.
  const Ended other = squall({"run", path.c_str(), "--policy", "comment"});
  EXPECT_EQ(other.code, kFine);
  EXPECT_THAT(other.out, HasSubstr("not checked: written for the scenario's own policy"));
}

TEST(CommandLine, ABrokenInvariantExitsWithThree) {
  const std::string path = kMustFail + "sleep-off-the-schedule.json";
  const Ended ended = squall({"run", path.c_str(), "--json"});
  EXPECT_EQ(ended.code, kBroken);
  EXPECT_THAT(ended.err, StartsWith("squall: broken in sleep-off-the-schedule (seed 1, run 0, "
                                    "virtual time 0:00:05."));
  EXPECT_THAT(ended.err, HasSubstr("sleep_interval: "));
  EXPECT_THAT(ended.err, EndsWith("squall replay " + path + " --seed 1 --run 0\n"));
  const auto document = nlohmann::json::parse(ended.out);
  EXPECT_EQ(document["sound"], false);
  EXPECT_EQ(document["broken"][0]["invariant"], "sleep_interval");
  EXPECT_EQ(squall({"run", path.c_str(), "--runs", "100"}).code, kBroken);
  EXPECT_EQ(squall({"replay", path.c_str()}).code, kBroken);
}

TEST(CommandLine, DefectsExistInTestBuildsOnly) {
  const std::string path = kMustFail + "sleep-too-long.json";
  expect_one_line(squall({"run", path.c_str()}), "exists in test builds only");
}

TEST(CommandLine, BrokenFilesAreAllReportedAndNothingRuns) {
  TestFolder folder;
  const std::string path = folder.path("bad.json");
  folder.write("bad.json", "{ \"name\": 7 }");
  const Ended ended = squall({"run", path.c_str(), "nope", "healthy-answer"});
  EXPECT_EQ(ended.code, kBadInput);
  EXPECT_THAT(ended.out, IsEmpty());
  EXPECT_THAT(ended.err, StartsWith(path + ":"));
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 2);
  expect_one_line(squall({"run", folder.path("").c_str(), "--quiet"}), "bad.json");
}

TEST(CommandLine, AnInterruptPrintsWhatIsDone) {
  const std::atomic<bool> interrupted{true};
  const Ended ended = squall({"run", "weighted-mix", "--runs", "1M"}, &interrupted);
  EXPECT_EQ(ended.code, kInterrupted);
  EXPECT_THAT(ended.err, HasSubstr("interrupted after 0 of 1 000 000 runs\n"));
  EXPECT_THAT(ended.out, HasSubstr("no invariant was checked\n"));
  EXPECT_THAT(ended.out, Not(HasSubstr("all hold")));
}

TEST(CommandLine, AFullDiskIsOneLine) {
  std::ofstream full("/dev/full");
  std::ostringstream err;
  const Console console{.out = full, .err = err};
  const std::vector<const char*> words{"run"};
  EXPECT_EQ(run(words, console), kBadInput);
  EXPECT_EQ(err.str(), "squall: cannot write to standard output: No space left on device\n");
}

TEST(CommandLine, OutputGoesToAFileAsAWhole) {
  TestFolder folder;
  const std::string path = folder.path("report.json");
  const Ended ended = squall({"run", "healthy-answer", "--json", "--output", path.c_str()});
  EXPECT_EQ(ended.code, kFine);
  EXPECT_EQ(ended.out, "wrote " + path + "\n");
  EXPECT_EQ(folder.read("report.json"), squall({"run", "healthy-answer", "--json"}).out);
  expect_one_line(squall({"run", "healthy-answer", "--output", folder.path("no/where").c_str()}),
                  "no/where");
}

TEST(CommandLine, BlessingAFolderWritesItsDigests) {
  TestFolder folder;
  folder.copy(kLibrary + "healthy-answer.json");
  folder.copy(kLibrary + "weighted-mix.json");
  folder.write("golden.json", R"({ "gone": "0000000000000001" })");
  const std::string place = folder.path("");
  const Ended blessed = squall({"run", place.c_str(), "--bless"});
  EXPECT_EQ(blessed.code, kFine);
  EXPECT_THAT(blessed.err, HasSubstr("golden.json: 2 digests, 3 changes\n"));
  EXPECT_THAT(folder.read("golden.json"), Not(HasSubstr("gone")));
  EXPECT_EQ(squall({"run", place.c_str()}).code, kFine);

  folder.write("golden.json", R"({ "healthy-answer": "0000000000000001" })");
  const Ended changed = squall({"run", place.c_str()});
  EXPECT_EQ(changed.code, kUnexpected);
  EXPECT_THAT(changed.out, HasSubstr("golden 0000000000000001 (squall run --bless "));
  // Golden digests are those of seed 1.
  EXPECT_EQ(squall({"run", place.c_str(), "--seed", "2"}).code, kFine);
  EXPECT_EQ(squall({"run", place.c_str(), "--runs", "3"}).code, kUnexpected);

  // A single file changes its own digest only.
  const std::string one = folder.path("weighted-mix.json");
  EXPECT_EQ(squall({"run", one.c_str(), "--bless"}).code, kFine);
  EXPECT_THAT(folder.read("golden.json"), HasSubstr("\"healthy-answer\": \"0000000000000001\""));
  EXPECT_THAT(folder.read("golden.json"), HasSubstr("weighted-mix"));
}

TEST(CommandLine, BlessingIsRefusedWhereItMeansNothing) {
  expect_one_line(squall({"run", "healthy-answer", "--bless"}), "built into squall");
  expect_one_line(squall({"run", kLibrary.c_str(), "--bless", "--seed", "2"}), "--bless");
  expect_one_line(squall({"run", kLibrary.c_str(), "--bless", "--policy", "comment"}), "--bless");
  TestFolder folder;
  folder.copy(kMustFail + "sleep-off-the-schedule.json");
  const Ended broken = squall({"run", folder.path("").c_str(), "--bless"});
  EXPECT_EQ(broken.code, kBroken);
  EXPECT_THAT(broken.err, EndsWith("nothing was written\n"));
  EXPECT_FALSE(folder.exists("golden.json"));
}

TEST(CommandLine, ReplayPrintsTheTrace) {
  const Ended ended = squall({"replay", "healthy-answer", "--seed", "3", "--run", "17"});
  EXPECT_EQ(ended.code, kFine);
  EXPECT_THAT(ended.out, HasSubstr("seed 3, run 17\n"));
  EXPECT_THAT(ended.out, HasSubstr("operation_started   request of "));
  EXPECT_THAT(ended.out, HasSubstr("operation_finished  success\n"));
  expect_one_line(squall({"replay", kLibrary.c_str()}), "one scenario, not a folder");
}

TEST(CommandLine, PoliciesAndScenariosAreListedAndShown) {
  EXPECT_THAT(squall({"policies"}).out, HasSubstr("  comment       3 calls, 5 s then 10 s"));
  EXPECT_THAT(squall({"policies", "default"}).out, HasSubstr("5 to 12          60 s"));
  const auto policy = nlohmann::json::parse(squall({"policies", "default", "--json"}).out);
  EXPECT_EQ(policy["attempts"], 13);
  EXPECT_THAT(squall({"scenarios"}).out, HasSubstr("  healthy-answer "));
  EXPECT_THAT(squall({"scenarios", "--tag", "shutdown"}).out, Not(HasSubstr("healthy-answer")));
  EXPECT_THAT(squall({"scenarios", "healthy-answer"}).out,
              HasSubstr("\"name\": \"healthy-answer\""));
  const auto list = nlohmann::json::parse(squall({"scenarios", "--json"}).out);
  EXPECT_EQ(list["squall"]["kind"], "scenarios");
}

TEST(CommandLine, SchemasAreValidJson) {
  for (const char* kind : {"scenario", "policy"}) {
    EXPECT_TRUE(nlohmann::json::parse(squall({"schema", kind}).out).contains("$schema")) << kind;
  }
  EXPECT_EQ(squall({"schema"}).out, squall({"schema", "scenario"}).out);
  EXPECT_EQ(squall({"schema", "--markdown"}).code, kFine);
}

TEST(Progress, ALineSaysHowFarAndHowLong) {
  EXPECT_EQ(progress_line(500'000, 1'000'000, std::chrono::seconds(2)),
            "[###############               ] 50%, 500 000 of 1 000 000 runs, 250 000 a second, "
            "2 s left");
  EXPECT_THAT(progress_line(0, 10, std::chrono::seconds(1)), StartsWith("[   "));
}

}  // namespace
}  // namespace squall::cli
