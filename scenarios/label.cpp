// SPDX-License-Identifier: MIT
#include "scenarios/model.hpp"
#include "scenarios/names.hpp"

namespace squall::scenarios {

std::string_view label(Outcome outcome) {
  return kOutcomes.name_of(outcome);
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
