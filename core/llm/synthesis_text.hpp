// SPDX-License-Identifier: MIT
//
// The words of a synthesis: how items are listed and what a model is told between two rounds. The
// same state gives the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/attempt.hpp"
#include "core/llm/synthesis_board.hpp"

namespace squall::core::llm {

/// All items with their ids, by agent, in id order; agents without items are left out:
///
///   Agent 0:
///   - 0: first item
///   - 1: second item
///
/// For the first prompt, and what is left to show when nothing was accepted.
[[nodiscard]] std::string list_items(const std::vector<BoardItem>& items);

/// How the last answered round of a synthesis ended.
enum class RoundEnd : std::uint8_t {
  kUnreadable,      ///< no proposal could be read
  kRejected,        ///< nothing was accepted
  kPartlyAccepted,  ///< something was accepted and something rejected
  kAccepted,        ///< all of it was accepted, but items are left
};

/// What a model is told before repair round `round`: how the last round ended, what was wrong, what
/// is accepted for good, and which items are left.
///
/// @param reasons  what is still to be mended; the first `kReasonsListedMax` are listed.
[[nodiscard]] std::string repair_instructions(AttemptId round, const Board& board, RoundEnd end,
                                              const std::vector<std::string>& reasons);

/// Lines of reasons in a repair instruction. @source chosen: more than a model mends in one round,
/// and a bound on what a hostile answer can make us send.
inline constexpr std::size_t kReasonsListedMax = 20;

}  // namespace squall::core::llm
