// SPDX-License-Identifier: MIT
//
// squall run --perfetto: the trace file and everything that can keep it from being written.
#include <atomic>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/invocation_test_support.hpp"
#include "core/test_folder_test_support.hpp"
#include "reports/trace_event_rules_test_support.hpp"

namespace squall::cli {
namespace {

using core::TestFolder;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using reports::TraceEventRules;

std::vector<std::string> processes_in(const std::string& text) {
  std::vector<std::string> names;
  const auto document = nlohmann::json::parse(text);
  for (const auto& event : document["traceEvents"]) {
    if (event["name"] == "process_name") {
      names.push_back(event["args"]["name"]);
    }
  }
  return names;
}

TEST(RunPerfetto, WritesOneProcessAScenarioAndPrintsWhatItPrintsAnyway) {
  TestFolder folder;
  const std::string file = folder.path("trace.json");
  const Ended ended =
      squall({"run", "four-kinds-of-failure", "healthy-answer", "--perfetto", file});
  EXPECT_EQ(ended.code, kFine);
  EXPECT_EQ(ended.out, squall({"run", "four-kinds-of-failure", "healthy-answer"}).out);
  EXPECT_THAT(ended.err, IsEmpty());
  EXPECT_THAT(TraceEventRules::findings(folder.read("trace.json")), IsEmpty());
  EXPECT_THAT(processes_in(folder.read("trace.json")),
              ElementsAre("four-kinds-of-failure", "healthy-answer"));
}

TEST(RunPerfetto, OfManyRunsTheFirstIsShownOnAnyNumberOfThreads) {
  TestFolder folder;
  ASSERT_EQ(squall({"run", "weighted-mix", "--perfetto", folder.path("one.json")}).code, kFine);
  for (const char* threads : {"1", "3"}) {
    ASSERT_EQ(squall({"run", "weighted-mix", "--runs", "20", "--threads", threads, "--perfetto",
                      folder.path("many.json")})
                  .code,
              kFine);
    EXPECT_EQ(folder.read("many.json"), folder.read("one.json"));
  }
  // Also where no golden digest makes the first run interesting.
  ASSERT_EQ(squall({"run", "weighted-mix", "--runs", "2", "--seed", "9", "--perfetto",
                    folder.path("nine.json")})
                .code,
            kFine);
  EXPECT_THAT(folder.read("nine.json"), HasSubstr(R"("seed":9,"run":0,)"));
}

TEST(RunPerfetto, TheWholeLibraryKeepsTheRules) {
  TestFolder folder;
  ASSERT_EQ(squall({"run", "--perfetto", folder.path("all.json")}).code, kFine);
  const std::string text = folder.read("all.json");
  EXPECT_THAT(TraceEventRules::findings(text), IsEmpty());
  EXPECT_THAT(processes_in(text), SizeIs(248));
}

TEST(RunPerfetto, AnUnmetExpectationIsDrawnTooAndKeepsItsCode) {
  TestFolder folder;
  folder.write("one.json", R"({ "name": "one", "summary": "One.", "source": "Made up.",
    "operation": { "kind": "agent_chat",
      "request": { "model": "m", "messages": [ { "role": "user", "content": "?" } ] } },
    "server": { "respond": { "latency": "1s" } }, "expect": { "outcome": "exhausted" } })");
  EXPECT_EQ(squall({"run", folder.path("one.json"), "--perfetto", folder.path("trace.json")}).code,
            kUnexpected);
  EXPECT_THAT(processes_in(folder.read("trace.json")), ElementsAre("one"));
}

TEST(RunPerfetto, InputsAndOtherOutputsAreRefusedBeforeAnythingRuns) {
  TestFolder folder;
  folder.copy(SQUALL_SOURCE_DIR "/docs/examples/thirty-second-restart.json");
  folder.copy(SQUALL_SOURCE_DIR "/docs/examples/impatient.json");
  folder.copy(SQUALL_SOURCE_DIR "/scenarios/library/golden.json");
  const std::string scenario = folder.path("thirty-second-restart.json");
  const std::string before = folder.read("thirty-second-restart.json");
  const std::string other = folder.path("other");
  expect_one_line(squall({"run", scenario, "--perfetto", scenario}), "is a scenario");
  expect_one_line(squall({"run", scenario, "--perfetto", folder.path("golden.json")}),
                  "golden digests");
  expect_one_line(squall({"run", scenario, "--perfetto", other, "--output", other}),
                  "is what --output names");
  expect_one_line(squall({"run", scenario, "--perfetto", other, "--db", folder.path("./other")}),
                  "is what --db names");
  expect_one_line(squall({"run", scenario, "--perfetto", folder.path("")}), "is a folder");
  expect_one_line(squall({"run", scenario, "--perfetto", folder.path("no/trace.json")}),
                  "there is no folder");
  expect_one_line(squall({"run", scenario, "--perfetto", ""}), "--perfetto");
  EXPECT_EQ(folder.read("thirty-second-restart.json"), before);
}

TEST(RunPerfetto, ADeviceThatTakesNothingIsAnErrorAfterTheReport) {
  const Ended ended = squall({"run", "healthy-answer", "--perfetto", "/dev/full"});
  EXPECT_EQ(ended.code, kBadInput);
  EXPECT_THAT(ended.out, HasSubstr("outcome     success"));
  EXPECT_THAT(ended.err, HasSubstr("/dev/full"));
}

TEST(RunPerfetto, AnInterruptLeavesTheFileAsItWas) {
  TestFolder folder;
  folder.write("trace.json", "precious");
  const std::atomic<bool> interrupted{true};
  for (const char* runs : {"1", "1M"}) {
    const Ended ended =
        squall({"run", "weighted-mix", "--runs", runs, "--perfetto", folder.path("trace.json")},
               &interrupted);
    EXPECT_EQ(ended.code, kInterrupted);
    EXPECT_THAT(ended.err, HasSubstr("trace.json is left as it was"));
    EXPECT_EQ(folder.read("trace.json"), "precious");
  }
}

}  // namespace
}  // namespace squall::cli
