// SPDX-License-Identifier: MIT
#include <array>
#include <charconv>

#include "core/check.hpp"
#include "scenarios/loader_parts.hpp"
#include "scenarios/quantities.hpp"
#include "scenarios/wording.hpp"

namespace squall::scenarios {
namespace {

// As many as a policy can have attempts.
constexpr std::size_t kTrailMax = 1'000'000;

/// An expectation that only some kinds of operation can meet.
struct Restricted {
  const char* key;
  bool (*fits)(OperationKind);
  std::string_view where;
};
constexpr bool is_synthesis(OperationKind kind) {
  return kind == OperationKind::kSynthesis;
}
constexpr bool is_tool_call(OperationKind kind) {
  return kind == OperationKind::kToolCall;
}
constexpr bool is_chat(OperationKind kind) {
  return kind != OperationKind::kToolCall;
}
constexpr std::array<Restricted, 5> kRestricted{{
    {"last_raw", is_chat, "for every kind but \"tool_call\""},
    {"groups", is_synthesis, "only for the kind \"synthesis\""},
    {"remainder", is_synthesis, "only for the kind \"synthesis\""},
    {"tool_class", is_tool_call, "only for the kind \"tool_call\""},
    {"verdict", is_tool_call, "only for the kind \"tool_call\""},
}};

void refuse_foreign_members(const Node& node, OperationKind kind) {
  for (const Restricted& restricted : kRestricted) {
    if (node.has(restricted.key) && !restricted.fits(kind)) {
      node[restricted.key].refuse(
          found_allowed(in_quotes(restricted.key) + for_kind(kind), restricted.where));
    }
  }
}

/// The class called `label` in the taxonomy of `kind`. `node` is where the label stands.
FailureClass read_class(std::string_view text, OperationKind kind, const Node& node) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < FailureClass::kCount; ++i) {
    const FailureClass candidate = FailureClass::at(i);
    if (candidate.is_connector_kind() == is_tool_call(kind)) {
      if (label(candidate) == text) {
        return candidate;
      }
      labels.push_back(in_quotes(label(candidate)));
    }
  }
  node.refuse(found_allowed(in_quotes(text) + for_kind(kind), join(labels)));
  return {};
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

std::vector<FailureClass> read_trail(const Node& node, OperationKind kind) {
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
    trail.insert(trail.end(), count, read_class(text.substr(0, blank), kind, entry));
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

std::vector<std::size_t> read_remainder(const Node& node, std::size_t items) {
  std::vector<std::size_t> ids;
  for (const Node& entry : node.elements()) {
    const std::size_t id = entry.number();
    if (id >= items) {
      entry.refuse(found_allowed(std::to_string(id),
                                 "the id of an item, from 0 to " + std::to_string(items - 1)));
    }
    if (!ids.empty() && id <= ids.back()) {
      entry.refuse(found_allowed(std::to_string(id) + " after " + std::to_string(ids.back()),
                                 "ids in ascending order"));
    }
    ids.push_back(id);
  }
  return ids;
}

core::tool::Verdict read_verdict(const Node& node) {
  for (const core::tool::Verdict verdict : core::tool::kAllVerdicts) {
    if (core::tool::label(verdict) == node.text()) {
      return verdict;
    }
  }
  SQUALL_CHECK(false, node.text());  // The schema lists the same labels.
}

}  // namespace

Expectations read_expectations(const Node& node, const OperationSpec& operation) {
  const OperationKind kind = operation.kind();
  const auto read_number = [](const Node& value) { return value.number(); };
  const auto read_duration = [](const Node& value) { return value.read(parse_duration); };
  const auto read_share = [](const Node& value) { return value.read(parse_share); };

  Expectations expect;
  refuse_foreign_members(node, kind);
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
    expect.final_class = read_class(node["final_class"].text(), kind, node["final_class"]);
  }
  if (node.has("trail")) {
    expect.trail = read_trail(node["trail"], kind);
  }
  if (node.has("retry_after")) {
    expect.retry_after_ms = read_retry_after(node["retry_after"]);
  }
  if (node.has("answer")) {
    expect.answer = node["answer"].text();
  }
  if (node.has("last_raw")) {
    const Node raw = node["last_raw"];
    expect.last_raw = raw.is_text() ? std::optional(raw.text()) : std::nullopt;
  }
  if (node.has("groups")) {
    expect.groups = read_bounds<std::uint64_t>(node["groups"], read_number);
  }
  if (node.has("remainder")) {
    expect.remainder = read_remainder(node["remainder"], item_count(operation));
  }
  if (node.has("prefix_reuse")) {
    expect.prefix_reuse_ppm = read_bounds<std::uint32_t>(node["prefix_reuse"], read_share);
  }
  if (node.has("tool_class")) {
    expect.tool_class = core::tool::failure_class_from_label(node["tool_class"].text());
  }
  if (node.has("verdict")) {
    expect.verdict = read_verdict(node["verdict"]);
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
