// SPDX-License-Identifier: MIT
#include "simulator/expectations.hpp"

#include <functional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/quote.hpp"
#include "scenarios/quantities.hpp"

namespace squall::simulator {
namespace {

using scenarios::format_duration;

template <class T>
using Show = std::function<std::string(const T&)>;

template <class T>
void check_bounds(std::string_view what, const scenarios::Bounds<T>& bounds, const T& value,
                  const Show<T>& show, std::vector<std::string>& unmet) {
  if (bounds.min && bounds.max && *bounds.min == *bounds.max) {
    if (value != *bounds.min) {
      unmet.push_back(fmt::format("{}: {}, expected {}", what, show(value), show(*bounds.min)));
    }
    return;
  }
  if (bounds.min && value < *bounds.min) {
    unmet.push_back(
        fmt::format("{}: {}, expected at least {}", what, show(value), show(*bounds.min)));
  }
  if (bounds.max && value > *bounds.max) {
    unmet.push_back(
        fmt::format("{}: {}, expected at most {}", what, show(value), show(*bounds.max)));
  }
}

void check_trail(const scenarios::Expectations& expected, const RunResult& result,
                 std::vector<std::string>& unmet) {
  if (expected.trail) {
    std::vector<core::llm::FailureClass> classes;
    for (const core::llm::LlmFailure& failure : *result.trail) {
      classes.push_back(failure.failure_class);
    }
    if (classes != *expected.trail) {
      unmet.push_back(fmt::format("trail: {}, expected {}", show_classes(classes),
                                  show_classes(*expected.trail)));
    }
  }
  if (expected.retry_after_ms) {
    std::vector<std::optional<std::uint64_t>> observed;
    for (const core::llm::LlmFailure& failure : *result.trail) {
      observed.push_back(failure.retry_after_ms);
    }
    if (observed != *expected.retry_after_ms) {
      unmet.push_back(fmt::format("retry_after: {}, expected {}", show_retry_after(observed),
                                  show_retry_after(*expected.retry_after_ms)));
    }
  }
}

/// A must_fail scenario: exactly the named invariant, exactly once.
void check_breaks(const scenarios::Expectations& expected, const RunResult& result,
                  std::vector<std::string>& unmet) {
  if (!expected.breaks) {
    return;
  }
  std::vector<std::string_view> broken;
  for (const Violation& violation : *result.violations) {
    broken.push_back(label(violation.invariant));
  }
  if (broken.size() != 1 || broken.front() != *expected.breaks) {
    unmet.push_back(fmt::format(
        "breaks: {}, expected {} once",
        broken.empty() ? "nothing" : fmt::format("{}", fmt::join(broken, ", ")), *expected.breaks));
  }
}

/// A text that may be long or hold anything, on one line.
std::string quoted(std::string_view text) {
  constexpr std::size_t kShownBytesMax = 200;
  std::string shown = "\"";
  core::append_quoted(shown, text, kShownBytesMax);
  return shown + '"';
}

}  // namespace

std::string show_classes(const std::vector<core::llm::FailureClass>& classes) {
  std::string text;
  for (std::size_t i = 0; i < classes.size();) {
    std::size_t end = i;
    while (end < classes.size() && classes[end] == classes[i]) {
      ++end;
    }
    text += text.empty() ? "" : ", ";
    text += label(classes[i]);
    if (end - i > 1) {
      text += fmt::format(" x{}", end - i);
    }
    i = end;
  }
  return text.empty() ? "none" : text;
}

std::string show_retry_after(const std::vector<std::optional<std::uint64_t>>& values) {
  std::vector<std::string> shown;
  shown.reserve(values.size());
  for (const auto& value : values) {
    shown.push_back(value ? scenarios::format_milliseconds(*value) : "none");
  }
  return shown.empty() ? "none" : fmt::format("{}", fmt::join(shown, ", "));
}

std::vector<std::string> unmet_expectations(const scenarios::Expectations& expected,
                                            const RunResult& result) {
  std::vector<std::string> unmet;
  if (expected.outcome && *expected.outcome != result.outcome) {
    unmet.push_back(
        fmt::format("outcome: {}, expected {}", label(result.outcome), label(*expected.outcome)));
  }
  check_bounds<std::uint64_t>(
      "attempts", expected.attempts, result.attempts,
      [](const std::uint64_t& n) { return std::to_string(n); }, unmet);
  const Show<core::Duration> show_duration = [](const core::Duration& d) {
    return format_duration(d);
  };
  check_bounds("elapsed", expected.elapsed, result.elapsed, show_duration, unmet);
  check_bounds("sleep_total", expected.sleep_total, result.sleep_total, show_duration, unmet);
  if (expected.final_class) {
    const bool same =
        result.exhausted != nullptr && result.exhausted->final_class == *expected.final_class;
    if (!same) {
      unmet.push_back(
          fmt::format("final_class: {}, expected {}",
                      result.exhausted != nullptr ? label(result.exhausted->final_class) : "none",
                      label(*expected.final_class)));
    }
  }
  check_trail(expected, result, unmet);
  check_breaks(expected, result, unmet);
  if (expected.answer && (result.answer == nullptr || result.answer->text != *expected.answer)) {
    unmet.push_back(fmt::format("answer: {}, expected {}",
                                result.answer == nullptr ? "none" : quoted(result.answer->text),
                                quoted(*expected.answer)));
  }
  return unmet;
}

std::vector<std::string> unmet_success_rate(const scenarios::Expectations& expected,
                                            std::uint64_t successes, std::uint64_t runs) {
  std::vector<std::string> unmet;
  if (runs == 0) {
    return unmet;
  }
  __extension__ using Wide = unsigned __int128;
  // Compared as exact fractions; shown rounded down to a millionth.
  const auto scaled = static_cast<Wide>(successes) * 1'000'000U;
  const auto shown = scenarios::format_share(static_cast<std::uint32_t>(scaled / runs));
  if (const auto min = expected.success_rate_ppm.min;
      min && scaled < static_cast<Wide>(*min) * runs) {
    unmet.push_back(fmt::format("success_rate: {} of {} runs, expected at least {}", shown, runs,
                                scenarios::format_share(*min)));
  }
  if (const auto max = expected.success_rate_ppm.max;
      max && scaled > static_cast<Wide>(*max) * runs) {
    unmet.push_back(fmt::format("success_rate: {} of {} runs, expected at most {}", shown, runs,
                                scenarios::format_share(*max)));
  }
  return unmet;
}

}  // namespace squall::simulator
