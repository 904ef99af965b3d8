// SPDX-License-Identifier: MIT
#include "reports/perfetto.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reports/simulated_test_support.hpp"
#include "reports/trace_event_rules_test_support.hpp"
#include "scenarios/catalogue.hpp"

namespace squall::reports {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using nlohmann::json;

/// Sleeps 2 s, 4 s, 8 s with equal jitter: a word w gives half the wait plus w mod (half + 1) ms.
constexpr const char* kJitterPolicy = R"({
  "name": "plain", "summary": "Test", "attempts": 5,
  "backoff": { "base": "2s", "multiplier": 2, "cap": "60s", "max_doublings": 6 },
  "jitter": { "kind": "equal" },
  "retry_after": { "sources": ["seconds"], "clamp": ["1s", "10s"] },
  "budgets": {}, "timeouts": { "idle": "5s" },
  "retry_on": { "statuses": ["429", "5xx"],
                "failures": ["connection", "cut_body", "unusable_answer"] } })";

scenarios::Scenario jittered(const std::string& server, const std::string& rest = "") {
  const std::string text =
      R"({ "name": "sample", "summary": "A sample.", "source": "Made up.",
    "operation": { "kind": "agent_chat", "telemetry": true,
                   "request": { "model": "m", "messages": [ { "role": "user", "content": "?" } ] } },
    "policy": )" +
      std::string(kJitterPolicy) + R"(, "server": )" + server +
      R"(, "expect": { "outcome": "success" })" + rest + " }";
  auto scenario = scenarios::load_scenario(text, "sample.json");
  if (!scenario) {
    ADD_FAILURE() << to_string(scenario.error());
    return {};
  }
  return *std::move(scenario);
}

std::string trace_of(const scenarios::Scenario& scenario, std::uint32_t number = 1) {
  const playback::PreparedScenario prepared(scenario);
  simulator::Simulation simulation(prepared);
  const playback::RunResult& result = simulation.run(1, 0);
  const RunReport report = make_run_report(subject_of(scenario), scenario, result);
  return perfetto_run(report, *result.trace, number);
}

json events_of(const scenarios::Scenario& scenario) {
  const std::string text = perfetto_text({trace_of(scenario)});
  EXPECT_THAT(TraceEventRules::findings(text), IsEmpty());
  return json::parse(text)["traceEvents"];
}

/// The lines of a document that hold `part`, each up to its args.
std::vector<std::string> lines_with(const std::string& text, std::string_view part) {
  std::vector<std::string> lines;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    const std::string line = text.substr(from, to - from);
    if (line.find(part) != std::string::npos) {
      lines.push_back(line.substr(0, line.find(",\"args\"")));
    }
    from = to + 1;
  }
  return lines;
}

std::vector<json> named(const json& events, const std::string& name) {
  std::vector<json> found;
  for (const json& event : events) {
    if (event["name"] == name) {
      found.push_back(event);
    }
  }
  return found;
}

