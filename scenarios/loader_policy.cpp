// SPDX-License-Identifier: MIT
#include <array>
#include <utility>

#include "scenarios/loader_parts.hpp"
#include "scenarios/quantities.hpp"
#include "scenarios/wording.hpp"

namespace squall::scenarios {
namespace {

core::Ratio read_multiplier(const Node& node) {
  return node.is_text() ? node.read(parse_ratio)
                        : core::Ratio{.numerator = static_cast<std::uint32_t>(node.number()),
                                      .denominator = 1};
}

core::Backoff read_backoff(const Node& node) {
  if (node.has("constant")) {
    return core::ConstantBackoff{.delay_ms = node["constant"].read(parse_milliseconds)};
  }
  return core::ExponentialBackoff{
      .base_ms = node["base"].read(parse_milliseconds),
      .cap_ms = node["cap"].read(parse_milliseconds),
      .multiplier = read_multiplier(node["multiplier"]),
      .growth_steps_max = static_cast<std::uint32_t>(node["max_doublings"].number()),
  };
}

core::Jitter read_jitter(const Node& node) {
  const std::string& kind = node["kind"].text();
  const bool proportional = kind == "proportional";
  for (const char* const key : {"below", "width"}) {
    if (proportional && !node.has(key)) {
      node.refuse("missing key " + in_quotes(key) + R"( beside "kind": "proportional")");
    }
    if (!proportional && node.has(key)) {
      node[key].refuse(found_allowed(in_quotes(key) + R"( beside "kind": )" + in_quotes(kind),
                                     R"("kind": "proportional" beside it)"));
    }
  }
  if (kind == "none") {
    return core::NoJitter{};
  }
  if (kind == "equal") {
    return core::EqualJitter{};
  }
  if (kind == "full") {
    return core::FullJitter{};
  }
  return core::ProportionalJitter{
      .below = node.read_optional("below", parse_unit_fraction).value_or(1),
      .width = node.read_optional("width", parse_unit_fraction).value_or(1),
  };
}

core::RetryAfterRule read_retry_after(const Node& node) {
  core::RetryAfterRule rule;
  rule.seconds = rule.http_date = rule.milliseconds = false;
  for (const Node& source : node["sources"].elements()) {
    bool& flag = source.text() == "seconds"     ? rule.seconds
                 : source.text() == "http-date" ? rule.http_date
                                                : rule.milliseconds;
    flag = true;
  }
  const Node clamp = node["clamp"];
  rule.clamp_min_ms = clamp.element(0).read(parse_milliseconds);
  rule.clamp_max_ms = clamp.element(1).read(parse_milliseconds);
  if (rule.clamp_min_ms > rule.clamp_max_ms) {
    clamp.element(1).refuse(found_allowed(in_quotes(clamp.element(1).text()),
                                          "not less than " + in_quotes(clamp.element(0).text())));
  }
  rule.ignore_above_ms = node.read_optional("ignore_above", parse_milliseconds);
  return rule;
}

core::RetryOn read_retry_on(const Node& node) {
  core::RetryOn retry_on{
      .statuses = {}, .connection_failures = false, .cut_bodies = false, .unusable_answers = false};
  for (const Node& status : node["statuses"].elements()) {
    // "429", "404-499" or "5xx", as the schema has checked.
    const std::string& text = status.text();
    if (text.ends_with("xx")) {
      retry_on.statuses.add_class(text[0] - '0');
      continue;
    }
    const int first = std::stoi(text.substr(0, 3));
    const int last = text.size() > 3 ? std::stoi(text.substr(4)) : first;
    if (first > last) {
      status.refuse(found_allowed(in_quotes(text), "a range from the lower status to the higher"));
    }
    for (int code = first; code <= last; ++code) {
      retry_on.statuses.add(code);
    }
  }
  for (const Node& failure : node["failures"].elements()) {
    bool& flag = failure.text() == "connection" ? retry_on.connection_failures
                 : failure.text() == "cut_body" ? retry_on.cut_bodies
                                                : retry_on.unusable_answers;
    flag = true;
  }
  return retry_on;
}

}  // namespace

core::RetryPolicy read_policy(const Node& node) {
  core::RetryPolicy policy{
      .backoff = read_backoff(node["backoff"]),
      .jitter = read_jitter(node["jitter"]),
      .retry_after = read_retry_after(node["retry_after"]),
      .budgets = {.attempts_max = static_cast<std::uint32_t>(node["attempts"].number()),
                  .time = std::nullopt},
      .timeouts = {},
      .retry_on = read_retry_on(node["retry_on"]),
  };
  if (node.has("budgets")) {
    policy.budgets.time = node["budgets"].read_optional("time", parse_duration);
  }
  if (node.has("timeouts")) {
    policy.timeouts.idle = node["timeouts"].read_optional("idle", parse_duration);
    policy.timeouts.attempt = node["timeouts"].read_optional("attempt", parse_duration);
  }
  return policy;
}

}  // namespace squall::scenarios
