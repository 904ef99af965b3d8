// SPDX-License-Identifier: MIT
//
// From what happened to the kind of failure: pure functions, no prose is ever searched for a
// meaning. A dial (connecting and shaking hands) fails as transport, auth or config only; a call
// has all four kinds.
//
//   classify_status(403)                                        // kAuth
//   classify_chain({{"send failed", {}}, {"forbidden", 403}})   // kAuth
//   classify_dial("search", "https://tools.example/mcp", {})    // kTransport
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/connector/answer.hpp"
#include "core/connector/kind.hpp"
#include "core/event.hpp"

namespace squall::core::connector {

/// One error of a chain and the HTTP status it carries, if it carries one.
struct Cause {
  std::string message;
  std::optional<int> http_status;

  friend bool operator==(const Cause&, const Cause&) = default;
};

/// An error and what caused it, outermost first.
using CauseChain = std::vector<Cause>;

/// Whether the status refuses the credentials: 401 or 403. A `WWW-Authenticate` header changes
/// nothing, so nobody asks for it.
[[nodiscard]] constexpr bool is_auth_status(int status) {
  return status == 401 || status == 403;
}

/// The kind of an answer that is not 2xx; a 2xx one is a broken check. 401 and 403 are kAuth, every
/// other status is kTransport.
[[nodiscard]] Kind classify_status(int status);

/// The kind of a broken connection: always kTransport.
[[nodiscard]] Kind classify_fault(ConnectionFault fault);

/// The kind of an attempt that ran into its timeout, of a transport that was closed, and of a call
/// that was cancelled on the way.
inline constexpr Kind kTimeoutKind = Kind::kTransport;
inline constexpr Kind kClosedKind = Kind::kTransport;

/// The kind of a failure known by its causes only: kAuth when any of them carries 401 or 403,
/// wherever it stands in the chain, else kTransport. An empty chain is kTransport.
[[nodiscard]] Kind classify_chain(const CauseChain& chain);

/// The kind of a 2xx answer to a call; nothing when it is a success.
///
/// @param input_rounds      how many answers so far, this one included, asked for input.
/// @param input_rounds_max  how many may; within the limit an answer that asks is no failure.
[[nodiscard]] std::optional<Kind> classify_answer(const Answer& answer,
                                                  std::uint32_t input_rounds = 1,
                                                  std::uint32_t input_rounds_max = 0);

/// The kind of a connector's settings; nothing when they can be used.
///
/// @see check_label, check_resource_uri
[[nodiscard]] std::optional<Kind> classify_settings(std::string_view label,
                                                    std::string_view resource_uri);

/// The kind of a dial that failed for `chain`. Settings that cannot be used come first: nothing can
/// have been dialled with them. Never kApplication.
[[nodiscard]] Kind classify_dial(std::string_view label, std::string_view resource_uri,
                                 const CauseChain& chain);

}  // namespace squall::core::connector
