// SPDX-License-Identifier: MIT
//
// continuation: going on after a turn of reasoning alone.
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "property_tests/generators.hpp"
#include "property_tests/played.hpp"
#include "property_tests/watched.hpp"
#include "property_tests/work_generators.hpp"

namespace squall::property_tests {
namespace {

using scenarios::OperationKind;
using scenarios::Outcome;

bool is_reasoning_only(const std::optional<Reply>& reply) {
  return reply && reply->is_blank() && !reply->calls_tool;
}

// Under any policy: neither a schedule nor a Retry-After makes it wait.
RC_GTEST_PROP(Continuation, NeverLetsTimePassBetweenTwoAttempts, ()) {
  const Watched run(*work_cases(OperationKind::kContinuation));
  const std::vector<Call>& calls = run.calls();
  for (std::size_t k = 0; k + 1 < calls.size(); ++k) {
    RC_ASSERT(calls[k].ended.has_value());
    RC_ASSERT(calls[k + 1].sent == *calls[k].ended);
  }
  RC_ASSERT(run.result().sleeps->empty());
  RC_ASSERT(run.result().sleep_total == core::Duration(0));
}

// Reasoning as an assistant's turn without content, then a nudge; what was sent before stays.
RC_GTEST_PROP(Continuation, OnlyAddsReasoningAndANudge, ()) {
  const Watched run(*work_cases(OperationKind::kContinuation));
  const auto& work = std::get<scenarios::ContinuationWork>(run.scenario().operation.work);
  std::string messages(run.scenario().operation.request->messages());
  std::string reasoning = work.reasoning;
  bool adds = true;
  for (const Call& call : run.calls()) {
    RC_ASSERT(call.messages.starts_with(messages));
    RC_ASSERT(call.head == std::string(run.scenario().operation.request->parameters()));
    const auto before = nlohmann::json::parse("[" + messages + "]");
    const nlohmann::json after = call.list_messages();
    if (adds) {
      const bool shows = reasoning.find_first_not_of(" \n") != std::string::npos;
      RC_ASSERT(after.size() == before.size() + (shows ? 2 : 1));
      RC_ASSERT(after.back()["role"] == "user");
      RC_ASSERT(after.back()["content"] == std::string(core::llm::kContinuationNudge));
      if (shows) {
        const nlohmann::json& turn = after[after.size() - 2];
        RC_ASSERT((turn == nlohmann::json{
                               {"role", "assistant"}, {"content", ""}, {"reasoning", reasoning}}));
      }
    } else {
      RC_ASSERT(call.messages == messages);
    }
    messages = call.messages;
    // A turn that says what was added last, or nothing, adds nothing.
    adds = is_reasoning_only(call.reply) && call.reply->reasoning != reasoning &&
           call.reply->reasoning.find_first_not_of(" \n") != std::string::npos;
    if (adds) {
      reasoning = call.reply->reasoning;
    }
  }
}

RC_GTEST_PROP(Continuation, EndsWithTheFirstAnswerThatSaysSomething, ()) {
  const Watched run(*work_cases(OperationKind::kContinuation));
  const std::vector<Call>& calls = run.calls();
  for (std::size_t k = 0; k + 1 < calls.size(); ++k) {
    RC_ASSERT((!calls[k].reply || is_reasoning_only(calls[k].reply)));
  }
  const std::optional<Reply> last = run.last_reply();
  RC_ASSERT((run.result().outcome == Outcome::kSuccess) == (last && !is_reasoning_only(last)));
  if (run.result().outcome == Outcome::kSuccess) {
    RC_ASSERT(run.result().operation->answer() == last->text);
    RC_ASSERT(run.result().operation->chat_answer()->tool_calls.empty() == !last->calls_tool);
  } else {
    RC_ASSERT_FALSE(run.result().operation->answer().has_value());
  }
}

RC_GTEST_PROP(Continuation, RecordsReasoningAloneAsNoResponse, ()) {
  const Watched run(*work_cases(OperationKind::kContinuation));
  for (std::size_t k = 0; k < run.calls().size(); ++k) {
    if (is_reasoning_only(run.calls()[k].reply)) {
      RC_ASSERT(k < run.result().trail.size());
      RC_ASSERT(std::string(label(run.result().trail[k].failure_class)) == "no_response");
    }
  }
}

RC_GTEST_PROP(Continuation, IsOverWithinThreeCalls, ()) {
  const Played played(*shipped_work_cases(OperationKind::kContinuation));
  RC_ASSERT(played.result.attempts <= 3U);
  RC_ASSERT(played.result.outcome != Outcome::kDegraded);
}

}  // namespace
}  // namespace squall::property_tests
