// SPDX-License-Identifier: MIT
//
// The one driver that runs an operation on a host: feed the event, carry out the actions in order,
// re-arm the single wake-up. It is the same code in simulation and in production, and it decides
// nothing.
#pragma once

#include <concepts>
#include <optional>
#include <utility>

#include "core/event.hpp"
#include "core/time.hpp"

namespace squall::core {

/// What the driver needs of an operation.
template <class Machine>
concept OperationMachine = requires(Machine machine, const Machine& view, const Event& event,
                                    Instant now) {
  { machine.handle(event, now) } -> std::same_as<Actions>;
  { view.next_wakeup() } -> std::same_as<std::optional<Instant>>;
};

/// What the driver needs of a host. Every function carries out one order and returns; a host calls
/// `Driver::deliver` later, never from within them.
template <class Host, class Machine>
concept OperationHost = requires(Host host, const Machine& machine, const Event& event,
                                 const Actions& actions, AttemptId attempt,
                                 std::optional<Instant> wakeup, const RecordFailure& failure,
                                 const RecordRequest& request) {
  { host.now() } -> std::same_as<Instant>;
  /// Called after `event` was handled and before its actions are carried out.
  host.observe(event, actions, machine);
  host.send_attempt(attempt, machine);
  host.abandon_attempt(attempt);
  host.record_failure(failure, machine);
  host.record_request(request, machine);
  host.finish_operation(machine);
  /// Replaces the wake-up armed before; nothing means none.
  host.arm_wakeup(wakeup);
};

/// Binds one operation to one host. Neither is owned.
template <OperationMachine Machine, OperationHost<Machine> Host>
class Driver {
 public:
  Driver(Machine& machine, Host& host) : machine_(machine), host_(host) {}

  /// Tells the operation what happened and carries out what it orders.
  void deliver(const Event& event) {
    const Actions actions = machine_.handle(event, host_.now());
    host_.observe(event, actions, std::as_const(machine_));
    AttemptId started = 0;
    for (const Action& action : actions) {
      if (const auto* send = std::get_if<SendAttempt>(&action)) {
        host_.send_attempt(send->attempt, std::as_const(machine_));
        started = send->attempt;
      } else if (const auto* abandon = std::get_if<AbandonAttempt>(&action)) {
        host_.abandon_attempt(abandon->attempt);
      } else if (const auto* failure = std::get_if<RecordFailure>(&action)) {
        host_.record_failure(*failure, std::as_const(machine_));
      } else if (const auto* request = std::get_if<RecordRequest>(&action)) {
        host_.record_request(*request, std::as_const(machine_));
      } else {
        host_.finish_operation(std::as_const(machine_));
      }
    }
    if (started != 0) {
      deliver(AttemptStarted{started});  // Orders nothing, so the recursion ends here.
    } else {
      host_.arm_wakeup(machine_.next_wakeup());
    }
  }

 private:
  Machine& machine_;
  Host& host_;
};

}  // namespace squall::core
