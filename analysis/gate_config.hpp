// SPDX-License-Identifier: MIT
//
// The config of a gate: thresholds for everything, for scenarios with a tag, for single scenarios.
//
//   { "thresholds": { "worst_case": "+5%", "success_rate": "-0.1pp" },
//     "tags":       { "outage": { "p99_elapsed": "+20%" } },
//     "scenarios":  { "503-storm-nine-minutes": { "success_rate": "70%" } } }
//
// What is not named keeps its default. A scenario beats a tag, a tag beats the rest; of several
// tags the one that stands last in the file.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/gate_metric.hpp"
#include "core/error.hpp"
#include "core/expected.hpp"

namespace squall::analysis {

class GateConfig {
 public:
  /// The defaults.
  GateConfig() = default;

  /// Comments are fine, as in scenario files.
  /// @errors  the first defect with line and pointer: syntax, an unknown key or metric, a threshold
  ///          that is none, a worst case elsewhere than in "thresholds".
  [[nodiscard]] static core::Expected<GateConfig, core::Error> parse(
      std::string_view text, const std::string& display_name);

  /// What applies to a scenario. For the worst case, which belongs to the policy, both are empty.
  [[nodiscard]] const Threshold& threshold(Metric metric, std::string_view scenario,
                                           std::span<const std::string> tags) const;
  /// Whether the file itself says something about `metric`, other than "off".
  [[nodiscard]] bool asks_for(Metric metric) const;

  /// A name of the file that is among neither `scenarios` nor `tags`: nothing would be judged by
  /// it.
  [[nodiscard]] std::optional<core::Error> unknown_name(const std::vector<std::string>& scenarios,
                                                        const std::vector<std::string>& tags) const;

 private:
  using Thresholds = std::array<std::optional<Threshold>, kMetricCount>;
  /// Thresholds for a tag or a scenario.
  struct Override {
    std::string name;
    core::Error place;  ///< without a message
    Thresholds thresholds;
  };
  friend class GateConfigReader;

  Thresholds global_;
  std::array<Threshold, kMetricCount> defaults_ = defaults();
  std::vector<Override> tags_, scenarios_;

  static std::array<Threshold, kMetricCount> defaults();
};

}  // namespace squall::analysis
