// SPDX-License-Identifier: MIT
#include "reports/reliability_words.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/worst_case.hpp"
#include "core/check.hpp"
#include "reports/batch_report.hpp"
#include "reports/figures.hpp"
#include "reports/gate_words.hpp"
#include "reports/policy_text.hpp"
#include "reports/reliability_timeline.hpp"
#include "reports/style.hpp"
#include "reports/wilson.hpp"

namespace squall::reports::reliability {
namespace {

using analysis::Reliability;
using analysis::ReliabilityCell;
using analysis::ReliabilityTotals;
using analysis::SleepSample;
using core::Duration;

// What a page can hold: a whole catalogue under five policies stays well below 2 MB.
constexpr std::size_t kCellPointsMax = 20'000;  // Of all curves of cells together.
constexpr std::size_t kCellPointsMin = 4;
constexpr std::size_t kSleepsMax = 16'000;  // Of all slots together.
constexpr std::size_t kSleepsMin = 16;      // Of one slot.
constexpr std::size_t kSlotsMax = 64;       // Of one policy and source.
constexpr std::size_t kAttemptsMax = 64;    // Bars of a histogram.
constexpr std::size_t kSentencesMax = 200;
constexpr std::size_t kReasonsMax = 50;
constexpr std::size_t kFindingsMax = 4;

constexpr std::size_t kTextColumns = 120;

std::int64_t nanoseconds(Duration duration) {
  return duration.count();
}

Rate rate_of(std::uint64_t count, std::uint64_t of) {
  const ShareInterval interval = of == 0 ? ShareInterval() : wilson_interval(count, of);
  return {.count = count, .of = of, .low = {interval.min_ppm}, .high = {interval.max_ppm}};
}

Elapsed elapsed_of(const analysis::ElapsedFigures& figures) {
  return {.p50_ns = nanoseconds(figures.p50),
          .p90_ns = nanoseconds(figures.p90),
          .p99_ns = nanoseconds(figures.p99),
          .max_ns = nanoseconds(figures.max)};
}

Cdf cdf_of(const analysis::Curve& curve) {
  Cdf cdf;
  for (const auto& [elapsed, count] : curve) {
    cdf.emplace_back(nanoseconds(elapsed), count);
  }
  return cdf;
}

/// Bars for calls an operation. More than can be drawn are joined into ranges, each under its
/// largest number.
Attempts attempts_of(const std::map<std::uint32_t, std::uint64_t>& counts) {
  const std::size_t range = (counts.size() + kAttemptsMax - 1) / kAttemptsMax;
  Attempts bars;
  std::size_t in_range = 0;
  for (const auto& [attempts, operations] : counts) {
    if (in_range++ % std::max<std::size_t>(range, 1) == 0) {
      bars.emplace_back(attempts, 0);
    }
    bars.back().first = attempts;
    bars.back().second += operations;
  }
  return bars;
}

/// The outcome that most operations had.
std::string usual_outcome(const simulator::BatchSummary& summary) {
  const auto most = std::max_element(summary.outcomes.begin(), summary.outcomes.end());
  return std::string(
      label(static_cast<scenarios::Outcome>(std::distance(summary.outcomes.begin(), most))));
}

std::string_view kind_word(analysis::BoundPart::Kind kind) {
  using Kind = analysis::BoundPart::Kind;
  switch (kind) {
    case Kind::kHeaderWaits:
      return "waits";
    case Kind::kBodyWaits:
      return "body_waits";
    case Kind::kBackoff:
      return "sleeps";
    case Kind::kRetryAfter:
      break;
  }
  return "retry_after";
}

std::string part_label(const analysis::BoundPart& part) {
  using Kind = analysis::BoundPart::Kind;
  switch (part.kind) {
    case Kind::kHeaderWaits:
      return count_of(part.count, "wait") + " for headers";
    case Kind::kBodyWaits:
      return count_of(part.count, "wait") + " for the body";
    case Kind::kBackoff:
      return count_of(part.count, "sleep") + " by the schedule, jitter at its longest";
    case Kind::kRetryAfter:
      break;
  }
  return count_of(part.count, "sleep") + " that the server asked for (Retry-After)";
}

class Maker {
 public:
  explicit Maker(const Material& material) : material_(material), found_(*material.reliability) {}

