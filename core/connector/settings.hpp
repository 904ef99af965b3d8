// SPDX-License-Identifier: MIT
//
// What a deployment says about a connector, checked before anything is dialled. What fails here is
// a configuration error: never sent again, never a matter of credentials.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/expected.hpp"

namespace squall::core::connector {

/// Longest connector label, in bytes. @source chosen: a label in front of a tool's name must leave
/// half of the 64 characters that model APIs commonly allow for a function name.
inline constexpr std::size_t kLabelBytesMax = 32;

/// Longest resource URI, in bytes. @source chosen: the length that RFC 9110 (section 4.1) asks
/// every recipient to support.
inline constexpr std::size_t kResourceUriBytesMax = 8'000;

/// Checks a connector's label.
///
///   label = letter *( *( "-" / "_" ) ( letter / digit ) )     ; 1 to 32 bytes, ASCII
///   letter = %x61-7A                                          ; a to z
///
/// In words: lower-case letters, digits, "-" and "_"; begins with a letter, ends with a letter or a
/// digit. @source chosen, to fit into the names of tools.
[[nodiscard]] Expected<void, Error> check_label(std::string_view label);

/// Checks the URI of a connector's resource: an absolute `http` or `https` URI by RFC 3986, without
/// user information and without a fragment (RFC 8707, section 2, forbids one in a resource).
///
///   resource = ( "http" / "https" ) "://" host [ ":" port ] path-abempty [ "?" query ]
///
/// The scheme is compared without case; host is a registered name of unreserved characters,
/// sub-delims and percent triples, or a bracketed address of hexadecimal digits, ":" and "."; port
/// is empty or 0 to 65535.
[[nodiscard]] Expected<void, Error> check_resource_uri(std::string_view uri);

/// What a deployment says about one connector, as written: not checked yet.
struct ConnectorSettings {
  std::string label;
  std::string resource_uri;

  friend bool operator==(const ConnectorSettings&, const ConnectorSettings&) = default;
};

/// Checks both settings.
///
/// @errors  that of the label, else that of the resource URI.
[[nodiscard]] Expected<void, Error> check_settings(const ConnectorSettings& settings);

}  // namespace squall::core::connector
