// SPDX-License-Identifier: MIT
#include <optional>
#include <utility>
#include <vector>

#include "scenarios/quantities.hpp"
#include "scenarios/writer_parts.hpp"

namespace squall::scenarios {
namespace {

/// Adds nothing when no bound binds, one value for "exactly", else an object of the bounds.
template <class T, class Format>
void add_bounds(const Bounds<T>& bounds, bool exactly, const char* key, Format format,
                Json& object) {
  if (!bounds.min && !bounds.max) {
    return;
  }
  if (exactly && bounds.min && bounds.min == bounds.max) {
    object[key] = format(*bounds.min);
    return;
  }
  if (bounds.min) {
    object[key]["min"] = format(*bounds.min);
  }
  if (bounds.max) {
    object[key]["max"] = format(*bounds.max);
  }
}

Json trail_json(const std::vector<FailureClass>& trail) {
  Json list = Json::array();
  for (std::size_t begin = 0; begin < trail.size();) {
    std::size_t end = begin + 1;
    while (end < trail.size() && trail[end] == trail[begin]) {
      ++end;
    }
    std::string entry(label(trail[begin]));
    if (end - begin > 1) {
      entry += " x" + std::to_string(end - begin);
    }
    list.push_back(std::move(entry));
    begin = end;
  }
  return list;
}

}  // namespace

Json expect_json(const Expectations& expect) {
  const auto as_number = [](std::uint64_t value) { return Json(value); };
  const auto as_duration = [](core::Duration value) { return Json(format_duration(value)); };
  const auto as_share = [](std::uint32_t ppm) { return Json(format_share(ppm)); };
  Json object = Json::object();
  if (expect.outcome) {
    object["outcome"] = label(*expect.outcome);
  }
  add_bounds(expect.attempts, true, "attempts", as_number, object);
  add_bounds(expect.elapsed, true, "elapsed", as_duration, object);
  add_bounds(expect.sleep_total, true, "sleep_total", as_duration, object);
  if (expect.final_class) {
    object["final_class"] = label(*expect.final_class);
  }
  if (expect.trail) {
    object["trail"] = trail_json(*expect.trail);
  }
  if (expect.retry_after_ms) {
    object["retry_after"] = Json::array();
    for (const std::optional<std::uint64_t>& value : *expect.retry_after_ms) {
      object["retry_after"].push_back(value ? Json(format_milliseconds(*value)) : Json(nullptr));
    }
  }
  if (expect.answer) {
    object["answer"] = *expect.answer;
  }
  if (expect.last_raw) {
    object["last_raw"] = *expect.last_raw ? Json(**expect.last_raw) : Json(nullptr);
  }
  add_bounds(expect.groups, true, "groups", as_number, object);
  if (expect.remainder) {
    object["remainder"] = *expect.remainder;
  }
  add_bounds(expect.prefix_reuse_ppm, true, "prefix_reuse", as_share, object);
  if (expect.tool_class) {
    object["tool_class"] = core::tool::label(*expect.tool_class);
  }
  if (expect.verdict) {
    object["verdict"] = core::tool::label(*expect.verdict);
  }
  add_bounds(expect.success_rate_ppm, false, "success_rate", as_share, object);
  if (expect.breaks) {
    object["breaks"] = *expect.breaks;
  }
  return object;
}

}  // namespace squall::scenarios
