// SPDX-License-Identifier: MIT
#include "property_tests/model_answers.hpp"

#include <nlohmann/json.hpp>

#include "property_tests/generators.hpp"

namespace squall::property_tests {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// `least` to `most` values, each number as often as any other; shrinks towards `least`.
template <class T>
rc::Gen<std::vector<T>> some_of(std::size_t least, std::size_t most, const rc::Gen<T>& generator) {
  return rc::gen::mapcat(index_below(most - least + 1), [least, generator](std::size_t more) {
    return rc::gen::container<std::vector<T>>(least + more, generator);
  });
}

}  // namespace

rc::Gen<ModelAnswer> model_answers(rc::Gen<std::string> texts) {
  using Reason = std::optional<std::string>;
  return rc::gen::build<ModelAnswer>(
      rc::gen::set(&ModelAnswer::text, std::move(texts)),
      rc::gen::set(&ModelAnswer::reasoning,
                   any_of<std::string>({"", "I think so.", "Hm.", " ", "It \"depends\"."})),
      rc::gen::set(&ModelAnswer::calls_tool, weighted<bool>({{9, false}, {1, true}})),
      rc::gen::set(&ModelAnswer::finish_reason,
                   weighted<Reason>({{6, "stop"}, {3, "length"}, {1, std::nullopt}})),
      rc::gen::set(&ModelAnswer::has_facts, any_of<bool>({false, true})));
}

rc::Gen<ProposalSketch> proposals() {
  // 0 to 8 name an item, the others none.
  const auto slot = weighted<std::size_t>({{8, 0},
                                           {8, 1},
                                           {8, 2},
                                           {8, 3},
                                           {8, 4},
                                           {8, 5},
                                           {8, 6},
                                           {8, 7},
                                           {8, 8},
                                           {1, 9},
                                           {1, 10},
                                           {1, 11}});
  const auto group = rc::gen::build<ProposalSketch::Group>(
      rc::gen::set(&ProposalSketch::Group::heading,
                   weighted<std::string>({{12, "A heading"}, {1, ""}, {1, " "}})),
      rc::gen::set(&ProposalSketch::Group::contradiction, weighted<bool>({{2, false}, {1, true}})),
      rc::gen::set(&ProposalSketch::Group::members, some_of(1, 3, slot)));
  using Form = ProposalSketch::Form;
  using Summary = std::optional<std::string>;
  using Slots = std::optional<std::vector<std::size_t>>;
  return rc::gen::build<ProposalSketch>(
      rc::gen::set(&ProposalSketch::summary,
                   weighted<Summary>({{4, "A summary."}, {2, std::nullopt}, {1, " "}})),
      rc::gen::set(&ProposalSketch::groups, some_of(0, 2, group)),
      rc::gen::set(&ProposalSketch::is_careful, weighted<bool>({{4, true}, {1, false}})),
      rc::gen::set(&ProposalSketch::ungrouped,
                   one_of<Slots>({rc::gen::just(Slots()), rc::gen::just(Slots()),
                                  rc::gen::just(Slots()), rc::gen::just(Slots()),
                                  rc::gen::map(some_of(0, 9, slot),
                                               [](std::vector<std::size_t> listed) {
                                                 return Slots(std::move(listed));
                                               })})),
      rc::gen::set(&ProposalSketch::references,
                   one_of<std::vector<std::pair<std::size_t, std::size_t>>>(
                       {rc::gen::just(std::vector<std::pair<std::size_t, std::size_t>>()),
                        some_of(1, 2, rc::gen::pair(index_below(3), index_below(11)))})),
      rc::gen::set(
          &ProposalSketch::form,
          weighted<Form>(
              {{12, Form::kBare}, {2, Form::kFenced}, {1, Form::kUnknownField}, {1, Form::kCut}})));
}

std::string ProposalSketch::resolve(std::vector<bool>& grouped) const {
  const std::size_t items = grouped.size();
  std::vector<std::size_t> open;
  for (std::size_t id = 0; id < items; ++id) {
    if (!grouped[id] || !is_careful) {
      open.push_back(id);
    }
  }
  const auto id_of = [items](std::size_t slot) -> OrderedJson {
    switch (slot) {
      case 9:
        return items;
      case 10:
        return -1;
      case 11:
        return std::uint64_t{18'446'744'073'709'551'615U};
      default:
        return slot % items;
    }
  };
  OrderedJson proposal = OrderedJson::object();
  if (summary) {
    proposal["summary"] = *summary;
  }
  std::vector<bool> mentioned(items, false);
  proposal["groups"] = OrderedJson::array();
  for (const Group& group : groups) {
    OrderedJson members = OrderedJson::array();
    for (const std::size_t slot : group.members) {
      if (slot >= 9 || open.empty()) {
        members.push_back({{"id", id_of(slot)}});
        continue;
      }
      const std::size_t id = open[slot % open.size()];
      if (!is_careful || !mentioned[id]) {
        members.push_back({{"id", id}});
      }
      mentioned[id] = true;
    }
    if (is_careful && members.empty()) {
      continue;
    }
    proposal["groups"].push_back({{"heading", group.heading},
                                  {"contradiction", group.contradiction},
                                  {"members", std::move(members)}});
  }
  OrderedJson left = OrderedJson::array();
  if (ungrouped) {
    for (const std::size_t slot : *ungrouped) {
      left.push_back({{"id", id_of(slot)}});
    }
  } else {
    for (std::size_t id = 0; id < items; ++id) {
      if (!mentioned[id]) {
        left.push_back({{"id", id}});
      }
    }
  }
  proposal["ungrouped"] = std::move(left);
  for (const auto& [group, slot] : references) {
    proposal["references"].push_back({{"group", group}, {"member", {{"id", id_of(slot)}}}});
  }
  if (form == Form::kUnknownField) {
    proposal["notes"] = "none";
  }
  for (std::size_t id = 0; is_careful && id < items; ++id) {
    grouped[id] = grouped[id] || mentioned[id];
  }
  std::string text = proposal.dump();
  switch (form) {
    case Form::kFenced:
      return "My proposal:\n```json\n" + text + "\n```";
    case Form::kCut:
      return text.substr(0, text.size() / 2);
    case Form::kBare:
    case Form::kUnknownField:
      break;
  }
  return text;
}

std::string ModelAnswer::body() const {
  OrderedJson message = {{"role", "assistant"}, {"content", text}};
  if (!reasoning.empty()) {
    message["reasoning"] = reasoning;
  }
  if (calls_tool) {
    message["tool_calls"] = OrderedJson::array(
        {{{"id", "call_1"}, {"function", {{"name", "search"}, {"arguments", "{}"}}}}});
  }
  OrderedJson choice = {{"message", std::move(message)}};
  if (finish_reason) {
    choice["finish_reason"] = *finish_reason;
  }
  OrderedJson envelope;
  envelope["choices"] = OrderedJson::array({std::move(choice)});
  if (has_facts) {
    envelope["usage"] = {{"prompt_tokens", 100}, {"completion_tokens", 7}};
    envelope["provider"] = "upstream";
  }
  return envelope.dump();
}

}  // namespace squall::property_tests
