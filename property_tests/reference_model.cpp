// SPDX-License-Identifier: MIT
#include "property_tests/reference_model.hpp"

#include <algorithm>
#include <string_view>

#include "core/check.hpp"
#include "core/http_date.hpp"
#include "core/llm/classify_status.hpp"
#include "core/policy.hpp"
#include "core/random.hpp"
#include "core/retry_after.hpp"
#include "property_tests/bodies.hpp"

namespace squall::property_tests {
namespace {

using core::Duration;
using core::Instant;
using core::llm::FailureClass;
using scenarios::Outcome;

/// How one call ended: with a text, or with a failure.
struct CallEnd {
  Instant at;
  std::optional<std::string> answer;
  std::optional<ReferenceFailure> failure;
};

CallEnd failed(Instant at, bool retried, FailureClass failure_class,
               std::optional<std::string> finish_reason = std::nullopt) {
  return {.at = at,
          .answer = std::nullopt,
          .failure = ReferenceFailure{retried ? failure_class : FailureClass::kNonRetryable,
                                      std::nullopt, std::move(finish_reason)}};
}

/// The body as it reaches the client.
struct Transfer {
  std::size_t bytes = 0;    ///< that arrive
  bool complete = false;    ///< and then the body is complete as HTTP counts it
  bool goes_quiet = false;  ///< or else nothing more happens; neither: the connection is lost
};

Transfer transfer_of(const scenarios::HttpAnswer& answer) {
  const std::size_t size = answer.body.size();
  const auto position = [size](scenarios::BodyOffset offset) {
    return offset.bytes >= 0 ? static_cast<std::size_t>(offset.bytes)
                             : size - static_cast<std::size_t>(-offset.bytes);
  };
  Transfer transfer{.bytes = size, .complete = true};
  if (const auto* stalls = std::get_if<scenarios::Stalls>(&answer.ending)) {
    transfer = {.bytes = position(stalls->after), .goes_quiet = true};
  } else if (const auto* breaks = std::get_if<scenarios::Breaks>(&answer.ending)) {
    // Without a length or chunks an orderly close is what ends a body.
    transfer = {.bytes = position(breaks->after),
                .complete = answer.framing == scenarios::Framing::kUntilClose && !breaks->by_reset};
  }
  if (answer.framing == scenarios::Framing::kContentLength) {
    const auto announced =
        static_cast<std::size_t>(static_cast<std::int64_t>(size) + answer.content_length_error);
    if (transfer.bytes >= announced) {
      transfer = {.bytes = announced, .complete = true};
    } else {
      transfer.complete = false;
    }
  }
  return transfer;
}

/// Pieces in which `bytes` bytes arrive, each so long after what came before it.
std::vector<scenarios::Chunk> pieces_of(const scenarios::Delivery& delivery, std::size_t bytes) {
  std::vector<scenarios::Chunk> pieces;
  std::size_t left = bytes;
  const auto send = [&](std::uint64_t size, Duration after) {
    if (left > 0) {
      pieces.push_back({.bytes = std::min<std::uint64_t>(left, size), .after = after});
      left -= static_cast<std::size_t>(pieces.back().bytes);
    }
  };
  if (const auto* trickle = std::get_if<scenarios::Trickle>(&delivery)) {
    while (left > 0) {
      send(trickle->bytes, trickle->every);
    }
  } else if (const auto* chunks = std::get_if<scenarios::Chunks>(&delivery)) {
    for (const scenarios::Chunk& piece : chunks->pieces) {
      send(piece.bytes, piece.after);
    }
  }
  send(left, Duration{0});
  return pieces;
}

std::optional<std::uint64_t> retry_after_of(const scenarios::HttpAnswer& answer,
                                            const core::RetryAfterRule& rule,
                                            core::WallInstant received) {
  std::optional<std::string> seconds_or_date;
  std::optional<std::string> milliseconds;
  for (const scenarios::Header& header : answer.headers) {
    std::string name = header.name;
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    std::string value;
    if (const auto* date = std::get_if<scenarios::RelativeDate>(&header.value)) {
      value = core::format_http_date(core::saturating_add(received, date->offset), date->form);
    } else {
      value = std::get<std::string>(header.value);
    }
    if (name == "retry-after") {
      seconds_or_date = value;
    } else if (name == "retry-after-ms") {
      milliseconds = value;
    }
  }
  return core::read_retry_after({.retry_after = seconds_or_date, .retry_after_ms = milliseconds},
                                rule, received);
}

/// The class of an answer whose headers came; `cut` when its body did not come to its end.
CallEnd judged(Instant at, const scenarios::HttpAnswer& answer, std::string_view received, bool cut,
               std::optional<std::uint64_t> retry_after_ms, const core::RetryOn& retry_on) {
  if (answer.status < 200 || answer.status > 299) {
    const FailureClass by_status =
        core::llm::classify_status(answer.status, received, cut, retry_on.statuses);
    CallEnd end =
        failed(at, by_status != FailureClass::kTruncatedEnvelope || retry_on.cut_bodies, by_status);
    end.failure->retry_after_ms = retry_after_ms;
    return end;
  }
  if (cut) {
    return failed(at, retry_on.cut_bodies, FailureClass::kTruncatedEnvelope);
  }
  const KnownBody known = known_body(received);
  switch (known.meaning) {
    case Meaning::kAnswer:
      return {.at = at, .answer = std::string(known.text), .failure = std::nullopt};
    case Meaning::kNoChoice:
      return failed(at, retry_on.unusable_answers, FailureClass::kNoResponse);
    case Meaning::kNotACompletion:
      break;
  }
  // A complete body has the announced length: what is left is an answer to something else.
  return failed(
      at, retry_on.unusable_answers, FailureClass::kParse,
      known.finish_reason ? std::optional(std::string(*known.finish_reason)) : std::nullopt);
}

/// One call, from `start` to its end. Ends at the end of time when nothing ever ends it.
CallEnd play_call(const scenarios::Respond& respond, Instant start,
                  const scenarios::Scenario& scenario) {
  const core::RetryPolicy& policy = scenario.policy;
  Instant alive = start;  // The last sign of life.
  const auto deadline = [&] {
    return std::min(policy.timeouts.idle ? core::saturating_add(alive, *policy.timeouts.idle)
                                         : core::kEndOfTime,
                    policy.timeouts.attempt ? core::saturating_add(start, *policy.timeouts.attempt)
                                            : core::kEndOfTime);
  };
  const auto no_headers = [&](Instant at) {
    return failed(at, policy.retry_on.connection_failures, FailureClass::kTransport);
  };

  const Instant first = core::saturating_add(start, std::get<Duration>(respond.latency));
  if (std::holds_alternative<scenarios::SilentHeaders>(respond.what) || first >= deadline()) {
    return no_headers(deadline());
  }
  const auto* answer = std::get_if<scenarios::HttpAnswer>(&respond.what);
  if (answer == nullptr) {
    return no_headers(first);
  }

  alive = first;
  const std::optional<std::uint64_t> retry_after_ms =
      retry_after_of(*answer, policy.retry_after,
                     core::saturating_add(scenario.client.wall_clock, first.time_since_epoch()));
  const Transfer transfer = transfer_of(*answer);
  std::string received;
  for (const scenarios::Chunk& piece : pieces_of(answer->delivery, transfer.bytes)) {
    const Instant arrival = core::saturating_add(alive, piece.after);
    if (arrival >= deadline()) {
      return judged(deadline(), *answer, received, true, retry_after_ms, policy.retry_on);
    }
    alive = arrival;
    received.append(answer->body, received.size(), static_cast<std::size_t>(piece.bytes));
  }
  return judged(transfer.goes_quiet ? deadline() : alive, *answer, received, !transfer.complete,
                retry_after_ms, policy.retry_on);
}

/// What call number `call`, 0-based, meets: the last answer stays.
const scenarios::Respond& answer_to(const scenarios::Server& server, std::uint64_t call) {
  const std::vector<scenarios::Step>& steps = server.phases.front().sequence;
  std::uint64_t calls = 0;
  for (const scenarios::Step& step : steps) {
    calls += step.times;
    if (call < calls) {
      return step.mix.front().respond;
    }
  }
  return steps.back().mix.front().respond;
}

}  // namespace

bool is_plain(const scenarios::Scenario& scenario) {
  const auto fixed = [](const scenarios::Step& step) {
    return step.mix.size() == 1 &&
           std::holds_alternative<Duration>(step.mix.front().respond.latency);
  };
  return scenario.server.phases.size() == 1 &&
         std::all_of(scenario.server.phases.front().sequence.begin(),
                     scenario.server.phases.front().sequence.end(), fixed);
}

ReferenceRun play_reference(const scenarios::Scenario& scenario, std::uint64_t seed,
                            std::uint64_t run) {
  SQUALL_CHECK(is_plain(scenario));
  const core::RetryPolicy& policy = scenario.policy;
  const Instant horizon(scenario.horizon);
  // Past the horizon nothing happens, a shutdown included.
  std::optional<Instant> shutdown;
  if (scenario.client.shutdown_at && *scenario.client.shutdown_at <= scenario.horizon) {
    shutdown = Instant(*scenario.client.shutdown_at);
  }
  core::RandomStream jitter = core::RandomStream(seed)
                                  .split("run")
                                  .split(run)
                                  .split("operation")
                                  .split(std::uint64_t{0})
                                  .split("backoff");
  ReferenceRun result;
  const auto ended = [&result](Instant at, Outcome outcome,
                               std::optional<FailureClass> final_class) {
    result.elapsed = at.time_since_epoch();
    result.outcome = outcome;
    result.final_class = final_class;
    return result;
  };

  Instant now{};
  if (shutdown && *shutdown <= now) {
    return ended(now, Outcome::kShutdown, FailureClass::kShutdown);
  }
  if (policy.budgets.attempts_max == 0) {
    return ended(now, Outcome::kExhausted, FailureClass::kTransport);
  }
  for (std::uint32_t attempt = 1;; ++attempt) {
    result.calls.push_back(now);
    const CallEnd end = play_call(answer_to(scenario.server, attempt - 1), now, scenario);
    if (shutdown && *shutdown <= end.at) {
      result.trail.push_back({FailureClass::kShutdown, std::nullopt, std::nullopt});
      return ended(*shutdown, Outcome::kShutdown, FailureClass::kShutdown);
    }
    if (end.at > horizon) {
      return ended(horizon, Outcome::kUnfinished, std::nullopt);
    }
    now = end.at;
    if (end.answer) {
      result.answer = end.answer;
      return ended(now, Outcome::kSuccess, std::nullopt);
    }
    result.trail.push_back(*end.failure);
    const ReferenceFailure& failure = result.trail.back();
    if (failure.failure_class == FailureClass::kNonRetryable) {
      return ended(now, Outcome::kNonRetryable, FailureClass::kNonRetryable);
    }
    if (attempt == policy.budgets.attempts_max) {
      return ended(now, Outcome::kExhausted, failure.failure_class);
    }
    // A word for each sleep that jitter decides; a Retry-After needs none.
    const std::uint64_t word = failure.retry_after_ms ? 0 : jitter.next();
    const Instant awake = core::saturating_add(
        now,
        core::from_milliseconds(core::sleep_ms(policy, attempt - 1, failure.retry_after_ms, word)));
    if (policy.budgets.time && awake.time_since_epoch() > *policy.budgets.time) {
      return ended(now, Outcome::kExhausted, failure.failure_class);
    }
    result.sleeps.push_back({awake - now, failure.retry_after_ms.has_value()});
    if (shutdown && *shutdown <= awake) {
      return ended(*shutdown, Outcome::kShutdown, FailureClass::kShutdown);
    }
    if (awake > horizon) {
      return ended(horizon, Outcome::kUnfinished, std::nullopt);
    }
    now = awake;
  }
}

}  // namespace squall::property_tests
