// SPDX-License-Identifier: MIT
//
// The closed list of ways in which a call of a remote tool can fail, by who can do something about
// it. Tokens and labels are contracts: the token reaches the model, the label traces and reports.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace squall::core::connector {

/// Why a dial or a call failed.
enum class Kind : std::uint8_t {
  /// The connector was not reached, was too slow, or sent something that is no answer. Heals by
  /// itself; the only kind that is sent again.
  kTransport,
  /// The credentials were refused (HTTP 401 or 403). For whoever renews credentials.
  kAuth,
  /// The connector did its work and reports that the call failed. For the model.
  kApplication,
  /// This side's own settings for the connector are wrong. For the operator, never for whoever
  /// renews credentials.
  kConfig,
};

/// All kinds, in the order of the enumeration.
inline constexpr std::array<Kind, 4> kAllKinds = {Kind::kTransport, Kind::kAuth, Kind::kApplication,
                                                  Kind::kConfig};

/// The stable name in the failure object that the model reads. Requires one of the enumerators.
[[nodiscard]] constexpr std::string_view token(Kind kind) {
  switch (kind) {
    case Kind::kTransport:
      return "transport_unreachable";
    case Kind::kAuth:
      return "auth_rejected";
    case Kind::kApplication:
      return "application_error";
    case Kind::kConfig:
      return "config_error";
  }
  return {};
}

/// The stable short name for traces and reports. Requires one of the enumerators.
[[nodiscard]] constexpr std::string_view label(Kind kind) {
  switch (kind) {
    case Kind::kTransport:
      return "transport";
    case Kind::kAuth:
      return "auth";
    case Kind::kApplication:
      return "application";
    case Kind::kConfig:
      return "config";
  }
  return {};
}

/// Whether another attempt may follow, budget permitting.
[[nodiscard]] constexpr bool is_retryable(Kind kind) {
  return kind == Kind::kTransport;
}

/// The kind with this token, spelled exactly; nothing when there is none.
[[nodiscard]] constexpr std::optional<Kind> kind_from_token(std::string_view text) {
  for (const Kind kind : kAllKinds) {
    if (token(kind) == text) {
      return kind;
    }
  }
  return std::nullopt;
}

}  // namespace squall::core::connector
