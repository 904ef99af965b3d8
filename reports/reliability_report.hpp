// SPDX-License-Identifier: MIT
//
// The reliability report: one value that holds everything the report says, and its three dresses.
// JSON is the value itself, written and read without loss; the page and the Markdown are made of it
// and of nothing else, so that a stored JSON gives the same bytes as the run it came from. Whoever
// draws computes no statistics.
//
// Times are nanoseconds, counts whole numbers; every list has a fixed order. Members that are words
// are ready to be read by people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/expected.hpp"

namespace squall::reports::reliability {

/// Grows when a member changes its meaning or goes, not when one is added.
inline constexpr std::string_view kFormat = "squall-report/1";
/// How every version of it begins.
inline constexpr std::string_view kFormatFamily = "squall-report/";

/// A fraction as it is written, "0.987654", to the millionth.
struct Millionths {
  std::uint64_t value = 0;
  friend bool operator==(const Millionths&, const Millionths&) = default;
};

struct State {
  /// "holds"; "failed": an expectation is not met, or a gate found a regression; "broken": an
  /// invariant does not hold, which is a bug of squall.
  std::string state;
  std::string sentence;
  std::vector<std::string> reasons;
  friend bool operator==(const State&, const State&) = default;
};

/// A rate with its 95 % Wilson interval.
struct Rate {
  std::uint64_t count = 0;
  std::uint64_t of = 0;
  Millionths low, high;
  friend bool operator==(const Rate&, const Rate&) = default;
};

struct Elapsed {
  std::int64_t p50_ns = 0, p90_ns = 0, p99_ns = 0, max_ns = 0;
  friend bool operator==(const Elapsed&, const Elapsed&) = default;
};

/// [elapsed, operations that took at most so long].
using Cdf = std::vector<std::pair<std::int64_t, std::uint64_t>>;
/// [calls, operations]; [failure class, failures].
using Attempts = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
using Failures = std::vector<std::pair<std::string, std::uint64_t>>;

struct BoundPart {
  std::string label;
  std::string kind;  ///< "waits", "body_waits", "sleeps", "retry_after"
  std::uint64_t count = 0;
  std::int64_t ns = 0;
  friend bool operator==(const BoundPart&, const BoundPart&) = default;
};

/// The longest that one operation can take when no byte of a body ever comes.
struct Bound {
  std::string operation;
  std::optional<std::int64_t> longest_ns;  ///< null: no end
  bool unbounded = false;
  bool trickle_unbounded = false;  ///< a body that keeps trickling has no end
  std::string sentence;
  std::uint64_t calls_min = 0, calls_max = 0;
  std::vector<BoundPart> parts;  ///< together `longest_ns`
  std::string command;           ///< empty for a policy that no command can name
  friend bool operator==(const Bound&, const Bound&) = default;
};

struct SlotSleeps {
  std::uint64_t slot = 0;  ///< 0-based
  std::string source;      ///< "backoff", "retry_after"
  std::int64_t low_ns = 0, high_ns = 0;
  std::uint64_t count = 0;
  std::uint64_t beyond = 0;
  std::uint64_t every = 1;  ///< of so many operations one's sleep is kept
  std::vector<std::int64_t> kept_ns;
  friend bool operator==(const SlotSleeps&, const SlotSleeps&) = default;
};

struct ClassCounts {
  std::string failure_class;
  std::vector<std::uint64_t> counts;
  std::uint64_t later = 0;  ///< after the last bin
  friend bool operator==(const ClassCounts&, const ClassCounts&) = default;
};
struct FailuresOverTime {
  std::int64_t bin_ns = 0;
  std::vector<ClassCounts> classes;
  friend bool operator==(const FailuresOverTime&, const FailuresOverTime&) = default;
};

struct Policy {
  std::string name;
  std::string summary;
  std::optional<Bound> worst_case;  ///< null when it is not computed; a note says why
  std::uint64_t operations = 0;
  Rate success;
  std::uint64_t calls = 0;
  Millionths calls_per_operation;
  Elapsed elapsed;
  Attempts attempts;
  std::vector<SlotSleeps> sleeps;
  FailuresOverTime failures_over_time;
  Cdf elapsed_cdf;
  std::string command;
  friend bool operator==(const Policy&, const Policy&) = default;
};

struct ChangeSentence {
  std::string kind;  ///< "regression", "improvement", "change" (within its threshold)
  std::string policy;
  std::optional<std::string> scenario;  ///< null: the worst case
  std::string metric;
  std::string text;
  friend bool operator==(const ChangeSentence&, const ChangeSentence&) = default;
};
struct Changes {
  std::string baseline;
  std::uint64_t regressions = 0, improvements = 0, within = 0, unchanged = 0;
  std::string sentence;
  std::vector<ChangeSentence> sentences;
  std::string command;  ///< several are set apart by "; "
  friend bool operator==(const Changes&, const Changes&) = default;
};

struct ScenarioLine {
  std::string name, summary, kind;
  std::vector<std::string> tags;
  friend bool operator==(const ScenarioLine&, const ScenarioLine&) = default;
};

struct Cell {
  std::size_t policy = 0, scenario = 0;  ///< indices
  std::uint64_t operations = 0;
  Rate success;
  std::string expectations;           ///< "met", "failed", "not judged"
  std::vector<std::string> findings;  ///< what was not met
  std::string outcome;                ///< the one that most operations had
  Attempts attempts;
  Elapsed elapsed;
  Cdf elapsed_cdf;
  Failures failures;
  std::string command;
  friend bool operator==(const Cell&, const Cell&) = default;
};

struct TimelineAttempt {
  std::uint64_t number = 0;
  std::int64_t begins_ns = 0;
  std::optional<std::int64_t> headers_ns;  ///< when they came
  std::int64_t ends_ns = 0;
  std::optional<std::int64_t> status;
  std::optional<std::string> failure_class;
  std::uint64_t body_bytes = 0;
  std::optional<std::int64_t> retry_after_ns;  ///< as the server said it
  std::string text;
  friend bool operator==(const TimelineAttempt&, const TimelineAttempt&) = default;
};
struct TimelineSleep {
  std::uint64_t slot = 0;
  std::string source;
  std::int64_t begins_ns = 0, ends_ns = 0;
  std::int64_t ns = 0;  ///< as ordered; a shutdown ends it early
  std::int64_t low_ns = 0, high_ns = 0;
  friend bool operator==(const TimelineSleep&, const TimelineSleep&) = default;
};
struct Timeline {
  std::size_t policy = 0, scenario = 0;
  std::uint64_t run = 0;
  std::string why;  ///< "first failure", "slowest", "first run"
  std::string outcome;
  std::int64_t elapsed_ns = 0;
  std::optional<std::int64_t> shutdown_ns;
  std::vector<TimelineAttempt> attempts;
  std::vector<TimelineSleep> sleeps;
  std::string command;
  friend bool operator==(const Timeline&, const Timeline&) = default;
};

struct InvariantLine {
  std::uint64_t number = 0;
  std::string name, promise;
  std::uint64_t checked = 0;
  std::uint64_t broken = 0;  ///< runs that broke it
  friend bool operator==(const InvariantLine&, const InvariantLine&) = default;
};

/// What is drawn of more than there is.
struct Thinned {
  std::string what;
  std::uint64_t shown = 0, of = 0;
  friend bool operator==(const Thinned&, const Thinned&) = default;
};

struct Document {
  std::string squall;  ///< version
  std::uint64_t seed = 1;
  std::uint64_t runs = 1;
  State verdict;
  std::string command;
  std::vector<std::string> notes;
  std::vector<Policy> policies;
  std::optional<Changes> changes;
  std::vector<ScenarioLine> scenarios;
  std::vector<Cell> cells;
  std::vector<Timeline> timelines;
  std::vector<InvariantLine> invariants;
  std::vector<Thinned> thinned;
  friend bool operator==(const Document&, const Document&) = default;
};

/// The JSON document: its lists one entry a line.
[[nodiscard]] std::string to_json(const Document& document);

/// Whether `text` is a report of some version.
[[nodiscard]] bool is_report(std::string_view text);
/// @errors  no report, another version, members missing or of another type, indices that lead
///          nowhere; `Error::file` is `display_name`.
[[nodiscard]] core::Expected<Document, core::Error> from_json(std::string_view text,
                                                              const std::string& display_name);

/// For a pull request or a wiki. GitHub-flavoured.
[[nodiscard]] std::string to_markdown(const Document& document);

/// One self-contained page.
[[nodiscard]] std::string to_html(const Document& document);

/// Where the page's data goes in its template. @source reports/web
inline constexpr std::string_view kPlaceholder = R"({"squall-report":"data goes here"})";
/// The document in a template, on one line and such that no text in it can end the element it
/// stands in.
[[nodiscard]] std::string to_html(const Document& document, std::string_view page_template);

}  // namespace squall::reports::reliability
