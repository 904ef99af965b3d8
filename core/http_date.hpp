// SPDX-License-Identifier: MIT
//
// HTTP dates (RFC 9110, section 5.6.7), read and written without locale, clock or stream.
//
//   parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT", now)   // IMF-fixdate, for senders
//   parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT", now)  // RFC 850, a two-digit year
//   parse_http_date("Sun Nov  6 08:49:37 1994", now)        // asctime
//
// The caller supplies `now`: nothing here may ask what time it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/time.hpp"

namespace squall::core {

/// The three spellings of an HTTP date. Recipients must accept all, senders should use the first.
enum class HttpDateForm : std::uint8_t {
  /// "Sun, 06 Nov 1994 08:49:37 GMT"
  kImfFixdate,
  /// "Sunday, 06-Nov-94 08:49:37 GMT"
  kRfc850,
  /// "Sun Nov  6 08:49:37 1994"
  kAsctime,
};

/// Reads an HTTP date in any of the three forms.
///
/// Strict on shape: exact width, exact separators, names in the RFC's case, "GMT" alone as zone.
/// Spaces and tabs around the date are skipped. Days that no calendar has and times past 23:59:60
/// are refused. Lenient in two places:
/// - a weekday that is a valid name but belongs to another date is ignored, the date decides;
/// - a second of 60 is accepted in every minute and is the instant one second after :59.
///
/// @param text  Value of a header field.
/// @param now   Settles the century of an RFC 850 date and is otherwise unused: it is the latest
///              year with these two digits whose date is not more than 50 calendar years after
///              `now`. When that year lacks the day (29 February), the date is refused.
/// @return      The instant; nothing when `text` is no HTTP date. Years 0000 to 9999 can be
///              written, but only 1677 to 2262 be represented: dates outside saturate at
///              WallInstant::min() or WallInstant::max().
/// @cost        No allocation.
/// @source      RFC 9110, section 5.6.7
[[nodiscard]] std::optional<WallInstant> parse_http_date(std::string_view text, WallInstant now);

/// Writes `instant` in one of the three forms, dropping the fraction of the second (toward the
/// past, also before 1970).
///
/// An RFC 850 date loses its century: it reads back as the same instant only within 50 years.
[[nodiscard]] std::string format_http_date(WallInstant instant, HttpDateForm form);

}  // namespace squall::core
