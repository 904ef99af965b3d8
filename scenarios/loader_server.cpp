// SPDX-License-Identifier: MIT
#include <utility>

#include "scenarios/loader_parts.hpp"
#include "scenarios/quantities.hpp"
#include "scenarios/wording.hpp"

namespace squall::scenarios {
namespace {

// Draws are 64-bit words scaled to the sum of the weights; a small sum keeps their bias below
// 2^-32.
constexpr std::uint64_t kWeightSumMax = std::uint64_t{1} << 32U;

Mix read_mix(const Node& node, const OperationSpec& operation) {
  Mix mix;
  std::uint64_t sum = 0;
  for (const Node& entry : node.elements()) {
    const std::uint64_t weight = entry["weight"].number();
    sum += weight;
    if (sum > kWeightSumMax) {
      entry["weight"].refuse(
          found_allowed("weights that sum to more", "a sum of at most 4294967296 (2^32)"));
    }
    mix.push_back(WeightedRespond{.weight = static_cast<std::uint32_t>(weight),
                                  .respond = read_respond(entry["respond"], operation)});
  }
  return mix;
}

/// What a step is made of: `mix`, or `respond` as a mix of one.
Mix read_answers(const Node& node, const OperationSpec& operation) {
  if (node.has("mix")) {
    return read_mix(node["mix"], operation);
  }
  return {WeightedRespond{.weight = 1, .respond = read_respond(node["respond"], operation)}};
}

/// `sequence`, `respond` or `mix`, whichever `node` has.
std::vector<Step> read_sequence(const Node& node, const OperationSpec& operation) {
  std::vector<Step> steps;
  if (!node.has("sequence")) {
    steps.push_back(Step{.times = 1, .mix = read_answers(node, operation)});
    return steps;
  }
  for (const Node& step : node["sequence"].elements()) {
    steps.push_back(Step{.times = static_cast<std::uint32_t>(step.number_or("times", 1)),
                         .mix = read_answers(step, operation)});
  }
  return steps;
}

std::vector<Phase> read_phases(const Node& node, const OperationSpec& operation) {
  std::vector<Phase> phases;
  const std::vector<Node> nodes = node.elements();
  std::string previous = "0s";
  core::Duration end{0};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const bool is_last = i + 1 == nodes.size();
    const std::optional<core::Duration> until = nodes[i].read_optional("until", parse_duration);
    if (is_last && until) {
      nodes[i]["until"].refuse(
          found_allowed("\"until\" in the last phase", "\"until\" in all phases but the last"));
    } else if (!is_last && !until) {
      nodes[i].refuse("missing key \"until\", needed in all phases but the last");
    } else if (until && *until <= end) {
      const Node found = nodes[i]["until"];
      found.refuse(found_allowed(in_quotes(found.text()),
                                 "more than " + in_quotes(previous) + ", where the phase begins"));
    }
    if (until) {
      end = *until;
      previous = nodes[i]["until"].text();
    }
    phases.push_back(Phase{.until = until, .sequence = read_sequence(nodes[i], operation)});
  }
  return phases;
}

}  // namespace

Server read_server(const Node& node, const OperationSpec& operation) {
  if (node.has("phases")) {
    return Server{.phases = read_phases(node["phases"], operation)};
  }
  return Server{
      .phases = {Phase{.until = std::nullopt, .sequence = read_sequence(node, operation)}}};
}

}  // namespace squall::scenarios
