// SPDX-License-Identifier: MIT
//
// Runs as a trace that Perfetto and chrome://tracing open: JSON in the Trace Event format. One
// process is one run, its threads are the operation, the attempts, what an attempt waits for, the
// sleeps, and the telemetry rows. Equal runs give equal bytes.
//
//   const std::string text = perfetto_text({perfetto_run(report, *result.trace, 1)});
//
// Times are microseconds with exactly three decimals, so no nanosecond is lost in the file; a
// viewer that reads them as doubles keeps them all up to 26 days of virtual time. The document has
// no "displayTimeUnit": the format means it for display only, but earlier versions of Perfetto took
// "ns" for the unit of `ts`.
// @source Trace Event Format, sections "JSON Object Format" and "Complete Events"; Perfetto's
//         importer of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "playback/trace.hpp"
#include "reports/run_report.hpp"

namespace squall::reports {

/// The events of one run, names first and then by time, as part of a document.
///
/// @param trace   of the run that `report` was made of.
/// @param number  of the process, from 1; equal numbers in one document become one process.
[[nodiscard]] std::string perfetto_run(const RunReport& report, const playback::Trace& trace,
                                       std::uint32_t number);

/// The whole document of `runs`, each made by `perfetto_run`.
[[nodiscard]] std::string perfetto_text(const std::vector<std::string>& runs);

}  // namespace squall::reports