// Three times 503 after 120.000001 ms; the words 0, 1234 and 4000 make the sleeps 1 s, 2 s + 1.234
// s, and 4 s + 4 s; then an answer, at 1 s.
//   0 - 120000.001   - 1120000.001
//     - 1240000.002  - 4474000.002
//     - 4594000.003  - 12594000.003
//     - 13594000.003
TEST(Perfetto, EveryTimeOfAScenarioWorkedOutByHand) {
  const scenarios::Scenario scenario = jittered(
      R"({ "sequence": [ { "respond": { "status": 503, "latency": "120000001ns" }, "times": 3 },
                         { "respond": { "reply": { "text": "ok" }, "latency": "1s" } } ] })",
      R"(, "client": { "jitter_words": ["0", "1234", "4000"] })");
  const std::string text = perfetto_text({trace_of(scenario, 3)});
  EXPECT_THAT(TraceEventRules::findings(text), IsEmpty());
  EXPECT_THAT(
      lines_with(text, R"("ph":"X")"),
      ElementsAre(
          R"({"name":"agent_chat: success","ph":"X","ts":0.000,"dur":13594000.003,"pid":30,"tid":31)",
          R"({"name":"attempt 1","ph":"X","ts":0.000,"dur":120000.001,"pid":30,"tid":32)",
          R"({"name":"header wait","ph":"X","ts":0.000,"dur":120000.001,"pid":30,"tid":33)",
          R"({"name":"body","ph":"X","ts":120000.001,"dur":0.000,"pid":30,"tid":33)",
          R"({"name":"sleep","ph":"X","ts":120000.001,"dur":1000000.000,"pid":30,"tid":34)",
          R"({"name":"attempt 2","ph":"X","ts":1120000.001,"dur":120000.001,"pid":30,"tid":32)",
          R"({"name":"header wait","ph":"X","ts":1120000.001,"dur":120000.001,"pid":30,"tid":33)",
          R"({"name":"body","ph":"X","ts":1240000.002,"dur":0.000,"pid":30,"tid":33)",
          R"({"name":"sleep","ph":"X","ts":1240000.002,"dur":3234000.000,"pid":30,"tid":34)",
          R"({"name":"attempt 3","ph":"X","ts":4474000.002,"dur":120000.001,"pid":30,"tid":32)",
          R"({"name":"header wait","ph":"X","ts":4474000.002,"dur":120000.001,"pid":30,"tid":33)",
          R"({"name":"body","ph":"X","ts":4594000.003,"dur":0.000,"pid":30,"tid":33)",
          R"({"name":"sleep","ph":"X","ts":4594000.003,"dur":8000000.000,"pid":30,"tid":34)",
          R"({"name":"attempt 4","ph":"X","ts":12594000.003,"dur":1000000.000,"pid":30,"tid":32)",
          R"({"name":"header wait","ph":"X","ts":12594000.003,"dur":1000000.000,"pid":30,"tid":33)",
          R"({"name":"body","ph":"X","ts":13594000.003,"dur":0.000,"pid":30,"tid":33)"));
  EXPECT_THAT(
      lines_with(text, R"("name":"failure row")"),
      ElementsAre(R"({"name":"failure row","ph":"i","s":"t","ts":120000.001,"pid":30,"tid":35)",
                  R"({"name":"failure row","ph":"i","s":"t","ts":1240000.002,"pid":30,"tid":35)",
                  R"({"name":"failure row","ph":"i","s":"t","ts":4594000.003,"pid":30,"tid":35)"));

  const json events = json::parse(text)["traceEvents"];
  const json failed = named(events, "attempt 2").at(0)["args"];
  EXPECT_EQ(failed["result"], "failed");
  EXPECT_EQ(failed["status"], 503);
  EXPECT_EQ(failed["class"], "transport");
  EXPECT_EQ(failed["error"], "the provider answered HTTP 503");
  const json accepted = named(events, "attempt 4").at(0)["args"];
  EXPECT_EQ(accepted["result"], "accepted");
  EXPECT_FALSE(accepted.contains("class"));
  EXPECT_EQ(accepted["request_digest"], failed["request_digest"]);
  EXPECT_THAT(accepted["request_digest"].get<std::string>(), SizeIs(16));
  EXPECT_EQ(named(events, "sleep").at(1)["args"], (json{{"slot", 2},
                                                        {"source", "schedule"},
                                                        {"ordered_ns", 3'234'000'000},
                                                        {"allowed", "2 to 4 s"},
                                                        {"cut_short", false}}));
}

