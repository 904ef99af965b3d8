// SPDX-License-Identifier: MIT
//
// The state of a synthesis between its rounds: which items are placed, and what has been accepted
// for good. A proposal is applied to it; whatever is sound in the proposal stays, whatever is not
// is dropped with the reason. Nothing that was accepted ever changes again.
//
// Order of the checks of one proposal, each defect with its class:
//
//   1. The whole. Every open item appears in a group or among the ungrouped; if not, nothing of
//      the proposal is looked at (`completeness`).
//   2. The summary. The first one that is not blank is kept; there must be one while none is kept
//      (`validation_other`).
//   3. The groups, in order. A clean one is accepted at once, any other is dropped:
//      - it has no members, or one that does not exist, is repeated, placed or pinned
//        (`membership`);
//      - its heading is blank (`validation_other`);
//      - it is a contradiction of fewer than two agents (`contradiction_agents`).
//   4. The ungrouped. An id does not exist (`membership`).
//   5. The references, in order. One to a group that is a contradiction itself, and one that is
//      known, are ignored. Any other is sound, and pins its item, which then stays out of every
//      group, unless
//      - its group is unknown (`validation_other`);
//      - its item does not exist or is placed (`membership`);
//      - there are fewer than two agents, the item's included (`contradiction_agents`).
//
// The first defect gives the class of the whole proposal. Purely structural: whether a grouping
// makes sense is not judged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/llm/failure_class.hpp"
#include "core/llm/proposal.hpp"

namespace squall::core::llm {

/// The items of each agent; agent i is `[i]`, possibly without items.
using ItemsByAgent = std::vector<std::vector<std::string>>;

/// One item; its id is its position, counted over all agents in order.
struct BoardItem {
  std::size_t agent = 0;
  std::string text;
};

/// An accepted group. Its index never changes.
struct FrozenGroup {
  std::string heading;
  bool contradiction = false;
  /// Ids, as proposed.
  std::vector<std::size_t> members;

  friend bool operator==(const FrozenGroup&, const FrozenGroup&) = default;
};

/// An accepted reference: `item` contradicts group `group` and is pinned to the remainder.
struct FrozenReference {
  std::size_t group = 0;
  std::size_t item = 0;

  friend bool operator==(const FrozenReference&, const FrozenReference&) = default;
};

/// What became of one proposal.
struct RoundVerdict {
  std::size_t groups_frozen = 0;
  std::size_t references_accepted = 0;
  bool summary_accepted = false;
  /// Class of the first defect; absent when there was none.
  std::optional<FailureClass> first_cause;
  /// One line for each rejected part, in the order of the checks.
  std::vector<std::string> reasons;

  [[nodiscard]] bool accepted_anything() const {
    return groups_frozen != 0 || references_accepted != 0 || summary_accepted;
  }
  /// The class under which a round that accepted nothing is recorded.
  [[nodiscard]] FailureClass failure_class() const {
    return first_cause.value_or(FailureClass::kValidationOther);
  }
};

class Board {
 public:
  explicit Board(const ItemsByAgent& items_by_agent);

  /// Takes over what is sound in `proposal`.
  [[nodiscard]] RoundVerdict apply(const Proposal& proposal);

  /// Whether every item is placed in a group or pinned to the remainder.
  [[nodiscard]] bool complete() const { return open_ == 0; }

  [[nodiscard]] const std::vector<BoardItem>& items() const { return items_; }
  [[nodiscard]] const std::vector<FrozenGroup>& groups() const { return groups_; }
  [[nodiscard]] const std::vector<FrozenReference>& references() const { return references_; }
  [[nodiscard]] const std::optional<std::string>& summary() const { return summary_; }
  [[nodiscard]] bool is_placed(std::size_t id) const { return places_[id] == Place::kGroup; }
  [[nodiscard]] bool is_pinned(std::size_t id) const { return places_[id] == Place::kPinned; }
  /// Ids that are in no group, pinned ones included, ascending.
  [[nodiscard]] std::vector<std::size_t> remainder() const;

 private:
  enum class Place : std::uint8_t { kOpen, kGroup, kPinned };

  [[nodiscard]] bool exists(ProposedId id) const {
    return id >= 0 && static_cast<std::uint64_t>(id) < items_.size();
  }
  [[nodiscard]] std::string missing_items(const Proposal& proposal) const;
  [[nodiscard]] bool cites_two_agents(const std::vector<ProposedId>& members) const;
  void take_summary(const Proposal& proposal, RoundVerdict& verdict);
  void take_group(std::size_t index, const ProposedGroup& group, RoundVerdict& verdict);
  void take_reference(std::size_t index, const ProposedReference& reference, RoundVerdict& verdict);

  std::vector<BoardItem> items_;
  std::vector<Place> places_;
  std::vector<FrozenGroup> groups_;
  std::vector<FrozenReference> references_;
  std::optional<std::string> summary_;
  /// Items that are neither placed nor pinned.
  std::size_t open_ = 0;
};

}  // namespace squall::core::llm
