// SPDX-License-Identifier: MIT
//
// Where requests go: an http or https URL, taken apart once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/expected.hpp"

namespace squall::live {

struct Endpoint {
  bool tls = false;
  /// A name or an address; an IPv6 address without its brackets.
  std::string host;
  bool host_is_address = false;
  std::uint16_t port = 80;
  /// Path and query as they go over the wire; begins with a slash.
  std::string target = "/";

  /// As the Host field says it: brackets around IPv6, no port that the scheme implies.
  [[nodiscard]] std::string authority() const;
  /// For people: scheme, authority and path. Without the query, where some put secrets.
  [[nodiscard]] std::string display() const;

  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

/// Reads `url`.
///
/// @errors  no URL by RFC 3986; a scheme other than http and https; no host; a host name of other
///          characters than letters, digits, ".", "-" and "_"; user information (secrets come from
///          the environment); a fragment; a port outside 1 to 65535
[[nodiscard]] core::Expected<Endpoint, core::Error> parse_endpoint(std::string_view url);

}  // namespace squall::live