TEST(Perfetto, RetryAfterIsReadWithTheHeadersAndNamedAsTheSourceOfTheSleep) {
  const json events = events_of(jittered(
      R"({ "sequence": [ { "respond": { "status": 429, "latency": "10ms",
                                         "headers": { "Retry-After": "7" } } },
                         { "respond": { "reply": { "text": "ok" }, "latency": "1s" } } ] })"));
  ASSERT_THAT(named(events, "Retry-After"), SizeIs(1));
  const json read = named(events, "Retry-After").at(0);
  EXPECT_EQ(TraceEventRules::nanoseconds(read["ts"]), 10'000'000);
  EXPECT_EQ(read["args"], (json{{"attempt", 1}, {"milliseconds", 7'000}}));
  const json sleep = named(events, "sleep").at(0);
  EXPECT_EQ(sleep["args"]["source"], "retry_after");
  EXPECT_EQ(TraceEventRules::nanoseconds(sleep["dur"]), 7'000'000'000);
}

TEST(Perfetto, AShutdownCutsTheSleepItFalls) {
  const json events = events_of(
      jittered(R"({ "respond": { "status": 503, "latency": "1s" } })",
               R"(, "client": { "shutdown_at": "1500000001ns", "jitter_words": ["1000"] })"));
  EXPECT_EQ(TraceEventRules::nanoseconds(named(events, "shutdown").at(0)["ts"]), 1'500'000'001);
  EXPECT_EQ(named(events, "shutdown").at(0)["s"], "p");
  const json sleep = named(events, "sleep").at(0);
  EXPECT_EQ(TraceEventRules::nanoseconds(sleep["dur"]), 500'000'001);
  EXPECT_EQ(sleep["args"]["ordered_ns"], 2'000'000'000);
  EXPECT_EQ(sleep["args"]["cut_short"], true);
}

TEST(Perfetto, TheHorizonEndsAnAttemptWithoutAVerdict) {
  const json events = events_of(jittered(
      R"({ "respond": { "reply": { "text": "ok" }, "latency": "1s",
                        "chunks": [ { "bytes": "1B", "after": "4s" } ] } })",
      R"(, "horizon": "3s")"));
  EXPECT_EQ(TraceEventRules::nanoseconds(named(events, "horizon").at(0)["ts"]), 3'000'000'000);
  const json attempt = named(events, "attempt 1").at(0);
  EXPECT_EQ(attempt["args"]["result"], "without a verdict");
  EXPECT_EQ(TraceEventRules::nanoseconds(attempt["dur"]), 3'000'000'000);
  EXPECT_EQ(TraceEventRules::nanoseconds(named(events, "body").at(0)["dur"]), 2'000'000'000);
}

TEST(Perfetto, WhateverIsInANameTheDocumentHolds) {
  scenarios::Scenario scenario = three_calls();
  scenario.name = "a\xff\"\n";
  const json events = events_of(scenario);
  EXPECT_EQ(named(events, "process_name").at(0)["args"]["name"], "a\xEF\xBF\xBD\"\n");
}

TEST(Perfetto, NothingRunIsStillADocument) {
  EXPECT_EQ(perfetto_text({}), "{\"traceEvents\":[\n]}\n");
  EXPECT_THAT(TraceEventRules::findings(perfetto_text({})), IsEmpty());
}

TEST(Perfetto, TheWholeCatalogueKeepsTheRulesAndItsBytes) {
  std::vector<std::string> once;
  std::vector<std::string> again;
  for (const scenarios::StoredFile& file : scenarios::library_files()) {
    const auto scenario = scenarios::load_scenario(file.text, std::string(file.path));
    ASSERT_TRUE(scenario) << file.path;
    once.push_back(trace_of(*scenario, static_cast<std::uint32_t>(once.size() + 1)));
    again.push_back(trace_of(*scenario, static_cast<std::uint32_t>(again.size() + 1)));
  }
  EXPECT_THAT(once, SizeIs(248));
  EXPECT_EQ(perfetto_text(once), perfetto_text(again));
  EXPECT_THAT(TraceEventRules::findings(perfetto_text(once)), IsEmpty());
}

// A checker that cannot bite is none.
TEST(TraceEventRules, EveryRuleBites) {
  const std::string names =
      R"({"name":"process_name","ph":"M","pid":1,"tid":2,"args":{"name":"p"}},)"
      R"({"name":"thread_name","ph":"M","pid":1,"tid":2,"args":{"name":"t"}})";
  const auto found = [&names](const std::string& events) {
    return TraceEventRules::findings("{\"traceEvents\":[" + names + "," + events + "]}");
  };
  const auto slice = [](const std::string& from, const std::string& lasts) {
    return R"({"name":"a","ph":"X","pid":1,"tid":2,"ts":)" + from + R"(,"dur":)" + lasts + "}";
  };
  EXPECT_THAT(found(slice("0.000", "2.000") + "," + slice("1.000", "1.000") + "," +
                    slice("2.000", "0.000") + "," + slice("2.000", "1.000")),
              IsEmpty());
  const auto bites = [&found](const std::string& events, const std::string& words) {
    EXPECT_THAT(found(events), ElementsAre(HasSubstr(words))) << events;
  };
  bites(slice("0.000", "2.000") + "," + slice("1.000", "1.001"), "overlaps");
  bites(slice("1.000", "0.000") + "," + slice("0.999", "0.000"), "time goes back");
  EXPECT_THAT(found(slice("0.000", "-1.000")), Contains(HasSubstr("dur is no duration")));
  EXPECT_THAT(found(slice("0.000", "\"1\"")), Contains(HasSubstr("dur is no duration")));
  bites(slice("0.00", "1.000"), "three decimals");
  bites(slice("0.000", "1"), "three decimals");
  bites(R"({"name":"a","ph":"X","pid":1,"tid":2,"dur":1.000})", "ts is no time");
  bites(R"({"name":"a","ph":"i","pid":1,"tid":2,"ts":1.000})", "without a scope");
  bites(R"({"name":"a","ph":"B","pid":1,"tid":2,"ts":1.000})", "unknown phase");
  bites(R"({"name":1,"ph":"X","pid":1,"tid":2,"ts":1.000})", "no string");
  bites(R"({"name":"a","ph":"X","pid":"1","tid":2,"ts":1.000})", "no whole number");
  bites(R"({"name":"a","ph":"i","s":"t","pid":1,"tid":3,"ts":1.000})", "without a name");
  bites(slice("0.000", "1.000") + "," +
            R"({"name":"thread_name","ph":"M","pid":1,"tid":3,"args":{"name":"t"}})",
        "metadata after");
  bites(R"({"name":"thread_name","ph":"M","pid":1,"tid":3,"args":{}})", "without its value");
  bites(R"({"name":"thread_name","ph":"M","pid":1,"tid":1,"args":{"name":"t"}})",
        "names two things");
  EXPECT_THAT(TraceEventRules::findings("[]"), SizeIs(1));
  EXPECT_THAT(TraceEventRules::findings("{"), SizeIs(1));
}

}  // namespace
}  // namespace squall::reports
