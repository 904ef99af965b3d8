// SPDX-License-Identifier: MIT
//
// Whether two runs of one scenario took the same course: one under the virtual clock, one over real
// sockets. What is decided (how it ended, the calls, their classes in order, what a Retry-After was
// read as, which slot each sleep belongs to and what decided it) must be equal. When things
// happened must be equal too where time is stepped; where real time passed, sleeps may differ by a
// tolerance.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/event.hpp"
#include "core/time.hpp"
#include "playback/run_result.hpp"
#include "scenarios/failure_class.hpp"

namespace squall::analysis {

/// One thing decided differently, in words.
struct Disagreement {
  std::string what;  ///< "outcome", "class of failure 2", ...
  std::string simulated;
  std::string real;

  friend bool operator==(const Disagreement&, const Disagreement&) = default;
};

/// One call in both runs.
struct ComparedCall {
  core::AttemptId attempt = 0;
  core::Duration simulated_at{0};  ///< since the start of the operation
  core::Duration real_at{0};
};

/// One sleep in both runs: from the failure to the call that followed, or to the end.
struct ComparedSleep {
  std::uint32_t slot = 0;
  bool by_retry_after = false;
  core::Duration ordered{0};  ///< what the simulated operation asked for
  core::Duration simulated{0};
  core::Duration real{0};

  [[nodiscard]] core::Duration deviation() const {
    return real > simulated ? real - simulated : simulated - real;
  }
};

struct Agreement {
  std::vector<Disagreement> disagreements;
  /// The calls and sleeps that both runs have.
  std::vector<ComparedCall> calls;
  std::vector<ComparedSleep> sleeps;
  /// Position in `sleeps` of the one that differs most; nothing without sleeps.
  std::optional<std::size_t> worst_sleep;
  core::Duration simulated_elapsed{0};
  core::Duration real_elapsed{0};

  [[nodiscard]] core::Duration largest_deviation() const {
    return worst_sleep ? sleeps[*worst_sleep].deviation() : core::Duration{0};
  }
  /// Equal in what was decided, and no sleep further apart than `tolerance`.
  [[nodiscard]] bool within(core::Duration tolerance) const {
    return disagreements.empty() && largest_deviation() <= tolerance;
  }
};

/// How time passed in the real run.
enum class Pace : std::uint8_t {
  kStepped,  ///< when each call was made and when it all ended must be equal, too
  kPassing,  ///< calls come as late as the machine is
};

/// Holds `real` against `simulated`, both of the same scenario and both with traces.
///
/// @param tolerance  also how far apart two readings of a Retry-After date may lie, which a real
///                   clock reads at another moment than the server wrote it.
[[nodiscard]] Agreement compare_courses(const playback::RunResult& simulated,
                                        const playback::RunResult& real, Pace pace,
                                        core::Duration tolerance);

}  // namespace squall::analysis
