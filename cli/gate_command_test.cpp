// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.hpp"
#include "cli/invocation_test_support.hpp"
#include "core/shipped_policies.hpp"
#include "core/test_folder_test_support.hpp"
#include "scenarios/writer.hpp"

namespace squall::cli {
namespace {

using core::TestFolder;

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

/// The default policy with `attempts` calls.
std::string policy_text(const std::string& name, std::uint32_t attempts) {
  core::RetryPolicy policy = core::default_policy();
  policy.budgets.attempts_max = attempts;
  return scenarios::write_policy(policy, name, "For a test.");
}

/// squall gate with few runs of the nine minutes' storm, and `more`.
std::vector<std::string> gate(const std::string& baseline, const std::string& candidate,
                              const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{"gate",        "--baseline",  baseline,
                                 "--candidate", candidate,     "--runs",
                                 "100",         "--scenarios", "503-storm-nine-minutes"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class GateCommandTest : public testing::Test {
 protected:
  GateCommandTest() {
    folder_.write("patient.json", policy_text("patient", 13));
    folder_.write("hasty.json", policy_text("hasty", 4));
  }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_.path(name); }

  TestFolder folder_;
};

TEST_F(GateCommandTest, TheSamePolicyPasses) {
  const Ended ended = squall(gate("default", path("patient.json")));
  EXPECT_EQ(ended.code, kFine) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("passes: 0 regressed, 0 improved, 0 changed within thresholds, "
                                   "7 as before\n"));
  EXPECT_THAT(ended.err, IsEmpty());
}

TEST_F(GateCommandTest, FewerCallsAreARegressionWithItsCause) {
  const Ended ended = squall(gate(path("patient.json"), path("hasty.json")));
  EXPECT_EQ(ended.code, kUnexpected);
  EXPECT_THAT(ended.out, HasSubstr("503-storm-nine-minutes  success rate"));
  EXPECT_THAT(ended.out, HasSubstr("because calls 13 -> 4\n"));
  EXPECT_EQ(squall(gate(path("patient.json"), path("hasty.json"))).out, ended.out);
  // The other way round everything that is judged gets better or costs more calls.
  EXPECT_THAT(squall(gate(path("hasty.json"), path("patient.json"), {"--quiet"})).out,
              Not(HasSubstr("success rate")));
}

TEST_F(GateCommandTest, BytesDoNotDependOnThreads) {
  const Ended one = squall(gate("default", path("hasty.json"), {"--json", "--threads", "1"}));
  EXPECT_EQ(squall(gate("default", path("hasty.json"), {"--json", "--threads", "3"})).out, one.out);
  EXPECT_EQ(json::parse(one.out)["squall"]["kind"], "gate");
}

TEST_F(GateCommandTest, EveryFormatIsWritten) {
  const Ended ended =
      squall(gate("default", path("hasty.json"),
                  {"--markdown", path("gate.md"), "--junit", path("junit.xml"), "--sarif",
                   path("gate.sarif"), "--save", path("saved.json"), "--github"}));
  EXPECT_EQ(ended.code, kUnexpected);
  EXPECT_THAT(ended.out, HasSubstr("\n::error file=" + path("hasty.json") + ",line=4,title="));
  EXPECT_THAT(folder_.read("gate.md"), StartsWith("### squall gate: regression\n"));
  EXPECT_THAT(folder_.read("junit.xml"), HasSubstr("<testsuite name=\"squall gate: hasty\""));
  EXPECT_EQ(json::parse(folder_.read("gate.sarif"))["version"], "2.1.0");
  EXPECT_THAT(folder_.read("saved.json"), StartsWith("{\"squall\": {\"schema\": 1, "));
}

TEST_F(GateCommandTest, SavedResultsAreABaseline) {
  const Ended saved = squall({"gate", "--candidate", "default", "--runs", "150", "--seed", "9",
                              "--scenarios", "503-storm-nine-minutes", "--save", path("b.json")});
  EXPECT_EQ(saved.code, kFine) << saved.err;
  // Runs and seed come from the file.
  const std::vector<std::string> words{"gate",
                                       "--baseline",
                                       path("b.json"),
                                       "--candidate",
                                       path("patient.json"),
                                       "--scenarios",
                                       "503-storm-nine-minutes"};
  const Ended same = squall(words);
  EXPECT_EQ(same.code, kFine) << same.err;
  EXPECT_THAT(same.out, HasSubstr("150 runs each, the same seeds on both sides (seed 9)"));
  EXPECT_THAT(same.out, HasSubstr(", 7 as before\n"));
  auto other = words;
  other.insert(other.end(), {"--runs", "200"});
  expect_one_line(squall(other), "holds 150 runs of seed 9");
  expect_one_line(squall({"gate", "--baseline", path("b.json"), "--candidate", "default",
                          "--scenarios", "healthy-answer"}),
                  "holds no results of the scenario \"healthy-answer\"");
  std::string text = folder_.read("b.json");
  text.replace(text.find("\"schema\": 1"), 11, "\"schema\": 7");
  folder_.write("future.json", text);
  expect_one_line(squall(gate(path("future.json"), "default")),
                  "future.json: /squall/schema: found schema version 7, allowed: 1");
}

TEST_F(GateCommandTest, FoldersAreMatchedByName) {
  const TestFolder before;
  before.write("patient.json", policy_text("patient", 13));
  before.write("gone.json", policy_text("gone", 2));
  const std::string now = path("patient.json").substr(0, path("patient.json").rfind('/'));
  const std::string then = before.path("gone.json").substr(0, before.path("gone.json").rfind('/'));
  const Ended ended = squall(gate(then, now));
  EXPECT_EQ(ended.code, kFine) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("hasty has no baseline: not judged\n"));
  EXPECT_THAT(ended.out, HasSubstr("gone is gone: not judged\n"));
  expect_one_line(squall(gate("shipped", now)),
                  "none of its policies is called like one of "
                  "\"shipped\"");
}

TEST_F(GateCommandTest, ShippedPoliciesAreAsTheirFilesSay) {
  const Ended ended = squall({"gate", "--baseline", SQUALL_SOURCE_DIR "/scenarios/policies",
                              "--candidate", "shipped", "--runs", "100"});
  EXPECT_EQ(ended.code, kFine) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("passes: 0 regressed, 0 improved, 0 changed"));
}

