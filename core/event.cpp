// SPDX-License-Identifier: MIT
#include "core/event.hpp"

#include "core/check.hpp"

namespace squall::core {

void Actions::add(const Action& action) {
  SQUALL_CHECK(size_ < kCapacity, size_);
  actions_[size_++] = action;
}

std::string_view describe(ConnectionFault fault) {
  switch (fault) {
    case ConnectionFault::kRefused:
      return "connection refused";
    case ConnectionFault::kReset:
      return "connection reset before the response headers";
    case ConnectionFault::kDns:
      return "host name could not be resolved";
    case ConnectionFault::kTls:
      return "TLS handshake failed";
    case ConnectionFault::kConnectTimeout:
      return "connection timed out";
    case ConnectionFault::kSend:
      return "request could not be sent";
    case ConnectionFault::kBodyReset:
      return "connection reset while reading the response body";
    case ConnectionFault::kBodyClosed:
      return "connection closed before the response body was complete";
  }
  SQUALL_CHECK(false, fault);
  return {};
}

}  // namespace squall::core
