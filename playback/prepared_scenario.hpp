// SPDX-License-Identifier: MIT
//
// A scenario made ready to be run any number of times, on any number of threads: immutable, and
// everything that can be computed once is.
#pragma once

#include <cstdint>
#include <utility>
#include <variant>

#include "core/policy.hpp"
#include "playback/operation.hpp"
#include "playback/playbook.hpp"
#include "playback/saboteur.hpp"
#include "playback/trace.hpp"
#include "scenarios/model.hpp"

namespace squall::playback {

struct PreparedScenario {
  /// @param make_saboteur  null in production: then `scenario.defect` must be absent.
  explicit PreparedScenario(scenarios::Scenario source, SaboteurFactory make_saboteur = nullptr)
      : scenario(std::move(source)),
        playbook(scenario.server),
        first_request(first_request_of(scenario.operation)),
        request_digest(digest_of(first_request.body)),
        saboteurs(make_saboteur) {}

  /// What the run is held against.
  [[nodiscard]] const core::RetryPolicy& audited_policy() const {
    return scenario.audit_policy ? *scenario.audit_policy : scenario.policy;
  }

  scenarios::Scenario scenario;
  Playbook playbook;
  /// Points into `scenario`.
  RequestView first_request;
  /// Digest of the first request's bytes, as the trace shows it.
  std::uint64_t request_digest;
  SaboteurFactory saboteurs;

 private:
  static RequestView first_request_of(const scenarios::OperationSpec& operation) {
    if (const auto* call = std::get_if<scenarios::ToolCallWork>(&operation.work)) {
      return view_of(*call->request);
    }
    return view_of(*operation.request);
  }
};

}  // namespace squall::playback
