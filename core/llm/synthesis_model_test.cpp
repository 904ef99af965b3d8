// SPDX-License-Identifier: MIT
//
// The board against the naive model: every small proposal, and many random ones.
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/llm/synthesis_board.hpp"
#include "core/llm/synthesis_model_test_support.hpp"

namespace squall::core::llm {
namespace {

/// Items of agent 0, then of agent 1.
using Shape = std::pair<std::size_t, std::size_t>;

struct Pair {
  Board board;
  SynthesisModel model;
};

Pair pair_of(const Shape& shape) {
  SynthesisModel model;
  model.agents.assign(shape.first, 0);
  model.agents.resize(shape.first + shape.second, 1);
  return {Board({std::vector<std::string>(shape.first, "x"),
                 std::vector<std::string>(shape.second, "y")}),
          std::move(model)};
}

std::string show(const Proposal& proposal) {
  std::string text = proposal.summary ? "summary \"" + *proposal.summary + "\"" : "no summary";
  const auto append = [&](const std::vector<ProposedId>& ids) {
    for (const ProposedId id : ids) {
      text += ' ' + std::to_string(id);
    }
  };
  for (const ProposedGroup& group : proposal.groups) {
    text += ", group \"" + group.heading + (group.contradiction ? "\" contradiction" : "\"");
    append(group.members);
  }
  text += ", ungrouped";
  append(proposal.ungrouped);
  for (const ProposedReference& reference : proposal.references) {
    text +=
        ", reference " + std::to_string(reference.group) + "<-" + std::to_string(reference.member);
  }
  return text;
}

/// Whether both hold the same. Compares everything a caller can read off a board.
bool agree(const Board& board, const SynthesisModel& model) {
  std::vector<ProposedGroup> groups;
  for (const FrozenGroup& group : board.groups()) {
    groups.push_back({.heading = group.heading,
                      .contradiction = group.contradiction,
                      .members = {group.members.begin(), group.members.end()}});
  }
  std::set<std::pair<ProposedId, ProposedId>> references;
  for (const FrozenReference& reference : board.references()) {
    references.insert(
        {static_cast<ProposedId>(reference.group), static_cast<ProposedId>(reference.item)});
  }
  std::set<ProposedId> placed;
  std::set<ProposedId> pinned;
  std::vector<std::size_t> remainder;
  for (std::size_t id = 0; id < board.items().size(); ++id) {
    if (board.is_placed(id)) {
      placed.insert(static_cast<ProposedId>(id));
    } else {
      remainder.push_back(id);
    }
    if (board.is_pinned(id)) {
      pinned.insert(static_cast<ProposedId>(id));
    }
  }
  return groups == model.groups && references == model.references &&
         references.size() == board.references().size() && board.summary() == model.summary &&
         placed == model.placed() && pinned == model.pinned() && remainder == board.remainder() &&
         board.complete() == model.open().empty();
}

bool agree(const RoundVerdict& verdict, const ModelVerdict& expected) {
  const bool same_cause = expected.defects.empty()
                              ? !verdict.first_cause
                              : verdict.first_cause == expected.defects.front();
  return same_cause && verdict.groups_frozen == expected.groups_frozen &&
         verdict.references_accepted == expected.references_accepted &&
         verdict.summary_accepted == expected.summary_accepted &&
         verdict.reasons.size() == expected.defects.size();
}

/// How often each first cause was met; absent is a proposal without a defect.
using Causes = std::map<std::optional<FailureClass>, std::size_t>;

/// Applies `proposal` to both; false, with a message, when they part.
bool step(Pair& pair, const Proposal& proposal, Causes& causes) {
  const RoundVerdict verdict = pair.board.apply(proposal);
  const ModelVerdict expected = apply_to_model(pair.model, proposal);
  ++causes[verdict.first_cause];
  const bool same = agree(verdict, expected) && agree(pair.board, pair.model);
  EXPECT_TRUE(same) << show(proposal);
  return same;
}

std::size_t cases_in(const Causes& causes) {
  std::size_t cases = 0;
  for (const auto& [cause, count] : causes) {
    cases += count;
  }
  return cases;
}

constexpr std::array<std::optional<FailureClass>, 5> kEveryCause = {
    std::nullopt, FailureClass::kCompleteness, FailureClass::kValidationOther,
    FailureClass::kMembership, FailureClass::kContradictionAgents};

/// Every first round of the shape, then, from every state a first round can leave, every second
/// one.
void try_all(const Shape& shape, const std::vector<Proposal>& first,
             const std::vector<Proposal>& second, Causes& causes) {
  std::map<SynthesisModel, Board> states;
  const Pair start = pair_of(shape);
  for (const Proposal& proposal : first) {
    Pair pair = start;
    if (!step(pair, proposal, causes)) {
      return;
    }
    states.emplace(std::move(pair.model), std::move(pair.board));
  }
  for (const auto& [model, board] : states) {
    for (const Proposal& proposal : second) {
      Pair pair{board, model};
      if (!step(pair, proposal, causes)) {
        return;
      }
    }
  }
}

TEST(SynthesisModel, AgreesOnEveryPairOfRoundsWithUpToOneItem) {
  Causes causes;
  for (const Shape& shape : {Shape{0, 0}, Shape{1, 0}, Shape{0, 1}}) {
    const std::vector<Proposal> proposals = all_proposals(shape.first + shape.second, 2);
    try_all(shape, proposals, proposals, causes);
  }
  RecordProperty("cases", static_cast<int>(cases_in(causes)));
}

TEST(SynthesisModel, AgreesOnEveryRoundWithTwoItemsAndEveryShortOneAfterIt) {
  Causes causes;
  const std::vector<Proposal> first = all_proposals(2, 2);
  const std::vector<Proposal> second = all_proposals(2, 1);
  for (const Shape& shape : {Shape{2, 0}, Shape{1, 1}}) {
    try_all(shape, first, second, causes);
  }
  for (const std::optional<FailureClass>& cause : kEveryCause) {
    EXPECT_GT(causes[cause], 400U);
  }
  RecordProperty("cases", static_cast<int>(cases_in(causes)));
}

TEST(SynthesisModel, AgreesOnRandomRoundsWithUpToThreeItemsOfEachAgent) {
  constexpr int kRunsPerShape = 6'000;
  Causes causes;
  RandomStream words = RandomStream(2024).split("synthesis model");
  for (std::size_t a = 0; a <= 3; ++a) {
    for (std::size_t b = 0; b <= 3; ++b) {
      for (int run = 0; run < kRunsPerShape; ++run) {
        Pair pair = pair_of({a, b});
        for (int round = 0; round < 3; ++round) {
          ASSERT_TRUE(step(pair, random_proposal(a + b, words), causes)) << "run " << run;
        }
      }
    }
  }
  for (const std::optional<FailureClass>& cause : kEveryCause) {
    EXPECT_GT(causes[cause], 1'000U);
  }
  RecordProperty("cases", static_cast<int>(cases_in(causes)));
}

}  // namespace
}  // namespace squall::core::llm
