// SPDX-License-Identifier: MIT
//
// synthesis. What a round accepted is seen by playing the same case with
// every smaller budget: the runs are the same up to the end of the smaller one.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/llm/chat_message.hpp"
#include "property_tests/generators.hpp"
#include "property_tests/played.hpp"
#include "property_tests/watched.hpp"
#include "property_tests/work_generators.hpp"

namespace squall::property_tests {
namespace {

using core::llm::FailureClass;
using core::llm::FrozenGroup;
using core::llm::SynthesisRepaired;
using scenarios::OperationKind;
using scenarios::Outcome;

/// The agent of each item.
std::vector<std::size_t> agents_of(const scenarios::Scenario& scenario) {
  std::vector<std::size_t> agents;
  const auto& items = std::get<scenarios::SynthesisWork>(scenario.operation.work).items;
  for (std::size_t agent = 0; agent < items.size(); ++agent) {
    agents.insert(agents.end(), items[agent].size(), agent);
  }
  return agents;
}

/// What is left of a run when the next one is played.
struct Progress {
  std::uint32_t calls = 0;
  Outcome outcome = Outcome::kUnfinished;
  std::vector<FrozenGroup> groups;
  std::vector<core::llm::FrozenReference> references;
  std::vector<std::size_t> remainder;
  std::string summary;
  std::vector<scenarios::FailureClass> trail;
  std::optional<Reply> last_reply;