  Document make() {
    document_.squall = material_.version;
    document_.seed = found_.seed;
    document_.runs = found_.runs;
    document_.command = material_.command;
    document_.notes = material_.notes;
    for (std::size_t i = 0; i < material_.columns.size(); ++i) {
      add_policy(material_.columns[i], found_.policies[i]);
    }
    add_sleeps();
    for (const Row& row : material_.rows) {
      document_.scenarios.push_back({.name = row.name,
                                     .summary = row.summary,
                                     .kind = std::string(label(row.kind)),
                                     .tags = row.tags});
    }
    add_cells();
    add_timelines();
    if (material_.gate != nullptr) {
      add_changes(*material_.gate);
    }
    for (std::size_t i = 0; i < playback::kInvariants.size(); ++i) {
      document_.invariants.push_back({.number = i + 1,
                                      .name = std::string(playback::kInvariants[i].name),
                                      .promise = std::string(playback::kInvariants[i].promise),
                                      .checked = found_.checks[i],
                                      .broken = found_.broken[i]});
    }
    judge();
    return std::move(document_);
  }

 private:
  void note_thinned(std::string what, std::uint64_t shown, std::uint64_t of) {
    if (shown < of) {
      document_.thinned.push_back({.what = std::move(what), .shown = shown, .of = of});
    }
  }

  void add_policy(const Column& column, const ReliabilityTotals& totals) {
    SQUALL_CHECK(totals.operations > 0);
    Policy policy;
    policy.name = column.name;
    policy.summary = policy_line(column.policy);
    policy.worst_case = bound_of_column(column);
    policy.operations = totals.operations;
    policy.success = rate_of(totals.successes, totals.operations);
    policy.calls = totals.calls;
    __extension__ using Wide = unsigned __int128;
    policy.calls_per_operation = {
        static_cast<std::uint64_t>(Wide{totals.calls} * 1'000'000 / totals.operations)};
    policy.elapsed = elapsed_of(analysis::figures_of(totals.elapsed));
    policy.attempts = attempts_of(totals.attempts);
    note_thinned(fmt::format("bars of calls an operation of {}", column.name),
                 policy.attempts.size(), totals.attempts.size());
    policy.failures_over_time = failures_of(totals.failures.binned());
    const analysis::Curve curve = analysis::curve_of(totals.elapsed, analysis::kCurvePointsMax);
    policy.elapsed_cdf = cdf_of(curve);
    note_thinned(fmt::format("points of the elapsed distribution of {}", column.name), curve.size(),
                 analysis::points_of(totals.elapsed));
    policy.command = column.command;
    document_.policies.push_back(std::move(policy));
  }

  std::optional<Bound> bound_of_column(const Column& column) {
    const analysis::Bound longest = analysis::longest_bound(column.policy, column.kinds);
    if (!longest.longest) {
      document_.notes.push_back(fmt::format("the worst case of {} is not computed: {}", column.name,
                                            longest.not_computed));
      return std::nullopt;
    }
    const auto worst = analysis::worst_case(column.policy, longest.kind);
    SQUALL_CHECK(worst.has_value());
    Bound bound;
    bound.operation = label(longest.kind);
    bound.unbounded = *longest.longest == analysis::kNoEnd;
    bound.trickle_unbounded = worst->keepalive.has_value();
    bound.calls_min = worst->calls_min;
    bound.calls_max = worst->calls_max;
    if (!column.word.empty()) {
      bound.command = fmt::format("squall worst-case {} --operation {}", shell_word(column.word),
                                  bound.operation);
    }
    if (bound.unbounded) {
      bound.sentence = "no end: nothing but a shutdown ends it";
      return bound;
    }
    bound.longest_ns = nanoseconds(*longest.longest);
    const auto plan = std::find_if(worst->longest.begin(), worst->longest.end(),
                                   [](const auto& one) { return one.body_waits == 1; });
    SQUALL_CHECK(plan != worst->longest.end());
    for (const analysis::BoundPart& part : analysis::parts_of(column.policy, plan->plan)) {
      bound.parts.push_back({.label = part_label(part),
                             .kind = std::string(kind_word(part.kind)),
                             .count = part.count,
                             .ns = nanoseconds(part.total)});
    }
    bound.sentence =
        fmt::format("{} for one {}: {} at most, when no byte of a body ever comes{}",
                    long_text(*longest.longest), bound.operation, count_of(bound.calls_max, "call"),
                    bound.trickle_unbounded ? "; a body that trickles on and on has no end" : "");
    return bound;
  }

