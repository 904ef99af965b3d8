// SPDX-License-Identifier: MIT
#include "playback/expectations.hpp"

#include <functional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/quote.hpp"
#include "scenarios/quantities.hpp"

namespace squall::playback {
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
    std::vector<scenarios::FailureClass> classes;
    for (std::size_t i = 0; i < result.trail.size(); ++i) {
      classes.push_back(result.trail[i].failure_class);
    }
    if (classes != *expected.trail) {
      unmet.push_back(fmt::format("trail: {}, expected {}", show_classes(classes),
                                  show_classes(*expected.trail)));
    }
  }
  if (expected.retry_after_ms) {
    std::vector<std::optional<std::uint64_t>> observed;
    for (std::size_t i = 0; i < result.trail.size(); ++i) {
      observed.push_back(result.trail[i].retry_after_ms);
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

template <class Text>
std::string quoted_or_none(const std::optional<Text>& text) {
  return text ? quoted(*text) : "none";
}

void check_final_class(const scenarios::Expectations& expected, const Operation& operation,
                       std::vector<std::string>& unmet) {
  const std::optional<ShortfallView> shortfall = operation.shortfall();
  if (expected.final_class && (!shortfall || shortfall->final_class != *expected.final_class)) {
    unmet.push_back(fmt::format("final_class: {}, expected {}",
                                shortfall ? label(shortfall->final_class) : "none",
                                label(*expected.final_class)));
  }
}

/// What the operation gave, and what there is of it when it fell short.
void check_result(const scenarios::Expectations& expected, const Operation& operation,
                  std::vector<std::string>& unmet) {
  const std::optional<ShortfallView> shortfall = operation.shortfall();
  if (expected.answer) {
    if (const std::optional<std::string> answer = operation.answer(); answer != *expected.answer) {
      unmet.push_back(
          fmt::format("answer: {}, expected {}", quoted_or_none(answer), quoted(*expected.answer)));
    }
  }
  if (expected.last_raw) {
    const auto last_raw = shortfall ? shortfall->last_raw : std::nullopt;
    if (last_raw != *expected.last_raw) {
      unmet.push_back(fmt::format("last_raw: {}, expected {}", quoted_or_none(last_raw),
                                  quoted_or_none(*expected.last_raw)));
    }
  }
}

void check_synthesis(const scenarios::Expectations& expected, const Operation& operation,
                     std::vector<std::string>& unmet) {
  const core::llm::SynthesisRepaired* synthesis = operation.synthesis();
  check_bounds<std::uint64_t>(
      "groups", expected.groups, synthesis != nullptr ? synthesis->groups.size() : 0,
      [](const std::uint64_t& n) { return std::to_string(n); }, unmet);
  if (expected.remainder) {
    const auto remainder = synthesis != nullptr ? synthesis->remainder : std::vector<std::size_t>();
    if (remainder != *expected.remainder) {
      unmet.push_back(fmt::format("remainder: [{}], expected [{}]", fmt::join(remainder, ", "),
                                  fmt::join(*expected.remainder, ", ")));
    }
  }
}

void check_guidance(const scenarios::Expectations& expected, const RunResult& result,
                    std::vector<std::string>& unmet) {
  if (!expected.tool_class && !expected.verdict) {
    return;
  }
  const std::optional<core::tool::Failure> failure = result.operation->as_tool_failure();
  if (expected.tool_class && (!failure || failure->failure_class != *expected.tool_class)) {
    unmet.push_back(fmt::format("tool_class: {}, expected {}",
                                failure ? label(failure->failure_class) : "none",
                                label(*expected.tool_class)));
  }
  if (expected.verdict) {
    const auto verdict =
        failure ? std::optional(core::tool::guidance(*failure).verdict) : std::nullopt;
    if (verdict != *expected.verdict) {
      unmet.push_back(fmt::format("verdict: {}, expected {}", verdict ? label(*verdict) : "none",
                                  label(*expected.verdict)));
    }
  }
}

}  // namespace

std::string show_classes(const std::vector<scenarios::FailureClass>& classes) {
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
  check_final_class(expected, *result.operation, unmet);
  check_trail(expected, result, unmet);
  check_breaks(expected, result, unmet);
  check_result(expected, *result.operation, unmet);
  check_synthesis(expected, *result.operation, unmet);
  check_guidance(expected, result, unmet);
  check_bounds<std::uint32_t>(
      "prefix_reuse", expected.prefix_reuse_ppm, prefix_reuse_ppm(*result.prefix_reuse),
      [](const std::uint32_t& ppm) { return scenarios::format_share(ppm); }, unmet);
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

}  // namespace squall::playback
