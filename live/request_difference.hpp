// SPDX-License-Identifier: MIT
//
// What two recorded requests differ in, in words a person can act on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "live/request_log.hpp"

namespace squall::live {

/// The name of a header as it is compared: A to Z become a to z.
[[nodiscard]] std::string lower_case(std::string_view name);

struct BodyDifference {
  /// 0-based offset of the first byte that differs; nothing when a body is larger than the record
  /// keeps.
  std::optional<std::uint64_t> byte;
  /// RFC 6901 pointer of the first value that differs; nothing unless both are JSON.
  std::optional<std::string> pointer;
  /// Both are JSON of equal value: only spelling or order differ.
  bool same_value = false;

  friend bool operator==(const BodyDifference&, const BodyDifference&) = default;
};

/// Nothing when the bodies are equal, by length and digest.
[[nodiscard]] std::optional<BodyDifference> body_difference(const LoggedExchange& before,
                                                            const LoggedExchange& after);

struct HeaderDifference {
  std::string name;  ///< in lower case
  /// Absent: the header was not there. Several of one name are joined by ", ".
  std::optional<std::string> before, after;

  friend bool operator==(const HeaderDifference&, const HeaderDifference&) = default;
};

/// By name. Names are compared without regard to case.
[[nodiscard]] std::vector<HeaderDifference> header_differences(const LoggedExchange& before,
                                                               const LoggedExchange& after);

/// The value of the header `name` (in lower case); nothing when there is none.
[[nodiscard]] std::optional<std::string> header_value(const LoggedExchange& exchange,
                                                      std::string_view name);

/// The key that makes a provider do the work once: `Idempotency-Key` or `X-Idempotency-Key`.
/// @source IETF draft-ietf-httpapi-idempotency-key-header; the older spelling is in use.
[[nodiscard]] std::optional<std::string> idempotency_key(const LoggedExchange& exchange);

}  // namespace squall::live