  [[nodiscard]] bool is_complete() const {
    return !groups.empty() && std::all_of(remainder.begin(), remainder.end(), [&](std::size_t id) {
      return std::any_of(references.begin(), references.end(),
                         [id](const auto& reference) { return reference.item == id; });
    });
  }
};

Progress progress_with(Case drawn, std::uint32_t attempts) {
  drawn.scenario.policy.budgets.attempts_max = attempts;
  const Watched run(drawn);
  Progress progress;
  progress.calls = run.result().attempts;
  progress.outcome = run.result().outcome;
  if (const SynthesisRepaired* repaired = run.result().operation->synthesis()) {
    progress.groups = repaired->groups;
    progress.references = repaired->references;
    progress.remainder = repaired->remainder;
    progress.summary = repaired->summary;
  }
  for (std::size_t i = 0; i < run.result().trail.size(); ++i) {
    progress.trail.push_back(run.result().trail[i].failure_class);
  }
  progress.last_reply = run.last_reply();
  return progress;
}

/// The case played with one attempt, with two, and so on, as long as more of them change anything
/// and every run ends.
std::vector<Progress> progress_by_budget(Case drawn) {
  drawn.scenario.horizon = core::Duration::max();
  drawn.scenario.client.shutdown_at.reset();
  std::vector<Progress> all;
  constexpr std::uint32_t kEnough = 8;
  for (std::uint32_t attempts = 1; attempts <= kEnough; ++attempts) {
    all.push_back(progress_with(drawn, attempts));
    if (all.back().outcome == Outcome::kUnfinished) {
      all.pop_back();  // It hangs: a policy without timeouts.
      break;
    }
    if (all.back().calls < attempts) {
      break;
    }
  }
  return all;
}

RC_GTEST_PROP(Synthesis, PlacesEveryItemOnceOrLeavesItInTheRemainder, ()) {
  const Watched run(*work_cases(OperationKind::kSynthesis));
  const SynthesisRepaired* repaired = run.result().operation->synthesis();
  classify(repaired != nullptr, "repaired");
  if (repaired == nullptr) {
    return;
  }
  const std::vector<std::size_t> agents = agents_of(run.scenario());
  RC_ASSERT_FALSE(repaired->groups.empty());
  std::set<std::size_t> placed;
  for (const FrozenGroup& group : repaired->groups) {
    RC_ASSERT_FALSE(group.members.empty());
    RC_ASSERT_FALSE(core::llm::is_blank(group.heading));
    std::set<std::size_t> cited;
    for (const std::size_t id : group.members) {
      RC_ASSERT(id < agents.size());
      RC_ASSERT(placed.insert(id).second);
      cited.insert(agents[id]);
    }
    if (group.contradiction) {
      RC_ASSERT(cited.size() >= 2U);
    }
  }
  std::vector<std::size_t> rest;
  for (std::size_t id = 0; id < agents.size(); ++id) {
    if (!placed.contains(id)) {
      rest.push_back(id);
    }
  }
  RC_ASSERT(repaired->remainder == rest);
  for (const core::llm::FrozenReference& reference : repaired->references) {
    RC_ASSERT(reference.group < repaired->groups.size());
    const FrozenGroup& group = repaired->groups[reference.group];
    RC_ASSERT_FALSE(group.contradiction);
    RC_ASSERT(reference.item < agents.size());
    RC_ASSERT_FALSE(placed.contains(reference.item));
    RC_ASSERT(std::any_of(group.members.begin(), group.members.end(),
                          [&](std::size_t id) { return agents[id] != agents[reference.item]; }));
  }
}

RC_GTEST_PROP(Synthesis, KeepsWhatItAcceptedWithEveryFurtherRound, ()) {
  const std::vector<Progress> by_budget =
      progress_by_budget(*work_cases(OperationKind::kSynthesis));
  for (std::size_t i = 0; i + 1 < by_budget.size(); ++i) {
    const Progress& less = by_budget[i];
    const Progress& more = by_budget[i + 1];
    RC_ASSERT(less.groups.size() <= more.groups.size());
    RC_ASSERT(std::equal(less.groups.begin(), less.groups.end(), more.groups.begin()));
    if (less.groups.empty()) {
      continue;  // A fallback shows no references and no summary.
    }
    classify(less.groups.size() < more.groups.size(), "grew");
    RC_ASSERT(less.references.size() <= more.references.size());
    RC_ASSERT(std::equal(less.references.begin(), less.references.end(), more.references.begin()));
    if (!less.summary.empty()) {
      RC_ASSERT(more.summary == less.summary);
    }
  }
}

// A proposal that was read and froze nothing ends it, unless it was the first round's; so does one
// that leaves nothing to place.
RC_GTEST_PROP(Synthesis, AsksOnlyAsLongAsItHelps, ()) {
  const std::vector<Progress> by_budget =
      progress_by_budget(*work_cases(OperationKind::kSynthesis));
  for (std::size_t i = 0; i + 1 < by_budget.size(); ++i) {
    const Progress& now = by_budget[i];
    const bool goes_on = by_budget[i + 1].calls > now.calls;
    // Unlike its length: the trail of a fallback may hold an entry that no attempt stands behind.
    const auto unreadable_ones = [](const Progress& progress) {
      return std::count(progress.trail.begin(), progress.trail.end(),
                        scenarios::FailureClass(FailureClass::kParse));
    };
    const bool unreadable = unreadable_ones(now) > (i == 0 ? 0 : unreadable_ones(by_budget[i - 1]));
    const bool was_read = now.last_reply && !unreadable;
    if (now.is_complete()) {
      RC_ASSERT_FALSE(goes_on);
    }
    if (i > 0 && was_read && now.groups.size() == by_budget[i - 1].groups.size()) {
      RC_ASSERT_FALSE(goes_on);
    }
    classify(goes_on && was_read, "another round");
  }
}

RC_GTEST_PROP(Synthesis, FallsBackWithAReasonAndEveryItem, ()) {
  const Watched run(*work_cases(OperationKind::kSynthesis));
  const auto shortfall = run.result().operation->shortfall();
  RC_ASSERT((run.result().outcome == Outcome::kSuccess) ==
            (run.result().operation->synthesis() != nullptr));
  RC_ASSERT(run.result().outcome != Outcome::kExhausted);
  RC_ASSERT(run.result().outcome != Outcome::kNonRetryable);
  if (!shortfall) {
    return;
  }
  classify(run.result().outcome == Outcome::kDegraded, "fallback");
  RC_ASSERT_FALSE(run.result().trail.empty());
  const std::string text = run.result().operation->answer().value_or("");
  std::size_t from = 0;
  for (const auto& items :
       std::get<scenarios::SynthesisWork>(run.scenario().operation.work).items) {
    for (const std::string& item : items) {
      from = text.find(item, from);  // In id order.
      RC_ASSERT(from != std::string::npos);
    }
  }
}

RC_GTEST_PROP(Synthesis, IsOverWithinThreeCalls, ()) {
  const Played played(*shipped_work_cases(OperationKind::kSynthesis));
  RC_ASSERT(played.result.attempts <= 3U);
  RC_ASSERT(played.result.sleeps->size() <= 2U);
  for (const core::OrderedSleep& sleep : *played.result.sleeps) {
    if (!sleep.by_retry_after) {  // 30 s and 45 s, a quarter of jitter either way.
      const std::chrono::milliseconds scheduled(sleep.slot == 0 ? 30'000 : 45'000);
      RC_ASSERT(sleep.duration >= scheduled - scheduled / 4);
      RC_ASSERT(sleep.duration < scheduled + scheduled / 4);
    }
  }
}

// As in a research synthesis: an answer that cannot be used costs a round and no time; only an
// exchange without an answer is followed by a sleep, by the number of those.
RC_GTEST_PROP(Synthesis, SleepsAfterFailedExchangesByTheirOwnCount, ()) {
  const Watched run(*one_of<Case>(
      {work_cases(OperationKind::kSynthesis), work_cases(OperationKind::kResearchSynthesis)}));
  const std::vector<Call>& calls = run.calls();
  const auto& sleeps = *run.result().sleeps;
  std::uint32_t failed = 0;
  for (std::size_t k = 0; k + 1 < calls.size(); ++k) {
    const core::Duration gap = calls[k + 1].sent - *calls[k].ended;
    if (calls[k].reply) {
      RC_ASSERT(gap == core::Duration(0));
      continue;
    }
    RC_ASSERT(failed < sleeps.size());
    const core::OrderedSleep& sleep = sleeps[failed];
    RC_ASSERT(sleep.slot == failed);
    RC_ASSERT(sleep.duration == gap);
    if (!sleep.by_retry_after) {
      const core::SleepInterval allowed = core::sleep_interval(run.policy(), failed);
      RC_ASSERT(gap >= core::from_milliseconds(allowed.min_ms));
      RC_ASSERT(gap <= core::from_milliseconds(allowed.max_ms));
    }
    ++failed;
  }
  classify(failed > 0 && failed + 1 < calls.size(), "answers and failed exchanges");
  // At most the sleep that a shutdown or the horizon ended.
  RC_ASSERT(sleeps.size() <= failed + std::size_t{1});
}

// Both add user messages only; a synthesis to the request before, a research synthesis to the
// first.
RC_GTEST_PROP(Synthesis, AddsOneMessageForEveryAnswerThatWasNotEnough, ()) {
  const Watched run(*work_cases(OperationKind::kSynthesis));
  const std::vector<Call>& calls = run.calls();
  for (std::size_t k = 0; k + 1 < calls.size(); ++k) {
    RC_ASSERT(calls[k + 1].head == calls[k].head);
    RC_ASSERT(calls[k + 1].tail == calls[k].tail);
    if (!calls[k].reply) {
      RC_ASSERT(calls[k + 1].messages == calls[k].messages);
      continue;
    }
    RC_ASSERT(calls[k + 1].messages.starts_with(calls[k].messages + ","));
    const nlohmann::json messages = calls[k + 1].list_messages();
    RC_ASSERT(messages.size() == calls[k].list_messages().size() + 1);
    RC_ASSERT(messages.back()["role"] == "user");
  }
}

}  // namespace
}  // namespace squall::property_tests
