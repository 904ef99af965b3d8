// SPDX-License-Identifier: MIT
#include "reports/gate_report.hpp"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "reports/gate_sample_test_support.hpp"

namespace squall::reports {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

GateReport good_report() {
  GateReport report = sample_report();
  report.policies[0].bounds.clear();
  report.policies[0].scenarios.erase(report.policies[0].scenarios.begin());
  return report;
}

TEST(GateReport, OnAPage) {
  const std::string text = gate_text(sample_report(), {.color = false, .width = 100}, false);
  EXPECT_EQ(text,
            "policies/patient one.json against default\n"
            "  patient     calls 13 -> 15; cap 60 s -> 90 s\n"
            "  played      2 scenarios, 1 000 runs each, the same seeds on both sides (seed 7)\n"
            "  note        continuation has no baseline: not judged\n"
            "\n"
            "          where             metric                  before       after    change  "
            "threshold\n"
            "  WORSE   every agent_chat  worst case          2 h 34 min  2 h 51 min    +11.0%  "
            "allowed +5%\n"
            "    because calls 13 -> 15 (alone: to 2 h 45 min) and cap 60 s -> 90 s (alone: to "
            "2 h 40 min)\n"
            "  WORSE   storm             calls an operation       12.96       14.91    +15.0%  "
            "allowed +10%\n"
            "    because of several changes together: calls 13 -> 15; cap 60 s -> 90 s\n"
            "  better  storm             success rate            74.17%         90%  +15.8 pp  "
            "allowed -0.1pp\n"
            "    because calls 13 -> 15 (alone: to 90%)\n"
            "\n"
            "regression: 2 regressed, 1 improved, 0 changed within thresholds, 1 as before\n");
}

TEST(GateReport, QuietIsAboutWhatGotWorse) {
  const std::string quiet = gate_text(sample_report(), {}, true);
  EXPECT_THAT(quiet, HasSubstr("WORSE"));
  EXPECT_THAT(quiet, Not(HasSubstr("better")));
  EXPECT_THAT(gate_text(good_report(), {}, true), IsEmpty());
  EXPECT_THAT(gate_text(good_report(), {}, false), HasSubstr("\npasses: 0 regressed"));
}

TEST(GateReport, WhatIsNotComputedIsSaid) {
  GateReport report = good_report();
  analysis::BoundChange bound;
  bound.metric.change = analysis::Change::kUnknown;
  bound.not_computed = "dates alone";
  report.policies[0].bounds.push_back(bound);
  EXPECT_TRUE(report.passes());
  EXPECT_THAT(gate_text(report, {}, false),
              HasSubstr("not judged  worst case of every agent_chat: dates alone\n"));
  EXPECT_THAT(gate_text(report, {}, false), HasSubstr("1 not computed\n"));
  pugi::xml_document xml;
  ASSERT_TRUE(xml.load_string(gate_junit(report).c_str()));
  EXPECT_STREQ(xml.select_node("//testcase/skipped/@message").attribute().value(), "dates alone");
}

TEST(GateReport, AsJson) {
  const json document = json::parse(gate_json(sample_report()));
  EXPECT_EQ(document["squall"]["kind"], "gate");
  EXPECT_EQ(document["passes"], false);
  EXPECT_EQ(document["counts"]["regressed"], 2);
  const json& policy = document["policies"][0];
  EXPECT_EQ(policy["differences"][1]["pointer"], "/backoff/cap");
  EXPECT_EQ(policy["candidate_policy"]["backoff"]["cap"], "1m30s");
  EXPECT_EQ(policy["bounds"][0]["candidate_ns"], 10'260'000'000'000);
  EXPECT_EQ(policy["bounds"][0]["causes"][0]["alone_ns"], 9'900'000'000'000);
  const json& calls = policy["scenarios"][0]["metrics"][1];
  EXPECT_EQ(calls["metric"], "calls_per_operation");
  EXPECT_EQ(calls["baseline_millionths"], 12'960'000);
  EXPECT_EQ(calls["interval99_millionths"], json::array({1'400'000, 2'500'000}));
  EXPECT_FALSE(policy["scenarios"][1]["metrics"][0].contains("sentence"));
}

TEST(GateReport, JunitIsReadBack) {
  pugi::xml_document xml;
  ASSERT_TRUE(xml.load_string(gate_junit(sample_report()).c_str()));
  const pugi::xml_node suite = xml.child("testsuites").child("testsuite");
  EXPECT_STREQ(suite.attribute("name").value(), "squall gate: patient");
  EXPECT_EQ(suite.attribute("tests").as_int(), 3);
  EXPECT_EQ(suite.attribute("failures").as_int(), 2);
  EXPECT_EQ(suite.attribute("errors").as_int(), 0);
  const auto cases = suite.children("testcase");
  ASSERT_EQ(std::distance(cases.begin(), cases.end()), 3);
  const pugi::xml_node worst = suite.child("testcase");
  EXPECT_STREQ(worst.attribute("name").value(), "worst case of every agent_chat");
  EXPECT_STREQ(worst.attribute("classname").value(), "squall.gate.patient");
  const pugi::xml_node failure = worst.child("failure");
  EXPECT_STREQ(failure.attribute("type").value(), "regression");
  EXPECT_THAT(failure.attribute("message").value(),
              StartsWith("worst case rises from 2 h 34 min to 2 h 51 min because"));
  EXPECT_THAT(failure.child_value(), HasSubstr("cap 60 s -> 90 s"));
  const pugi::xml_node calm = suite.find_child_by_attribute("testcase", "name", "calm");
  ASSERT_TRUE(calm);
  EXPECT_FALSE(calm.first_child());
}

TEST(GateReport, JunitHoldsNoCharacterThatXmlCannotHave) {
  GateReport report = sample_report();
  report.policies[0].name = std::string("a\x01\"<&\xff") + "b";
  const std::string text = gate_junit(report);
  pugi::xml_document xml;
  ASSERT_TRUE(xml.load_string(text.c_str()));
  EXPECT_EQ(std::count_if(text.begin(), text.end(),
                          [](char c) { return c >= 0 && c < ' ' && c != '\n'; }),
            0);
  EXPECT_STREQ(xml.child("testsuites").child("testsuite").attribute("name").value(),
               "squall gate: a\\x01\"<&?b");
}

TEST(GateReport, SarifHasTheRequiredMembers) {
  // Required by the schema of SARIF 2.1.0: version and runs; tool.driver.name; message; of a
  // location an artifact with a URI. ruleIndex must point at the rule.
  const json document = json::parse(gate_sarif(sample_report(), "1.2.3"));
  EXPECT_EQ(document["version"], "2.1.0");
  EXPECT_EQ(document["$schema"], "https://json.schemastore.org/sarif-2.1.0.json");
  ASSERT_EQ(document["runs"].size(), 1U);
  const json& run = document["runs"][0];
  EXPECT_EQ(run["tool"]["driver"]["name"], "squall");
  EXPECT_EQ(run["tool"]["driver"]["semanticVersion"], "1.2.3");
  ASSERT_EQ(run["results"].size(), 2U);
  for (const json& result : run["results"]) {
    const json& rule = run["tool"]["driver"]["rules"].at(result["ruleIndex"].get<std::size_t>());
    EXPECT_EQ(rule["id"], result["ruleId"]);
    EXPECT_TRUE(rule["shortDescription"]["text"].is_string());
    EXPECT_EQ(result["level"], "error");
    EXPECT_TRUE(result["message"]["text"].is_string());
    EXPECT_TRUE(result["partialFingerprints"].is_object());
    EXPECT_EQ(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
              "policies/patient%20one.json");
  }
  EXPECT_EQ(run["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"], 4);
  EXPECT_NE(run["results"][0]["partialFingerprints"], run["results"][1]["partialFingerprints"]);
  GateReport shipped = sample_report();
  shipped.places[0] = {};
  EXPECT_FALSE(
      json::parse(gate_sarif(shipped, "1"))["runs"][0]["results"][0].contains("locations"));
  EXPECT_EQ(json::parse(gate_sarif(good_report(), "1"))["runs"][0]["results"], json::array());
}

TEST(GateReport, AnnotationsAreEscaped) {
  EXPECT_EQ(escaped_message("50%\r\nof: a, b"), "50%25%0D%0Aof: a, b");
  EXPECT_EQ(escaped_property("a:b,c%\n"), "a%3Ab%2Cc%25%0A");
  GateReport report = sample_report();
  report.places[0].file = "a,b:c.json";
  const std::string text = gate_annotations(report);
  EXPECT_THAT(text, StartsWith("::error file=a%2Cb%3Ac.json,line=4,title=squall gate%3A patient%3A "
                               "every agent_chat::worst case rises from 2 h 34 min to 2 h 51 min "
                               "because calls 13 -> 15"));
  EXPECT_THAT(text, HasSubstr("(+11.0%25, allowed +5%25)\n"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_THAT(text, HasSubstr("\n::notice title=squall gate::2 regressed, 1 improved"));
  report.places[0].file.clear();
  EXPECT_THAT(gate_annotations(report), StartsWith("::error title="));
}

TEST(GateReport, AsMarkdown) {
  GateReport report = sample_report();
  report.policies[0].name = "pa|tient";
  const std::string text = gate_markdown(report);
  EXPECT_THAT(text, StartsWith("### squall gate: regression\n"));
  EXPECT_THAT(text, HasSubstr("- pa\\|tient: calls 13 -\\> 15; cap 60 s -\\> 90 s\n"));
  EXPECT_THAT(text, HasSubstr("| every agent\\_chat | worst case | 2 h 34 min | 2 h 51 min | "
                              "+11.0% | allowed +5% |\n"));
  EXPECT_THAT(text, HasSubstr("- storm: calls an operation rises from 12.96 to 14.91 because"));
  EXPECT_THAT(text, HasSubstr("<details><summary>Better: 1</summary>"));
  EXPECT_THAT(gate_markdown(good_report()), StartsWith("### squall gate: passes\n"));
}

}  // namespace
}  // namespace squall::reports
