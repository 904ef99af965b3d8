// SPDX-License-Identifier: MIT
//
// A scenario made ready to be run any number of times, on any number of threads: immutable, and
// everything that can be computed once is.
#pragma once

#include <cstdint>
#include <utility>

#include "core/policy.hpp"
#include "scenarios/model.hpp"
#include "simulator/playbook.hpp"
#include "simulator/saboteur.hpp"
#include "simulator/trace.hpp"

namespace squall::simulator {

struct PreparedScenario {
  /// @param make_saboteur  null in production: then `scenario.defect` must be absent.
  explicit PreparedScenario(scenarios::Scenario source, SaboteurFactory make_saboteur = nullptr)
      : scenario(std::move(source)),
        playbook(scenario.server),
        request_digest(digest_of(scenario.operation.request->body())),
        saboteurs(make_saboteur) {}

  /// What the run is held against.
  [[nodiscard]] const core::RetryPolicy& audited_policy() const {
    return scenario.audit_policy ? *scenario.audit_policy : scenario.policy;
  }

  scenarios::Scenario scenario;
  Playbook playbook;
  /// Digest of the first request's bytes, as the trace shows it.
  std::uint64_t request_digest;
  SaboteurFactory saboteurs;
};

}  // namespace squall::simulator
