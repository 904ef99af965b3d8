// SPDX-License-Identifier: MIT
#include <charconv>

#include "core/check.hpp"
#include "scenarios/loader_parts.hpp"
#include "scenarios/quantities.hpp"
#include "scenarios/wording.hpp"

namespace squall::scenarios {
namespace {

using core::llm::FailureClass;

// As many as a policy can have attempts.
constexpr std::size_t kTrailMax = 1'000'000;

FailureClass read_class(std::string_view label) {
  const auto failure_class = core::llm::failure_class_from_label(label);
  SQUALL_CHECK(failure_class.has_value(), label);  // The schema lists the same labels.
  return *failure_class;
}

/// One value for exactly that, or an object with `min`, `max` or both. `read` reads a node.
template <class T, class Read>
Bounds<T> read_bounds(const Node& node, Read read) {
  Bounds<T> bounds;
  if (!node.is_object()) {
    bounds.min = bounds.max = read(node);
    return bounds;
  }
  if (node.has("min")) {
    bounds.min = read(node["min"]);
  }
  if (node.has("max")) {
    bounds.max = read(node["max"]);
  }
  if (bounds.min && bounds.max && *bounds.min > *bounds.max) {
    const Json& max = node.json()["max"];
    const Json& min = node.json()["min"];
    node["max"].refuse(found_allowed(max.dump(), "not less than \"min\", " + min.dump()));
  }
  return bounds;
}

std::vector<FailureClass> read_trail(const Node& node) {
  std::vector<FailureClass> trail;
  for (const Node& entry : node.elements()) {
    const std::string_view text = entry.text();  // "transport" or "transport x12".
    const std::size_t blank = text.find(' ');
    std::size_t count = 1;
    if (blank != std::string_view::npos) {
      std::from_chars(text.data() + blank + 2, text.data() + text.size(), count);
    }
    if (trail.size() + count > kTrailMax) {
      entry.refuse(found_allowed("more failures", "at most 1000000 in all"));
      break;
    }
    trail.insert(trail.end(), count, read_class(text.substr(0, blank)));
  }
  return trail;
}

std::vector<std::optional<std::uint64_t>> read_retry_after(const Node& node) {
  std::vector<std::optional<std::uint64_t>> values;
  for (const Node& entry : node.elements()) {
    values.push_back(entry.is_text() ? std::optional<std::uint64_t>(entry.read(parse_milliseconds))
                                     : std::nullopt);
  }
  return values;
}

}  // namespace

Expectations read_expectations(const Node& node) {
  const auto read_number = [](const Node& value) { return value.number(); };
  const auto read_duration = [](const Node& value) { return value.read(parse_duration); };
  const auto read_share = [](const Node& value) { return value.read(parse_share); };

  Expectations expect;
  if (node.has("outcome")) {
    expect.outcome = outcome_from_label(node["outcome"].text());
  }
  if (node.has("attempts")) {
    expect.attempts = read_bounds<std::uint64_t>(node["attempts"], read_number);
  }
  if (node.has("elapsed")) {
    expect.elapsed = read_bounds<core::Duration>(node["elapsed"], read_duration);
  }
  if (node.has("sleep_total")) {
    expect.sleep_total = read_bounds<core::Duration>(node["sleep_total"], read_duration);
  }
  if (node.has("final_class")) {
    expect.final_class = read_class(node["final_class"].text());
  }
  if (node.has("trail")) {
    expect.trail = read_trail(node["trail"]);
  }
  if (node.has("retry_after")) {
    expect.retry_after_ms = read_retry_after(node["retry_after"]);
  }
  if (node.has("answer")) {
    expect.answer = node["answer"].text();
  }
  if (node.has("success_rate")) {
    expect.success_rate_ppm = read_bounds<std::uint32_t>(node["success_rate"], read_share);
  }
  if (node.has("breaks")) {
    expect.breaks = node["breaks"].text();
  }
  return expect;
}

}  // namespace squall::scenarios
