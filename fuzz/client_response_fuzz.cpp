// SPDX-License-Identifier: MIT
//
// The production client's response path, from the parser to the class of the failure: whatever a
// server sends, nothing crashes, nothing hangs, no invariant breaks, and how the bytes are split
// changes nothing.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "live/try_answer_test_support.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes{reinterpret_cast<const char*>(data), size};
  // The length decides how the connection ends: any of the ways, for any start.
  constexpr squall::live::ConnectionEnd kEnds[] = {
      squall::live::ConnectionEnd::kClosed, squall::live::ConnectionEnd::kCut,
      squall::live::ConnectionEnd::kReset, squall::live::ConnectionEnd::kBroken};
  (void)squall::live::try_answer(bytes, kEnds[size % 4]);
  return 0;
}
