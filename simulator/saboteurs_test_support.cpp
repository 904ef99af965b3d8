// SPDX-License-Identifier: MIT
#include "simulator/saboteurs_test_support.hpp"

#include <string>
#include <variant>

#include "core/check.hpp"

namespace squall::simulator {
namespace {

using core::Action;
using core::Actions;

/// Makes the call of each attempt twice, as a client does whose HTTP layer retries on its own.
struct SendsTwice final : Saboteur {
  int calls_per_send() override { return 2; }
};

/// Lowers reasoning_effort from the second attempt on.
struct LowersEffort final : Saboteur {
  std::optional<core::ChatRequest> lowered;

  const core::ChatRequest& request(core::AttemptId attempt,
                                   const core::ChatRequest& request) override {
    if (attempt == 1) {
      return request;
    }
    std::string parameters(request.parameters());
    const std::size_t at = parameters.find("\"high\"");
    parameters.replace(at, 6, "\"low\"");
    // parameters() is everything up to the first message; the constructor adds that frame again.
    constexpr std::string_view kFrame = ",\"messages\":[";
    parameters = parameters.substr(1, parameters.size() - 1 - kFrame.size());
    lowered.emplace(parameters, std::vector<std::string>{std::string(request.messages())});
    return *lowered;
  }
};

/// Sleeps ten seconds longer than ordered.
struct Oversleeps final : Saboteur {
  std::optional<core::Instant> wakeup(std::optional<core::Instant> due) override {
    return due ? std::optional(*due + std::chrono::seconds(10)) : due;
  }
};

/// Numbers failure rows from 2.
struct WrongRowIndex final : Saboteur {
  Actions orders(const Actions& actions) override {
    Actions changed;
    for (Action action : actions) {
      if (auto* row = std::get_if<core::RecordFailure>(&action)) {
        ++row->failure_index;
      }
      changed.add(action);
    }
    return changed;
  }
};

/// Forgets to write failure rows.
struct LosesRows final : Saboteur {
  Actions orders(const Actions& actions) override {
    Actions changed;
    for (const Action& action : actions) {
      if (!std::holds_alternative<core::RecordFailure>(action)) {
        changed.add(action);
      }
    }
    return changed;
  }
};

/// Drops the connection at the first bytes of the first body.
struct CutsFlowingBody final : Saboteur {
  bool cut = false;
  core::AttemptId flowing = 0;

  bool lets_through(const core::Event& event) override {
    const auto* bytes = std::get_if<core::BytesReceived>(&event);
    flowing = bytes != nullptr ? bytes->attempt : 0;
    return true;
  }
  Actions orders(const Actions& actions) override {
    if (cut || flowing == 0) {
      return actions;
    }
    cut = true;
    Actions changed = actions;
    changed.add(core::AbandonAttempt{flowing});
    return changed;
  }
};

/// Keeps the shutdown from the operation.
struct IgnoresShutdown final : Saboteur {
  bool lets_through(const core::Event& event) override {
    return !std::holds_alternative<core::ShutdownRequested>(event);
  }
};

/// Loses every wake-up, as a host does whose timer was never armed.
struct NeverWakes final : Saboteur {
  std::optional<core::Instant> wakeup(std::optional<core::Instant>) override {
    return std::nullopt;
  }
};

/// Breaks an internal check when the first headers arrive.
struct FailsACheck final : Saboteur {
  bool lets_through(const core::Event& event) override {
    const bool headers = std::holds_alternative<core::HeadersReceived>(event);
    SQUALL_CHECK(!headers, headers);
    return true;
  }
};

/// Draws from something that differs from run to run, as a global generator does.
struct DrawsFromOutside final : Saboteur {
  std::uint64_t seed_offset() override {
    static std::uint64_t outside = 0;
    return ++outside;
  }
};

template <class S>
std::unique_ptr<Saboteur> make() {
  return std::make_unique<S>();
}

}  // namespace

std::unique_ptr<Saboteur> make_saboteur(std::string_view defect) {
  struct Named {
    std::string_view name;
    std::unique_ptr<Saboteur> (*make)();
  };
  static constexpr Named kSaboteurs[] = {
      {"sends_twice", make<SendsTwice>},
      {"lowers_reasoning_effort", make<LowersEffort>},
      {"oversleeps", make<Oversleeps>},
      {"wrong_row_index", make<WrongRowIndex>},
      {"loses_rows", make<LosesRows>},
      {"cuts_flowing_body", make<CutsFlowingBody>},
      {"ignores_shutdown", make<IgnoresShutdown>},
      {"never_wakes", make<NeverWakes>},
      {"fails_a_check", make<FailsACheck>},
      {"draws_from_outside", make<DrawsFromOutside>},
  };
  for (const Named& saboteur : kSaboteurs) {
    if (saboteur.name == defect) {
      return saboteur.make();
    }
  }
  return nullptr;
}

}  // namespace squall::simulator
