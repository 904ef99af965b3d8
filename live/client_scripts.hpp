// SPDX-License-Identifier: MIT
//
// How far each client of the fault server is in the scenario, and the clock of its script. What a
// call meets is said by the playbook alone.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "core/time.hpp"
#include "live/clock.hpp"
#include "live/request_log.hpp"
#include "playback/playbook.hpp"

namespace squall::live {

using ClockInstant = Clock::time_point;

/// Script time: time of the clock since an origin, `scale` times faster.
class ScriptClock {
 public:
  ScriptClock(ClockInstant origin, std::uint64_t scale);

  /// The script's time at `now`.
  [[nodiscard]] core::Instant at(ClockInstant now) const;
  /// The first instant of the clock at which the script has reached `instant`; a far one is cut to
  /// a day after `now`, so that whoever waits looks again.
  [[nodiscard]] ClockInstant when(core::Instant instant, ClockInstant now) const;

 private:
  ClockInstant origin_;
  std::uint64_t scale_;
};

/// What one call meets.
struct ScriptedAnswer {
  const playback::PreparedRespond* respond = nullptr;
  core::Duration latency{0};
};

class ClientScript {
 public:
  ClientScript(const playback::Playbook& playbook, core::RandomStream draws, ScriptClock clock,
               std::string name);

  /// The next call, made at `now`.
  [[nodiscard]] ScriptedAnswer next(core::Instant now);
  /// Whether a call made at `now` would fail before it is a request. Draws nothing, counts nothing.
  [[nodiscard]] bool refuses(core::Instant now) const;

  [[nodiscard]] const ScriptClock& clock() const { return clock_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Calls made so far.
  [[nodiscard]] std::uint64_t calls() const { return calls_; }

 private:
  const playback::Playbook& playbook_;
  playback::ProviderState state_;
  ScriptClock clock_;
  std::string name_;
  std::uint64_t calls_ = 0;
};

/// The draws that a provider has in run `run` of `squall run --seed <seed>`.
[[nodiscard]] core::RandomStream provider_draws(std::uint64_t seed, std::uint64_t run);

/// The name of whoever sent `headers`: the value of x-squall-client, a digest of the credentials,
/// or "default".
[[nodiscard]] std::string client_name(const std::vector<LoggedHeader>& headers);

/// `headers` fit for a log: what can be a secret is replaced by a digest, which is any header whose
/// name speaks of auth, a key, a token, a secret or a cookie; idempotency keys are none.
[[nodiscard]] std::vector<LoggedHeader> without_secrets(std::vector<LoggedHeader> headers);
/// `target` fit for a log: values in the query, which can be secrets, are left out.
[[nodiscard]] std::string without_query_values(const std::string& target);

}  // namespace squall::live
