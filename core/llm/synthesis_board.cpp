// SPDX-License-Identifier: MIT
#include "core/llm/synthesis_board.hpp"

#include <algorithm>
#include <utility>

#include "core/llm/chat_message.hpp"

namespace squall::core::llm {
namespace {

/// Collects the defects of one part of a proposal; the first one gives the class.
class Defects {
 public:
  void add(FailureClass failure_class, const std::string& what) {
    if (!first_class_) {
      first_class_ = failure_class;
    }
    text_ += text_.empty() ? "" : "; ";
    text_ += what;
  }
  [[nodiscard]] bool none() const { return !first_class_; }
  void report(const std::string& part, RoundVerdict& verdict) const {
    if (!verdict.first_cause) {
      verdict.first_cause = first_class_;
    }
    verdict.reasons.push_back(part + text_);
  }

 private:
  std::optional<FailureClass> first_class_;
  std::string text_;
};

void reject(RoundVerdict& verdict, FailureClass failure_class, const std::string& what) {
  Defects defects;
  defects.add(failure_class, what);
  defects.report("", verdict);
}

std::string item_named(ProposedId id) {
  return "item " + std::to_string(id);
}

}  // namespace

Board::Board(const ItemsByAgent& items_by_agent) {
  for (std::size_t agent = 0; agent < items_by_agent.size(); ++agent) {
    for (const std::string& text : items_by_agent[agent]) {
      items_.push_back({.agent = agent, .text = text});
    }
  }
  places_.assign(items_.size(), Place::kOpen);
  open_ = items_.size();
}

RoundVerdict Board::apply(const Proposal& proposal) {
  RoundVerdict verdict;
  if (const std::string missing = missing_items(proposal); !missing.empty()) {
    reject(verdict, FailureClass::kCompleteness,
           "neither in a group nor under \"ungrouped\": " + missing);
    return verdict;
  }
  take_summary(proposal, verdict);
  for (std::size_t i = 0; i < proposal.groups.size(); ++i) {
    take_group(i, proposal.groups[i], verdict);
  }
  for (const ProposedId id : proposal.ungrouped) {
    if (!exists(id)) {
      reject(verdict, FailureClass::kMembership, "ungrouped " + item_named(id) + " does not exist");
    }
  }
  for (std::size_t i = 0; i < proposal.references.size(); ++i) {
    take_reference(i, proposal.references[i], verdict);
  }
  return verdict;
}

std::vector<std::size_t> Board::remainder() const {
  std::vector<std::size_t> ids;
  for (std::size_t id = 0; id < items_.size(); ++id) {
    if (!is_placed(id)) {
      ids.push_back(id);
    }
  }
  return ids;
}

/// "items 1, 4", or nothing. What a defective group names counts as named.
std::string Board::missing_items(const Proposal& proposal) const {
  std::vector<bool> named(items_.size());
  const auto name = [&](const std::vector<ProposedId>& ids) {
    for (const ProposedId id : ids) {
      if (exists(id)) {
        named[static_cast<std::size_t>(id)] = true;
      }
    }
  };
  for (const ProposedGroup& group : proposal.groups) {
    name(group.members);
  }
  name(proposal.ungrouped);
  std::string missing;
  for (std::size_t id = 0; id < items_.size(); ++id) {
    if (places_[id] == Place::kOpen && !named[id]) {
      missing += (missing.empty() ? "items " : ", ") + std::to_string(id);
    }
  }
  return missing;
}

/// Members that do not exist cite nobody.
bool Board::cites_two_agents(const std::vector<ProposedId>& members) const {
  std::optional<std::size_t> first;
  for (const ProposedId id : members) {
    if (!exists(id)) {
      continue;
    }
    const std::size_t agent = items_[static_cast<std::size_t>(id)].agent;
    if (first && *first != agent) {
      return true;
    }
    first = agent;
  }
  return false;
}

void Board::take_summary(const Proposal& proposal, RoundVerdict& verdict) {
  if (summary_) {
    return;  // The first one stays, whatever a later proposal says.
  }
  if (proposal.summary && !is_blank(*proposal.summary)) {
    summary_ = proposal.summary;
    verdict.summary_accepted = true;
  } else {
    reject(verdict, FailureClass::kValidationOther, "the summary is missing");
  }
}

void Board::take_group(std::size_t index, const ProposedGroup& group, RoundVerdict& verdict) {
  Defects defects;
  if (group.members.empty()) {
    defects.add(FailureClass::kMembership, "it has no members");
  }
  std::vector<std::size_t> members;
  members.reserve(group.members.size());
  std::vector<bool> seen(items_.size());
  for (const ProposedId proposed : group.members) {
    if (!exists(proposed)) {
      defects.add(FailureClass::kMembership, item_named(proposed) + " does not exist");
      continue;
    }
    const auto id = static_cast<std::size_t>(proposed);
    if (seen[id]) {
      defects.add(FailureClass::kMembership, item_named(proposed) + " is repeated");
    } else if (is_placed(id)) {
      defects.add(FailureClass::kMembership, item_named(proposed) + " is in an accepted group");
    } else if (is_pinned(id)) {
      defects.add(FailureClass::kMembership, item_named(proposed) + " is pinned to the remainder");
    }
    seen[id] = true;
    members.push_back(id);
  }
  if (is_blank(group.heading)) {
    defects.add(FailureClass::kValidationOther, "its heading is blank");
  }
  if (group.contradiction && !cites_two_agents(group.members)) {
    defects.add(FailureClass::kContradictionAgents,
                "its contradiction cites fewer than two agents");
  }
  if (!defects.none()) {
    defects.report("group " + std::to_string(index) + ": ", verdict);
    return;
  }
  for (const std::size_t id : members) {
    places_[id] = Place::kGroup;
  }
  open_ -= members.size();
  groups_.push_back({.heading = group.heading,
                     .contradiction = group.contradiction,
                     .members = std::move(members)});
  ++verdict.groups_frozen;
}

void Board::take_reference(std::size_t index, const ProposedReference& reference,
                           RoundVerdict& verdict) {
  const auto refuse = [&](FailureClass failure_class, const std::string& what) {
    reject(verdict, failure_class, "reference " + std::to_string(index) + ": " + what);
  };
  if (reference.group < 0 || static_cast<std::uint64_t>(reference.group) >= groups_.size()) {
    refuse(FailureClass::kValidationOther,
           "there is no accepted group " + std::to_string(reference.group));
    return;
  }
  const auto target = static_cast<std::size_t>(reference.group);
  const FrozenGroup& group = groups_[target];
  if (group.contradiction) {
    return;  // The group says so already.
  }
  if (!exists(reference.member)) {
    refuse(FailureClass::kMembership, item_named(reference.member) + " does not exist");
    return;
  }
  const auto id = static_cast<std::size_t>(reference.member);
  const FrozenReference accepted{.group = target, .item = id};
  if (std::find(references_.begin(), references_.end(), accepted) != references_.end()) {
    return;  // Known already.
  }
  if (is_placed(id)) {
    refuse(FailureClass::kMembership, item_named(reference.member) + " is in an accepted group");
    return;
  }
  const auto of_another_agent = [&](std::size_t member) {
    return items_[member].agent != items_[id].agent;
  };
  // Two agents among the members already imply one who is not the item's.
  if (std::none_of(group.members.begin(), group.members.end(), of_another_agent)) {
    refuse(FailureClass::kContradictionAgents, "it cites fewer than two agents");
    return;
  }
  if (!is_pinned(id)) {
    places_[id] = Place::kPinned;
    --open_;
  }
  references_.push_back(accepted);
  ++verdict.references_accepted;
}

}  // namespace squall::core::llm
