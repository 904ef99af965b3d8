// SPDX-License-Identifier: MIT
//
// A deliberately wrong part between an operation and its host. A checker that cannot bite is none:
// test builds put a saboteur into a run and demand that exactly one invariant reports it. No
// saboteur is compiled into the library or the command; both only know this interface.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "core/event.hpp"
#include "core/telemetry.hpp"
#include "core/time.hpp"
#include "playback/operation.hpp"

namespace squall::playback {

class Saboteur {
 public:
  Saboteur() = default;
  Saboteur(const Saboteur&) = delete;
  Saboteur& operator=(const Saboteur&) = delete;
  virtual ~Saboteur() = default;

  /// False keeps the fact from the operation.
  virtual bool lets_through(const core::Event&) { return true; }
  /// The orders the host gets instead of the operation's.
  virtual core::Actions orders(const core::Actions& actions) { return actions; }
  /// The wake-up the host arms instead of the operation's.
  virtual std::optional<core::Instant> wakeup(std::optional<core::Instant> due) { return due; }
  /// The request sent instead of the operation's; its bytes must outlive the call.
  virtual RequestView request(core::AttemptId, const RequestView& request) { return request; }
  /// Changes a failure row on its way to the store.
  virtual void alter(core::FailureRow&) {}
  /// How often each ordered call is made.
  virtual int calls_per_send() { return 1; }
  /// What is added to the seed of the operation's own draws.
  virtual std::uint64_t seed_offset() { return 0; }
};

/// Makes the named saboteur; null when the name is unknown.
using SaboteurFactory = std::unique_ptr<Saboteur> (*)(std::string_view defect);

}  // namespace squall::playback
