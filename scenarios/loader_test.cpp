// SPDX-License-Identifier: MIT
#include "scenarios/loader.hpp"

#include <filesystem>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "scenarios/files.hpp"
#include "scenarios/samples_test_support.hpp"

namespace squall::scenarios {
namespace {

using namespace std::chrono_literals;
using Llm = core::llm::FailureClass;
using testing::HasSubstr;

Scenario loaded(const std::string& text) {
  const auto scenario = load_scenario(text, "sample");
  EXPECT_TRUE(scenario) << core::to_string(scenario.error());
  return scenario.value();
}

/// The only answer of a server that always answers the same.
Respond respond_of(const std::string& respond) {
  return loaded(scenario_with(R"({ "respond": )" + respond + " }"))
      .server.phases.at(0)
      .sequence.at(0)
      .mix.at(0)
      .respond;
}
HttpAnswer answer_of(const std::string& respond) {
  return std::get<HttpAnswer>(respond_of(respond).what);
}

TEST(Loader, RequestKeepsTheOrderOfTheFile) {
  EXPECT_EQ(loaded(samples()[0]).operation.request->body(),
            R"({"temperature":0.25,"model":"gpt-x","max_tokens":4096,)"
            R"("tools":[{"z":1,"a":[null,true,{}]}],)"
            R"("messages":[{"role":"system","content":"be \"brief\"\n"},)"
            "{\"content\":\"h\u00e9llo \U0001F600\",\"role\":\"user\"}]}");
}

