// SPDX-License-Identifier: MIT
//
// Draws the times of a scenario from a random stream. A sampler is made once a scenario, asked many
// times and never changes; it owns no randomness and knows no clock.
//
//   const TimeSampler latency(respond.latency);
//   const core::Duration wait = latency.sample(stream);
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "core/random.hpp"
#include "core/time.hpp"
#include "playback/quantiles.hpp"
#include "scenarios/model.hpp"

namespace squall::playback {

/// A scenario's time, ready to be drawn.
///
/// A fixed time draws nothing; every other kind draws exactly one word for each sample, whatever
/// its parameters. All samples lie in [0, Duration::max()].
/// Immutable and safe to use from any number of threads, each with its own stream; cheap to copy.
class TimeSampler {
 public:
  /// Requires what the model states: no negative time, min <= max, 0 < median <= p99, at least one
  /// measured value.
  /// @errors  none (the loader refuses such times; a breach is a failed check)
  /// @cost    about a millisecond for exponential and lognormal times: keep the sampler
  explicit TimeSampler(const scenarios::Time& time);

  /// Draws the next time.
  /// @cost  constant, no allocation
  [[nodiscard]] core::Duration sample(core::RandomStream& stream) const;

  /// The least and the greatest time `sample` can return; both are reached.
  ///
  /// Exponential and lognormal times are cut at the quantiles of 2^-40 and 1 - 2^-40: `latest` is
  /// 27.73 times the mean, or median * exp(7.05 sigma).
  [[nodiscard]] core::Duration earliest() const { return earliest_; }
  [[nodiscard]] core::Duration latest() const { return latest_; }

 private:
  using Measured = std::shared_ptr<const std::vector<core::Duration>>;
  using Source = std::variant<core::Duration, scenarios::UniformTime, QuantileTable, Measured>;

  static Source source_of(const scenarios::Time& time);

  Source source_;
  core::Duration earliest_{0};
  core::Duration latest_{0};
};

}  // namespace squall::playback
