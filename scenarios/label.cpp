// SPDX-License-Identifier: MIT
#include "scenarios/model.hpp"
#include "scenarios/names.hpp"

namespace squall::scenarios {

std::string_view label(Outcome outcome) {
  return kOutcomes.name_of(outcome);
}

std::string_view label(OperationKind kind) {
  return kOperationKindNames.name_of(kind);
}

OperationKind OperationSpec::kind() const {
  if (std::holds_alternative<AgentChatWork>(work)) {
    return OperationKind::kAgentChat;
  }
  if (const auto* extraction = std::get_if<ExtractionWork>(&work)) {
    return extraction->falls_back ? OperationKind::kComment : OperationKind::kExtraction;
  }
  if (std::holds_alternative<SynthesisWork>(work)) {
    return OperationKind::kSynthesis;
  }
  if (std::holds_alternative<ResearchSynthesisWork>(work)) {
    return OperationKind::kResearchSynthesis;
  }
  return std::holds_alternative<ContinuationWork>(work) ? OperationKind::kContinuation
                                                        : OperationKind::kToolCall;
}

std::optional<Outcome> outcome_from_label(std::string_view label) {
  for (const auto& entry : kOutcomes.entries) {
    if (entry.name == label) {
      return entry.value;
    }
  }
  return std::nullopt;
}

}  // namespace squall::scenarios
