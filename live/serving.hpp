// SPDX-License-Identifier: MIT
//
// A fault server with a thread for itself: the whole of `squall serve` but its words.
#pragma once

#include <functional>

#include "core/error.hpp"
#include "core/expected.hpp"
#include "live/fault_server.hpp"
#include "scenarios/model.hpp"

namespace squall::live {

/// What happens while a scenario is served; all called from `serve`.
struct Serving {
  std::function<void(const FaultServer&)> on_listening;
  std::function<void(const LoggedExchange&)> on_exchange;
  std::function<void(const OutsideExchange&)> on_outside;
  /// Asked after every exchange and every now and then: true ends it.
  std::function<bool()> is_over;
};

/// Serves until that is over, and then ends all connections. Keeps nothing of what it served.
/// @errors those of FaultServer::start
[[nodiscard]] core::Expected<void, core::Error> serve(scenarios::Scenario scenario,
                                                      FaultServerOptions options, Serving serving);

}  // namespace squall::live
