// SPDX-License-Identifier: MIT
//
// A duration in words.
#pragma once

#include <string>

#include "core/time.hpp"

namespace squall::core {

/// Appends `duration` in seconds, exact, without trailing zeros: "30 s", "0.25 s". Requires a
/// duration of at least zero.
inline void append_seconds(std::string& out, Duration duration) {
  constexpr Duration::rep kSecond = 1'000'000'000;
  out += std::to_string(duration.count() / kSecond);
  if (const Duration::rep rest = duration.count() % kSecond; rest != 0) {
    std::string digits = std::to_string(kSecond + rest).substr(1);
    digits.erase(digits.find_last_not_of('0') + 1);
    out += '.';
    out += digits;
  }
  out += " s";
}

}  // namespace squall::core
