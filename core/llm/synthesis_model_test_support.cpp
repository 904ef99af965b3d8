// SPDX-License-Identifier: MIT
#include "core/llm/synthesis_model_test_support.hpp"

#include <algorithm>
#include <cstdint>
#include <tuple>

namespace squall::core::llm {
namespace {

using Ids = std::set<ProposedId>;

Ids set_of(const std::vector<ProposedId>& ids) {
  return {ids.begin(), ids.end()};
}

bool is_subset(const Ids& part, const Ids& whole) {
  return std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

bool overlap(const Ids& a, const Ids& b) {
  return std::any_of(a.begin(), a.end(), [&](ProposedId id) { return b.count(id) != 0; });
}

/// The models' texts are blank or not; nothing between is ever proposed here.
bool says_something(const std::string& text) {
  return text.find_first_not_of(' ') != std::string::npos;
}

std::optional<FailureClass> defect_of(const SynthesisModel& model, const ProposedGroup& group) {
  const Ids members = set_of(group.members);
  if (members.empty() || !is_subset(members, model.all()) ||
      members.size() != group.members.size() || overlap(members, model.placed()) ||
      overlap(members, model.pinned())) {
    return FailureClass::kMembership;
  }
  if (!says_something(group.heading)) {
    return FailureClass::kValidationOther;
  }
  if (group.contradiction && model.agents_of(members).size() < 2) {
    return FailureClass::kContradictionAgents;
  }
  return std::nullopt;
}

enum class Fate { kAccepted, kIgnored, kMembership, kContradictionAgents, kValidationOther };

Fate fate_of(const SynthesisModel& model, const ProposedReference& reference) {
  if (reference.group < 0 || static_cast<std::size_t>(reference.group) >= model.groups.size()) {
    return Fate::kValidationOther;
  }
  const ProposedGroup& group = model.groups[static_cast<std::size_t>(reference.group)];
  if (group.contradiction || model.references.count({reference.group, reference.member}) != 0) {
    return Fate::kIgnored;
  }
  if (model.all().count(reference.member) == 0 || model.placed().count(reference.member) != 0) {
    return Fate::kMembership;
  }
  Ids cited = set_of(group.members);
  cited.insert(reference.member);
  return model.agents_of(cited).size() < 2 ? Fate::kContradictionAgents : Fate::kAccepted;
}

}  // namespace

bool operator<(const SynthesisModel& a, const SynthesisModel& b) {
  const auto key = [](const SynthesisModel& model) {
    std::vector<std::tuple<std::string, bool, std::vector<ProposedId>>> groups;
    for (const ProposedGroup& group : model.groups) {
      groups.emplace_back(group.heading, group.contradiction, group.members);
    }
    return std::make_tuple(model.agents, groups, model.references, model.summary);
  };
  return key(a) < key(b);
}

Ids SynthesisModel::all() const {
  Ids ids;
  for (std::size_t id = 0; id < agents.size(); ++id) {
    ids.insert(static_cast<ProposedId>(id));
  }
  return ids;
}

Ids SynthesisModel::placed() const {
  Ids ids;
  for (const ProposedGroup& group : groups) {
    ids.insert(group.members.begin(), group.members.end());
  }
  return ids;
}

Ids SynthesisModel::pinned() const {
  Ids ids;
  for (const auto& [group, item] : references) {
    ids.insert(item);
  }
  return ids;
}

Ids SynthesisModel::open() const {
  Ids ids = all();
  for (const Ids& gone : {placed(), pinned()}) {
    for (const ProposedId id : gone) {
      ids.erase(id);
    }
  }
  return ids;
}

std::set<int> SynthesisModel::agents_of(const Ids& ids) const {
  std::set<int> cited;
  const Ids existing = all();
  for (const ProposedId id : ids) {
    if (existing.count(id) != 0) {
      cited.insert(agents[static_cast<std::size_t>(id)]);
    }
  }
  return cited;
}

ModelVerdict apply_to_model(SynthesisModel& model, const Proposal& proposal) {
  ModelVerdict verdict;
  // (1)
  Ids named = set_of(proposal.ungrouped);
  for (const ProposedGroup& group : proposal.groups) {
    named.insert(group.members.begin(), group.members.end());
  }
  if (!is_subset(model.open(), named)) {
    verdict.defects.push_back(FailureClass::kCompleteness);
    return verdict;
  }
  // (2)
  if (!model.summary && proposal.summary && says_something(*proposal.summary)) {
    model.summary = proposal.summary;
    verdict.summary_accepted = true;
  }
  if (!model.summary) {
    verdict.defects.push_back(FailureClass::kValidationOther);
  }
  // (3)
  for (const ProposedGroup& group : proposal.groups) {
    if (const std::optional<FailureClass> defect = defect_of(model, group)) {
      verdict.defects.push_back(*defect);
    } else {
      model.groups.push_back(group);
      ++verdict.groups_frozen;
    }
  }
  // (4)
  for (const ProposedId id : proposal.ungrouped) {
    if (model.all().count(id) == 0) {
      verdict.defects.push_back(FailureClass::kMembership);
    }
  }
  // (5)
  for (const ProposedReference& reference : proposal.references) {
    switch (fate_of(model, reference)) {
      case Fate::kAccepted:
        model.references.insert({reference.group, reference.member});
        ++verdict.references_accepted;
        break;
      case Fate::kIgnored:
        break;
      case Fate::kMembership:
        verdict.defects.push_back(FailureClass::kMembership);
        break;
      case Fate::kContradictionAgents:
        verdict.defects.push_back(FailureClass::kContradictionAgents);
        break;
      case Fate::kValidationOther:
        verdict.defects.push_back(FailureClass::kValidationOther);
        break;
    }
  }
  return verdict;
}

std::vector<Proposal> all_proposals(std::size_t items, std::size_t groups_max) {
  std::vector<std::vector<ProposedId>> subsets;
  for (std::uint32_t bits = 0; bits < (2U << items); ++bits) {
    std::vector<ProposedId> subset;
    for (std::size_t id = 0; id <= items; ++id) {
      if ((bits >> id & 1U) != 0) {
        subset.push_back(static_cast<ProposedId>(id));
      }
    }
    subsets.push_back(std::move(subset));
  }
  std::vector<ProposedGroup> groups;
  for (const std::vector<ProposedId>& subset : subsets) {
    std::vector<std::vector<ProposedId>> lists{subset};
    if (!subset.empty()) {
      lists.push_back(subset);
      lists.back().push_back(subset.front());
    }
    for (const std::vector<ProposedId>& members : lists) {
      for (const char* heading : {"h", " "}) {
        for (const bool contradiction : {false, true}) {
          groups.push_back(
              {.heading = heading, .contradiction = contradiction, .members = members});
        }
      }
    }
  }
  std::vector<std::vector<ProposedGroup>> group_lists{{}};
  for (std::size_t begin = 0, length = 1; length <= groups_max; ++length) {
    const std::size_t end = group_lists.size();
    for (; begin < end; ++begin) {
      for (const ProposedGroup& group : groups) {
        std::vector<ProposedGroup> longer = group_lists[begin];
        longer.push_back(group);
        group_lists.push_back(std::move(longer));
      }
    }
  }
  std::vector<std::vector<ProposedReference>> reference_lists{{}};
  for (ProposedId group = 0; group <= 2; ++group) {
    for (ProposedId member = 0; member <= static_cast<ProposedId>(items); ++member) {
      reference_lists.push_back({{.group = group, .member = member}});
    }
  }
  std::vector<Proposal> proposals;
  proposals.reserve(group_lists.size() * subsets.size() * reference_lists.size() * 2);
  for (const auto& group_list : group_lists) {
    for (const auto& ungrouped : subsets) {
      for (const auto& references : reference_lists) {
        for (const bool with_summary : {false, true}) {
          proposals.push_back(
              {.summary = with_summary ? std::optional<std::string>("s") : std::nullopt,
               .groups = group_list,
               .ungrouped = ungrouped,
               .references = references});
        }
      }
    }
  }
  return proposals;
}

Proposal random_proposal(std::size_t items, RandomStream& words) {
  const auto one_in = [&](std::uint64_t bound) { return words.next_below(bound) == 0; };
  const auto some_id = [&] {
    return static_cast<ProposedId>(words.next_below(items + 2)) - 1;  // -1 and `items` are none.
  };
  Proposal proposal;
  if (!one_in(4)) {
    proposal.summary = one_in(6) ? "  " : one_in(2) ? "s" : "t";
  }
  proposal.groups.resize(1 + words.next_below(3));
  for (ProposedGroup& group : proposal.groups) {
    group.heading = one_in(8) ? " " : one_in(2) ? "g" : "h";
    group.contradiction = one_in(4);
  }
  for (std::size_t item = 0; item < items; ++item) {
    const auto id = static_cast<ProposedId>(item);
    const std::uint64_t where = words.next_below(24);
    if (where < 9) {
      proposal.groups[words.next_below(proposal.groups.size())].members.push_back(id);
    } else if (where < 23) {
      proposal.ungrouped.push_back(id);
    }
  }
  for (ProposedGroup& group : proposal.groups) {
    if (one_in(10)) {
      group.members.push_back(some_id());
    }
  }
  if (one_in(10)) {
    proposal.ungrouped.push_back(some_id());
  }
  for (std::uint64_t left = words.next_below(4); left > 0; --left) {
    proposal.references.push_back(
        {.group = static_cast<std::int64_t>(words.next_below(4)) - (one_in(12) ? 1 : 0),
         .member = some_id()});
  }
  return proposal;
}

}  // namespace squall::core::llm
