// SPDX-License-Identifier: MIT
//
// One failed call of a tool, described once by the host. Only class, idempotency and retry_after
// decide anything; message and causes are for people.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/expected.hpp"
#include "core/time.hpp"
#include "core/tool/failure_class.hpp"

namespace squall::core::tool {

/// The host's word on this very call; it overrides what the class assumes, both ways.
enum class Idempotency : std::uint8_t {
  kUnspecified,    ///< the class decides
  kIdempotent,     ///< a second call has no second effect
  kNotIdempotent,  ///< a second call may have one
};

/// An error that knows whether another go is of use. Implementations must not throw.
class RetryableReporter {
 public:
  RetryableReporter() = default;
  RetryableReporter(const RetryableReporter&) = default;
  RetryableReporter& operator=(const RetryableReporter&) = default;
  virtual ~RetryableReporter() = default;

  /// Whether sending the same again is of any use.
  [[nodiscard]] virtual bool retryable() const noexcept = 0;
};

/// One link of a cause chain. `reporter` is null for an error that has nothing to say, or that is
/// not there at all.
struct Cause {
  std::string message;
  std::shared_ptr<const RetryableReporter> reporter;

  friend bool operator==(const Cause&, const Cause&) = default;
};

/// An error and its causes, outermost first. A flat list on purpose: no length of it costs stack,
/// neither to walk nor to destroy.
using CauseChain = std::vector<Cause>;

/// Whether any link reports that another go is of use. Every link is asked; an absent one says no.
/// A host that has no better class gives such a failure kSelfReported.
[[nodiscard]] bool reports_retryable(const CauseChain& chain);

struct Failure {
  FailureClass failure_class = FailureClass::kInternal;
  /// Stable machine code, e.g. "rate_limited". @see check_code
  std::string code;
  /// For people: logs and reports. Decides nothing.
  std::string message;
  /// This failure's own advice to the model; empty takes that of the class. Keep it as pure as the
  /// class's: no verdict on sending again.
  std::string remediation_override;
  Idempotency idempotency = Idempotency::kUnspecified;
  /// The delay that the server named; 0 when it named none. Counts only for classes that surface
  /// delays.
  Duration retry_after{0};
  /// Kept to be looked at. Decides nothing.
  CauseChain causes;

  friend bool operator==(const Failure&, const Failure&) = default;
};

/// Longest code, in bytes. @source chosen: fits a database column and a metric's label.
inline constexpr std::size_t kCodeBytesMax = 64;

/// Checks a failure's code.
///
///   code = word *( "_" word ), word = 1*( a to z )     ; 1 to 64 bytes
///
/// No digits at all: nobody can tell a fixed one ("sha256") from a number, an identifier or a
/// duration that changes with every failure, and codes are there to be counted.
[[nodiscard]] Expected<void, Error> check_code(std::string_view code);

}  // namespace squall::core::tool
