// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "scenarios/pretty.hpp"
#include "scenarios/quantities.hpp"
#include "scenarios/writer.hpp"
#include "scenarios/writer_parts.hpp"

namespace squall::scenarios {
namespace {

Json backoff_json(const core::Backoff& backoff) {
  if (const auto* constant = std::get_if<core::ConstantBackoff>(&backoff)) {
    return {{"constant", format_milliseconds(constant->delay_ms)}};
  }
  const auto& exponential = std::get<core::ExponentialBackoff>(backoff);
  const core::Ratio multiplier = exponential.multiplier;
  return {{"base", format_milliseconds(exponential.base_ms)},
          {"multiplier", multiplier.denominator == 1 ? Json(multiplier.numerator)
                                                     : Json(format_ratio(multiplier))},
          {"cap", format_milliseconds(exponential.cap_ms)},
          {"max_doublings", exponential.growth_steps_max}};
}

Json jitter_json(const core::Jitter& jitter) {
  if (const auto* proportional = std::get_if<core::ProportionalJitter>(&jitter)) {
    return {{"kind", "proportional"},
            {"below", format_unit_fraction(proportional->below)},
            {"width", format_unit_fraction(proportional->width)}};
  }
  return {{"kind", std::holds_alternative<core::NoJitter>(jitter)      ? "none"
                   : std::holds_alternative<core::EqualJitter>(jitter) ? "equal"
                                                                       : "full"}};
}

Json retry_after_json(const core::RetryAfterRule& rule) {
  Json sources = Json::array();
  if (rule.milliseconds) {
    sources.push_back("retry-after-ms");
  }
  if (rule.seconds) {
    sources.push_back("seconds");
  }
  if (rule.http_date) {
    sources.push_back("http-date");
  }
  Json object = {{"sources", std::move(sources)},
                 {"clamp", Json::array({format_milliseconds(rule.clamp_min_ms),
                                        format_milliseconds(rule.clamp_max_ms)})}};
  if (rule.ignore_above_ms) {
    object["ignore_above"] = format_milliseconds(*rule.ignore_above_ms);
  }
  return object;
}

/// Whole classes as "5xx", three and more in a row as "404-499", the rest one by one. Codes below
/// 100 cannot be received or written.
Json statuses_json(const core::StatusSet& statuses) {
  Json list = Json::array();
  for (int hundreds = 1; hundreds < core::StatusSet::kCodes / 100; ++hundreds) {
    const int end = hundreds * 100 + 100;
    for (int first = hundreds * 100; first < end; ++first) {
      int next = first;  // The first code that is not in the row any more.
      while (next < end && statuses.contains(next)) {
        ++next;
      }
      if (next - first == 100) {
        list.push_back(std::to_string(hundreds) + "xx");
      } else if (next - first > 2) {
        list.push_back(std::to_string(first) + "-" + std::to_string(next - 1));
      } else if (next > first) {
        list.push_back(std::to_string(first));
        continue;
      }
      first = std::max(first, next);
    }
  }
  return list;
}

Json retry_on_json(const core::RetryOn& retry_on) {
  Json failures = Json::array();
  if (retry_on.connection_failures) {
    failures.push_back("connection");
  }
  if (retry_on.cut_bodies) {
    failures.push_back("cut_body");
  }
  if (retry_on.unusable_answers) {
    failures.push_back("unusable_answer");
  }
  return {{"statuses", statuses_json(retry_on.statuses)}, {"failures", std::move(failures)}};
}

}  // namespace

Json policy_members(const core::RetryPolicy& policy) {
  Json budgets = Json::object();
  if (policy.budgets.time) {
    budgets["time"] = format_duration(*policy.budgets.time);
  }
  Json timeouts = Json::object();
  if (policy.timeouts.idle) {
    timeouts["idle"] = format_duration(*policy.timeouts.idle);
  }
  if (policy.timeouts.attempt) {
    timeouts["attempt"] = format_duration(*policy.timeouts.attempt);
  }
  return {{"attempts", policy.budgets.attempts_max},
          {"backoff", backoff_json(policy.backoff)},
          {"jitter", jitter_json(policy.jitter)},
          {"retry_after", retry_after_json(policy.retry_after)},
          {"budgets", std::move(budgets)},
          {"timeouts", std::move(timeouts)},
          {"retry_on", retry_on_json(policy.retry_on)}};
}

std::string write_policy(const core::RetryPolicy& policy, std::string_view name,
                         std::string_view summary) {
  Json object = {{"name", name}, {"summary", summary}};
  object.update(policy_members(policy));
  return pretty(object) + "\n";
}

}  // namespace squall::scenarios