TEST_F(GateCommandTest, ThresholdsComeFromTheConfig) {
  folder_.write("gate.json", R"({ "thresholds": { "success_rate": "-100pp" } })");
  const Ended lenient =
      squall(gate("default", path("hasty.json"), {"--config", path("gate.json")}));
  EXPECT_EQ(lenient.code, kFine) << lenient.out;
  folder_.write("gate.json", R"({ "tags": { "outage": { "calls_per_operation": "2" } } })");
  const Ended strict =
      squall(gate(path("patient.json"), path("patient.json"), {"--config", path("gate.json")}));
  EXPECT_EQ(strict.code, kUnexpected);
  EXPECT_THAT(strict.out, HasSubstr("at most 2\n"));
}

TEST_F(GateCommandTest, BadInputIsOneLineAndWritesNothing) {
  folder_.write("kept.md", "as it was");
  const auto refused = [&](const std::vector<std::string>& words, const std::string& part) {
    auto all = words;
    all.insert(all.end(), {"--markdown", path("kept.md")});
    expect_one_line(squall(all), part);
    EXPECT_EQ(folder_.read("kept.md"), "as it was");
  };
  refused({"gate", "--candidate", "default"}, "--baseline is missing");
  refused({"gate", "--baseline", "default"}, "--candidate");
  refused(gate(path("missing.json"), "default"), "missing.json: no such file");
  refused(gate("defalt", "default"), "(did you mean \"default\"?)");
  refused(gate("default", "default", {"--config", path("none.json")}), "none.json: no such file");
  folder_.write("gate.json", R"({ "thresholds": { "succes_rate": "-1pp" } })");
  refused(gate("default", "default", {"--config", path("gate.json")}),
          "(did you mean \"success_rate\"?)");
  folder_.write("gate.json", R"({ "scenarios": { "503-storm": {} } })");
  refused(gate("default", "default", {"--config", path("gate.json")}),
          "no scenario that is played is called \"503-storm\"");
  const TestFolder empty;
  const std::string nothing = empty.path("x").substr(0, empty.path("x").rfind('/'));
  refused(gate(nothing, "default"), "no policy files (*.json) in this folder");
  refused({"gate", "--baseline", "default", "--candidate", "default", "--scenarios", nothing},
          "no scenario files");
  refused({"gate", "--baseline", "default", "--candidate", "default", "--runs", "99"},
          "--runs: found \"99\"");
  refused({"gate", "--baseline", "default", "--candidate", "comment", "--scenarios",
           "tool-answers-at-once-does-not-exist"},
          "no scenario is called");
  refused(gate("default", "default", {"--junit", path("no/such/folder.xml")}),
          "--junit: " + path("no/such/folder.xml") + " cannot be written: there is no folder");
  refused(gate("default", "default", {"--sarif", nothing}), "is a folder, not a file");
  refused(gate("default", "default", {"--junit", path("kept.md")}), "is what ");
  refused(gate(path("hasty.json"), "default", {"--save", path("hasty.json")}),
          "is what --baseline names");
  refused(gate("default", "default", {"--github", "--json"}), "both print to standard output");
}

