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
struct SendsTwice final : playback::Saboteur {
  int calls_per_send() override { return 2; }
};

/// Lowers reasoning_effort from the second attempt on.
struct LowersEffort final : playback::Saboteur {
  std::string lowered;

  playback::RequestView request(core::AttemptId attempt,
                                const playback::RequestView& request) override {
    if (attempt == 1) {
      return request;
    }
    lowered = request.body;
    lowered.replace(lowered.find("\"high\""), 6, "\"lowa\"");
    return {lowered, request.messages_begin, request.messages_end};
  }
};

/// Changes one byte in the middle of what the first attempt sent, from the second attempt on.
struct EditsEarlierMessage final : playback::Saboteur {
  std::size_t position = 0;
  std::string edited;

  playback::RequestView request(core::AttemptId attempt,
                                const playback::RequestView& request) override {
    if (attempt == 1) {
      const std::size_t begin = request.messages().empty() ? 0 : request.messages_begin;
      position = begin + (request.messages_end - begin) / 2;
      return request;
    }
    edited = request.body;
    edited[position] = edited[position] == 'x' ? 'y' : 'x';
    return {edited, request.messages_begin, request.messages_end};
  }
};

/// Writes another class into every failure row.
struct AltersRow final : playback::Saboteur {
  void alter(core::FailureRow& row) override { row.failure_class = "altered"; }
};

/// Sleeps ten seconds longer than ordered.
struct Oversleeps final : playback::Saboteur {
  std::optional<core::Instant> wakeup(std::optional<core::Instant> due) override {
    return due ? std::optional(*due + std::chrono::seconds(10)) : due;
  }
};

/// Numbers failure rows from 2.
struct WrongRowIndex final : playback::Saboteur {
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
struct LosesRows final : playback::Saboteur {
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
struct CutsFlowingBody final : playback::Saboteur {
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
struct IgnoresShutdown final : playback::Saboteur {
  bool lets_through(const core::Event& event) override {
    return !std::holds_alternative<core::ShutdownRequested>(event);
  }
};

/// Loses every wake-up, as a host does whose timer was never armed.
struct NeverWakes final : playback::Saboteur {
  std::optional<core::Instant> wakeup(std::optional<core::Instant>) override {
    return std::nullopt;
  }
};

/// Breaks an internal check when the first headers arrive.
struct FailsACheck final : playback::Saboteur {
  bool lets_through(const core::Event& event) override {
    const bool headers = std::holds_alternative<core::HeadersReceived>(event);
    SQUALL_CHECK(!headers, headers);
    return true;
  }
};

/// Draws from something that differs from run to run, as a global generator does.
struct DrawsFromOutside final : playback::Saboteur {
  std::uint64_t seed_offset() override {
    static std::uint64_t outside = 0;
    return ++outside;
  }
};

template <class S>
std::unique_ptr<playback::Saboteur> make() {
  return std::make_unique<S>();
}

}  // namespace

std::unique_ptr<playback::Saboteur> make_saboteur(std::string_view defect) {
  struct Named {
    std::string_view name;
    std::unique_ptr<playback::Saboteur> (*make)();
  };
  static constexpr Named kSaboteurs[] = {
      {"sends_twice", make<SendsTwice>},
      {"lowers_reasoning_effort", make<LowersEffort>},
      {"edits_earlier_message", make<EditsEarlierMessage>},
      {"alters_row", make<AltersRow>},
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
