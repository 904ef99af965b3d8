// SPDX-License-Identifier: MIT
#include "reports/reliability_report.hpp"

#include <array>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "analysis/reliability.hpp"
#include "core/connector/policy.hpp"
#include "reports/reliability_words.hpp"
#include "reports/simulated_test_support.hpp"

namespace squall::reports::reliability {
namespace {

using nlohmann::json;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

/// One scenario under its own policy.
Document document_of(const scenarios::Scenario& scenario, std::uint64_t runs) {
  const playback::PreparedScenario prepared(scenario);
  const std::array<analysis::ReliabilityTask, 1> tasks{{{0, 0, &prepared}}};
  analysis::MeasureOptions options;
  options.runs = runs;
  const analysis::Reliability found = analysis::collect(tasks, 1, options);
  Material material;
  material.version = "1.2.3";
  material.command = "squall report sample.json";
  material.columns = {{.name = "plain",
                       .policy = scenario.policy,
                       .word = "plain.json",
                       .command = "squall compare plain.json",
                       .kinds = {scenario.operation.kind()}}};
  material.rows = {{.name = scenario.name,
                    .summary = scenario.summary,
                    .kind = scenario.operation.kind(),
                    .tags = {"transport"}}};
  material.reliability = &found;
  material.subjects = {subject_of(scenario)};
  material.played = {&scenario};
  for (const analysis::TimelinePick& pick : analysis::timelines_of(found, 0)) {
    analysis::replay(tasks[0], 1, pick.run, [&](const playback::RunResult& result) {
      material.drawn.push_back({.pick = pick,
                                .report = make_run_report(subject_of(scenario), scenario, result),
                                .sleeps = *result.sleeps});
    });
  }
  return make_document(material);
}

// Three calls: 503 after 1 s, no headers from 3 s to 8 s, an answer from 12 s to 14 s; 2 s and 4 s
// of sleep. All ten runs are alike.
TEST(ReliabilityDocument, ThreeCallsByHand) {
  const Document document = document_of(three_calls(), 10);
  EXPECT_EQ(document.verdict.state, "holds");
  EXPECT_THAT(document.verdict.sentence, StartsWith("1 of 1 judged scenario as expected; "));
  ASSERT_THAT(document.policies, SizeIs(1));
  const Policy& policy = document.policies[0];
  EXPECT_EQ(policy.operations, 10U);
  // n / (n + z^2) with z = 1.959964: 10 / 13.841459 = 0.722467.
  EXPECT_EQ(policy.success, (Rate{.count = 10, .of = 10, .low = {722'467}, .high = {1'000'000}}));
  EXPECT_EQ(policy.calls, 30U);
  EXPECT_EQ(policy.calls_per_operation.value, 3'000'000U);
  EXPECT_EQ(policy.attempts, (Attempts{{3, 10}}));
  constexpr std::int64_t kSecond = 1'000'000'000;
  EXPECT_EQ(policy.elapsed.p50_ns, 14 * kSecond);
  EXPECT_EQ(policy.elapsed_cdf, (Cdf{{14 * kSecond, 10}}));
  ASSERT_THAT(policy.sleeps, SizeIs(2));
  EXPECT_EQ(policy.sleeps[1].slot, 1U);
  EXPECT_EQ(policy.sleeps[1].low_ns, 4 * kSecond);
  EXPECT_EQ(policy.sleeps[1].high_ns, 4 * kSecond);
  EXPECT_EQ(policy.sleeps[1].count, 10U);
  EXPECT_THAT(policy.sleeps[1].kept_ns, Each(4 * kSecond));
  // Failures at 1 s and 8 s: 120 bins of 50 ms end at 6 s, of 100 ms at 12 s.
  EXPECT_EQ(policy.failures_over_time.bin_ns, kSecond / 10);
  ASSERT_THAT(policy.failures_over_time.classes, SizeIs(1));
  EXPECT_EQ(policy.failures_over_time.classes[0].failure_class, "transport");
  EXPECT_EQ(policy.failures_over_time.classes[0].counts[10], 10U);
  EXPECT_EQ(policy.failures_over_time.classes[0].counts[80], 10U);
  // 3 x (5 s - 1 ns) for headers, 3 x 5 s for the body; Retry-After makes 10 s of either sleep.
  ASSERT_TRUE(policy.worst_case);
  EXPECT_EQ(policy.worst_case->longest_ns, 50 * kSecond - 3);
  EXPECT_EQ(policy.worst_case->calls_max, 3U);
  EXPECT_TRUE(policy.worst_case->trickle_unbounded);
  EXPECT_EQ(policy.worst_case->command, "squall worst-case plain.json --operation agent_chat");
  std::int64_t parts = 0;
  for (const BoundPart& part : policy.worst_case->parts) {
    parts += part.ns;
  }
  EXPECT_EQ(parts, policy.worst_case->longest_ns);
  ASSERT_THAT(document.cells, SizeIs(1));
  EXPECT_EQ(document.cells[0].expectations, "met");
  EXPECT_EQ(document.cells[0].command, "squall run sample.json --runs 10 --seed 1");
  EXPECT_EQ(document.cells[0].failures, (Failures{{"transport", 20}}));
}

TEST(ReliabilityDocument, ATimelineByHand) {
  const Document document = document_of(three_calls(), 1);
  constexpr std::int64_t kSecond = 1'000'000'000;
  ASSERT_THAT(document.timelines, SizeIs(1));
  const Timeline& timeline = document.timelines[0];
  EXPECT_EQ(timeline.why, "slowest");
  EXPECT_EQ(timeline.outcome, "success");
  EXPECT_EQ(timeline.elapsed_ns, 14 * kSecond);
  ASSERT_THAT(timeline.attempts, SizeIs(3));
  EXPECT_EQ(timeline.attempts[0].status, 503);
  EXPECT_EQ(timeline.attempts[0].headers_ns, kSecond);
  EXPECT_EQ(timeline.attempts[1].begins_ns, 3 * kSecond);
  EXPECT_EQ(timeline.attempts[1].ends_ns, 8 * kSecond);
  EXPECT_EQ(timeline.attempts[1].headers_ns, std::nullopt);
  EXPECT_EQ(timeline.attempts[1].text, "no headers for 5 s");
  EXPECT_EQ(timeline.attempts[2].failure_class, std::nullopt);
  EXPECT_EQ(timeline.sleeps, (std::vector<TimelineSleep>{{.slot = 0,
                                                          .source = "backoff",
                                                          .begins_ns = kSecond,
                                                          .ends_ns = 3 * kSecond,
                                                          .ns = 2 * kSecond,
                                                          .low_ns = 2 * kSecond,
                                                          .high_ns = 2 * kSecond},
                                                         {.slot = 1,
                                                          .source = "backoff",
                                                          .begins_ns = 8 * kSecond,
                                                          .ends_ns = 12 * kSecond,
                                                          .ns = 4 * kSecond,
                                                          .low_ns = 4 * kSecond,
                                                          .high_ns = 4 * kSecond}}));
  EXPECT_EQ(timeline.command, "squall replay sample.json --seed 1 --run 0");
}

TEST(ReliabilityDocument, AnUnmetExpectationIsAReason) {
  const Document document = document_of(three_calls(R"({ "attempts": { "max": 2 } })"), 4);
  EXPECT_EQ(document.verdict.state, "failed");
  EXPECT_THAT(document.verdict.reasons, ElementsAre(HasSubstr("sample: attempts: 3")));
  EXPECT_EQ(document.cells[0].expectations, "failed");
  EXPECT_EQ(document.timelines[0].why, "first failure");
}

TEST(ReliabilityDocument, ABrokenInvariantIsABug) {
  scenarios::Scenario scenario = three_calls();
  scenario.audit_policy = scenario.policy;
  scenario.audit_policy->budgets.attempts_max = 2;
  const Document document = document_of(scenario, 2);
  EXPECT_EQ(document.verdict.state, "broken");
  EXPECT_THAT(document.verdict.reasons.front(), StartsWith("sample, run 0: attempt_budget: "));
  EXPECT_EQ(document.invariants[0].broken, 2U);
}

TEST(ReliabilityDocument, ASuccessRateTakesMoreThanOneRun) {
  const std::string always = R"({ "success_rate": { "min": "100%" } })";
  const std::string never = R"({ "sequence": [ { "respond": { "status": 404 } } ] })";
  EXPECT_EQ(document_of(scenario_of(never, always), 1).cells[0].expectations, "not judged");
  EXPECT_EQ(document_of(scenario_of(never, always), 2).cells[0].expectations, "failed");
  EXPECT_EQ(document_of(three_calls(always), 2).cells[0].expectations, "met");
}

Document awkward() {
  Document document = document_of(three_calls(), 3);
  document.scenarios[0].name = "</script><script>alert(1)</script>";
  document.scenarios[0].summary = "a \"quote\", a \\ and a | in `code`,\nand a line <!-- more -->";
  document.notes = {"\xe2\x80\xa8 separates lines"};
  document.changes.emplace();
  document.changes->baseline = "a|b";
  document.changes->sentences.push_back({.kind = "change",
                                         .policy = "plain",
                                         .scenario = std::nullopt,
                                         .metric = "worst case",
                                         .text = "rises"});
  return document;
}

TEST(ReliabilityJson, IsReadBackWithoutLoss) {
  const Document document = awkward();
  const auto read = from_json(to_json(document), "report.json");
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(*read, document);
  EXPECT_EQ(to_json(*read), to_json(document));
}

TEST(ReliabilityJson, EveryMillionthIsReadBack) {
  Document document = document_of(three_calls(), 1);
  for (std::uint64_t value = 0; value <= 1'000'000; value += 997) {
    document.policies[0].success.low = {value};
    const auto read = from_json(to_json(document), "");
    ASSERT_EQ(read->policies[0].success.low.value, value);
  }
}

TEST(ReliabilityJson, BeginsWithItsFormat) {
  const std::string text = to_json(document_of(three_calls(), 1));
  EXPECT_THAT(text,
              StartsWith("{\n  \"format\": \"squall-report/1\",\n  \"squall\": \"1.2.3\",\n"));
  EXPECT_TRUE(is_report(text));
  EXPECT_FALSE(is_report("{}"));
  EXPECT_FALSE(is_report("{ \"format\": 3 }"));
  EXPECT_FALSE(is_report("squall-report/1"));
}

TEST(ReliabilityJson, WhatIsNoReportIsRefused) {
  const std::string good = to_json(document_of(three_calls(), 1));
  const auto refusal = [](const std::string& text) {
    const auto read = from_json(text, "r.json");
    return read ? "read" : to_string(read.error());
  };
  EXPECT_EQ(refusal("nonsense"), "r.json: is no JSON document");
  EXPECT_EQ(refusal("[]"), "r.json: is no report: squall report --json makes one");
  const auto with = [&](const std::string& pointer, const json& value) {
    json document = json::parse(good);
    document[json::json_pointer(pointer)] = value;
    return refusal(document.dump());
  };
  EXPECT_THAT(with("/format", "squall-report/2"),
              StartsWith("r.json: /format: found \"squall-report/2\", allowed: "
                         "\"squall-report/1\"; make the report again"));
  EXPECT_EQ(with("/policies", json::array()), "r.json: /policies: is empty: nothing to report");
  EXPECT_EQ(with("/runs", "ten"),
            "r.json: /runs: found string, allowed: a whole number that is not negative");
  EXPECT_EQ(with("/cells/0/policy", 1),
            "r.json: /cells/0: there is no such policy or scenario in this report");
  EXPECT_EQ(with("/policies/0/attempts/0", json::array({1})),
            "r.json: /policies/0/attempts/0: found array, allowed: a list of two");
  EXPECT_EQ(with("/policies/0/elapsed/p50_ns", -1),
            "r.json: /policies/0/elapsed/p50_ns: found -1, allowed: a whole number that is not "
            "negative");
  json document = json::parse(good);
  document["verdict"].erase("reasons");
  EXPECT_EQ(refusal(document.dump()), "r.json: /verdict: missing key \"reasons\"");
  EXPECT_THAT(refusal(good.substr(0, good.size() / 2)), HasSubstr("is no JSON document"));
}

TEST(ReliabilityPage, NoTextEndsTheElementItStandsIn) {
  const Document document = awkward();
  const std::string page = to_html(document, "<script>" + std::string(kPlaceholder) + "</script>");
  const std::string data = page.substr(8, page.size() - 17);
  EXPECT_EQ(page, "<script>" + data + "</script>");
  EXPECT_THAT(data, Not(HasSubstr("<")));
  EXPECT_THAT(data, Not(HasSubstr("\n")));
  const auto read = from_json(data, "");
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, document);
}

TEST(ReliabilityPage, ShipsWithThePlaceholderOnce) {
  const std::string page = to_html(document_of(three_calls(), 1));
  EXPECT_THAT(page, Not(HasSubstr(std::string(kPlaceholder))));
  EXPECT_THAT(page, HasSubstr("{\"format\":\"squall-report/1\""));
}

TEST(ReliabilityMarkdown, TextOfTheUserIsNoMarkup) {
  const std::string text = to_markdown(awkward());
  EXPECT_THAT(text, Not(HasSubstr("<script>")));
  EXPECT_THAT(text, HasSubstr("\\</script\\>\\<script\\>alert(1)\\</script\\>"));
  EXPECT_THAT(text, HasSubstr("Against a\\|b"));
}

}  // namespace
}  // namespace squall::reports::reliability