TEST_F(GateCommandTest, AToolCallNeedsAPolicyThatFits) {
  expect_one_line(squall({"gate", "--baseline", "connector", "--candidate", path("hasty.json"),
                          "--runs", "100"}),
                  "no scenario to play");
}

TEST_F(GateCommandTest, AnInterruptWritesNothing) {
  const std::atomic<bool> interrupted{true};
  const Ended ended =
      squall(gate("default", path("hasty.json"), {"--markdown", path("gate.md")}), &interrupted);
  EXPECT_EQ(ended.code, kInterrupted);
  EXPECT_THAT(ended.out, IsEmpty());
  EXPECT_FALSE(folder_.exists("gate.md"));
}

TEST_F(GateCommandTest, HelpHasAnExample) {
  for (const char* command : {"compare", "gate"}) {
    const Ended ended = squall({command, "--help"});
    EXPECT_EQ(ended.code, kFine);
    EXPECT_THAT(ended.out, HasSubstr(std::string("Example:\n  squall ") + command));
  }
}

TEST_F(GateCommandTest, ComparePutsPoliciesSideBySide) {
  const std::vector<std::string> words{
      "compare", "default", path("hasty.json"), "--scenarios", "503-storm-nine-minutes",
      "--runs",  "100"};
  const Ended ended = squall(words);
  EXPECT_EQ(ended.code, kFine) << ended.err;
  EXPECT_THAT(ended.out, StartsWith("2 policies in 1 scenario, 100 runs each"));
  EXPECT_THAT(ended.out, HasSubstr("recovery p50"));
  EXPECT_THAT(ended.out, HasSubstr("Pareto"));
  auto as_json = words;
  as_json.push_back("--json");
  const json document = json::parse(squall(as_json).out);
  EXPECT_EQ(document["scenarios"][0]["cells"][1]["successes"], 0);
  EXPECT_EQ(document["scenarios"][0]["cells"][1]["calls"], 400);
  expect_one_line(squall({"compare"}), "POLICY");
  expect_one_line(squall({"compare", "defalt"}), "(did you mean \"default\"?)");
  expect_one_line(squall({"compare", "default", "--runs", "0"}), "--runs: found \"0\"");
}

TEST_F(GateCommandTest, CompareWithoutScenariosPlaysThoseOfThePolicy) {
  const json document = json::parse(squall({"compare", "comment", "--runs", "1", "--json"}).out);
  ASSERT_FALSE(document["scenarios"].empty());
  for (const json& scenario : document["scenarios"]) {
    EXPECT_EQ(scenario["operation"], "comment");
  }
}

}  // namespace
}  // namespace squall::cli
