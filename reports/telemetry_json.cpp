// SPDX-License-Identifier: MIT
#include "core/time.hpp"
#include "reports/json_parts.hpp"
#include "reports/json_report.hpp"
#include "reports/telemetry_report.hpp"

namespace squall::reports {
namespace {

Json usage_json(const telemetry::Usage& usage) {
  return {{"input_tokens", or_null(usage.input_tokens)},
          {"output_tokens", or_null(usage.output_tokens)},
          {"cached_tokens", or_null(usage.cached_tokens)},
          {"cache_miss_tokens", or_null(usage.cache_miss_tokens)},
          {"cost", or_null(usage.cost)}};
}

Json counts_json(const std::vector<telemetry::Count>& counts) {
  Json array = Json::array();
  for (const telemetry::Count& count : counts) {
    array.push_back({{"name", count.name}, {"count", count.count}});
  }
  return array;
}

Json calls_json(const telemetry::Summary& summary) {
  Json array = Json::array();
  for (const auto& [calls, operations] : summary.calls_histogram) {
    array.push_back({{"calls", calls}, {"operations", operations}});
  }
  return array;
}

Json shares_json(const telemetry::Summary& summary) {
  Json array = Json::array();
  for (const auto& [key, share] : summary.shares) {
    array.push_back({{"purpose", key.first.empty() ? Json(nullptr) : Json(key.first)},
                     {"model", key.second},
                     {"operations", share.operations},
                     {"successes", share.successes},
                     {"degraded", share.degraded},
                     {"calls", share.calls},
                     {"usage", usage_json(share.usage)}});
  }
  return array;
}

Json slowest_json(const telemetry::Summary& summary) {
  Json array = Json::array();
  for (const telemetry::OperationLine& line : summary.slowest) {
    array.push_back({{"operation_id", line.operation_id},
                     {"duration_ns", nanoseconds(core::from_milliseconds(line.duration_ms))},
                     {"calls", line.calls},
                     {"outcome", line.outcome}});
  }
  return array;
}

}  // namespace

std::string telemetry_json(const telemetry::Summary& summary) {
  Json document = json_document("telemetry");
  document["recordings"] = summary.recordings;
  document["operations"] = summary.operations;
  document["successes"] = summary.successes;
  document["degraded"] = summary.degraded;
  document["retried"] = summary.retried;
  document["retried_successes"] = summary.retried_successes;
  document["accepted_rounds"] = summary.accepted_rounds;
  document["unfinished"] = summary.unfinished;
  document["calls"] = summary.calls;
  document["failures"] = summary.failures;
  document["usage"] = usage_json(summary.usage);
  document["outcomes"] = counts_json(summary.outcomes);
  document["failure_classes"] = counts_json(summary.failure_classes);
  document["calls_histogram"] = calls_json(summary);
  document["shares"] = shares_json(summary);
  document["slowest"] = slowest_json(summary);
  return json_text(document);
}

}  // namespace squall::reports
