// SPDX-License-Identifier: MIT
//
// A scenario's answer in the shape that the client asked for, and its head as bytes.
//
// Scenarios say good answers as chat completions and as answers to the JSON-RPC request 1. Whoever
// asks in another way gets the same answer in that way. Whatever is neither (a page of HTML, an
// error of the scenario's own) goes to everybody as it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/time.hpp"
#include "live/request_routing.hpp"
#include "scenarios/model.hpp"

namespace squall::live {

/// The answer to `call`, or nothing when that is `answer` as it is.
///
/// A stream is sent in chunks unless the scenario says more of its framing than that there is a
/// true length. Positions in the body (of a stall, of a cut) count in the body that is sent; one
/// beyond its end is its end.
[[nodiscard]] std::optional<scenarios::HttpAnswer> shaped(const scenarios::HttpAnswer& answer,
                                                          const ScriptedCall& call);

/// How the body's end is told on the wire, which is not always as scripted: HTTP/1.0 has no chunks.
struct HeadFraming {
  scenarios::Framing framing = scenarios::Framing::kContentLength;
  std::optional<std::uint64_t> announced_length;  ///< with kContentLength
  bool announces_close = false;
};

/// Status line, headers and the empty line.
///
/// @param wall_clock  now; relative dates are rendered against it.
[[nodiscard]] std::string head_of(const scenarios::HttpAnswer& answer, const HeadFraming& framing,
                                  core::WallInstant wall_clock);

/// A whole answer outside the script.
[[nodiscard]] std::string bytes_of(const ReadyAnswer& answer, bool with_body, bool announces_close);

}  // namespace squall::live
