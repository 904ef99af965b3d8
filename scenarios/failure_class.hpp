// SPDX-License-Identifier: MIT
//
// A failure class of any operation a scenario can play: of an LLM operation or of a connector's
// tool call. Labels are unique within a taxonomy only ("transport" is in both), so that reading one
// takes the kind of the operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "core/connector/kind.hpp"
#include "core/llm/failure_class.hpp"

namespace squall::scenarios {

using FailureClass = std::variant<core::llm::FailureClass, core::connector::Kind>;

/// How many there are, of all taxonomies.
inline constexpr std::size_t kFailureClasses =
    core::llm::kAllFailureClasses.size() + core::connector::kAllKinds.size();

/// Position in one list of all classes: LLM classes first, then connector kinds.
[[nodiscard]] constexpr std::size_t index_of(const FailureClass& failure_class) {
  if (const auto* llm = std::get_if<core::llm::FailureClass>(&failure_class)) {
    return static_cast<std::size_t>(*llm);
  }
  return core::llm::kAllFailureClasses.size() +
         static_cast<std::size_t>(std::get<core::connector::Kind>(failure_class));
}

/// The class at `index`, which is less than kFailureClasses.
[[nodiscard]] constexpr FailureClass failure_class_at(std::size_t index) {
  if (index < core::llm::kAllFailureClasses.size()) {
    return core::llm::kAllFailureClasses[index];
  }
  return core::connector::kAllKinds[index - core::llm::kAllFailureClasses.size()];
}

[[nodiscard]] constexpr std::string_view label(const FailureClass& failure_class) {
  return std::visit([](auto of_taxonomy) { return label(of_taxonomy); }, failure_class);
}

[[nodiscard]] constexpr bool is_retryable(const FailureClass& failure_class) {
  return std::visit([](auto of_taxonomy) { return is_retryable(of_taxonomy); }, failure_class);
}

}  // namespace squall::scenarios
