// SPDX-License-Identifier: MIT
#include "core/connector/classify.hpp"

#include <algorithm>
#include <variant>

#include "core/check.hpp"
#include "core/connector/settings.hpp"

namespace squall::core::connector {

Kind classify_status(int status) {
  SQUALL_CHECK(status < 200 || status > 299, status);
  return is_auth_status(status) ? Kind::kAuth : Kind::kTransport;
}

Kind classify_fault(ConnectionFault) {
  return Kind::kTransport;
}

Kind classify_chain(const CauseChain& chain) {
  const bool refused = std::any_of(chain.begin(), chain.end(), [](const Cause& cause) {
    return cause.http_status && is_auth_status(*cause.http_status);
  });
  return refused ? Kind::kAuth : Kind::kTransport;
}

std::optional<Kind> classify_answer(const Answer& answer, std::uint32_t input_rounds,
                                    std::uint32_t input_rounds_max) {
  if (const auto* result = std::get_if<ToolResult>(&answer)) {
    return result->is_error ? std::optional(Kind::kApplication) : std::nullopt;
  }
  if (std::holds_alternative<RpcError>(answer)) {
    return Kind::kApplication;
  }
  if (std::holds_alternative<InputRequired>(answer)) {
    return input_rounds > input_rounds_max ? std::optional(Kind::kApplication) : std::nullopt;
  }
  return Kind::kTransport;
}

std::optional<Kind> classify_settings(std::string_view label, std::string_view resource_uri) {
  return check_label(label) && check_resource_uri(resource_uri) ? std::nullopt
                                                                : std::optional(Kind::kConfig);
}

Kind classify_dial(std::string_view label, std::string_view resource_uri, const CauseChain& chain) {
  return classify_settings(label, resource_uri).value_or(classify_chain(chain));
}

}  // namespace squall::core::connector
