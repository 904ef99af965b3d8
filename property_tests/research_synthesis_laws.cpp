// SPDX-License-Identifier: MIT
//
// research_synthesis: a text that is whole and not blank, or the last one that was cut off.
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "property_tests/generators.hpp"
#include "property_tests/watched.hpp"
#include "property_tests/work_generators.hpp"

namespace squall::property_tests {
namespace {

using core::llm::FailureClass;
using scenarios::OperationKind;
using scenarios::Outcome;

// The last answer leaves one word in the next request, whatever those before it left.
RC_GTEST_PROP(ResearchSynthesis, SendsTheFirstRequestWithAtMostOneWordAboutTheLastAnswer, ()) {
  const Watched run(*work_cases(OperationKind::kResearchSynthesis));
  const std::vector<Call>& calls = run.calls();
  for (std::size_t k = 0; k + 1 < calls.size(); ++k) {
    const Call& next = calls[k + 1];
    RC_ASSERT(next.head == calls[0].head);
    RC_ASSERT(next.tail == calls[0].tail);
    const std::optional<Reply>& reply = calls[k].reply;
    if (!reply) {
      RC_ASSERT(next.messages == calls[k].messages);
      continue;
    }
    RC_ASSERT(next.messages.starts_with(calls[0].messages + ","));
    const nlohmann::json messages = next.list_messages();
    RC_ASSERT(messages.size() == calls[0].list_messages().size() + 1);
    RC_ASSERT(messages.back()["role"] == "user");
    const std::string feedback = messages.back()["content"];
    RC_ASSERT((feedback.find("shorter") != std::string::npos) == reply->is_cut_off());
  }
}

RC_GTEST_PROP(ResearchSynthesis, EndsWithTheFirstWholeText, ()) {
  const Watched run(*work_cases(OperationKind::kResearchSynthesis));
  const std::vector<Call>& calls = run.calls();
  const auto is_whole = [](const std::optional<Reply>& reply) {
    return reply && !reply->is_cut_off() && !reply->is_blank();
  };
  for (std::size_t k = 0; k + 1 < calls.size(); ++k) {
    RC_ASSERT_FALSE(is_whole(calls[k].reply));
  }
  RC_ASSERT((run.result().outcome == Outcome::kSuccess) == is_whole(run.last_reply()));
  if (run.result().outcome == Outcome::kSuccess) {
    RC_ASSERT(run.result().operation->answer() == run.last_reply()->text);
  }
}

RC_GTEST_PROP(ResearchSynthesis, GivesTheLastTextThatWasCutOff, ()) {
  const Watched run(*work_cases(OperationKind::kResearchSynthesis));
  std::optional<std::string> kept;
  for (const Call& call : run.calls()) {
    if (call.reply && call.reply->is_cut_off() && !call.reply->is_blank()) {
      kept = call.reply->text;
    }
  }
  const Outcome outcome = run.result().outcome;
  if (!run.finished() || outcome == Outcome::kSuccess) {
    return;
  }
  RC_ASSERT(run.result().operation->answer() == kept);
  if (outcome != Outcome::kShutdown) {
    RC_ASSERT((outcome == Outcome::kDegraded) == kept.has_value());
  }
}

RC_GTEST_PROP(ResearchSynthesis, NamesWhatIsWrongWithAnAnswer, ()) {
  const Watched run(*work_cases(OperationKind::kResearchSynthesis));
  for (std::size_t k = 0; k < run.calls().size(); ++k) {
    const std::optional<Reply>& reply = run.calls()[k].reply;
    if (!reply || (!reply->is_cut_off() && !reply->is_blank())) {
      continue;
    }
    RC_ASSERT(k < run.result().trail.size());
    const auto expected =
        reply->is_cut_off() ? FailureClass::kTruncatedOutput : FailureClass::kNoResponse;
    RC_ASSERT(std::string(label(run.result().trail[k].failure_class)) == label(expected));
  }
}

}  // namespace
}  // namespace squall::property_tests
