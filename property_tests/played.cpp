// SPDX-License-Identifier: MIT
#include "property_tests/played.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include <fmt/format.h>

#include "property_tests/reference_model.hpp"

namespace squall::property_tests {
namespace {

using playback::TraceKind;
using playback::TraceRecord;

std::string shown(const std::optional<std::uint64_t>& milliseconds) {
  return milliseconds ? fmt::format("{} ms", *milliseconds) : "none";
}

/// Keeps the first difference.
class Comparison {
 public:
  template <class T>
  void equal(const std::string& what, const T& expected, const T& found) {
    if (!difference_ && expected != found) {
      difference_ =
          fmt::format("{}: the rules say {}, the simulation says {}", what, expected, found);
    }
  }
  [[nodiscard]] const std::optional<std::string>& difference() const { return difference_; }

 private:
  std::optional<std::string> difference_;
};

}  // namespace

std::vector<TraceRecord> Played::records(TraceKind kind) const {
  std::vector<TraceRecord> found;
  const auto& all = result.trace->records();
  std::copy_if(all.begin(), all.end(), std::back_inserter(found),
               [kind](const TraceRecord& record) { return record.kind() == kind; });
  return found;
}

std::optional<std::string> complaint(const playback::RunResult& result) {
  if (result.internal_error) {
    return result.internal_error;
  }
  if (result.violations->empty()) {
    return std::nullopt;
  }
  const playback::Violation& first = result.violations->front();
  return fmt::format("{} at {} ns: {}", label(first.invariant), first.at.time_since_epoch().count(),
                     first.message);
}

std::optional<std::string> disagreement(const playback::RunResult& result,
                                        const scenarios::Scenario& scenario) {
  if (result.internal_error) {
    return result.internal_error;
  }
  const ReferenceRun expected = play_reference(scenario, result.seed, result.run);
  Comparison compared;
  compared.equal("outcome", label(expected.outcome), label(result.outcome));
  compared.equal<std::size_t>("calls", expected.calls.size(), result.attempts);

  std::size_t call = 0;
  for (const TraceRecord& record : result.trace->records()) {
    if (record.kind() == TraceKind::kAttemptSent && call < expected.calls.size()) {
      compared.equal(fmt::format("instant of call {} in ns", call + 1),
                     expected.calls[call].time_since_epoch().count(), record.at_ns);
      ++call;
    }
  }
  for (std::size_t i = 0; i < std::min(expected.trail.size(), result.trail.size()); ++i) {
    const playback::FailureView failure = result.trail[i];
    compared.equal(fmt::format("class of failure {}", i + 1),
                   label(expected.trail[i].failure_class), label(failure.failure_class));
    compared.equal(fmt::format("Retry-After of failure {}", i + 1),
                   shown(expected.trail[i].retry_after_ms), shown(failure.retry_after_ms));
    compared.equal(fmt::format("finish_reason of failure {}", i + 1),
                   expected.trail[i].finish_reason.value_or("(none)"),
                   std::string(failure.finish_reason.value_or("(none)")));
  }
  compared.equal("length of the trail", expected.trail.size(), result.trail.size());
  for (std::size_t i = 0; i < std::min(expected.sleeps.size(), result.sleeps->size()); ++i) {
    const core::OrderedSleep& sleep = (*result.sleeps)[i];
    compared.equal<std::size_t>(fmt::format("slot of sleep {}", i + 1), i, sleep.slot);
    compared.equal(fmt::format("sleep {} in ns", i + 1), expected.sleeps[i].duration.count(),
                   sleep.duration.count());
    compared.equal(fmt::format("sleep {} is by Retry-After", i + 1),
                   expected.sleeps[i].by_retry_after, sleep.by_retry_after);
  }
  compared.equal("number of sleeps", expected.sleeps.size(), result.sleeps->size());
  compared.equal("elapsed time in ns", expected.elapsed.count(), result.elapsed.count());
  compared.equal("answer", expected.answer.value_or("(none)"),
                 result.operation->answer().value_or("(none)"));
  const std::optional<playback::ShortfallView> shortfall = result.operation->shortfall();
  compared.equal("final class",
                 expected.final_class ? label(*expected.final_class) : std::string_view("(none)"),
                 shortfall ? label(shortfall->final_class) : std::string_view("(none)"));
  return compared.difference();
}

void classify(bool belongs, const std::string& tag) {
  static const bool wanted = std::getenv("SQUALL_SHOW_DISTRIBUTION") != nullptr;
  if (wanted) {
    RC_CLASSIFY(belongs, tag);
  }
}

}  // namespace squall::property_tests
