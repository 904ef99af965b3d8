// SPDX-License-Identifier: MIT
//
// Generated answers of models: chat completions, and the proposals of a synthesis in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rapidcheck.h>

namespace squall::property_tests {

/// One proposal of a synthesis before the number of items is known.
struct ProposalSketch {
  struct Group {
    std::string heading = "A heading";
    bool contradiction = false;
    std::vector<std::size_t> members{};  ///< slots, see `id_of`
  };
  enum class Form : std::uint8_t { kBare, kFenced, kUnknownField, kCut };
  std::optional<std::string> summary{};
  std::vector<Group> groups{};
  /// All that is in no group, or else exactly these slots.
  std::optional<std::vector<std::size_t>> ungrouped{};
  /// Groups what no careful proposal before it has grouped, each item once.
  bool is_careful = true;
  std::vector<std::pair<std::size_t, std::size_t>> references{};  ///< group, slot
  Form form = Form::kBare;

  /// The text of a model that was shown as many items as `grouped` is long.
  ///
  /// @param grouped  what careful proposals have grouped so far; this one's groups are added.
  [[nodiscard]] std::string resolve(std::vector<bool>& grouped) const;
};

/// A model's answer as the body of a chat completion.
struct ModelAnswer {
  std::string text{};
  std::string reasoning{};
  bool calls_tool = false;
  std::optional<std::string> finish_reason{};
  bool has_facts = false;

  [[nodiscard]] std::string body() const;
};

/// Answers with one of `texts`; some call a tool, some are cut off, some only think.
[[nodiscard]] rc::Gen<ModelAnswer> model_answers(rc::Gen<std::string> texts);
/// Proposals of which most freeze something and some do not; every defect there is comes up.
[[nodiscard]] rc::Gen<ProposalSketch> proposals();

}  // namespace squall::property_tests
