// SPDX-License-Identifier: MIT
//
// agent_chat once more, as one plain loop over a schedule of answers: what the written rules say
// must come out of a scenario, computed without events, actions, states, wake-ups or a queue. It
// shares with the core only value functions that have vectors of their own (sleep_ms,
// classify_status, read_retry_after, dates) and the random words; everything the simulator and the
// machine do to get there is done a second time, in another way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/llm/failure_class.hpp"
#include "core/time.hpp"
#include "scenarios/model.hpp"

namespace squall::property_tests {

struct ReferenceFailure {
  core::llm::FailureClass failure_class;
  std::optional<std::uint64_t> retry_after_ms;
  std::optional<std::string> finish_reason;
};

struct ReferenceSleep {
  core::Duration duration{0};
  bool by_retry_after = false;
};

/// What must come out of one run.
struct ReferenceRun {
  scenarios::Outcome outcome = scenarios::Outcome::kUnfinished;
  /// When each call was made.
  std::vector<core::Instant> calls;
  std::vector<ReferenceFailure> trail;
  /// The sleeps begun, in order; one that a shutdown cut counts in full.
  std::vector<ReferenceSleep> sleeps;
  core::Duration elapsed{0};
  std::optional<std::string> answer;                   ///< text of the accepted answer
  std::optional<core::llm::FailureClass> final_class;  ///< when it ended without an answer
};

/// Whether the model can play `scenario`: one phase, no mixes, fixed times.
[[nodiscard]] bool is_plain(const scenarios::Scenario& scenario);

/// Plays run `run` of `seed`. Requires is_plain(scenario).
[[nodiscard]] ReferenceRun play_reference(const scenarios::Scenario& scenario, std::uint64_t seed,
                                          std::uint64_t run);

}  // namespace squall::property_tests
