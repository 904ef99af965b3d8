// SPDX-License-Identifier: MIT
//
// tool_call: one call of a remote tool. What a connector's answer means is judged by hand
// (work_bodies.hpp).
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/connector/kind.hpp"
#include "property_tests/generators.hpp"
#include "property_tests/played.hpp"
#include "property_tests/watched.hpp"
#include "property_tests/work_bodies.hpp"
#include "property_tests/work_generators.hpp"

namespace squall::property_tests {
namespace {

using core::Duration;
using core::connector::Kind;
using core::connector::ToolCallFailure;
using nlohmann::json;
using scenarios::OperationKind;
using scenarios::Outcome;
using std::chrono::milliseconds;
using std::chrono::seconds;

RC_GTEST_PROP(ToolCall, StartsNoAttemptBeyondItsBudget, ()) {
  const Watched run(*work_cases(OperationKind::kToolCall));
  const Duration budget = *run.policy().budgets.time;
  const Duration attempt = *run.policy().timeouts.attempt;
  for (const Call& call : run.calls()) {
    RC_ASSERT(call.sent <= budget);
    if (call.ended) {
      RC_ASSERT(*call.ended - call.sent <= attempt);
    }
  }
  RC_ASSERT(run.result().elapsed <= budget + attempt);
}

RC_GTEST_PROP(ToolCall, TakesAtMostThirtyTwoSecondsAndRetriesNoTimeout, ()) {
  const Watched run(*shipped_work_cases(OperationKind::kToolCall));
  RC_ASSERT(run.result().elapsed <= seconds(2) + seconds(30));
  const std::vector<Call>& calls = run.calls();
  for (std::size_t k = 0; k < calls.size(); ++k) {
    RC_ASSERT(calls[k].sent <= seconds(2));
    if (calls[k].ended && *calls[k].ended - calls[k].sent == seconds(30)) {
      RC_ASSERT(k + 1 == calls.size());
    }
  }
  const std::vector<int> scheduled_ms{100, 200, 400, 500};
  for (const core::OrderedSleep& sleep : *run.result().sleeps) {
    const milliseconds scheduled(scheduled_ms[std::min<std::size_t>(sleep.slot, 3)]);
    RC_ASSERT(sleep.duration >= scheduled / 2);
    RC_ASSERT(sleep.duration <= scheduled);
    RC_ASSERT_FALSE(sleep.by_retry_after);
  }
}

// The schedule alone: 100 + 200 + 400 + 500 + 500 ms fit always, half of them nine times.
RC_GTEST_PROP(ToolCall, FitsSixToTenAttemptsThatFailAtOnce, ()) {
  Case drawn = *shipped_work_cases(OperationKind::kToolCall);
  const int status = *any_of<int>({0, 503, 404, 429, 200});
  scenarios::Respond respond{.what = scenarios::ConnectionFailure{core::ConnectionFault::kRefused}};
  if (status != 0) {
    scenarios::HttpAnswer answer;
    answer.status = status;
    answer.body = "{}";
    respond.what = std::move(answer);
  }
  auto& work = std::get<scenarios::ToolCallWork>(drawn.scenario.operation.work);
  work.connector_label = "search";
  work.resource_uri = "https://tools.example/mcp";
  drawn.scenario.server.phases = {
      {.until = std::nullopt, .sequence = {{.times = 1, .mix = {{1, respond}}}}}};
  drawn.scenario.client.shutdown_at.reset();
  drawn.scenario.horizon = seconds(60);
  const Played played(drawn);
  RC_ASSERT(played.result.outcome == Outcome::kExhausted);
  RC_ASSERT(played.result.attempts >= 6U);
  RC_ASSERT(played.result.attempts <= 10U);
  RC_ASSERT(played.result.elapsed <= seconds(2));
}

RC_GTEST_PROP(ToolCall, RetriesTransportOnlyAndWithTheSameBytes, ()) {
  const Watched run(*work_cases(OperationKind::kToolCall));
  const playback::TrailView trail = run.result().trail;
  for (std::size_t k = 0; k < run.calls().size(); ++k) {
    RC_ASSERT(run.calls()[k].request() ==
              std::get<scenarios::ToolCallWork>(run.scenario().operation.work).request->body());
    if (k + 1 < run.calls().size()) {
      RC_ASSERT(trail[k].failure_class == scenarios::FailureClass(Kind::kTransport));
    }
  }
  // Settings that cannot be used are found before anything is sent.
  for (std::size_t k = 0; k < trail.size(); ++k) {
    if (trail[k].failure_class == scenarios::FailureClass(Kind::kConfig)) {
      RC_ASSERT(run.calls().empty());
      RC_ASSERT(run.result().outcome == Outcome::kNonRetryable);
    }
  }
}

// The kind of a failed call from what came over the wire alone.
RC_GTEST_PROP(ToolCall, NamesTheKindByWhatCameBack, ()) {
  const Watched run(*work_cases(OperationKind::kToolCall));
  const playback::TrailView trail = run.result().trail;
  for (std::size_t k = 0; k < run.calls().size() && k < trail.size(); ++k) {
    const Call& call = run.calls()[k];
    Kind expected = Kind::kTransport;
    if (call.status == 401 || call.status == 403) {
      expected = Kind::kAuth;
    } else if (call.is_success_status()) {
      const ToolMeaning meaning = known_tool_body(call.body).meaning;
      // A stream that breaks off after its answer has answered all the same.
      RC_ASSERT((meaning != ToolMeaning::kSuccess || !call.complete));
      const bool whole_event =
          call.body == known_tool_body(call.body).bytes && call.body.starts_with("data:");
      if (meaning == ToolMeaning::kApplication && (call.complete || whole_event)) {
        expected = Kind::kApplication;
      }
    }
    if (k + 1 == run.calls().size() && run.result().outcome == Outcome::kShutdown) {
      expected = Kind::kTransport;  // Stopped, whatever had come by then.
    }
    RC_ASSERT(std::string(label(trail[k].failure_class)) == label(expected));
  }
}

RC_GTEST_PROP(ToolCall, SaysToTheModelWhatTheConnectorSaid, ()) {
  const Watched run(*work_cases(OperationKind::kToolCall));
  if (!run.finished() || run.calls().empty() || !run.calls().back().complete ||
      !run.calls().back().is_success_status()) {
    return;
  }
  const KnownToolBody known = known_tool_body(run.calls().back().body);
  const std::string read = run.result().operation->answer().value();
  classify(known.meaning == ToolMeaning::kSuccess, "success");
  classify(known.meaning == ToolMeaning::kApplication, "application");
  RC_ASSERT((run.result().outcome == Outcome::kSuccess) ==
            (known.meaning == ToolMeaning::kSuccess));
  if (known.meaning == ToolMeaning::kSuccess) {
    RC_ASSERT(read == std::string(known.read));
  } else if (known.meaning == ToolMeaning::kApplication && !known.read.empty()) {
    RC_ASSERT(json::parse(read)["error"] == std::string(known.read));
  }
}

// A failure object and nothing of the wire in it, except what the connector itself says.
RC_GTEST_PROP(ToolCall, KeepsTheWireFromTheModel, ()) {
  const Watched run(*work_cases(OperationKind::kToolCall));
  const ToolCallFailure* failure = run.result().operation->tool_failure();
  RC_ASSERT((failure != nullptr) == (run.finished() && run.result().outcome != Outcome::kSuccess));
  if (!run.finished()) {
    return;
  }
  const json read = json::parse(run.result().operation->answer().value());
  if (failure == nullptr) {
    return;
  }
  RC_ASSERT(read.is_object());
  RC_ASSERT(read.size() == 2U);
  RC_ASSERT(read["kind"] == std::string(token(failure->kind)));
  const std::string error = read["error"];
  RC_ASSERT_FALSE(error.empty());
  if (failure->kind == Kind::kApplication) {
    return;
  }
  for (const auto& entry : failure->trail) {
    RC_ASSERT(error.find(entry.error_chain) == std::string::npos);
  }
  for (const Call& call : run.calls()) {
    RC_ASSERT((call.body.size() < 4 || error.find(call.body) == std::string::npos));
  }
  RC_ASSERT(error.find("HTTP") == std::string::npos);
  RC_ASSERT(error.find("dump") == std::string::npos);
  RC_ASSERT(error.find_first_of("0123456789") == std::string::npos);
  RC_ASSERT((error.find("temporarily unavailable") != std::string::npos) ==
            (failure->kind == Kind::kTransport));
}

RC_GTEST_PROP(ToolCall, EndsAtOnceWithUnusableSettings, ()) {
  Case drawn = *work_cases(OperationKind::kToolCall);
  auto& work = std::get<scenarios::ToolCallWork>(drawn.scenario.operation.work);
  const auto defect = *any_of<int>({0, 1, 2});
  if (defect == 0) {
    work.connector_label = *any_of<std::string>({"", "Search", "9lives", "a b", "x-"});
  } else if (defect == 1) {
    work.resource_uri = *any_of<std::string>({"", "ftp://host/", "https://", "https://a/#b"});
  } else {
    work.connector_label.assign(33, 'a');
  }
  drawn.scenario.client.shutdown_at.reset();
  const Watched run(drawn);
  RC_ASSERT(run.calls().empty());
  RC_ASSERT(run.result().elapsed == Duration(0));
  RC_ASSERT(run.result().outcome == Outcome::kNonRetryable);
  RC_ASSERT(run.result().operation->tool_failure()->kind == Kind::kConfig);
  RC_ASSERT(json::parse(run.result().operation->answer().value())["kind"] == "config_error");
}

}  // namespace
}  // namespace squall::property_tests
