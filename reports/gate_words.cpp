// SPDX-License-Identifier: MIT
#include "reports/gate_words.hpp"

#include <optional>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/worst_case.hpp"
#include "reports/figures.hpp"
#include "reports/policy_text.hpp"
#include "scenarios/quantities.hpp"
#include "scenarios/wording.hpp"

namespace squall::reports {
namespace {

using analysis::Change;
using analysis::MetricChange;
using analysis::Part;
using analysis::Threshold;
using analysis::Unit;
using core::Duration;
using core::RetryPolicy;

__extension__ using Wide = __int128;

constexpr std::int64_t kMillion = 1'000'000;
constexpr std::int64_t kSecond = 1'000'000'000;

Unit unit_of(const MetricChange& metric) {
  return analysis::info_of(metric.metric).unit;
}

bool is_endless(const MetricChange& metric, std::int64_t value) {
  return unit_of(metric) == Unit::kTime && value == analysis::kNoEnd.count();
}

/// For people: rounded.
std::string value_text(const MetricChange& metric, std::int64_t value) {
  switch (unit_of(metric)) {
    case Unit::kShare:
      return share_text(static_cast<std::uint64_t>(value), kMillion);
    case Unit::kCount:
      return average_text(static_cast<std::uint64_t>(value), kMillion);
    case Unit::kTime:
      break;
  }
  return is_endless(metric, value) ? "no end" : long_text(Duration{value});
}

/// Every digit.
std::string exact_text(const MetricChange& metric, std::int64_t value) {
  switch (unit_of(metric)) {
    case Unit::kShare:
      return scenarios::format_share(static_cast<std::uint32_t>(value));
    case Unit::kCount:
      return fmt::format("{}.{:06}", value / kMillion, value % kMillion);
    case Unit::kTime:
      break;
  }
  return is_endless(metric, value) ? "no end"
                                   : fmt::format("{}.{:09} s", value / kSecond, value % kSecond);
}

/// "+11.2%" from millionths: one decimal, two below a percent, four where those would say nothing.
std::string signed_percent(Wide ppm, std::string_view unit) {
  const char sign = ppm < 0 ? '-' : '+';
  const auto size = static_cast<std::uint64_t>(ppm < 0 ? -ppm : ppm);
  const std::uint64_t whole = size / 10'000;
  const std::uint64_t rest = size % 10'000;
  if (size != 0 && size < 100) {
    return fmt::format("{}{}.{:04}{}", sign, whole, rest, unit);
  }
  return whole == 0 ? fmt::format("{}{}.{:02}{}", sign, whole, rest / 100, unit)
                    : fmt::format("{}{}.{}{}", sign, whole, rest / 1'000, unit);
}

/// A difference of `metric`, relative to the baseline where that makes sense.
std::string difference_text(const MetricChange& metric, std::int64_t difference) {
  if (unit_of(metric) == Unit::kShare) {
    return signed_percent(difference, " pp");
  }
  const std::int64_t baseline = metric.estimate.baseline;
  if (baseline != 0) {
    return signed_percent(Wide{difference} * kMillion / baseline, "%");
  }
  const char sign = difference < 0 ? '-' : '+';
  const std::int64_t size = difference < 0 ? -difference : difference;
  return sign + value_text(metric, size);
}

template <class T, class Text>
std::string optional_text(const std::optional<T>& value, Text text) {
  return value ? text(*value) : "none";
}

std::string jitter_text(const core::Jitter& jitter) {
  if (const auto* part = std::get_if<core::ProportionalJitter>(&jitter)) {
    if (100 % part->below == 0 && 100 % part->width == 0) {
      const std::uint32_t least = 100 - 100 / part->below;
      return fmt::format("{}% to {}%", least, least + 100 / part->width);
    }
    return fmt::format("-1/{} then +1/{}", part->below, part->width);
  }
  return std::holds_alternative<core::NoJitter>(jitter)      ? "none"
         : std::holds_alternative<core::EqualJitter>(jitter) ? "equal"
                                                             : "full";
}

std::string sources_text(const core::RetryAfterRule& rule) {
  std::vector<std::string_view> sources;
  if (rule.milliseconds) {
    sources.push_back("retry-after-ms");
  }
  if (rule.seconds) {
    sources.push_back("seconds");
  }
  if (rule.http_date) {
    sources.push_back("HTTP dates");
  }
  return sources.empty() ? "none" : fmt::format("{}", fmt::join(sources, ", "));
}

std::string backoff_text(const core::Backoff& backoff) {
  if (const auto* constant = std::get_if<core::ConstantBackoff>(&backoff)) {
    return milliseconds_text(constant->delay_ms) + " each time";
  }
  const auto& grows = std::get<core::ExponentialBackoff>(backoff);
  return fmt::format("{} x {} up to {}", milliseconds_text(grows.base_ms),
                     scenarios::format_ratio(grows.multiplier), milliseconds_text(grows.cap_ms));
}

core::StatusSet difference(const core::StatusSet& left, const core::StatusSet& right) {
  core::StatusSet set;
  for (int status = 0; status < core::StatusSet::kCodes; ++status) {
    if (left.contains(status) && !right.contains(status)) {
      set.add(status);
    }
  }
  return set;
}

/// "retried statuses: 409 too, 408 no more".
std::string statuses_words(const core::StatusSet& from, const core::StatusSet& to) {
  const core::StatusSet added = difference(to, from);
  const core::StatusSet gone = difference(from, to);
  std::vector<std::string> words;
  if (added != core::StatusSet()) {
    words.push_back(statuses_text(added) + " too");
  }
  if (gone != core::StatusSet()) {
    words.push_back(statuses_text(gone) + " no more");
  }
  return fmt::format("retried statuses: {}", fmt::join(words, ", "));
}

std::string failures_words(const core::RetryOn& from, const core::RetryOn& to) {
  std::vector<std::string> words;
  const auto add = [&words](bool before, bool after, std::string_view name) {
    if (before != after) {
      words.push_back(fmt::format("{} {}", name, after ? "too" : "no more"));
    }
  };
  add(from.connection_failures, to.connection_failures, "failed connections");
  add(from.cut_bodies, to.cut_bodies, "cut bodies");
  add(from.unusable_answers, to.unusable_answers, "unusable answers");
  return fmt::format("retried failures: {}", fmt::join(words, ", "));
}

std::string arrow(std::string_view name, const std::string& from, const std::string& to) {
  return fmt::format("{} {} -> {}", name, from, to);
}

std::string schedule_words(Part part, const RetryPolicy& from, const RetryPolicy& to) {
  const auto* old_one = std::get_if<core::ExponentialBackoff>(&from.backoff);
  const auto* new_one = std::get_if<core::ExponentialBackoff>(&to.backoff);
  if (old_one == nullptr || new_one == nullptr) {
    return arrow("schedule", backoff_text(from.backoff), backoff_text(to.backoff));
  }
  switch (part) {
    case Part::kBase:
      return arrow("base", milliseconds_text(old_one->base_ms),
                   milliseconds_text(new_one->base_ms));
    case Part::kMultiplier:
      return arrow("multiplier", scenarios::format_ratio(old_one->multiplier),
                   scenarios::format_ratio(new_one->multiplier));
    case Part::kCap:
      return arrow("cap", milliseconds_text(old_one->cap_ms), milliseconds_text(new_one->cap_ms));
    default:
      return arrow("growth steps", count_text(old_one->growth_steps_max),
                   count_text(new_one->growth_steps_max));
  }
}

std::string retry_after_words(Part part, const core::RetryAfterRule& from,
                              const core::RetryAfterRule& to) {
  switch (part) {
    case Part::kRetryAfterSources:
      return arrow("Retry-After read from", sources_text(from), sources_text(to));
    case Part::kRetryAfterClamp:
      return arrow("Retry-After within", interval_text({from.clamp_min_ms, from.clamp_max_ms}),
                   interval_text({to.clamp_min_ms, to.clamp_max_ms}));
    default:
      return arrow("Retry-After ignored above",
                   optional_text(from.ignore_above_ms, milliseconds_text),
                   optional_text(to.ignore_above_ms, milliseconds_text));
  }
}

void add(std::vector<GateFinding>& found, const GateFinding& finding, Change change) {
  if (finding.metric->change == change) {
    found.push_back(finding);
  }
}

}  // namespace

std::vector<GateFinding> findings_of(const GateReport& report, Change change) {
  std::vector<GateFinding> found;
  for (std::size_t i = 0; i < report.policies.size(); ++i) {
    const analysis::PolicyChange& policy = report.policies[i];
    for (const analysis::BoundChange& bound : policy.bounds) {
      add(found, {i, &policy, nullptr, &bound, &bound.metric}, change);
    }
    for (const analysis::ScenarioChange& scenario : policy.scenarios) {
      for (const MetricChange& metric : scenario.metrics) {
        add(found, {i, &policy, &scenario, nullptr, &metric}, change);
      }
    }
  }
  return found;
}

std::pair<std::string, std::string> before_and_after(const MetricChange& metric) {
  const std::int64_t before = metric.estimate.baseline;
  const std::int64_t after = metric.estimate.candidate;
  std::pair<std::string, std::string> texts{value_text(metric, before), value_text(metric, after)};
  if (texts.first == texts.second && before != after) {
    texts = {exact_text(metric, before), exact_text(metric, after)};
  }
  return texts;
}

std::string change_text(const MetricChange& metric) {
  if (is_endless(metric, metric.estimate.baseline) !=
      is_endless(metric, metric.estimate.candidate)) {
    return is_endless(metric, metric.estimate.candidate) ? "no end" : "ends";
  }
  return difference_text(metric, metric.estimate.change);
}

std::string threshold_text(const MetricChange& metric) {
  switch (metric.threshold.kind) {
    case Threshold::Kind::kOff:
      return "not judged";
    case Threshold::Kind::kLimit:
      return fmt::format("{} {}",
                         analysis::info_of(metric.metric).larger_is_worse ? "at most" : "at least",
                         metric.threshold.text);
    default:
      return "allowed " + metric.threshold.text;
  }
}

std::string interval_words(const MetricChange& metric) {
  if (!metric.sampled) {
    return {};
  }
  if (metric.threshold.kind == Threshold::Kind::kLimit) {
    const analysis::Interval& interval = metric.estimate.candidate_interval;
    return fmt::format("99% interval {} to {}", value_text(metric, interval.low),
                       value_text(metric, interval.high));
  }
  const analysis::Interval& interval = metric.estimate.change_interval;
  return fmt::format("99% interval {} to {}", difference_text(metric, interval.low),
                     difference_text(metric, interval.high));
}

std::string part_words(Part part, const RetryPolicy& from, const RetryPolicy& to) {
  switch (part) {
    case Part::kAttempts:
      return arrow("calls", count_text(from.budgets.attempts_max),
                   count_text(to.budgets.attempts_max));
    case Part::kBackoff:
    case Part::kBase:
    case Part::kMultiplier:
    case Part::kCap:
    case Part::kGrowthSteps:
      return schedule_words(part, from, to);
    case Part::kJitter:
      return arrow("jitter", jitter_text(from.jitter), jitter_text(to.jitter));
    case Part::kRetryAfterSources:
    case Part::kRetryAfterClamp:
    case Part::kRetryAfterIgnoreAbove:
      return retry_after_words(part, from.retry_after, to.retry_after);
    case Part::kTimeBudget:
      return arrow("time budget", optional_text(from.budgets.time, seconds_text),
                   optional_text(to.budgets.time, seconds_text));
    case Part::kIdleTimeout:
      return arrow("idle timeout", optional_text(from.timeouts.idle, seconds_text),
                   optional_text(to.timeouts.idle, seconds_text));
    case Part::kAttemptTimeout:
      return arrow("attempt timeout", optional_text(from.timeouts.attempt, seconds_text),
                   optional_text(to.timeouts.attempt, seconds_text));
    case Part::kStatuses:
      return statuses_words(from.retry_on.statuses, to.retry_on.statuses);
    case Part::kFailures:
      break;
  }
  return failures_words(from.retry_on, to.retry_on);
}

std::string parts_words(const analysis::PolicyChange& policy) {
  std::vector<std::string> words;
  for (const Part part : policy.parts) {
    words.push_back(part_words(part, policy.baseline, policy.candidate));
  }
  return words.empty() ? "the same policy" : fmt::format("{}", fmt::join(words, "; "));
}

std::string cause_words(const GateFinding& finding) {
  const analysis::PolicyChange& policy = *finding.of;
  if (policy.parts.empty()) {
    // Either the stored runs are of another squall, or a limit was exceeded all along.
    return finding.metric->estimate.change == 0
               ? "with the same policy"
               : "although the policy is the same: what plays it has changed";
  }
  if (finding.metric->causes.empty()) {
    return finding.metric->estimate.change == 0
               ? "as before"
               : fmt::format("because of several changes together: {}", parts_words(policy));
  }
  std::vector<std::string> words;
  for (const analysis::Cause& cause : finding.metric->causes) {
    std::string one = part_words(cause.part, policy.baseline, policy.candidate);
    if (policy.parts.size() > 1) {
      one += fmt::format(" (alone: to {})", value_text(*finding.metric, cause.alone));
    }
    words.push_back(std::move(one));
  }
  const std::string last = words.back();
  words.pop_back();
  return words.empty() ? "because " + last
                       : fmt::format("because {} and {}", fmt::join(words, ", "), last);
}

std::string place_words(const GateFinding& finding) {
  return finding.scenario != nullptr ? finding.scenario->name
                                     : fmt::format("every {}", label(finding.bound->kind));
}

std::string sentence(const GateFinding& finding) {
  const MetricChange& metric = *finding.metric;
  const std::string_view title = analysis::info_of(metric.metric).title;
  const auto [before, after] = before_and_after(metric);
  if (metric.estimate.change == 0) {
    return fmt::format("{} is {} {}", title, after, cause_words(finding));
  }
  return fmt::format("{} {} from {} to {} {}", title,
                     metric.estimate.change > 0 ? "rises" : "falls", before, after,
                     cause_words(finding));
}

std::string measure_words(const GateFinding& finding) {
  std::string words =
      fmt::format("{}, {}", change_text(*finding.metric), threshold_text(*finding.metric));
  if (const std::string interval = interval_words(*finding.metric); !interval.empty()) {
    words += "; " + interval;
  }
  return words;
}

std::size_t line_of(const GateReport& report, const GateFinding& finding) {
  const GatePlace& place = report.places[finding.policy];
  const std::vector<analysis::Part>& parts = finding.of->parts;
  if (!parts.empty()) {
    const Part part =
        finding.metric->causes.empty() ? parts.front() : finding.metric->causes.front().part;
    for (std::size_t i = 0; i < parts.size() && i < place.lines.size(); ++i) {
      if (parts[i] == part && place.lines[i] != 0) {
        return place.lines[i];
      }
    }
  }
  return 1;
}

std::uint64_t GateReport::count(Change change) const {
  std::uint64_t count = 0;
  for (const analysis::PolicyChange& policy : policies) {
    count += policy.count(change);
  }
  return count;
}

std::string verdict_words(const GateReport& report) {
  std::string words = fmt::format(
      "{} regressed, {} improved, {} changed within thresholds, {} as before",
      count_text(report.count(Change::kRegressed)), count_text(report.count(Change::kImproved)),
      count_text(report.count(Change::kWithin)), count_text(report.count(Change::kNone)));
  if (const std::uint64_t unknown = report.count(Change::kUnknown); unknown > 0) {
    words += fmt::format(", {} not computed", count_text(unknown));
  }
  return words;
}

}  // namespace squall::reports
