// SPDX-License-Identifier: MIT
#include "property_tests/generators.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>

#include "property_tests/bodies.hpp"
#include "scenarios/writer.hpp"
#include "simulator/simulation.hpp"

namespace squall::property_tests {
namespace {

using core::Duration;
using scenarios::BodyOffset;
using scenarios::Header;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr std::uint64_t kMillisecondsMax = std::numeric_limits<std::uint64_t>::max();

rc::Gen<std::uint64_t> waits_ms() {
  return any_of<std::uint64_t>(
      {0, 1, 3, 4, 250, 1'000, 5'000, 5'000, 30'000, 60'000, 3'600'000, kMillisecondsMax});
}

rc::Gen<core::Backoff> backoffs() {
  return one_of<core::Backoff>(
      {rc::gen::map(waits_ms(),
                    [](std::uint64_t delay) {
                      return core::Backoff(core::ConstantBackoff{.delay_ms = delay});
                    }),
       rc::gen::map(
           rc::gen::build<core::ExponentialBackoff>(
               rc::gen::set(&core::ExponentialBackoff::base_ms, waits_ms()),
               rc::gen::set(&core::ExponentialBackoff::cap_ms, waits_ms()),
               rc::gen::set(&core::ExponentialBackoff::multiplier,
                            any_of<core::Ratio>({{2, 1}, {1, 1}, {3, 2}, {10, 3}, {1, 2}})),
               rc::gen::set(&core::ExponentialBackoff::growth_steps_max,
                            any_of<std::uint32_t>({6, 0, 1, 20}))),
           [](const core::ExponentialBackoff& backoff) { return core::Backoff(backoff); }),
       rc::gen::just(core::default_policy().backoff)});
}

rc::Gen<core::Jitter> jitters() {
  const auto divisors = any_of<std::uint32_t>({4, 2, 1, 3, 7});
  return one_of<core::Jitter>(
      {rc::gen::just(core::Jitter(core::NoJitter{})),
       rc::gen::just(core::Jitter(core::ProportionalJitter{})),
       rc::gen::map(rc::gen::build<core::ProportionalJitter>(
                        rc::gen::set(&core::ProportionalJitter::below, divisors),
                        rc::gen::set(&core::ProportionalJitter::width, divisors)),
                    [](const core::ProportionalJitter& jitter) { return core::Jitter(jitter); }),
       rc::gen::just(core::Jitter(core::EqualJitter{})),
       rc::gen::just(core::Jitter(core::FullJitter{}))});
}

rc::Gen<core::RetryAfterRule> retry_after_rules() {
  using Limits = std::pair<std::uint64_t, std::uint64_t>;
  const auto mostly = weighted<bool>({{3, true}, {1, false}});
  return rc::gen::apply(
      [](bool as_seconds, bool date, bool ms, Limits clamp,
         std::optional<std::uint64_t> ignore_above) {
        return core::RetryAfterRule{.seconds = as_seconds,
                                    .http_date = date,
                                    .milliseconds = ms,
                                    .clamp_min_ms = clamp.first,
                                    .clamp_max_ms = clamp.second,
                                    .ignore_above_ms = ignore_above};
      },
      mostly, mostly, mostly,
      any_of<Limits>({{5'000, 60'000},
                      {5'000, 60'000},
                      {0, kMillisecondsMax},
                      {0, 0},
                      {1'000, 1'000},
                      {0, 120'000}}),
      weighted<std::optional<std::uint64_t>>(
          {{3, std::nullopt}, {1, 0}, {1, 60'000}, {1, 120'000}}));
}

rc::Gen<core::RetryOn> retried() {
  using core::StatusSet;
  const auto mostly = weighted<bool>({{9, true}, {1, false}});
  return rc::gen::build<core::RetryOn>(
      rc::gen::set(&core::RetryOn::statuses,
                   weighted<StatusSet>({{8, StatusSet::llm_default()},
                                        {2, StatusSet::llm_default().add(404).add(401)},
                                        {1, StatusSet()},
                                        {1, StatusSet().add(429)},
                                        {1, StatusSet().add_class(5)}})),
      rc::gen::set(&core::RetryOn::connection_failures, mostly),
      rc::gen::set(&core::RetryOn::cut_bodies, mostly),
      rc::gen::set(&core::RetryOn::unusable_answers, mostly));
}

rc::Gen<Moment> moments() {
  using Anchor = Moment::Anchor;
  const nanoseconds ns(1);
  return weighted<Moment>({{4, {Anchor::kStart, Duration(0)}},
                           {4, {Anchor::kStart, milliseconds(120)}},
                           {2, {Anchor::kStart, seconds(1)}},
                           {3, {Anchor::kIdle, -ns}},
                           {2, {Anchor::kIdle, Duration(0)}},
                           {1, {Anchor::kIdle, ns}},
                           {1, {Anchor::kAttempt, -ns}},
                           {1, {Anchor::kAttempt, Duration(0)}},
                           {1, {Anchor::kAttempt, ns}},
                           {1, {Anchor::kStart, ns}},
                           {1, {Anchor::kStart, seconds(30)}},
                           {1, {Anchor::kStart, hours(3)}}});
}

rc::Gen<std::vector<Header>> header_lists() {
  const auto text = [](const char* name, const char* value) {
    return std::optional<Header>(Header{name, value});
  };
  const auto date = [](Duration offset, core::HttpDateForm form) {
    return std::optional<Header>(
        Header{"Retry-After", scenarios::RelativeDate{.offset = offset, .form = form}});
  };
  using Form = core::HttpDateForm;
  const auto retry_after =
      any_of<std::optional<Header>>({std::nullopt,
                                     std::nullopt,
                                     std::nullopt,
                                     std::nullopt,
                                     std::nullopt,
                                     std::nullopt,
                                     text("retry-after", "7"),
                                     text("Retry-After", "  2.5 "),
                                     text("retry-after", "0"),
                                     text("retry-after", "61"),
                                     text("RETRY-AFTER", "1e3"),
                                     text("retry-after", "0.0001"),
                                     text("retry-after", "99999999999999999999999"),
                                     text("retry-after", "-1"),
                                     text("retry-after", "NaN"),
                                     text("retry-after", ""),
                                     text("retry-after", "soon"),
                                     text("retry-after", "Fri, 31 Feb 2026 08:00:00 GMT"),
                                     text("retry-after", "Thu, 15 Jan 2026 08:00:20 GMT"),
                                     date(seconds(30), Form::kImfFixdate),
                                     date(seconds(-10), Form::kImfFixdate),
                                     date(Duration(0), Form::kAsctime),
                                     date(milliseconds(61'500), Form::kRfc850),
                                     date(hours(2), Form::kAsctime)});
  const auto retry_after_ms = any_of<std::optional<Header>>(
      {std::nullopt, std::nullopt, std::nullopt, std::nullopt, std::nullopt, std::nullopt,
       text("retry-after-ms", "1500"), text("Retry-After-Ms", "0.5"),
       text("retry-after-ms", "70000"), text("retry-after-ms", "later"),
       text("x-request-id", "req_1")});
  return rc::gen::apply(
      [](const std::optional<Header>& first, const std::optional<Header>& second) {
        std::vector<Header> headers;
        for (const std::optional<Header>& header : {first, second}) {
          if (header) {
            headers.push_back(*header);
          }
        }
        return headers;
      },
      retry_after, retry_after_ms);
}

template <std::size_t count>
rc::Gen<std::string> bodies(const std::array<KnownBody, count>& list) {
  return rc::gen::map(index_below(count),
                      [&list](std::size_t index) { return std::string(list[index].bytes); });
}

rc::Gen<What> http_answers(std::vector<int> statuses, rc::Gen<std::string> body) {
  return rc::gen::map(
      rc::gen::build<scenarios::HttpAnswer>(
          rc::gen::set(&scenarios::HttpAnswer::status, any_of(std::move(statuses))),
          rc::gen::set(&scenarios::HttpAnswer::headers, header_lists()),
          rc::gen::set(&scenarios::HttpAnswer::body, std::move(body)),
          rc::gen::set(&scenarios::HttpAnswer::framing,
                       any_of<scenarios::Framing>({scenarios::Framing::kContentLength,
                                                   scenarios::Framing::kChunked,
                                                   scenarios::Framing::kUntilClose}))),
      [](scenarios::HttpAnswer answer) {
        if (answer.status == 204 || answer.status == 304) {
          answer.body.clear();  // These never have one.
        }
        return What(std::move(answer));
      });
}

rc::Gen<What> whats() {
  using Fault = core::ConnectionFault;
  const auto good = http_answers({200, 200, 201}, bodies(kGoodBodies));
  const auto error =
      http_answers({503, 503, 429, 429, 429, 429, 500, 529, 408, 502, 302, 304, 599, 400, 401, 404},
                   bodies(kErrorBodies));
  const auto unusable = http_answers(
      {200, 200, 204}, one_of<std::string>({rc::gen::just(std::string(kUnusableBodies[1].bytes)),
                                            bodies(kUnusableBodies)}));
  const auto failure =
      rc::gen::map(any_of<Fault>({Fault::kRefused, Fault::kReset, Fault::kDns, Fault::kTls,
                                  Fault::kConnectTimeout}),
                   [](Fault fault) { return What(scenarios::ConnectionFailure{fault}); });
  const auto silent = rc::gen::just(What(scenarios::SilentHeaders{}));
  return one_of<What>(
      {good, error, error, error, error, error, failure, failure, unusable, unusable, silent});
}

/// Where a body of `size` bytes may end early.
std::vector<std::int64_t> places(std::int64_t size) {
  std::vector<std::int64_t> inside{0, size / 2, size};
  if (size > 0) {
    inside.insert(inside.end(), {1, -1, -size});
  }
  return inside;
}

struct ShutdownSketch {
  enum class When : std::uint8_t { kNever, kAt, kNear };
  When when = When::kNever;
  Moment at;
  /// Which of the instants at which something happens, and how far from it.
  std::size_t event = 0;
  Duration offset{0};
};

rc::Gen<ShutdownSketch> shutdowns() {
  using When = ShutdownSketch::When;
  const nanoseconds ns(1);
  return rc::gen::build<ShutdownSketch>(
      rc::gen::set(&ShutdownSketch::when,
                   weighted<When>({{9, When::kNever}, {1, When::kAt}, {4, When::kNear}})),
      rc::gen::set(&ShutdownSketch::at, moments()),
      rc::gen::set(&ShutdownSketch::event, index_below(64)),
      rc::gen::set(&ShutdownSketch::offset, any_of<Duration>({Duration(0), -ns, ns})));
}

void add_shutdown(const ShutdownSketch& sketch, Case& drawn) {
  if (sketch.when == ShutdownSketch::When::kAt) {
    drawn.scenario.client.shutdown_at = sketch.at.resolve(drawn.scenario.policy.timeouts);
  } else if (sketch.when == ShutdownSketch::When::kNear) {
    const playback::PreparedScenario prepared(drawn.scenario);
    simulator::Simulation simulation(prepared);
    (void)simulation.run(drawn.seed, 0);
    const auto& records = simulation.result().trace->records();
    const Duration at(records[sketch.event % records.size()].at_ns);
    drawn.scenario.client.shutdown_at = std::max(at + sketch.offset, Duration(0));
  }
}

struct ClientSketch {
  bool telemetry = true;
  core::WallInstant wall_clock;
  Duration horizon{0};
};

rc::Gen<ClientSketch> clients() {
  const scenarios::Scenario defaults;
  const core::WallInstant epoch = defaults.client.wall_clock;
  return rc::gen::build<ClientSketch>(
      rc::gen::set(&ClientSketch::telemetry, any_of<bool>({true, false})),
      rc::gen::set(&ClientSketch::wall_clock,
                   any_of<core::WallInstant>(
                       {epoch, epoch + nanoseconds(999'999'999), epoch + milliseconds(500)})),
      rc::gen::set(
          &ClientSketch::horizon,
          weighted<Duration>(
              {{16, defaults.horizon}, {2, hours(1)}, {1, seconds(5)}, {1, nanoseconds(1)}})));
}

scenarios::Scenario served(const core::RetryPolicy& policy, scenarios::Server server) {
  scenarios::Scenario scenario = scenario_of(policy, std::vector<scenarios::Respond>{});
  scenario.server = std::move(server);
  return scenario;
}

// ---- servers that draw
// -----------------------------------------------------------------------------

struct StepSketch {
  std::uint32_t times = 1;
  std::vector<std::pair<std::uint32_t, AnswerSketch>> more;  ///< a mix with these beside `answer`
  AnswerSketch answer;
  std::optional<scenarios::Time> latency;  ///< instead of the answer's own
  bool ends_phase = false;
};

rc::Gen<StepSketch> steps() {
  using scenarios::Time;
  return rc::gen::build<StepSketch>(
      rc::gen::set(&StepSketch::times, any_of<std::uint32_t>({1, 1, 2, 5, 4'294'967'295})),
      rc::gen::set(&StepSketch::more,
                   list_of(rc::gen::pair(any_of<std::uint32_t>({1, 2, 7, 1'000}), answers()), 3)),
      rc::gen::set(&StepSketch::answer, answers()),
      rc::gen::set(
          &StepSketch::latency,
          any_of<std::optional<Time>>(
              {std::nullopt, std::nullopt, std::nullopt,
               Time(scenarios::UniformTime{.min = Duration(0), .max = minutes(11)}),
               Time(scenarios::EmpiricalTime{{Duration(0), milliseconds(120), seconds(600)}}),
               Time(scenarios::ExponentialTime{.mean = seconds(2)}),
               Time(scenarios::LognormalTime{.median = milliseconds(800), .p99 = seconds(9)})})),
      rc::gen::set(&StepSketch::ends_phase, weighted<bool>({{2, false}, {1, true}})));
}

scenarios::Server server_of(const std::vector<StepSketch>& sketches,
                            const core::Timeouts& timeouts) {
  if (sketches.empty()) {
    return scenario_of({}, std::vector<scenarios::Respond>{}).server;
  }
  scenarios::Server server{.phases = {{}}};
  Duration until{0};
  for (std::size_t i = 0; i < sketches.size(); ++i) {
    const StepSketch& sketch = sketches[i];
    scenarios::Step step{.times = sketch.times, .mix = {{1, sketch.answer.resolve(timeouts)}}};
    for (const auto& [weight, answer] : sketch.more) {
      step.mix.push_back({weight, answer.resolve(timeouts)});
    }
    for (scenarios::WeightedRespond& entry : step.mix) {
      if (sketch.latency && !std::holds_alternative<scenarios::SilentHeaders>(entry.respond.what)) {
        entry.respond.latency = *sketch.latency;
      }
    }
    server.phases.back().sequence.push_back(std::move(step));
    if (sketch.ends_phase && i + 1 < sketches.size()) {
      until += seconds(20 * (static_cast<int>(i) + 1));
      server.phases.back().until = until;
      server.phases.emplace_back();
    }
  }
  return server;
}

}  // namespace

Duration Moment::resolve(const core::Timeouts& timeouts) const {
  Duration base{0};
  if (anchor == Anchor::kIdle) {
    base = timeouts.idle.value_or(core::kIdleTimeout);
  } else if (anchor == Anchor::kAttempt) {
    base = timeouts.attempt.value_or(core::kIdleTimeout);
  }
  return std::max(base + offset, Duration(0));
}

scenarios::Respond AnswerSketch::resolve(const core::Timeouts& timeouts) const {
  scenarios::Respond resolved = respond;
  if (std::holds_alternative<scenarios::SilentHeaders>(resolved.what)) {
    return resolved;
  }
  resolved.latency = latency.resolve(timeouts);
  auto* answer = std::get_if<scenarios::HttpAnswer>(&resolved.what);
  if (answer == nullptr) {
    return resolved;
  }
  const auto size = static_cast<std::int64_t>(answer->body.size());
  if (answer->framing == scenarios::Framing::kContentLength) {
    answer->content_length_error = std::max(content_length_error, -size);
  }
  if (trickles && !pieces.empty()) {
    answer->delivery = scenarios::Trickle{.bytes = pieces.front().bytes,
                                          .every = pieces.front().after.resolve(timeouts)};
  } else if (!pieces.empty()) {
    scenarios::Chunks chunks;
    for (const Piece& piece : pieces) {
      chunks.pieces.push_back({.bytes = piece.bytes, .after = piece.after.resolve(timeouts)});
    }
    answer->delivery = std::move(chunks);
  }
  const std::vector<std::int64_t> inside = places(size);
  const BodyOffset after{inside[ending_at % inside.size()]};
  if (ending == 1) {
    answer->ending = scenarios::Breaks{.after = after, .by_reset = false};
  } else if (ending == 2) {
    answer->ending = scenarios::Breaks{.after = after, .by_reset = true};
  } else if (ending == 3) {
    answer->ending = scenarios::Stalls{after};
  }
  return resolved;
}

// The generators below are made once: putting one together takes longer than drawing from it.

rc::Gen<core::RetryPolicy> policies() {
  using Limit = std::optional<Duration>;
  const auto budgets = rc::gen::build<core::Budgets>(
      rc::gen::set(
          &core::Budgets::attempts_max,
          rc::gen::map(index_below(21),
                       [](std::size_t count) { return static_cast<std::uint32_t>(count); })),
      rc::gen::set(&core::Budgets::time, weighted<Limit>({{9, std::nullopt},
                                                          {1, Duration(0)},
                                                          {1, seconds(5)},
                                                          {1, seconds(30)},
                                                          {1, minutes(10)}})));
  const auto timeouts = rc::gen::build<core::Timeouts>(
      rc::gen::set(&core::Timeouts::idle, weighted<Limit>({{8, core::kIdleTimeout},
                                                           {2, seconds(1)},
                                                           {2, seconds(30)},
                                                           {1, nanoseconds(1)},
                                                           {1, Duration(0)},
                                                           {1, std::nullopt}})),
      rc::gen::set(&core::Timeouts::attempt, weighted<Limit>({{9, std::nullopt},
                                                              {1, seconds(30)},
                                                              {2, core::kIdleTimeout},
                                                              {1, minutes(30)},
                                                              {1, nanoseconds(1)}})));
  static const rc::Gen<core::RetryPolicy> generator = rc::gen::build<core::RetryPolicy>(
      rc::gen::set(&core::RetryPolicy::budgets, budgets),
      rc::gen::set(&core::RetryPolicy::backoff, backoffs()),
      rc::gen::set(&core::RetryPolicy::jitter, jitters()),
      rc::gen::set(&core::RetryPolicy::retry_after, retry_after_rules()),
      rc::gen::set(&core::RetryPolicy::timeouts, timeouts),
      rc::gen::set(&core::RetryPolicy::retry_on, retried()));
  return generator;
}

rc::Gen<AnswerSketch> answers_around(rc::Gen<What> whats) {
  const auto pieces = list_of(
      rc::gen::build<AnswerSketch::Piece>(
          rc::gen::set(&AnswerSketch::Piece::bytes, any_of<std::uint64_t>({16, 1, 40, 1'000})),
          rc::gen::set(&AnswerSketch::Piece::after, moments())),
      4);
  return rc::gen::build<AnswerSketch>(
      rc::gen::set(
          &AnswerSketch::respond,
          rc::gen::map(std::move(whats),
                       [](What what) { return scenarios::Respond{.what = std::move(what)}; })),
      rc::gen::set(&AnswerSketch::latency, moments()), rc::gen::set(&AnswerSketch::pieces, pieces),
      rc::gen::set(&AnswerSketch::trickles, weighted<bool>({{2, false}, {1, true}})),
      rc::gen::set(&AnswerSketch::ending, weighted<std::size_t>({{5, 0}, {1, 1}, {1, 2}, {1, 3}})),
      rc::gen::set(&AnswerSketch::ending_at, index_below(6)),
      rc::gen::set(&AnswerSketch::content_length_error,
                   weighted<std::int64_t>({{8, 0}, {1, 1}, {1, -1}, {1, 10}, {1, -1'000}})));
}

rc::Gen<AnswerSketch> answers() {
  static const rc::Gen<AnswerSketch> generator = answers_around(whats());
  return generator;
}

rc::Gen<std::vector<AnswerSketch>> schedules() {
  return list_of(answers(), 24);
}

rc::Gen<std::uint64_t> seeds() {
  return rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint64_t>(1, 1'000'000));
}

scenarios::Scenario scenario_of(const core::RetryPolicy& policy,
                                const std::vector<scenarios::Respond>& schedule) {
  scenarios::Scenario scenario;
  scenario.name = "counterexample";
  scenario.summary = "generated";
  scenario.source = "property test";
  scenario.operation.request = std::make_shared<const core::ChatRequest>(
      R"("model":"m","reasoning_effort":"high")",
      std::vector<std::string>{R"({"role":"user","content":"hi"})"});
  scenario.policy_name = "inline";
  scenario.policy = policy;
  // The least that a file must expect; whether it holds is not the point of a replay.
  scenario.expect.attempts.max = policy.budgets.attempts_max;
  scenario.server.phases.emplace_back();
  std::vector<scenarios::Step>& steps = scenario.server.phases.back().sequence;
  for (const scenarios::Respond& respond : schedule) {
    steps.push_back({.times = 1, .mix = {{.weight = 1, .respond = respond}}});
  }
  if (schedule.empty()) {
    scenarios::HttpAnswer good;
    good.body = kGoodBodies.front().bytes;
    steps.push_back({.times = 1, .mix = {{.weight = 1, .respond = {.what = std::move(good)}}}});
  }
  return scenario;
}

scenarios::Scenario scenario_of(const core::RetryPolicy& policy,
                                const std::vector<AnswerSketch>& schedule) {
  std::vector<scenarios::Respond> resolved;
  resolved.reserve(schedule.size());
  for (const AnswerSketch& answer : schedule) {
    resolved.push_back(answer.resolve(policy.timeouts));
  }
  return scenario_of(policy, resolved);
}

rc::Gen<Case> cases_of(rc::Gen<scenarios::Scenario> played) {
  return rc::gen::apply(
      [](scenarios::Scenario scenario, const ClientSketch& client, const ShutdownSketch& shutdown,
         std::uint64_t seed) {
        Case drawn{.scenario = std::move(scenario), .seed = seed};
        drawn.scenario.operation.telemetry = client.telemetry;
        drawn.scenario.client.wall_clock = client.wall_clock;
        drawn.scenario.horizon = client.horizon;
        add_shutdown(shutdown, drawn);
        return drawn;
      },
      std::move(played), clients(), shutdowns(), seeds());
}

rc::Gen<Case> cases() {
  static const rc::Gen<Case> generator = cases_of(rc::gen::apply(
      [](const core::RetryPolicy& policy, const std::vector<AnswerSketch>& schedule) {
        return scenario_of(policy, schedule);
      },
      policies(), schedules()));
  return generator;
}

rc::Gen<Case> wild_cases() {
  static const rc::Gen<Case> generator = cases_of(rc::gen::apply(
      [](const core::RetryPolicy& policy, const std::vector<StepSketch>& sketches) {
        return served(policy, server_of(sketches, policy.timeouts));
      },
      policies(), list_of(steps(), 5)));
  return generator;
}

// NOLINTNEXTLINE(readability-identifier-naming)
void showValue(const Case& drawn, std::ostream& out) {
  out << "// This file, saved as " << drawn.scenario.name << ".json, is replayed by:\n"
      << "//   squall run " << drawn.scenario.name << ".json --seed " << drawn.seed << '\n'
      << scenarios::write_scenario(drawn.scenario);
}

}  // namespace squall::property_tests
