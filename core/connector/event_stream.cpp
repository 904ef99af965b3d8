// SPDX-License-Identifier: MIT
#include "core/connector/event_stream.hpp"

#include <utility>

namespace squall::core::connector {

std::vector<std::string> read_event_data(std::string_view stream, bool complete) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (stream.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    stream.remove_prefix(kByteOrderMark.size());
  }
  std::vector<std::string> events;
  std::string data;
  bool has_data = false;
  const auto dispatch = [&] {
    if (has_data) {
      events.push_back(std::exchange(data, {}));
      has_data = false;
    }
  };
  while (!stream.empty()) {
    const std::size_t end = stream.find_first_of("\r\n");
    if (end == std::string_view::npos && !complete) {
      break;
    }
    const std::string_view line = stream.substr(0, end);
    const bool is_crlf = end != std::string_view::npos && stream.substr(end, 2) == "\r\n";
    stream.remove_prefix(end == std::string_view::npos ? stream.size() : end + (is_crlf ? 2 : 1));
    if (line.empty()) {
      dispatch();
      continue;
    }
    const std::size_t colon = line.find(':');
    if (line.substr(0, colon) != "data") {
      continue;  // Ignored because comments and the other fields decide nothing.
    }
    std::string_view value =
        colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
    if (!value.empty() && value.front() == ' ') {
      value.remove_prefix(1);
    }
    if (has_data) {
      data += '\n';
    }
    data += value;
    has_data = true;
  }
  if (complete) {
    dispatch();
  }
  return events;
}

}  // namespace squall::core::connector
