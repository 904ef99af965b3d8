// SPDX-License-Identifier: MIT
#include "core/llm/failure_class.hpp"

namespace squall::core::llm {

std::optional<FailureClass> failure_class_from_label(std::string_view label) {
  for (const FailureClass failure_class : kAllFailureClasses) {
    if (llm::label(failure_class) == label) {
      return failure_class;
    }
  }
  return std::nullopt;
}

}  // namespace squall::core::llm
