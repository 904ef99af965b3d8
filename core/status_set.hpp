// SPDX-License-Identifier: MIT
//
// A set of HTTP status codes: which answers a policy retries.
#pragma once

#include <bitset>
#include <cstddef>

namespace squall::core {

/// A set of HTTP status codes, 0 to 999 (all that three digits can say). A value: 128 bytes,
/// trivially copyable, no allocation.
class StatusSet {
 public:
  static constexpr int kCodes = 1000;

  /// The empty set.
  StatusSet() = default;

  /// What the built-in LLM retry policy retries: every status (100 to 999) that is not 2xx, except
  /// 4xx other than 408 and 429.
  [[nodiscard]] static StatusSet llm_default() {
    StatusSet set;
    for (int hundreds = 1; hundreds < kCodes / 100; ++hundreds) {
      if (hundreds != 2 && hundreds != 4) {
        set.add_class(hundreds);
      }
    }
    set.add(408).add(429);
    return set;
  }

  /// Whether `status` is in the set. A number that is no status code is in none.
  [[nodiscard]] bool contains(int status) const {
    return is_code(status) && codes_[static_cast<std::size_t>(status)];
  }

  /// Adds one code. A number outside 0 to 999 is ignored.
  StatusSet& add(int status) {
    if (is_code(status)) {
      codes_[static_cast<std::size_t>(status)] = true;
    }
    return *this;
  }

  /// Adds the hundred codes that begin with the digit `hundreds` (5 for 5xx).
  StatusSet& add_class(int hundreds) {
    if (hundreds >= 0 && hundreds < kCodes / 100) {
      for (int status = hundreds * 100; status < hundreds * 100 + 100; ++status) {
        add(status);
      }
    }
    return *this;
  }

  friend bool operator==(const StatusSet&, const StatusSet&) = default;

 private:
  static constexpr bool is_code(int status) { return status >= 0 && status < kCodes; }

  std::bitset<kCodes> codes_;
};

}  // namespace squall::core
