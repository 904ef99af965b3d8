// SPDX-License-Identifier: MIT
//
// Generated policies, schedules of answers and whole cases. Everything shrinks: towards fewer
// answers, towards the first (simplest) entry of every list, towards no shutdown. Times are drawn
// relative to the policy's timeouts, so that the instants at which something is decided (just
// below, at and just above a timeout) come up all the time instead of almost never.
//
//   RC_GTEST_PROP(Operation, NeverExceedsItsBudget, ()) {
//     const Case drawn = *cases();
//     ...
//   }
#pragma once

#include <cstdint>
#include <ostream>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include "core/policy.hpp"
#include "core/time.hpp"
#include "scenarios/model.hpp"

namespace squall::property_tests {

// ---- small helpers
// -------------------------------------------------------------------------------

/// A number below `bound`, each equally likely whatever the size; shrinks to 0.
[[nodiscard]] inline rc::Gen<std::size_t> index_below(std::size_t bound) {
  return rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(0, bound));
}

/// One of `values`, each equally likely; shrinks towards the first.
template <class T>
[[nodiscard]] rc::Gen<T> any_of(std::vector<T> values) {
  const std::size_t count = values.size();
  return rc::gen::map(index_below(count),
                      [values = std::move(values)](std::size_t index) { return values[index]; });
}

/// One of the values, each as often as the number before it says; shrinks towards the first.
template <class T>
[[nodiscard]] rc::Gen<T> weighted(const std::vector<std::pair<std::size_t, T>>& entries) {
  std::vector<T> values;
  for (const auto& [weight, value] : entries) {
    values.insert(values.end(), weight, value);
  }
  return any_of(std::move(values));
}

/// A value of one of `generators`; shrinks towards the first.
template <class T>
[[nodiscard]] rc::Gen<T> one_of(std::vector<rc::Gen<T>> generators) {
  const std::size_t count = generators.size();
  return rc::gen::mapcat(index_below(count), [generators = std::move(generators)](
                                                 std::size_t index) { return generators[index]; });
}

/// Up to about `count_max` values, more with the size; shrinks towards none. The values themselves
/// see the full size, so that lists of lists do not dry up.
template <class T>
[[nodiscard]] rc::Gen<std::vector<T>> list_of(rc::Gen<T> generator, int count_max) {
  return rc::gen::withSize([generator = std::move(generator), count_max](int size) {
    return rc::gen::resize(size * count_max / rc::kNominalSize,
                           rc::gen::container<std::vector<T>>(rc::gen::resize(size, generator)));
  });
}

// ---- the domain
// ------------------------------------------------------------------------------------

/// Any time that one of the fixed lists below or a timeout of the policy suggests.
struct Moment {
  enum class Anchor : std::uint8_t {
    kStart,    ///< `offset` itself
    kIdle,     ///< `offset` after the idle timeout
    kAttempt,  ///< `offset` after the attempt timeout
  };
  Anchor anchor = Anchor::kStart;
  core::Duration offset{0};

  /// Never negative. A timeout that the policy lacks counts as the built-in 600 s.
  [[nodiscard]] core::Duration resolve(const core::Timeouts& timeouts) const;
};

/// One answer of a schedule before its times are known.
struct AnswerSketch {
  struct Piece {
    std::uint64_t bytes = 1;
    Moment after;
  };
  scenarios::Respond respond;  ///< without times, offsets and pieces
  Moment latency;
  std::vector<Piece> pieces;  ///< none: the body at once
  bool trickles = false;      ///< the first piece again and again
  /// Index into the ways a body can end early; 0: it does not.
  std::size_t ending = 0;
  /// Index into the positions at which it does.
  std::size_t ending_at = 0;
  std::int64_t content_length_error = 0;

  [[nodiscard]] scenarios::Respond resolve(const core::Timeouts& timeouts) const;
};

/// What one call meets, without its times.
using What = decltype(scenarios::Respond::what);

/// Policies of every shape the language can say.
[[nodiscard]] rc::Gen<core::RetryPolicy> policies();
/// Answers of every shape the language can say, with fixed times.
[[nodiscard]] rc::Gen<AnswerSketch> answers();
/// The same times, pieces and endings around what `whats` draws.
[[nodiscard]] rc::Gen<AnswerSketch> answers_around(rc::Gen<What> whats);
[[nodiscard]] rc::Gen<std::vector<AnswerSketch>> schedules();

/// What a property is tried on: a scenario and the seed of run 0. Printed as the scenario file that
/// replays it, together with the command.
struct Case {
  scenarios::Scenario scenario;
  std::uint64_t seed = 0;

  // Found by RapidCheck under this name.
  // NOLINTNEXTLINE(readability-identifier-naming)
  friend void showValue(const Case& drawn, std::ostream& out);
};

/// A scenario whose server answers call i with answer i; the last one stays, none is a good answer.
[[nodiscard]] scenarios::Scenario scenario_of(const core::RetryPolicy& policy,
                                              const std::vector<scenarios::Respond>& schedule);
[[nodiscard]] scenarios::Scenario scenario_of(const core::RetryPolicy& policy,
                                              const std::vector<AnswerSketch>& schedule);

/// The scenarios that `played` draws with telemetry on or off, and often a shutdown: at any time or
/// within one nanosecond of something that happens.
[[nodiscard]] rc::Gen<Case> cases_of(rc::Gen<scenarios::Scenario> played);
/// Cases of a policy and a schedule.
[[nodiscard]] rc::Gen<Case> cases();
/// The same with servers of phases, repeated steps, mixes and drawn times, which the reference
/// model does not know.
[[nodiscard]] rc::Gen<Case> wild_cases();
[[nodiscard]] rc::Gen<std::uint64_t> seeds();

}  // namespace squall::property_tests
