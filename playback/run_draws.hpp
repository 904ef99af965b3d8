// SPDX-License-Identifier: MIT
//
// What a run draws from. Whoever plays a run starts here, so that the same seed and number mean the
// same run.
#pragma once

#include <cstdint>

#include "core/random.hpp"

namespace squall::playback {

/// The draws of the one operation of run `run`.
[[nodiscard]] inline core::RandomStream run_draws(std::uint64_t seed, std::uint64_t run) {
  constexpr std::uint64_t kTheOperation = 0;
  return core::RandomStream(seed).split("run").split(run).split("operation").split(kTheOperation);
}

}  // namespace squall::playback
