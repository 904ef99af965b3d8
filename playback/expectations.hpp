// SPDX-License-Identifier: MIT
//
// Holds the results of runs against what a scenario expects, in words a person can act on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "playback/run_result.hpp"
#include "scenarios/model.hpp"

namespace squall::playback {

/// "transport x12, non_retryable": the labels with repetitions folded, "none" without any.
[[nodiscard]] std::string show_classes(const std::vector<scenarios::FailureClass>& classes);
/// "1m, none": what was observed of each failure in order, "none" without any failure.
[[nodiscard]] std::string show_retry_after(const std::vector<std::optional<std::uint64_t>>& values);

/// The expectations that one run does not meet, one sentence each: "attempts: 3, expected at most
/// 1". Expectations on all runs together (success_rate) and on invariants (breaks) are not looked
/// at.
[[nodiscard]] std::vector<std::string> unmet_expectations(const scenarios::Expectations& expected,
                                                          const RunResult& result);

/// The expectations on all runs together that `successes` of `runs` do not meet.
[[nodiscard]] std::vector<std::string> unmet_success_rate(const scenarios::Expectations& expected,
                                                          std::uint64_t successes,
                                                          std::uint64_t runs);

}  // namespace squall::playback
