// SPDX-License-Identifier: MIT
//
// The few things in the body of a request that decide how it is answered. The body is read once as
// a stream of tokens: nothing is built of it, so that a large or deep one costs no more than its
// bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace squall::live {

struct RequestFacts {
  // ---- a chat request ----
  bool stream = false;         ///< `stream`
  bool include_usage = false;  ///< `stream_options.include_usage`

  // ---- a JSON-RPC message ----
  std::string rpc_method;  ///< `method`; empty when there is none
  std::string rpc_id;      ///< `id` as JSON; empty when there is none that is a number or a text
  std::string protocol_version;  ///< `params.protocolVersion`
};

/// Nothing when `body` is not one JSON object.
[[nodiscard]] std::optional<RequestFacts> facts_of(std::string_view body);

}  // namespace squall::live
