// SPDX-License-Identifier: MIT
#include "reports/verdict_text.hpp"

#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/figures.hpp"
#include "reports/policy_text.hpp"
#include "reports/run_report.hpp"

namespace squall::reports {
namespace {

/// Names of the invariants that a run gave no occasion to check.
std::vector<std::string_view> unchecked(const playback::CheckCounts& checks) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    if (checks[i] == 0) {
      names.push_back(playback::kInvariants[i].name);
    }
  }
  return names;
}

}  // namespace

std::string invariants_text(const playback::CheckCounts& checks, std::uint64_t runs_unsound) {
  const std::uint64_t total = std::accumulate(checks.begin(), checks.end(), std::uint64_t{0});
  if (total == 0 && runs_unsound == 0) {
    return "no invariant was checked";  // Nothing was run to its end.
  }
  const std::vector<std::string_view> idle = unchecked(checks);
  std::string text =
      fmt::format("{} checked {}: {}",
                  idle.empty() ? count_of(checks.size(), "invariant")
                               : fmt::format("{} of {}", checks.size() - idle.size(),
                                             count_of(checks.size(), "invariant")),
                  count_of(total, "time"),
                  runs_unsound == 0 ? std::string("all hold")
                                    : fmt::format("BROKEN in {}", count_of(runs_unsound, "run")));
  if (!idle.empty()) {
    text += fmt::format("; {} had nothing to check", fmt::join(idle, ", "));
  }
  return text;
}

std::string verdict_text(const Verdict& verdict, const Subject& subject, const Style& style) {
  if (!verdict.checked) {
    return field(style, "expected",
                 fmt::format("not checked: written for the scenario's own policy, not for {}",
                             subject.policy_override.value_or(subject.policy_name)));
  }
  std::string text;
  const auto line = [&](const std::string& words) {
    text += field(style, text.empty() ? "expected" : "", words);
  };
  for (const Expectation& expectation : verdict.expectations) {
    line(expectation.met
             ? fmt::format("{}    {} {}", paint(style, Tone::kGood, "ok"), expectation.name,
                           expectation.wanted)
             : fmt::format("{}  {}", paint(style, Tone::kBad, "FAIL"), expectation.finding));
  }
  if (verdict.success_rate_left_out) {
    line("--    success_rate is judged over many runs: add --runs");
  }
  return text;
}

std::vector<std::string> alarm_lines(const Subject& subject, std::uint64_t seed, std::uint64_t run,
                                     core::Duration at, const std::vector<std::string>& findings) {
  std::vector<std::string> lines;
  lines.reserve(findings.size() + 1);
  for (const std::string& finding : findings) {
    lines.push_back(fmt::format("squall: broken in {} (seed {}, run {}, virtual time {}): {}",
                                subject.scenario, seed, run, exact_clock_text(at),
                                excerpt(finding, 1'000)));
  }
  if (!subject.reference.empty()) {
    lines.push_back("  " + replay_command(subject, seed, run));
  }
  return lines;
}

std::string header_text(const Subject& subject, const Style& style) {
  const std::string title = fmt::format("{}: {}", paint(style, Tone::kStrong, subject.scenario),
                                        excerpt(subject.summary, 400));
  return wrapped(style, 2, title) + '\n' +
         field(style, "policy",
               fmt::format("{}: {}", subject.policy_override.value_or(subject.policy_name),
                           policy_line(subject.policy)));
}

}  // namespace squall::reports
