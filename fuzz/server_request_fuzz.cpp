// SPDX-License-Identifier: MIT
//
// The fault server's request path: whatever a client sends, nothing crashes, and how the bytes are
// split changes nothing.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "live/try_request_test_support.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)squall::live::try_request({reinterpret_cast<const char*>(data), size});
  return 0;
}
