// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/invocation_test_support.hpp"
#include "core/test_folder_test_support.hpp"

namespace squall::cli {
namespace {

using core::TestFolder;

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Lt;
using testing::SizeIs;
using testing::StartsWith;

/// Answers after exactly a second.
std::string scenario(const std::string& name, const std::string& expect,
                     const std::string& policy = R"("default")") {
  return R"({ "name": ")" + name + R"(", "summary": "One.", "source": "Made up.",
    "operation": { "kind": "agent_chat",
      "request": { "model": "m", "messages": [ { "role": "user", "content": "?" } ] } },
    "policy": )" +
         policy + R"(, "server": { "respond": { "latency": "1s" } }, "expect": )" + expect + " }";
}

class ReportCommandTest : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return folder_.path(name); }
  [[nodiscard]] std::string folder() const {
    return std::filesystem::path(folder_.path("x")).parent_path().string();
  }

  TestFolder folder_;
};

std::vector<std::string> with(std::vector<std::string> words,
                              const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const std::vector<std::string> kStorm{"report",
                                      "503-storm-nine-minutes",
                                      "shutdown-in-body",
                                      "--policy",
                                      "default",
                                      "--policy",
                                      "comment",
                                      "--runs",
                                      "50"};

TEST_F(ReportCommandTest, BytesDoNotDependOnThreads) {
  const Ended one = squall(with(kStorm, {"--json", "--threads", "1"}));
  EXPECT_EQ(one.code, kFine) << one.err;
  EXPECT_EQ(squall(with(kStorm, {"--json", "--threads", "2"})).out, one.out);
  EXPECT_EQ(squall(with(kStorm, {"--json", "--threads", "8"})).out, one.out);
}

TEST_F(ReportCommandTest, AStoredReportGivesTheBytesOfTheRun) {
  for (const char* file : {"run.html", "run.md", "run.json"}) {
    const Ended ended = squall(with(kStorm, {"-o", path(file)}));
    EXPECT_EQ(ended.code, kFine) << ended.err;
    EXPECT_THAT(ended.out, StartsWith("wrote " + path(file) + "\nholds: 2 of 2 judged scenarios "));
  }
  for (const char* ending : {".html", ".md", ".json"}) {
    EXPECT_EQ(squall({"report", path("run.json"), "--quiet", "-o", path("again") + ending}).code,
              kFine);
    EXPECT_EQ(folder_.read(std::string("again") + ending),
              folder_.read(std::string("run") + ending));
  }
  EXPECT_EQ(squall({"report", path("run.json"), "--json"}).out, folder_.read("run.json"));
  EXPECT_EQ(squall({"report", path("run.json"), "--format", "markdown"}).out,
            folder_.read("run.md"));
}

TEST_F(ReportCommandTest, TheFormatFollowsTheEndingUnlessItIsNamed) {
  EXPECT_EQ(squall({"report", "healthy-answer", "--runs", "2", "-o", path("a.txt"), "--format",
                    "markdown"})
                .code,
            kFine);
  EXPECT_THAT(folder_.read("a.txt"), StartsWith("# squall report: holds\n"));
  EXPECT_EQ(squall({"report", "healthy-answer", "--runs", "2", "-o", path("a.HTM"), "--json"}).code,
            kFine);
  EXPECT_THAT(folder_.read("a.HTM"), StartsWith("{\n  \"format\""));
}

TEST_F(ReportCommandTest, OwnPoliciesMakeTheColumns) {
  folder_.write("mine.json", R"({ "name": "mine", "summary": "Test", "attempts": 3,
    "backoff": { "base": "2s", "multiplier": 2, "cap": "60s", "max_doublings": 6 },
    "jitter": { "kind": "none" },
    "retry_after": { "sources": ["seconds"], "clamp": ["1s", "10s"] },
    "budgets": {}, "timeouts": { "idle": "5s" },
    "retry_on": { "statuses": ["429", "5xx"],
                  "failures": ["connection", "cut_body", "unusable_answer"] } })");
  folder_.write("one.json", scenario("one", R"({ "outcome": "success" })"));
  folder_.write("two.json", scenario("two", R"({ "outcome": "success" })", R"("mine.json")"));
  const json document = json::parse(
      squall({"report", path("one.json"), path("two.json"), "--runs", "3", "--json"}).out);
  ASSERT_THAT(document["policies"], SizeIs(2));
  EXPECT_EQ(document["policies"][0]["name"], "default");
  EXPECT_EQ(document["policies"][0]["command"],
            "squall compare default --scenarios " + path("one.json") + " --runs 3 --seed 1");
  EXPECT_EQ(document["policies"][1]["name"], path("mine.json"));
  EXPECT_EQ(document["cells"][1]["command"],
            "squall run " + path("two.json") + " --runs 3 --seed 1");
  EXPECT_EQ(document["cells"][1]["elapsed"]["max_ns"], 1'000'000'000);
  EXPECT_EQ(document["verdict"]["state"], "holds");
  EXPECT_THAT(document["command"].get<std::string>(),
              StartsWith("squall report " + path("one.json") + " "));
}

TEST_F(ReportCommandTest, AnotherPolicyIsNotJudgedByExpectations) {
  const json document = json::parse(squall(with(kStorm, {"--json"})).out);
  ASSERT_THAT(document["cells"], SizeIs(4));
  EXPECT_EQ(document["cells"][0]["expectations"], "met");
  EXPECT_EQ(document["cells"][1]["expectations"], "not judged");
  EXPECT_EQ(document["cells"][1]["success"]["count"], 0);  // Three calls outlast no nine minutes.
  EXPECT_EQ(document["cells"][1]["command"],
            "squall run 503-storm-nine-minutes --policy comment --runs 50 --seed 1");
}

TEST_F(ReportCommandTest, EveryCommandRuns) {
  const json document = json::parse(squall(with(kStorm, {"--json"})).out);
  std::vector<std::string> commands{document["command"]};
  for (const char* list : {"policies", "cells", "timelines"}) {
    for (const json& entry : document[list]) {
      commands.push_back(entry["command"]);
    }
  }
  for (const json& policy : document["policies"]) {
    commands.push_back(policy["worst_case"]["command"]);
  }
  for (const std::string& command : commands) {
    std::vector<std::string> words;
    std::istringstream text(command);
    for (std::string word; text >> word;) {
      words.push_back(word == "report.html" ? path("report.html") : word);
    }
    ASSERT_EQ(words.front(), "squall");
    words.erase(words.begin());
    const Ended ended = squall(words);
    EXPECT_EQ(ended.code, kFine) << command << '\n' << ended.err;
  }
  EXPECT_EQ(squall(with(kStorm, {"-o", path("direct.html")})).code, kFine);
  EXPECT_EQ(folder_.read("report.html"), folder_.read("direct.html"));
}

TEST_F(ReportCommandTest, ChangesAreThoseOfTheGate) {
  const std::vector<std::string> words{"report",   "503-storm-nine-minutes",
                                       "--policy", "comment",
                                       "--runs",   "100",
                                       "--json",   "--baseline",
                                       "default"};
  const Ended ended = squall(words);
  EXPECT_EQ(ended.code, kUnexpected) << ended.err;
  const json document = json::parse(ended.out);
  EXPECT_EQ(document["verdict"]["state"], "failed");
  const json& changes = document["changes"];
  EXPECT_EQ(changes["command"],
            "squall gate --baseline default --candidate comment --scenarios "
            "503-storm-nine-minutes --runs 100 --seed 1");
  const json gate =
      json::parse(squall({"gate", "--baseline", "default", "--candidate", "comment", "--scenarios",
                          "503-storm-nine-minutes", "--runs", "100", "--seed", "1", "--json"})
                      .out);
  std::size_t regressed = 0;
  for (const json& metric : gate["policies"][0]["scenarios"][0]["metrics"]) {
    regressed += metric["change"] == "regressed" ? 1U : 0U;
  }
  EXPECT_GT(regressed, 0U);
  EXPECT_EQ(changes["regressions"], regressed);
  EXPECT_EQ(changes["sentences"][0]["kind"], "regression");
  EXPECT_THAT(changes["sentences"][0]["text"].get<std::string>(),
              HasSubstr("because calls 13 -> 3"));
  EXPECT_EQ(
      document["verdict"]["reasons"][0],
      "comment, 503-storm-nine-minutes: " + changes["sentences"][0]["text"].get<std::string>());
}

TEST_F(ReportCommandTest, SavedResultsAreABaseline) {
  ASSERT_EQ(squall({"gate", "--candidate", "default", "--runs", "120", "--seed", "5", "--scenarios",
                    "503-storm-nine-minutes", "--save", path("saved.json")})
                .code,
            kFine);
  const std::vector<std::string> words{"report", "503-storm-nine-minutes", "--baseline",
                                       path("saved.json"), "--json"};
  const Ended ended = squall(words);
  EXPECT_EQ(ended.code, kFine) << ended.err;
  const json document = json::parse(ended.out);
  EXPECT_EQ(document["runs"], 120);
  EXPECT_EQ(document["seed"], 5);
  EXPECT_EQ(document["changes"]["regressions"], 0);
  EXPECT_EQ(document["changes"]["unchanged"], 7);
  expect_one_line(squall(with(words, {"--seed", "6"})), "holds 120 runs of seed 5");
}

TEST_F(ReportCommandTest, TheVerdictIsTheExitCode) {
  folder_.write("late.json", scenario("late", R"({ "elapsed": { "max": "10ms" } })"));
  const Ended failed = squall({"report", path("late.json"), "--runs", "5", "-o", path("r.html")});
  EXPECT_EQ(failed.code, kUnexpected);
  EXPECT_THAT(failed.out, HasSubstr("\nfailed: 1 of 1 judged scenario not as expected; "));
  EXPECT_TRUE(folder_.exists("r.html"));
  // A stored report says again what it said.
  EXPECT_EQ(squall({"report", path("late.json"), "--runs", "5", "-o", path("r.json")}).code,
            kUnexpected);
  EXPECT_EQ(squall({"report", path("r.json"), "-o", path("r.md")}).code, kUnexpected);
  const Ended broken =
      squall({"report", SQUALL_SOURCE_DIR "/scenarios/must_fail/more-calls-than-allowed.json",
              "--runs", "5", "-o", path("b.html")});
  EXPECT_EQ(broken.code, kBroken);
  EXPECT_THAT(broken.err, HasSubstr("attempt_budget"));
  EXPECT_THAT(broken.out, HasSubstr("\nbroken: "));
}

TEST_F(ReportCommandTest, BadInputIsOneLineAndWritesNothing) {
  folder_.write("kept.html", "as it was");
  folder_.write("future.json", R"({ "format": "squall-report/2", "policies": [] })");
  folder_.write("saved.json", R"({ "squall": { "schema": 1, "kind": "gate-results" } })");
  folder_.write("text.json", "nonsense");
  const auto refused = [&](const std::vector<std::string>& words, const std::string& part) {
    auto all = with({"report"}, words);
    expect_one_line(squall(with(all, {"-o", path("kept.html")})), part);
    EXPECT_EQ(folder_.read("kept.html"), "as it was");
  };
  refused({path("missing.json")}, "missing.json: no such file");
  refused({"503-strom-nine-minutes"}, "(did you mean \"503-storm-nine-minutes\"?)");
  refused({path("future.json")},
          "future.json: /format: found \"squall-report/2\", allowed: "
          "\"squall-report/1\"");
  refused({path("saved.json")}, "saved.json: is no report");
  refused({path("text.json")}, "text.json:");
  const TestFolder empty;
  refused({std::filesystem::path(empty.path("x")).parent_path().string()},
          "no scenario files (*.json) in this folder");
  refused({"healthy-answer", "--policy", path("none.json")}, "none.json: no such file");
  refused({"healthy-answer", "--policy", "defalt"}, "(did you mean \"default\"?)");
  refused({"healthy-answer", "--policy", "comment", "--policy", "comment"}, "is named twice");
  refused({"healthy-answer", "healthy-answer"}, "is named twice");
  refused({"tool-flaky-connector", "--policy", "default"}, "which the policy default does not fit");
  refused({"healthy-answer", "--baseline", path("none.json")}, "none.json: no such file");
  refused({"healthy-answer", "--baseline", path("future.json")}, "is a report, allowed: a policy");
  refused({"healthy-answer", "--baseline", "default", "--runs", "99"},
          "--runs: found 99, allowed: 100 to 100000");
  refused({"healthy-answer", "--runs", "0"}, "--runs: found \"0\"");
  refused({"healthy-answer", "--seed", "x"}, "--seed: found \"x\"");
  refused({"healthy-answer", "--threads", "0"}, "--threads: found \"0\"");
  refused({"healthy-answer", "--format", "pdf"}, "--format: found \"pdf\", allowed: html");
  refused({"healthy-answer", "--format", "html", "--json"}, "contradict each other");
  refused({"healthy-answer", ""}, "SCENARIO");
  expect_one_line(squall({"report", "healthy-answer"}), "--output is missing");
  expect_one_line(squall({"report", "healthy-answer", "--format", "html"}), "--output is missing");
  expect_one_line(squall({"report", "healthy-answer", "-o", path("report.pdf")}),
                  "does not say what to write, allowed: .html, .md or .json");
  EXPECT_FALSE(folder_.exists("report.pdf"));
}

TEST_F(ReportCommandTest, OutputsThatCannotBeWrittenAreSaidAtOnce) {
  expect_one_line(squall({"report", "-o", path("no/such/r.html")}),
                  "cannot be written: there is no folder");
  expect_one_line(squall({"report", "-o", folder(), "--json"}), "is a folder, not a file");
  folder_.write("one.json", scenario("one", R"({ "outcome": "success" })"));
  const std::string before = folder_.read("one.json");
  expect_one_line(squall({"report", path("one.json"), "-o", path("one.json")}),
                  "is what the report is made of");
  folder_.write("other.json", scenario("other", R"({ "outcome": "success" })"));
  expect_one_line(squall({"report", path("one.json"), "-o", path("other.json")}), "is a scenario");
  EXPECT_EQ(folder_.read("one.json"), before);
}

TEST_F(ReportCommandTest, AStoredReportStandsAlone) {
  ASSERT_EQ(squall({"report", "healthy-answer", "--runs", "2", "-o", path("r.json")}).code, kFine);
  for (const std::vector<std::string>& more : {std::vector<std::string>{"healthy-answer"},
                                               {"--runs", "3"},
                                               {"--seed", "3"},
                                               {"--policy", "default"},
                                               {"--baseline", "default"}}) {
    expect_one_line(squall(with({"report", path("r.json"), "-o", path("r.html")}, more)),
                    "is a finished report");
  }
  EXPECT_FALSE(folder_.exists("r.html"));
  const std::string before = folder_.read("r.json");
  expect_one_line(squall({"report", path("r.json"), "-o", path("r.json"), "--format", "html"}),
                  "is what the report is made of");
  EXPECT_EQ(folder_.read("r.json"), before);
}

TEST_F(ReportCommandTest, AnInterruptWritesNothing) {
  folder_.write("kept.html", "as it was");
  const std::atomic<bool> interrupted{true};
  const Ended ended = squall(with(kStorm, {"-o", path("kept.html")}), &interrupted);
  EXPECT_EQ(ended.code, kInterrupted);
  EXPECT_THAT(ended.out, IsEmpty());
  EXPECT_EQ(ended.err, "squall: interrupted: no report is written\n");
  EXPECT_EQ(folder_.read("kept.html"), "as it was");
}

// Five policies in the whole catalogue: four in all that is no tool call, one in all tool calls.
TEST_F(ReportCommandTest, TheWholeCatalogueStaysBelowTwoMegabytes) {
  const Ended ended =
      squall({"report", "--policy", "default", "--policy", "synthesis", "--policy", "comment",
              "--policy", SQUALL_SOURCE_DIR "/docs/examples/patient.json", "--policy", "connector",
              "--runs", "20", "-o", path("r.html")});
  EXPECT_EQ(ended.code, kFine) << ended.err;
  EXPECT_THAT(folder_.read("r.html"), SizeIs(Lt(std::size_t{2'000'000})));
  ASSERT_EQ(squall({"report", "--runs", "2", "-o", path("own.json")}).code, kFine);
  const json document = json::parse(folder_.read("own.json"));
  EXPECT_EQ(document["cells"].size(), document["scenarios"].size());
  EXPECT_EQ(document["policies"][0]["command"], "squall compare default --runs 2 --seed 1");
  for (const json& timeline : document["timelines"]) {
    EXPECT_LE(timeline["attempts"].size(), 100U);
  }
}

TEST_F(ReportCommandTest, HelpHasAnExample) {
  const Ended ended = squall({"report", "--help"});
  EXPECT_EQ(ended.code, kFine);
  EXPECT_THAT(ended.out, HasSubstr("Example:\n  squall report "));
}

}  // namespace
}  // namespace squall::cli