  static FailuresOverTime failures_of(const analysis::BinnedFailures& binned) {
    FailuresOverTime over{.bin_ns = nanoseconds(binned.width), .classes = {}};
    for (const analysis::FailureBins& one : binned.classes) {
      over.classes.push_back({.failure_class = class_name(one.failure_class),
                              .counts = one.counts,
                              .later = one.later});
    }
    return over;
  }

  /// Of all policies, thinned together.
  void add_sleeps() {
    struct Slot {
      std::size_t policy, slot;
      bool by_server;
      SleepSample sample;
    };
    std::vector<Slot> slots;
    for (std::size_t i = 0; i < found_.policies.size(); ++i) {
      for (const bool by_server : {false, true}) {
        std::size_t shown = 0;
        std::size_t taken = 0;
        const auto& of = found_.policies[i].slots;
        for (std::size_t slot = 0; slot < of.size(); ++slot) {
          const SleepSample& sample = by_server ? of[slot].retry_after : of[slot].backoff;
          if (sample.count() > 0) {
            ++taken;
            if (shown < kSlotsMax) {
              ++shown;
              slots.push_back({i, slot, by_server, sample});
            }
          }
        }
        note_thinned(fmt::format("slots of {} with sleeps by {}", material_.columns[i].name,
                                 by_server ? "Retry-After" : "the schedule"),
                     shown, taken);
      }
    }
    const auto kept = [&slots] {
      std::size_t all = 0;
      for (const Slot& slot : slots) {
        all += slot.sample.kept().size();
      }
      return all;
    };
    for (std::size_t limit = SleepSample::kKeptMax / 2; kept() > kSleepsMax && limit >= kSleepsMin;
         limit /= 2) {
      for (Slot& slot : slots) {
        slot.sample.thin(limit);
      }
    }
    std::vector<std::pair<std::uint64_t, std::uint64_t>> shown(found_.policies.size());
    for (const Slot& slot : slots) {
      SlotSleeps sleeps =
          sleeps_of(material_.columns[slot.policy].policy, slot.slot, slot.by_server, slot.sample);
      shown[slot.policy].first += sleeps.kept_ns.size();
      shown[slot.policy].second += sleeps.count;
      document_.policies[slot.policy].sleeps.push_back(std::move(sleeps));
    }
    for (std::size_t i = 0; i < shown.size(); ++i) {
      note_thinned(fmt::format("sleeps of {}: those of every k-th operation, k a power of two for "
                               "each slot",
                               material_.columns[i].name),
                   shown[i].first, shown[i].second);
    }
  }

  static SlotSleeps sleeps_of(const core::RetryPolicy& policy, std::size_t slot, bool by_server,
                              const SleepSample& sample) {
    const core::SleepInterval interval = allowed_sleep(policy, slot, by_server);
    SlotSleeps sleeps{.slot = slot,
                      .source = by_server ? "retry_after" : "backoff",
                      .low_ns = nanoseconds(core::from_milliseconds(interval.min_ms)),
                      .high_ns = nanoseconds(core::from_milliseconds(interval.max_ms)),
                      .count = sample.count(),
                      .beyond = sample.beyond(),
                      .every = sample.every(),
                      .kept_ns = {}};
    for (const Duration slept : sample.kept()) {
      sleeps.kept_ns.push_back(nanoseconds(slept));
    }
    return sleeps;
  }

