// SPDX-License-Identifier: MIT
//
// The provider's part of a scenario, prepared for playing: distributions turned into samplers,
// headers found once, offsets resolved. A playbook is immutable and shared by all operations, runs
// and threads; what an operation has already met is its own ProviderState.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/event.hpp"
#include "core/random.hpp"
#include "core/time.hpp"
#include "playback/time_sampler.hpp"
#include "scenarios/model.hpp"

namespace squall::playback {

/// How the client sees the end of a body.
enum class BodyEnd : std::uint8_t {
  kComplete,  ///< complete as HTTP counts it
  kClosed,    ///< the connection closed too early
  kReset,     ///< the connection was reset
  kNever,     ///< nothing more comes and the connection stays open
};

/// One answer, ready to be played.
struct PreparedRespond {
  explicit PreparedRespond(const scenarios::Respond& respond);

  scenarios::Respond respond;
  TimeSampler latency;
  /// Body bytes that reach the client, and how the body ends after them.
  std::uint64_t visible_bytes = 0;
  BodyEnd body_end = BodyEnd::kComplete;
  std::optional<std::uint64_t> announced_length;
  /// Values of the headers that a retry policy reads; null when absent.
  const scenarios::Header* retry_after = nullptr;
  const scenarios::Header* retry_after_ms = nullptr;

  PreparedRespond(const PreparedRespond&) = delete;
  PreparedRespond& operator=(const PreparedRespond&) = delete;
};

/// What one operation has met so far: calls counted by phase, and its own stream of draws.
struct ProviderState {
  core::RandomStream draws{0};
  std::vector<std::uint64_t> calls_in_phase;
};

class Playbook {
 public:
  explicit Playbook(const scenarios::Server& server);

  /// A fresh state for one operation of one run.
  void reset(ProviderState& state, core::RandomStream draws) const;

  /// What a call that starts at `now` meets. Draws one word when the step is a mix of several.
  [[nodiscard]] const PreparedRespond& answer(ProviderState& state, core::Instant now) const;

 private:
  struct Choice {
    std::uint64_t weight_until = 0;  ///< running sum of weights, this one included
    const PreparedRespond* respond = nullptr;
  };
  struct Step {
    std::uint64_t calls_until = 0;  ///< number of calls in the phase up to this step's end
    std::vector<Choice> choices;
  };
  struct Phase {
    core::Instant until = core::kEndOfTime;
    std::vector<Step> steps;
  };

  std::vector<std::unique_ptr<const PreparedRespond>> responds_;
  std::vector<Phase> phases_;
};

}  // namespace squall::playback
