// SPDX-License-Identifier: MIT
//
// A failure class of any operation a scenario can play: of an LLM operation or of a connector's
// tool call. Labels are unique within a taxonomy only ("transport" is in both), so that reading one
// takes the kind of the operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/connector/kind.hpp"
#include "core/llm/failure_class.hpp"

namespace squall::scenarios {

class FailureClass {
 public:
  /// How many there are, of all taxonomies.
  static constexpr std::size_t kCount =
      core::llm::kAllFailureClasses.size() + core::connector::kAllKinds.size();

  constexpr FailureClass() = default;
  // Implicit: a class of one taxonomy is one of all.
  constexpr FailureClass(core::llm::FailureClass of_llm)
      : index_(static_cast<std::uint8_t>(of_llm)) {}
  constexpr FailureClass(core::connector::Kind of_connector)
      : index_(static_cast<std::uint8_t>(core::llm::kAllFailureClasses.size() +
                                         static_cast<std::size_t>(of_connector))) {}

  /// The class at `index`, which is less than kCount.
  [[nodiscard]] static constexpr FailureClass at(std::size_t index) {
    if (index < core::llm::kAllFailureClasses.size()) {
      return core::llm::kAllFailureClasses[index];
    }
    return core::connector::kAllKinds[index - core::llm::kAllFailureClasses.size()];
  }

  /// Position in one list of all classes: LLM classes first, then connector kinds.
  [[nodiscard]] constexpr std::size_t index() const { return index_; }
  [[nodiscard]] constexpr bool is_connector_kind() const {
    return index_ >= core::llm::kAllFailureClasses.size();
  }

  friend constexpr bool operator==(FailureClass, FailureClass) = default;

  [[nodiscard]] friend constexpr std::string_view label(FailureClass failure_class) {
    return failure_class.is_connector_kind() ? label(failure_class.kind())
                                             : label(failure_class.of_llm());
  }
  [[nodiscard]] friend constexpr bool is_retryable(FailureClass failure_class) {
    return failure_class.is_connector_kind() ? is_retryable(failure_class.kind())
                                             : is_retryable(failure_class.of_llm());
  }

 private:
  [[nodiscard]] constexpr core::llm::FailureClass of_llm() const {
    return core::llm::kAllFailureClasses[index_];
  }
  [[nodiscard]] constexpr core::connector::Kind kind() const {
    return core::connector::kAllKinds[index_ - core::llm::kAllFailureClasses.size()];
  }

  std::uint8_t index_ = 0;
};

}  // namespace squall::scenarios
