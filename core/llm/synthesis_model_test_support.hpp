// SPDX-License-Identifier: MIT
//
// A second, naive statement of what a synthesis accepts: sets, and one question after the other, in
// the order in which the rules are written down. It shares the proposal's type with the board and
// nothing else. With it come all small proposals, and random ones of any size. For tests only.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/llm/failure_class.hpp"
#include "core/llm/proposal.hpp"
#include "core/random.hpp"

namespace squall::core::llm {

/// What was accepted so far.
struct SynthesisModel {
  /// The agent of each item.
  std::vector<int> agents;
  std::vector<ProposedGroup> groups;
  /// (group, item).
  std::set<std::pair<ProposedId, ProposedId>> references;
  std::optional<std::string> summary;

  [[nodiscard]] std::set<ProposedId> all() const;
  [[nodiscard]] std::set<ProposedId> placed() const;
  [[nodiscard]] std::set<ProposedId> pinned() const;
  [[nodiscard]] std::set<ProposedId> open() const;
  /// The agents of those of `ids` that exist.
  [[nodiscard]] std::set<int> agents_of(const std::set<ProposedId>& ids) const;

  friend bool operator==(const SynthesisModel&, const SynthesisModel&) = default;
  friend bool operator<(const SynthesisModel& a, const SynthesisModel& b);
};

struct ModelVerdict {
  std::size_t groups_frozen = 0;
  std::size_t references_accepted = 0;
  bool summary_accepted = false;
  /// The class of each rejected part, in order.
  std::vector<FailureClass> defects;
};

[[nodiscard]] ModelVerdict apply_to_model(SynthesisModel& model, const Proposal& proposal);

/// Every proposal about `items` items with up to `groups_max` groups and up to one reference.
/// Members and ungrouped ids are all subsets of the ids and one id that does not exist, members
/// also with one of them repeated; headings are blank or not; references name every group and every
/// id there may be, and one beyond.
[[nodiscard]] std::vector<Proposal> all_proposals(std::size_t items, std::size_t groups_max);

/// A proposal about `items` items, most of them in order, each kind of defect being likely enough
/// to meet the others. Draws from `words`.
[[nodiscard]] Proposal random_proposal(std::size_t items, RandomStream& words);

}  // namespace squall::core::llm
