// SPDX-License-Identifier: MIT
#include "analysis/gate_metric.hpp"

#include <limits>

#include "core/check.hpp"
#include "scenarios/quantities.hpp"
#include "scenarios/wording.hpp"

namespace squall::analysis {
namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kMillion = 1'000'000;

/// Decimal digits with at most `decimals` after a point, as that many decimals' units: 1.5 with 6
/// decimals is 1'500'000.
std::optional<std::int64_t> parse_decimal(std::string_view text, std::size_t decimals) {
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view rest =
      point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
  constexpr std::size_t kDigitsMax = 9;
  if (whole.empty() || whole.size() > kDigitsMax || rest.size() > decimals ||
      (point != std::string_view::npos && rest.empty())) {
    return std::nullopt;
  }
  std::string digits(whole);
  digits += rest;
  digits.append(decimals - rest.size(), '0');
  std::int64_t value = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') {
      return std::nullopt;
    }
    value = value * 10 + (digit - '0');
  }
  return value;
}

std::string allowed(const MetricInfo& info) {
  switch (info.unit) {
    case Unit::kShare:
      return R"(a fall such as "-0.1pp" or "-1%", a least value such as "99%", or "off")";
    case Unit::kCount:
      return R"(a rise such as "+10%" or "+0.5", a largest value such as "12.5", or "off")";
    case Unit::kTime:
      break;
  }
  return R"(a rise such as "+10%" or "+30s", a largest value such as "10m", or "off")";
}

/// What follows the sign of a change, in the unit of the metric; nothing when it is not that.
std::optional<std::int64_t> parse_amount(Unit unit, std::string_view text, bool is_limit) {
  switch (unit) {
    case Unit::kShare: {
      // "pp" are points of the change, "%" is the value itself: both four decimals of a percent.
      const std::string_view suffix = is_limit ? "%" : "pp";
      if (!text.ends_with(suffix)) {
        return std::nullopt;
      }
      text.remove_suffix(suffix.size());
      const auto ppm = parse_decimal(text, 4);
      return ppm && *ppm <= kMillion ? ppm : std::nullopt;
    }
    case Unit::kCount:
      return parse_decimal(text, 6);
    case Unit::kTime:
      break;
  }
  const auto duration = scenarios::parse_duration(text);
  return duration ? std::optional<std::int64_t>(duration->count()) : std::nullopt;
}

std::optional<Threshold> read(const MetricInfo& info, std::string_view text) {
  using Kind = Threshold::Kind;
  if (text == "off") {
    return Threshold{};
  }
  const char sign = info.larger_is_worse ? '+' : '-';
  if (!text.starts_with(sign)) {
    const auto limit = parse_amount(info.unit, text, /*is_limit=*/true);
    return limit ? std::optional(Threshold{Kind::kLimit, *limit, std::string(text)}) : std::nullopt;
  }
  const std::string_view size = text.substr(1);
  if (size.ends_with('%')) {
    const auto ppm = parse_decimal(size.substr(0, size.size() - 1), 4);
    return ppm ? std::optional(Threshold{Kind::kRelative, *ppm, std::string(text)}) : std::nullopt;
  }
  const auto amount = parse_amount(info.unit, size, /*is_limit=*/false);
  return amount ? std::optional(Threshold{Kind::kAbsolute, *amount, std::string(text)})
                : std::nullopt;
}

/// Of `estimate`, turned so that larger is worse.
struct Turned {
  Wide change, change_least, change_most, value, value_least;
};

Turned turned(const PairedEstimate& estimate, bool larger_is_worse) {
  if (larger_is_worse) {
    return {estimate.change, estimate.change_interval.low, estimate.change_interval.high,
            estimate.candidate, estimate.candidate_interval.low};
  }
  return {-Wide{estimate.change}, -Wide{estimate.change_interval.high},
          -Wide{estimate.change_interval.low}, -Wide{estimate.candidate},
          -Wide{estimate.candidate_interval.high}};
}

}  // namespace

std::optional<Metric> metric_from_name(std::string_view name) {
  for (const MetricInfo& info : kMetrics) {
    if (info.name == name) {
      return info.metric;
    }
  }
  return std::nullopt;
}

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const MetricInfo& info : kMetrics) {
    names.emplace_back(info.name);
  }
  return names;
}

core::Expected<Threshold, core::Error> parse_threshold(Metric metric, std::string_view text) {
  const MetricInfo& info = info_of(metric);
  if (std::optional<Threshold> threshold = read(info, text)) {
    return *std::move(threshold);
  }
  return core::Unexpected<core::Error>(
      scenarios::error_of(scenarios::found_allowed(scenarios::in_quotes(text), allowed(info))));
}

Threshold default_threshold(Metric metric) {
  const auto threshold = parse_threshold(metric, info_of(metric).threshold);
  SQUALL_CHECK(threshold.has_value(), info_of(metric).name);
  return *threshold;
}

std::string_view label(Change change) {
  switch (change) {
    case Change::kNone:
      return "unchanged";
    case Change::kWithin:
      return "within";
    case Change::kImproved:
      return "improved";
    case Change::kRegressed:
      return "regressed";
    case Change::kUnknown:
      break;
  }
  return "unknown";
}

Change judge(Metric metric, const Threshold& threshold, const PairedEstimate& estimate) {
  const MetricInfo& info = info_of(metric);
  const Turned worse = turned(estimate, info.larger_is_worse);
  if (threshold.kind == Threshold::Kind::kLimit) {
    const Wide limit = info.larger_is_worse ? Wide{threshold.amount} : -Wide{threshold.amount};
    if (worse.value > limit && worse.value_least > limit) {
      return Change::kRegressed;
    }
  }
  if (estimate.change == 0 && estimate.change_interval == Interval{0, 0}) {
    return Change::kNone;
  }
  if (threshold.kind == Threshold::Kind::kOff) {
    return Change::kWithin;
  }
  Wide tolerated = 0;  // Of a limit: any change for the better is one.
  if (threshold.kind == Threshold::Kind::kRelative) {
    tolerated = Wide{estimate.baseline} * threshold.amount / kMillion;
  } else if (threshold.kind == Threshold::Kind::kAbsolute) {
    tolerated = threshold.amount;
  }
  if (threshold.kind != Threshold::Kind::kLimit && worse.change > tolerated &&
      worse.change_least > tolerated) {
    return Change::kRegressed;
  }
  return -worse.change > tolerated && -worse.change_most > tolerated ? Change::kImproved
                                                                     : Change::kWithin;
}

}  // namespace squall::analysis