TEST(Loader, AbsentMembersHaveTheirDefaults) {
  const Scenario scenario = loaded(scenario_with(R"({ "respond": {} })"));
  EXPECT_EQ(scenario.policy_name, "default");
  EXPECT_EQ(scenario.policy, core::default_policy());
  EXPECT_EQ(scenario.horizon, 720h);
  EXPECT_EQ(scenario.client.wall_clock, core::WallInstant(1'768'464'000s));
  EXPECT_FALSE(scenario.client.shutdown_at);
  EXPECT_TRUE(scenario.operation.telemetry);
  EXPECT_FALSE(scenario.audit_policy);
  const Phase& phase = scenario.server.phases.at(0);
  EXPECT_FALSE(phase.until);
  EXPECT_EQ(phase.sequence.at(0).times, 1U);
  EXPECT_EQ(phase.sequence.at(0).mix.at(0).weight, 1U);
  EXPECT_EQ(phase.sequence.at(0).mix.at(0).respond.latency, Time(core::Duration{0}));
}

TEST(Loader, ReadsEveryKey) {
  const Scenario scenario = loaded(samples()[0]);
  EXPECT_EQ(scenario.tags, (std::vector<std::string>{"a", "b-2"}));
  EXPECT_EQ(scenario.policy_name, "inline");
  const core::RetryPolicy policy{
      .backoff = core::ExponentialBackoff{.base_ms = 18446744073709551615U,
                                          .cap_ms = 86'400'000,
                                          .multiplier = {.numerator = 3, .denominator = 2},
                                          .growth_steps_max = 1000},
      .jitter = core::ProportionalJitter{.below = 4, .width = 4},
      .retry_after = {.seconds = false,
                      .http_date = false,
                      .milliseconds = false,
                      .clamp_min_ms = 0,
                      .clamp_max_ms = 0,
                      .ignore_above_ms = 120'000},
      .budgets = {.attempts_max = 0, .time = 2s},
      .timeouts = {.idle = 1ns, .attempt = 30s},
      .retry_on = {.statuses = core::StatusSet().add(408).add(200).add_class(5),
                   .connection_failures = false,
                   .cut_bodies = true,
                   .unusable_answers = false},
  };
  EXPECT_EQ(scenario.policy, policy);

  ASSERT_EQ(scenario.server.phases.size(), 3U);
  const Phase& first = scenario.server.phases[0];
  EXPECT_EQ(first.until, 9min);
  const Respond expected{
      .what = HttpAnswer{.status = 503,
                         .headers = {{"retry-after", "7"},
                                     {"Date", RelativeDate{-30s, core::HttpDateForm::kRfc850}},
                                     {"x", RelativeDate{1min, core::HttpDateForm::kImfFixdate}}},
                         .body = R"({"z":[],"a":{"b":1.5}})",
                         .framing = Framing::kChunked,
                         .content_length_error = 0,
                         .delivery = Trickle{.bytes = 1, .every = 599s},
                         .ending = Stalls{{-1}}},
      .latency = UniformTime{.min = 1s, .max = 4s}};
  EXPECT_EQ(first.sequence.at(0).mix.at(0).respond, expected);

  const Phase& second = scenario.server.phases[1];
  EXPECT_EQ(second.sequence.at(0).times, 3U);
  EXPECT_EQ(second.sequence.at(0).mix.at(0).respond,
            (Respond{.what = ConnectionFailure{core::ConnectionFault::kTls},
                     .latency = ExponentialTime{2s}}));
  EXPECT_EQ(second.sequence.at(1).mix.at(0).weight, 4294967295U);
  EXPECT_EQ(second.sequence.at(1).mix.at(0).respond.what,
            (std::variant<HttpAnswer, ConnectionFailure, SilentHeaders>(SilentHeaders{})));

  const Phase& third = scenario.server.phases[2];
  EXPECT_FALSE(third.until);
  const auto& last = std::get<HttpAnswer>(third.sequence.at(0).mix.at(0).respond.what);
  EXPECT_EQ(last.delivery, Delivery(Chunks{{{4096, 0s}, {1, 1s}}}));
  EXPECT_EQ(last.ending, Ending(Breaks{.after = {3}, .by_reset = true}));
  EXPECT_EQ(last.framing, Framing::kUntilClose);
  EXPECT_EQ(third.sequence.at(0).mix.at(0).respond.latency,
            Time(LognormalTime{.median = 800ms, .p99 = 9s}));

  EXPECT_EQ(scenario.client.shutdown_at, 0s);
  EXPECT_EQ(scenario.client.wall_clock, core::WallInstant(951'868'799'500ms));
  EXPECT_EQ(scenario.client.jitter_words,
            (std::vector<std::uint64_t>{0, std::numeric_limits<std::uint64_t>::max()}));
  EXPECT_EQ(scenario.horizon, 1h);
  EXPECT_EQ(scenario.defect, "sends_twice");
  ASSERT_TRUE(scenario.audit_policy);
  EXPECT_EQ(scenario.audit_policy->backoff, core::Backoff(core::ConstantBackoff{0}));
  EXPECT_EQ(scenario.audit_policy->jitter, core::Jitter(core::FullJitter{}));

  const Expectations expect{
      .outcome = Outcome::kShutdown,
      .attempts = {.min = 0, .max = 0},
      .elapsed = {.min = 1s, .max = std::nullopt},
      .sleep_total = {.min = 0s, .max = 0s},
      .final_class = Llm::kTransport,
      .trail =
          std::vector<FailureClass>{Llm::kTransport, Llm::kTransport, Llm::kParse, Llm::kTransport},
      .retry_after_ms =
          std::vector<std::optional<std::uint64_t>>{7'000, std::nullopt, 18446744073709551615U},
      .answer = "",
      .last_raw = {},
      .groups = {},
      .remainder = {},
      .prefix_reuse_ppm = {},
      .tool_class = {},
      .verdict = {},
      .success_rate_ppm = {.min = 1, .max = 1'000'000},
      .breaks = "some_check"};
  EXPECT_EQ(scenario.expect, expect);
}

TEST(Loader, PlainReplyIsAChatCompletion) {
  const HttpAnswer answer = answer_of("{}");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(
      answer.body,
      R"({"id":"chatcmpl-squall","object":"chat.completion","created":1768464000,"model":"m",)"
      R"("choices":[{"index":0,"message":{"role":"assistant","content":"ok"},)"
      R"("finish_reason":"stop"}],)"
      R"("usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}})");
}

TEST(Loader, ReplyWithToolCallsOnlyHasNoContent) {
  const auto body = nlohmann::json::parse(
      answer_of(R"({ "reply": { "tool_calls": [{ "name": "f", "arguments": { "a": 1 } }] } })")
          .body);
  const auto& choice = body["choices"][0];
  EXPECT_EQ(choice["message"]["content"], nullptr);
  EXPECT_EQ(choice["finish_reason"], "tool_calls");
  EXPECT_EQ(choice["message"]["tool_calls"],
            nlohmann::json::parse(R"([{"id": "call_1", "type": "function",
                                       "function": {"name": "f", "arguments": "{\"a\":1}"}}])"));
}

TEST(Loader, ReplySaysWhatItIsToldTo) {
  const Scenario scenario = loaded(samples()[1]);
  const auto& answer =
      std::get<HttpAnswer>(scenario.server.phases.at(0).sequence.at(0).mix.at(0).respond.what);
  const auto body = nlohmann::json::parse(answer.body);
  const auto& choice = body["choices"][0];
  EXPECT_EQ(choice["message"]["content"], "");
  EXPECT_EQ(choice["message"]["reasoning"], "why");
  EXPECT_EQ(choice["finish_reason"], nullptr);
  EXPECT_EQ(choice["message"]["tool_calls"][1]["id"], "x");
  EXPECT_EQ(choice["message"]["tool_calls"][1]["function"]["arguments"], "{bad");
  EXPECT_EQ(body["model"], "other");
  EXPECT_EQ(body["usage"]["total_tokens"], 12);
  EXPECT_EQ(answer.content_length_error, -10);
  EXPECT_EQ(answer.ending, Ending(Breaks{.after = {10}, .by_reset = false}));
}

TEST(Loader, OffsetsReachBothEndsOfTheBody) {
  for (const char* after : {"0B", "5B", "-5B", "-1B"}) {
    EXPECT_NO_THROW(answer_of(R"({ "status": 200, "body": "hello", "stall": { "after": ")" +
                              std::string(after) + "\" } }"));
  }
  EXPECT_EQ(answer_of(R"({ "status": 200, "body": "hello", "content_length": "-5B" })")
                .content_length_error,
            -5);
}

TEST(Loader, FolderIsNoScenario) {
  EXPECT_EQ(load_scenario_file(SQUALL_SOURCE_DIR "/scenarios").error().message,
            "is a folder, not a file");
  EXPECT_EQ(load_policy_file("nowhere.json").error().message, "no such file");
}

class PolicyFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "squall-policies-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::filesystem::create_directory(folder_ + "/policies");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    ASSERT_TRUE(write_file(folder_ + "/" + name, text));
  }
  static std::string scenario(const std::string& policy) {
    std::string text = scenario_with(R"({ "respond": {} })");
    text.insert(1, "\"policy\": " + policy + ",\n");
    return text;
  }

  std::string folder_;
};