  void add_cells() {
    const std::size_t cells = found_.cells.size();
    const std::size_t points =
        std::clamp(kCellPointsMax / cells, kCellPointsMin, analysis::kCurvePointsMax);
    std::uint64_t shown = 0;
    std::uint64_t of = 0;
    for (std::size_t i = 0; i < cells; ++i) {
      const ReliabilityCell& found = found_.cells[i];
      const simulator::BatchSummary& summary = found.summary;
      Cell cell;
      cell.policy = found.policy;
      cell.scenario = found.scenario;
      cell.operations = summary.runs;
      cell.success = rate_of(summary.successes(), summary.runs);
      judge_cell(i, cell);
      cell.outcome = usual_outcome(summary);
      cell.attempts = attempts_of(summary.attempts);
      cell.elapsed = elapsed_of(found.elapsed);
      cell.elapsed_cdf = cdf_of(analysis::thinned(found.curve, points));
      shown += cell.elapsed_cdf.size();
      of += found.curve_points;
      for (std::size_t one = 0; one < summary.failures.size(); ++one) {
        if (summary.failures[one] > 0) {
          cell.failures.emplace_back(class_name(scenarios::FailureClass::at(one)),
                                     summary.failures[one]);
        }
      }
      cell.command = run_command(material_.subjects[i]);
      document_.cells.push_back(std::move(cell));
    }
    note_thinned("points of the elapsed distributions of single scenarios", shown, of);
  }

  [[nodiscard]] std::string run_command(const Subject& subject) const {
    std::string command = "squall run " + shell_word(subject.reference);
    if (subject.policy_override) {
      command += " --policy " + shell_word(*subject.policy_override);
    }
    return command + fmt::format(" --runs {} --seed {}", found_.runs, found_.seed);
  }

  void judge_cell(std::size_t index, Cell& cell) {
    const ReliabilityCell& found = found_.cells[index];
    const bool is_golden_seed = found_.seed == kGoldenSeed;
    BatchReport report =
        make_batch_report(material_.subjects[index], *material_.played[index], found.summary,
                          is_golden_seed ? std::optional(found.run_zero_digest) : std::nullopt);
    if (found_.runs == 1) {
      std::erase_if(report.verdict.expectations,
                    [](const Expectation& one) { return one.name == "success_rate"; });
    }
    const bool judged = report.verdict.checked && !report.verdict.expectations.empty();
    cell.expectations = !judged ? "not judged" : report.verdict.as_expected() ? "met" : "failed";
    for (const Expectation& one : report.verdict.expectations) {
      if (!one.met && cell.findings.size() < kFindingsMax) {
        cell.findings.push_back(excerpt(one.finding, 2 * kTextColumns));
      }
    }
  }

  void add_timelines() {
    std::vector<std::uint64_t> drawn(material_.columns.size());
    for (const DrawnRun& run : material_.drawn) {
      const ReliabilityCell& cell = found_.cells[run.pick.cell];
      ++drawn[cell.policy];
      document_.timelines.push_back(
          timeline_of(run, cell.policy, cell.scenario, material_.columns[cell.policy].policy));
      note_thinned(fmt::format("attempts in the timeline of {}, run {}",
                               material_.rows[cell.scenario].name, run.pick.run),
                   document_.timelines.back().attempts.size(), run.report.attempts.size());
    }
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      note_thinned(fmt::format("operations of {} drawn as timelines", material_.columns[i].name),
                   drawn[i], found_.policies[i].operations);
    }
  }

