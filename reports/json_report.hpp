// SPDX-License-Identifier: MIT
//
// Reports as JSON for programs. Every document begins with {"squall": {"schema": 1, "kind": ...}};
// the number grows when a member changes its meaning or goes, not when one is added. Members come
// in a fixed order; times are integers in nanoseconds (`..._ns`), shares in millionths (`..._ppm`),
// digests 16 hex digits. Equal runs give equal bytes: nothing here depends on the clock, the
// machine or the number of threads.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "playback/run_result.hpp"
#include "reports/batch_report.hpp"
#include "reports/catalogue_text.hpp"
#include "reports/run_report.hpp"

namespace squall::reports {

using Json = nlohmann::ordered_json;

/// The version of all documents.
inline constexpr int kJsonSchema = 1;

/// {"squall": {"schema": 1, "kind": kind}}, to be added to.
[[nodiscard]] Json json_document(std::string_view kind);
/// Indented by two spaces, broken UTF-8 replaced, one line break at the end.
[[nodiscard]] std::string json_text(const Json& document);

/// kind "run": one run of one scenario.
[[nodiscard]] std::string run_json(const RunReport& report);
/// kind "call": a real call to `url`; otherwise as "run", on real time.
[[nodiscard]] std::string call_json(const RunReport& report, std::string_view url);
/// kind "runs": many runs of one scenario.
[[nodiscard]] std::string batch_json(const BatchReport& report);
/// kind "catalogue": many scenarios; each as in "run" or "runs".
[[nodiscard]] std::string catalogue_json(const CatalogueReport& report);
/// kind "replay": one run with its trace, record by record.
[[nodiscard]] std::string replay_json(const RunReport& report, const playback::RunResult& result);

}  // namespace squall::reports
