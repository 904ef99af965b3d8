// SPDX-License-Identifier: MIT
//
// extraction, and the same with something to fall back to: comment. Which texts hold JSON is judged
// by hand (work_bodies.hpp), and what fits a target is said here once more.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "property_tests/generators.hpp"
#include "property_tests/played.hpp"
#include "property_tests/watched.hpp"
#include "property_tests/work_bodies.hpp"
#include "property_tests/work_generators.hpp"

namespace squall::property_tests {
namespace {

using core::llm::FailureClass;
using nlohmann::json;
using playback::TraceKind;
using playback::TraceRecord;
using scenarios::OperationKind;
using scenarios::Outcome;

rc::Gen<Case> extractions_and_comments() {
  return one_of<Case>(
      {work_cases(OperationKind::kExtraction), work_cases(OperationKind::kComment)});
}

bool is_of(core::llm::JsonKind kind, const json& value) {
  using core::llm::JsonKind;
  switch (kind) {
    case JsonKind::kString:
      return value.is_string();
    case JsonKind::kNumber:
      return value.is_number();
    case JsonKind::kInteger:
      return value.is_number_integer();
    case JsonKind::kBoolean:
      return value.is_boolean();
    case JsonKind::kArray:
      return value.is_array();
    case JsonKind::kObject:
      return value.is_object();
  }
  return false;
}

bool has_the_shape(const core::llm::ExtractionTarget& target, const json& value) {
  return value.is_object() &&
         std::all_of(target.fields.begin(), target.fields.end(), [&](const auto& field) {
           const bool there = value.contains(field.name) && !value[field.name].is_null();
           return there ? is_of(field.kind, value[field.name]) : !field.required;
         });
}

bool is_allowed(const core::llm::Validator& validator, const json& value) {
  const auto* range = std::get_if<core::llm::NumericRange>(&validator);
  return range == nullptr ||
         (value.contains(range->field) && value[range->field].is_number() &&
          value[range->field] >= range->min && value[range->field] <= range->max);
}

/// Why an answer is not the one that was wanted; nothing when it is.
std::optional<FailureClass> defect_of(const scenarios::ExtractionWork& work, const Reply& reply) {
  const auto known = json_in(reply.text);
  if (reply.calls_tool || !known || !has_the_shape(work.target, json::parse(*known))) {
    return FailureClass::kParse;
  }
  return is_allowed(work.validator, json::parse(*known))
             ? std::nullopt
             : std::optional(FailureClass::kOutOfRangeScore);
}

const scenarios::ExtractionWork& work_of(const Watched& run) {
  return std::get<scenarios::ExtractionWork>(run.scenario().operation.work);
}

RC_GTEST_PROP(Extraction, KeepsWhatItSentAndAddsTheAnswerAndAReprompt, ()) {
  const Watched run(*extractions_and_comments());
  const std::vector<Call>& calls = run.calls();
  std::size_t reprompts = 0;
  for (std::size_t k = 0; k + 1 < calls.size(); ++k) {
    const Call& call = calls[k];
    const Call& next = calls[k + 1];
    RC_ASSERT(next.head == call.head);
    RC_ASSERT(next.tail == call.tail);
    if (!call.reply) {
      RC_ASSERT(next.messages == call.messages);
      continue;
    }
    ++reprompts;
    RC_ASSERT(next.messages.starts_with(call.messages + ","));
    const json messages = next.list_messages();
    RC_ASSERT(messages.size() == call.list_messages().size() + 2);
    const json& shown = messages[messages.size() - 2];
    RC_ASSERT((shown == json{{"role", "assistant"}, {"content", call.reply->text}}));
    RC_ASSERT(messages.back()["role"] == "user");
    RC_ASSERT(messages.back()["content"] == std::string(core::llm::kExtractionReprompt));
  }
  classify(reprompts > 0, "re-prompted");
  // Nothing is prepared for an attempt that never comes.
  if (run.finished() && !calls.empty()) {
    RC_ASSERT(std::string(run.result().operation->request().body) == calls.back().request());
  }
}

RC_GTEST_PROP(Extraction, EndsWithTheFirstAnswerThatFits, ()) {
  const Watched run(*extractions_and_comments());
  const std::vector<Call>& calls = run.calls();
  for (std::size_t k = 0; k + 1 < calls.size(); ++k) {
    RC_ASSERT((!calls[k].reply || defect_of(work_of(run), *calls[k].reply)));
  }
  const std::optional<Reply> last = run.last_reply();
  const bool fits = last && !defect_of(work_of(run), *last);
  RC_ASSERT((run.result().outcome == Outcome::kSuccess) == fits);
  if (fits) {
    RC_ASSERT(run.result().operation->answer() == std::string(*json_in(last->text)));
  }
}

// Every answer that does not fit leaves one record with the class that the rules name.
RC_GTEST_PROP(Extraction, NamesWhatIsWrongWithAnAnswer, ()) {
  const Watched run(*extractions_and_comments());
  const playback::TrailView trail = run.result().trail;
  std::optional<FailureClass> refused;
  for (std::size_t k = 0; k < run.calls().size(); ++k) {
    const std::optional<Reply>& reply = run.calls()[k].reply;
    const auto defect = reply ? defect_of(work_of(run), *reply) : std::nullopt;
    if (!defect) {
      continue;
    }
    refused = *defect;
    RC_ASSERT(k < trail.size());
    RC_ASSERT(trail[k].failure_class == scenarios::FailureClass(*defect));
    RC_ASSERT(trail[k].finish_reason.has_value() == reply->finish_reason.has_value());
    RC_ASSERT(trail[k].finish_reason.value_or("") == reply->finish_reason.value_or(""));
    RC_ASSERT_FALSE(trail[k].retry_after_ms.has_value());
  }
  classify(refused == FailureClass::kParse, "parse");
  classify(refused == FailureClass::kOutOfRangeScore, "out of range");
}

// An answer that was refused is followed by the sleep of its attempt, as any failure is.
RC_GTEST_PROP(Extraction, SleepsAfterEveryFailureByTheNumberOfTheAttempt, ()) {
  const Watched run(*extractions_and_comments());
  const std::vector<Call>& calls = run.calls();
  const auto& sleeps = *run.result().sleeps;
  RC_ASSERT(sleeps.size() + 1 >= calls.size());
  RC_ASSERT(sleeps.size() <= calls.size());
  for (std::size_t k = 0; k + 1 < calls.size(); ++k) {
    RC_ASSERT(sleeps[k].slot == k);
    RC_ASSERT(calls[k + 1].sent - *calls[k].ended == sleeps[k].duration);
    if (calls[k].reply) {
      const core::SleepInterval allowed =
          core::sleep_interval(run.policy(), static_cast<std::uint32_t>(k));
      RC_ASSERT_FALSE(sleeps[k].by_retry_after);
      RC_ASSERT(sleeps[k].duration >= core::from_milliseconds(allowed.min_ms));
      RC_ASSERT(sleeps[k].duration <= core::from_milliseconds(allowed.max_ms));
    }
  }
}

RC_GTEST_PROP(Comment, NeverFails, ()) {
  const Watched run(*work_cases(OperationKind::kComment));
  const Outcome outcome = run.result().outcome;
  RC_ASSERT(outcome != Outcome::kExhausted);
  RC_ASSERT(outcome != Outcome::kNonRetryable);
  // What the caller goes on with is the text of the last attempt, or nothing.
  if (outcome == Outcome::kDegraded) {
    const std::optional<Reply> reply = run.last_reply();
    RC_ASSERT(run.result().operation->answer() ==
              (reply ? std::optional(reply->text) : std::nullopt));
    RC_ASSERT(run.result().operation->shortfall().has_value());
  }
}

// Falling back changes how the end is called and nothing before it.
RC_GTEST_PROP(Comment, MakesTheCallsOfAnExtraction, ()) {
  const Case comment = *work_cases(OperationKind::kComment);
  Case extraction = comment;
  std::get<scenarios::ExtractionWork>(extraction.scenario.operation.work).falls_back = false;
  const Played ours(comment);
  const Played theirs(extraction);
  std::vector<TraceRecord> our_records = ours.result.trace->records();
  std::vector<TraceRecord> their_records = theirs.result.trace->records();
  for (std::vector<TraceRecord>* records : {&our_records, &their_records}) {
    if (records->back().kind() == TraceKind::kOperationFinished) {
      records->back() = {.at_ns = records->back().at_ns};
    }
  }
  RC_ASSERT(our_records == their_records);
  const Outcome outcome = theirs.result.outcome;
  RC_ASSERT(ours.result.outcome ==
            (outcome == Outcome::kExhausted || outcome == Outcome::kNonRetryable
                 ? Outcome::kDegraded
                 : outcome));
}

RC_GTEST_PROP(Comment, IsOverWithinThreeCallsAndTwoSleeps, ()) {
  const Case drawn = *shipped_work_cases(OperationKind::kComment);
  const Played played(drawn);
  RC_ASSERT(played.result.attempts <= 3U);
  // 5 s and 10 s with a quarter of jitter either way, or a Retry-After of at most 60 s.
  RC_ASSERT(played.result.sleeps->size() <= 2U);
  for (const core::OrderedSleep& sleep : *played.result.sleeps) {
    const std::chrono::milliseconds scheduled(sleep.slot == 0 ? 5'000 : 10'000);
    RC_ASSERT(sleep.duration >= (sleep.by_retry_after ? std::chrono::milliseconds(5'000)
                                                      : scheduled - scheduled / 4));
    RC_ASSERT(sleep.duration < (sleep.by_retry_after ? std::chrono::milliseconds(60'001)
                                                     : scheduled + scheduled / 4));
  }
}

}  // namespace
}  // namespace squall::property_tests
