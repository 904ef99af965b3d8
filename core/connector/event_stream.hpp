// SPDX-License-Identifier: MIT
//
// Reads a server-sent event stream that arrived as a whole. @source WHATWG HTML, "Server-sent
// events", section "Interpreting an event stream"; event names, ids and retry fields carry nothing
// a call needs and are skipped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace squall::core::connector {

/// The data of every event in `stream` that has data, in order; lines of one event joined by "\n".
///
/// Lines end with CR, LF or CRLF; a byte order mark at the start is skipped.
///
/// @param complete  whether the stream ended in order. Then an event that no blank line follows
///                  counts too: servers forget it, and HTTP vouches for the bytes. Otherwise such
///                  an event may be half of one and is dropped.
/// @cost            Linear in the stream.
[[nodiscard]] std::vector<std::string> read_event_data(std::string_view stream, bool complete);

}  // namespace squall::core::connector
