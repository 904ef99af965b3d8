// SPDX-License-Identifier: MIT
//
// SQUALL_CHECK(condition, value...) states what must hold unless squall itself has a bug. It is on
// in every build. A failed check throws CheckFailed with the expression, its place and the values;
// whoever drives the core (the simulator, a service) adds seed, virtual time and replay command.
// The core prints nothing and aborts nothing: it has no file and no log.
//
//   SQUALL_CHECK(attempt >= 1, attempt);
//   // core/retry_loop.hpp:41: check failed: attempt >= 1 (attempt = 0)
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace squall::core {

/// A broken internal check: always a bug in squall, never bad input.
class CheckFailed : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

namespace detail {

template <class T>
std::string show_value(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return std::to_string(static_cast<long long>(value));
  } else if constexpr (std::is_arithmetic_v<T>) {
    return std::to_string(value);
  } else {
    return std::string(std::string_view(value));
  }
}

[[noreturn]] void fail_check(const char* file, int line, const char* expression,
                             std::string_view names, const std::string& values);

template <class... Values>
[[noreturn]] void fail_check_with(const char* file, int line, const char* expression,
                                  std::string_view names, const Values&... values) {
  std::string joined;
  ((joined += joined.empty() ? "" : ", ", joined += show_value(values)), ...);
  fail_check(file, line, expression, names, joined);
}

}  // namespace detail
}  // namespace squall::core

#define SQUALL_CHECK(condition, ...)                                                    \
  do {                                                                                  \
    if (!(condition)) [[unlikely]] {                                                    \
      ::squall::core::detail::fail_check_with(__FILE__, __LINE__, #condition,           \
                                              #__VA_ARGS__ __VA_OPT__(, ) __VA_ARGS__); \
    }                                                                                   \
  } while (false)
