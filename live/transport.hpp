// SPDX-License-Identifier: MIT
//
// What a host asks of whatever carries attempts to a provider.
#pragma once

#include <chrono>
#include <concepts>
#include <functional>
#include <string_view>
#include <utility>

#include "core/event.hpp"
#include "core/time.hpp"

namespace squall::live {

/// Told of everything that happens to one attempt: headers, bytes, the end or the failure.
using OnFact = std::function<void(const core::Event&)>;

/// A wake-up noticed later than this counts at the time it was noticed, not when it was due.
/// @source chosen: far above the delays of a busy machine, far below any timeout, so that a process
/// that was halted does not find its next attempt timed out before it began.
inline constexpr core::Duration kLatenessForgiven = std::chrono::seconds(1);

/// What carries one attempt at a time to a provider, and its answer back.
template <class T>
concept AttemptTransport = requires(T transport, const T& view, core::AttemptId attempt,
                                    std::string_view body, OnFact on_fact) {
  /// Begins an attempt and returns; facts follow from later handlers, never from within. `body` is
  /// valid during the call only. After BodyEnded or AttemptFailed nothing more is told. The host
  /// fills in `HeadersReceived::received_at`.
  transport.send(attempt, body, std::move(on_fact));
  /// Drops the attempt under way, if any: nothing more of it is told. May be called, as may `send`,
  /// from within `on_fact`.
  transport.close();
  /// Whether the request of the attempt begun last may have reached the provider.
  { view.request_reached() } -> std::same_as<bool>;
};

}  // namespace squall::live