  void add_changes(const GateReport& gate) {
    using analysis::Change;
    Changes changes{.baseline = gate.baseline,
                    .regressions = gate.count(Change::kRegressed),
                    .improvements = gate.count(Change::kImproved),
                    .within = gate.count(Change::kWithin),
                    .unchanged = gate.count(Change::kNone),
                    .sentence = verdict_words(gate),
                    .sentences = {},
                    .command = material_.gate_command};
    constexpr std::array<std::pair<Change, std::string_view>, 3> kKinds{
        {{Change::kRegressed, "regression"},
         {Change::kImproved, "improvement"},
         {Change::kWithin, "change"}}};
    std::size_t all = 0;
    for (const auto& [change, kind] : kKinds) {
      for (const GateFinding& finding : findings_of(gate, change)) {
        ++all;
        if (changes.sentences.size() == kSentencesMax) {
          continue;
        }
        ChangeSentence words{
            .kind = std::string(kind),
            .policy = finding.of->name,
            .scenario = std::nullopt,
            .metric = std::string(analysis::info_of(finding.metric->metric).title),
            .text = fmt::format("{} ({})", sentence(finding), measure_words(finding))};
        if (finding.scenario != nullptr) {
          words.scenario = finding.scenario->name;
        } else {
          words.text = fmt::format("{}: {}", place_words(finding), words.text);
        }
        changes.sentences.push_back(std::move(words));
      }
    }
    note_thinned("sentences about changes", changes.sentences.size(), all);
    document_.changes = std::move(changes);
  }

  void judge() {
    std::uint64_t judged = 0;
    std::uint64_t failed = 0;
    std::uint64_t checks = 0;
    std::vector<std::string> reasons;
    std::vector<std::string> alarms;
    for (std::size_t i = 0; i < document_.cells.size(); ++i) {
      const Cell& cell = document_.cells[i];
      judged += cell.expectations == "not judged" ? 0U : 1U;
      failed += cell.expectations == "failed" ? 1U : 0U;
      for (const std::string& finding : cell.findings) {
        reasons.push_back(fmt::format("{}: {}", place_of(cell), finding));
      }
      if (const auto& unsound = found_.cells[i].summary.unsound) {
        for (const std::string& finding : unsound->findings) {
          alarms.push_back(fmt::format("{}, run {}: {}", place_of(cell), unsound->run,
                                       excerpt(finding, 2 * kTextColumns)));
        }
      }
    }
    for (const InvariantLine& line : document_.invariants) {
      checks += line.checked;
    }
    std::vector<std::string> sentences;
    sentences.push_back(judged == 0   ? "no expectation applies here"
                        : failed == 0 ? fmt::format("{} of {} as expected", count_text(judged),
                                                    count_of(judged, "judged scenario"))
                                      : fmt::format("{} of {} not as expected", count_text(failed),
                                                    count_of(judged, "judged scenario")));
    sentences.push_back(
        alarms.empty() ? fmt::format("invariants checked {} times: all hold", count_text(checks))
                       : std::string("an invariant broke, which is a bug of squall"));
    const std::uint64_t regressions = document_.changes ? document_.changes->regressions : 0;
    if (document_.changes) {
      sentences.push_back(regressions == 0
                              ? fmt::format("no regression against {}", document_.changes->baseline)
                              : fmt::format("{} against {}", count_of(regressions, "regression"),
                                            document_.changes->baseline));
      for (const ChangeSentence& one : document_.changes->sentences) {
        if (one.kind == "regression") {
          reasons.push_back(fmt::format("{}{}: {}", one.policy,
                                        one.scenario ? ", " + *one.scenario : "", one.text));
        }
      }
    }
    alarms.insert(alarms.end(), reasons.begin(), reasons.end());
    State& verdict = document_.verdict;
    verdict.state = alarms.size() > reasons.size() ? "broken"
                    : failed + regressions > 0     ? "failed"
                                                   : "holds";
    verdict.sentence = fmt::format("{}", fmt::join(sentences, "; "));
    note_thinned("reasons of the verdict", std::min(alarms.size(), kReasonsMax), alarms.size());
    alarms.resize(std::min(alarms.size(), kReasonsMax));
    verdict.reasons = std::move(alarms);
  }

  [[nodiscard]] std::string place_of(const Cell& cell) const {
    const std::string& scenario = document_.scenarios[cell.scenario].name;
    return document_.policies.size() == 1
               ? scenario
               : fmt::format("{} under {}", scenario, document_.policies[cell.policy].name);
  }

  const Material& material_;
  const Reliability& found_;
  Document document_;
};

}  // namespace

Document make_document(const Material& material) {
  return Maker(material).make();
}

}  // namespace squall::reports::reliability
