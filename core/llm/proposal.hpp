// SPDX-License-Identifier: MIT
//
// What a model proposes in one round of a synthesis, read from its text. Only the shape is judged
// here; whether the ids make sense is the board's business (core/llm/synthesis_board.hpp).
//
//   {"summary": "...",
//    "groups": [{"heading": "...", "contradiction": false, "members": [{"id": 0}, {"id": 2}]}],
//    "ungrouped": [{"id": 1}],
//    "references": [{"group": 0, "member": {"id": 1}}]}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/expected.hpp"

namespace squall::core::llm {

/// An id as the model wrote it: any integer, in range or not. Integers beyond 64 bits are the
/// largest one, which no board has.
using ProposedId = std::int64_t;

struct ProposedGroup {
  std::string heading;
  bool contradiction = false;
  std::vector<ProposedId> members;

  friend bool operator==(const ProposedGroup&, const ProposedGroup&) = default;
};

/// "Item `member`, which fits no group, contradicts accepted group `group`."
struct ProposedReference {
  std::int64_t group = 0;
  ProposedId member = 0;

  friend bool operator==(const ProposedReference&, const ProposedReference&) = default;
};

struct Proposal {
  /// Absent when missing or null; may be blank.
  std::optional<std::string> summary;
  std::vector<ProposedGroup> groups;
  std::vector<ProposedId> ungrouped;
  std::vector<ProposedReference> references;

  friend bool operator==(const Proposal&, const Proposal&) = default;
};

/// Which fields a proposal may have.
enum class ProposalForm : std::uint8_t {
  kFirst,  ///< summary, groups, ungrouped
  kDelta,  ///< the same and references
};

/// Reads a proposal, bare or in a Markdown fence (`parse_json_answer`).
///
/// Unknown fields are refused everywhere. Each field of the object itself may be missing (whether
/// that is a defect is judged later); within a group only `contradiction` may. A reference's member
/// may also be a bare integer.
///
/// @return the proposal, or where (JSON pointer) and what is wrong with the text.
[[nodiscard]] Expected<Proposal, Error> parse_proposal(std::string_view text, ProposalForm form);

}  // namespace squall::core::llm
