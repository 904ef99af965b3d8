// SPDX-License-Identifier: MIT
#include "property_tests/works.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "property_tests/generators.hpp"

namespace squall::property_tests {

using scenarios::OperationKind;
using scenarios::OperationWork;

namespace {

rc::Gen<OperationWork> extractions(bool falls_back) {
  using core::llm::ExtractionTarget;
  using core::llm::JsonKind;
  using core::llm::NumericRange;
  using core::llm::Validator;
  return rc::gen::apply(
      [falls_back](const ExtractionTarget& target, const Validator& validator) {
        return OperationWork(scenarios::ExtractionWork{
            .target = target, .validator = validator, .falls_back = falls_back});
      },
      any_of<ExtractionTarget>(
          {{{{"score", JsonKind::kNumber}}},
           {{{"score", JsonKind::kNumber}, {"reason", JsonKind::kString}}},
           {{{"score", JsonKind::kInteger}, {"reason", JsonKind::kString, false}}},
           {{{"score", JsonKind::kNumber, false}, {"tags", JsonKind::kArray, false}}}}),
      any_of<Validator>({core::llm::NoValidation{}, core::llm::verdict_score(),
                         NumericRange{.field = "score", .min = 2.5, .max = 3}}));
}

rc::Gen<OperationWork> syntheses() {
  return rc::gen::map(
      rc::gen::container<std::vector<std::size_t>>(3, index_below(4)),
      [](const std::vector<std::size_t>& counts) {
        scenarios::SynthesisWork work;
        std::size_t total = 0;
        for (std::size_t agent = 0; agent < counts.size(); ++agent) {
          total += counts[agent];
          work.items.emplace_back();
          for (std::size_t i = 0; i < counts[agent]; ++i) {
            work.items.back().push_back("item " + std::to_string(i) + " of agent " +
                                        std::to_string(agent));
          }
        }
        while (work.items.size() > 1 && work.items.back().empty()) {
          work.items.pop_back();  // Fewer agents; those before the last may be without items.
        }
        if (total == 0) {
          work.items.front().emplace_back("the only item");  // A scenario has at least one.
        }
        return OperationWork(std::move(work));
      });
}

rc::Gen<OperationWork> tool_calls() {
  using Settings = std::pair<std::string, std::string>;
  using core::tool::Idempotency;
  const Settings good{"search", "https://tools.example/mcp"};
  return rc::gen::apply(
      [](const Settings& settings, const std::string& arguments, Idempotency idempotency) {
        scenarios::ToolCallWork work{.connector_label = settings.first,
                                     .resource_uri = settings.second,
                                     .tool = "find",
                                     .arguments = arguments,
                                     .idempotency = idempotency,
                                     .request = nullptr};
        work.request = std::make_shared<const core::connector::ToolRequest>(
            core::connector::ToolRequest::make(1, work.tool, work.arguments).value());
        return OperationWork(std::move(work));
      },
      weighted<Settings>({{21, good},
                          {1, {"", good.second}},
                          {1, {"No Label", good.second}},
                          {1, {good.first, "tools.example/mcp"}}}),
      any_of<std::string>({"{}", R"({"query":"a \"b\""})"}),
      any_of<Idempotency>(
          {Idempotency::kUnspecified, Idempotency::kIdempotent, Idempotency::kNotIdempotent}));
}

}  // namespace

rc::Gen<OperationWork> works(OperationKind kind) {
  switch (kind) {
    case OperationKind::kExtraction:
      return extractions(false);
    case OperationKind::kComment:
      return extractions(true);
    case OperationKind::kSynthesis:
      return syntheses();
    case OperationKind::kContinuation:
      return rc::gen::map(
          any_of<std::string>({"I think so.", " ", "", "Because \"x\".\n"}),
          [](const std::string& reasoning) {
            return OperationWork(scenarios::ContinuationWork{.reasoning = reasoning});
          });
    case OperationKind::kToolCall:
      return tool_calls();
    case OperationKind::kResearchSynthesis:
      return rc::gen::just(OperationWork(scenarios::ResearchSynthesisWork{}));
    case OperationKind::kAgentChat:
      break;
  }
  return rc::gen::just(OperationWork(scenarios::AgentChatWork{}));
}

std::size_t item_count(const OperationWork& work) {
  std::size_t count = 0;
  if (const auto* synthesis = std::get_if<scenarios::SynthesisWork>(&work)) {
    for (const std::vector<std::string>& of_agent : synthesis->items) {
      count += of_agent.size();
    }
  }
  return count;
}

}  // namespace squall::property_tests
