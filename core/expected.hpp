// SPDX-License-Identifier: MIT
//
// The one place that chooses an implementation of std::expected. `Expected<T, E>` is for bad input
// only: bugs throw CheckFailed (core/check.hpp), and faults of the simulated or real world are
// ordinary values.
#pragma once

#include <version>

// Only a complete std::expected (with the monadic members) is accepted: earlier library releases
// ship a half of it.
#if defined(__cpp_lib_expected) && __cpp_lib_expected >= 202211L
#include <expected>
namespace squall::core {
template <class T, class E>
using Expected = std::expected<T, E>;
template <class E>
using Unexpected = std::unexpected<E>;
}  // namespace squall::core
#else
#include <tl/expected.hpp>
namespace squall::core {
template <class T, class E>
using Expected = tl::expected<T, E>;
template <class E>
using Unexpected = tl::unexpected<E>;
}  // namespace squall::core
#endif
