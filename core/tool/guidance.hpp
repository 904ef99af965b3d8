// SPDX-License-Identifier: MIT
//
// What to do about a failure: one mechanical verdict and the advice that goes with it, as a value
// and as the words the model reads. The verdict follows from class, idempotency and delay alone.
//
//   guidance({.failure_class = FailureClass::kTimeout}).verdict    // kConfirmFirst
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/time.hpp"
#include "core/tool/failure.hpp"

namespace squall::core::tool {

/// May the same call be sent again, and when?
enum class Verdict : std::uint8_t {
  kSendAgainNow,           ///< at once
  kSendAgainAfterBackoff,  ///< after a wait of the caller's choice
  kSendAgainAfterDelay,    ///< after the delay that the server named
  kConfirmFirst,           ///< only once it is known that the last one took no effect
  kDoNotSendAgain,         ///< change the call, or leave it
  kOperatorNeeded,         ///< not before a person has mended something
};

inline constexpr std::array<Verdict, 6> kAllVerdicts = {
    Verdict::kSendAgainNow, Verdict::kSendAgainAfterBackoff, Verdict::kSendAgainAfterDelay,
    Verdict::kConfirmFirst, Verdict::kDoNotSendAgain,        Verdict::kOperatorNeeded};

/// The stable name, in snake case. Requires one of the enumerators.
[[nodiscard]] std::string_view label(Verdict verdict);

struct Guidance {
  Verdict verdict = Verdict::kDoNotSendAgain;
  /// What the server named; 0 when it named nothing or the class does not pass it on. With
  /// kConfirmFirst it holds too: not sooner, even when confirmed.
  Duration delay{0};
  std::string remediation;

  friend bool operator==(const Guidance&, const Guidance&) = default;
};

/// Whether a second call is free of a second effect: the host's word, else the class's default.
[[nodiscard]] bool is_safe_to_resubmit(const Failure& failure);

/// Derives the verdict, in this order: an operator is needed; sending again is of no use; it is not
/// safe; the server named a delay; the class wants a wait; now.
[[nodiscard]] Guidance guidance(const Failure& failure);

/// The remediation and one sentence for the verdict, for the model. A delay is written in seconds.
[[nodiscard]] std::string to_text(const Guidance& guidance);

}  // namespace squall::core::tool