TEST_F(PolicyFiles, AreFoundBesideTheScenario) {
  std::string policy = read_file(SQUALL_SOURCE_DIR "/scenarios/policies/comment.json").value();
  policy.replace(policy.find("\"comment\""), 9, "\"mine\"");
  write("policies/mine.json", policy);
  write("sample.json", scenario("\"policies/mine.json\""));
  const auto loaded = load_scenario_file(folder_ + "/sample.json");
  ASSERT_TRUE(loaded) << core::to_string(loaded.error());
  EXPECT_EQ(loaded->policy_name, "policies/mine.json");
  EXPECT_EQ(loaded->policy.budgets.attempts_max, 3U);
}

TEST_F(PolicyFiles, DefectIsReportedInThePolicyFile) {
  write("policies/mine.json", "{\n  \"name\": \"mine\",\n  \"attempt\": 3\n}\n");
  write("sample.json", scenario("\"policies/mine.json\""));
  EXPECT_EQ(core::to_string(load_scenario_file(folder_ + "/sample.json").error()),
            folder_ +
                "/policies/mine.json:3: /attempt: unknown key \"attempt\", allowed: $schema, "
                "name, summary, attempts, backoff, jitter, retry_after, budgets, timeouts, "
                "retry_on (did you mean \"attempts\"?)");
}

TEST_F(PolicyFiles, MissingOneIsReportedAtTheReference) {
  write("sample.json", scenario("\"mine.json\""));
  EXPECT_EQ(core::to_string(load_scenario_file(folder_ + "/sample.json").error()),
            folder_ + "/sample.json:1: /policy: " + folder_ + "/mine.json: no such file");
}

TEST_F(PolicyFiles, NeedNameAndSummaryUnlikePoliciesInScenarios) {
  write("mine.json",
        R"({ "attempts": 1, "backoff": { "constant": "0s" }, "jitter": { "kind": "none" },
    "retry_after": { "sources": [], "clamp": ["0s", "0s"] },
    "retry_on": { "statuses": [], "failures": [] } })");
  EXPECT_THAT(core::to_string(load_policy_file(folder_ + "/mine.json").error()),
              HasSubstr("missing key \"name\""));
  write("sample.json", scenario(read_file(folder_ + "/mine.json").value()));
  EXPECT_TRUE(load_scenario_file(folder_ + "/sample.json"));
}

TEST(Loader, ScenarioFromMemoryReadsNoPolicyFiles) {
  std::string text = scenario_with(R"({ "respond": {} })");
  text.insert(1, "\"policy\": \"mine.json\",");
  EXPECT_THAT(load_scenario(text, "memory").error().message,
              HasSubstr("unknown policy \"mine.json\""));
}

TEST(Outcomes, LabelsReadBack) {
  for (const char* name :
       {"success", "exhausted", "non_retryable", "shutdown", "unfinished", "degraded"}) {
    const auto outcome = outcome_from_label(name);
    ASSERT_TRUE(outcome) << name;
    EXPECT_EQ(label(*outcome), name);
  }
  EXPECT_FALSE(outcome_from_label("Success"));
}

}  // namespace
}  // namespace squall::scenarios
