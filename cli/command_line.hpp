// SPDX-License-Identifier: MIT
//
// The `squall` command as a function. Throws nothing on bad input; a bug of squall may leave it as
// an exception, which `main` reports once.
#pragma once

#include <span>

#include "cli/console.hpp"

namespace squall::cli {

/// Carries out one invocation.
///
/// @param arguments  as in argv, without the name of the program.
/// @return the exit code, see ExitCode.
[[nodiscard]] int run(std::span<const char* const> arguments, const Console& console);

}  // namespace squall::cli
