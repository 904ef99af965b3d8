// SPDX-License-Identifier: MIT
#include "analysis/plan_server.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "analysis/slots.hpp"
#include "analysis/ways.hpp"
#include "core/check.hpp"

namespace squall::analysis {
namespace {

using core::Duration;
using scenarios::HttpAnswer;
using scenarios::OperationKind;
using scenarios::Respond;

constexpr Duration kTick{1};

/// A whole chat completion that says nothing: no operation that can turn an answer down takes it.
constexpr std::string_view kBlankAnswer =
    R"({"choices":[{"index":0,"message":{"role":"assistant","content":""},"finish_reason":"stop"}]})";

scenarios::Header retry_after_header(const core::RetryAfterRule& rule, std::uint64_t asked_ms) {
  if (rule.milliseconds) {
    return {.name = "retry-after-ms", .value = std::to_string(asked_ms)};
  }
  if (rule.seconds) {
    std::string text = std::to_string(asked_ms / 1'000);
    if (asked_ms % 1'000 != 0) {
      text += '.' + std::to_string(1'000 + asked_ms % 1'000).substr(1);
    }
    return {.name = "retry-after", .value = std::move(text)};
  }
  // A date counts in whole seconds. What is asked for is one end of the clamp (all else is refused
  // by the analysis), so it may lie beyond it.
  const bool shortest = asked_ms == rule.clamp_min_ms;
  const Duration offset = shortest
                              ? Duration(std::chrono::seconds(-1))
                              : plus(core::from_milliseconds(asked_ms), std::chrono::seconds(2));
  return {
      .name = "retry-after",
      .value = scenarios::RelativeDate{.offset = std::chrono::ceil<std::chrono::seconds>(offset),
                                       .form = core::HttpDateForm::kImfFixdate}};
}

/// The waits of an attempt: one for headers, then one for each piece of the body.
struct Waits {
  Duration headers{0};
  Duration gap{0};           ///< before every piece but the last
  std::uint32_t pieces = 0;  ///< pieces of one byte that arrive
  Duration last_gap{0};      ///< before the last of them
  bool stalls = false;       ///< then silence until a timeout
};

Waits waits_of(const PlannedAttempt& attempt, const core::Timeouts& timeouts) {
  Waits waits;
  const Duration first = first_deadline(timeouts);
  waits.headers = std::min(attempt.lasts, first == Duration::max() ? first : first - kTick);
  const Duration rest = attempt.lasts - waits.headers;
  waits.gap = timeouts.idle ? *timeouts.idle - kTick : rest;
  const bool cut = attempt.way == Way::kErrorCut || attempt.way == Way::kSuccessCut;
  if (cut && attempt.body_waits > 0 && attempt.lasts == longest_cut(timeouts, attempt.body_waits)) {
    waits.stalls = true;
    waits.last_gap = waits.gap;
    if (timeouts.idle && waits.gap > Duration{0}) {
      // As many pieces as there are waits for them, all but the last wait, while they come in time.
      const Duration::rep fitting = timeouts.attempt
                                        ? (*timeouts.attempt - kTick - waits.headers) / waits.gap
                                        : Duration::rep{attempt.body_waits};
      waits.pieces =
          static_cast<std::uint32_t>(std::clamp<Duration::rep>(fitting, 0, attempt.body_waits - 1));
    }
    return waits;
  }
  if (rest > Duration{0}) {
    const Duration::rep pieces = (rest.count() - 1) / waits.gap.count() + 1;
    SQUALL_CHECK(pieces <= Duration::rep{attempt.body_waits}, pieces, attempt.lasts.count());
    waits.pieces = static_cast<std::uint32_t>(pieces);
    waits.last_gap = rest - (pieces - 1) * waits.gap;
  }
  return waits;
}

/// `body` so that it arrives as `waits` say and ends (or stalls, or breaks off) with the last
/// piece.
void deliver(const Waits& waits, bool breaks, std::string_view body, HttpAnswer& answer) {
  const std::uint32_t pieces = waits.pieces;
  const bool whole = !waits.stalls && !breaks;
  // Blanks are no part of what a body says, and make one that is long enough.
  answer.body.assign(pieces, ' ');
  answer.body += body;
  if (pieces > 0 && whole && body.empty()) {
    answer.body.assign(pieces, '.');
  }
  if (pieces > 0 && waits.gap == waits.last_gap && (!whole || body.empty())) {
    answer.delivery = scenarios::Trickle{.bytes = 1, .every = waits.gap};
  } else if (pieces > 0) {
    scenarios::Chunks chunks;
    chunks.pieces.assign(pieces, {.bytes = 1, .after = waits.gap});
    chunks.pieces.back() = {.bytes = whole ? std::max<std::size_t>(answer.body.size(), 1) : 1,
                            .after = waits.last_gap};
    answer.delivery = std::move(chunks);
  }
  const scenarios::BodyOffset arrived{static_cast<std::int64_t>(pieces)};
  if (waits.stalls) {
    answer.ending = scenarios::Stalls{arrived};
  } else if (breaks) {
    answer.ending = scenarios::Breaks{.after = arrived, .by_reset = true};
  }
}

Respond final_respond(OperationKind kind) {
  HttpAnswer answer;
  if (kind == OperationKind::kToolCall) {
    answer.status = 401;
  } else {
    answer.status = 429;  // Whatever a policy retries: a spent quota is final.
    answer.body = R"({"error":{"code":"insufficient_quota"}})";
  }
  return {.what = std::move(answer), .latency = Duration{0}};
}

Respond respond_of(const PlannedAttempt& attempt, const core::RetryPolicy& policy,
                   OperationKind kind) {
  if (attempt.way == Way::kFinal) {
    return final_respond(kind);
  }
  const core::Timeouts& timeouts = policy.timeouts;
  if (attempt.way == Way::kNoHeaders) {
    if (attempt.lasts == first_deadline(timeouts)) {
      return {.what = scenarios::SilentHeaders{}, .latency = Duration{0}};
    }
    const bool at_once = attempt.lasts == Duration{0};
    return {.what = scenarios::ConnectionFailure{at_once ? core::ConnectionFault::kRefused
                                                         : core::ConnectionFault::kReset},
            .latency = attempt.lasts};
  }
  HttpAnswer answer;
  const bool is_error = attempt.way == Way::kErrorWhole || attempt.way == Way::kErrorCut;
  const bool breaks = attempt.way == Way::kErrorCut || attempt.way == Way::kSuccessCut;
  answer.status = 200;
  if (is_error) {
    const std::optional<int> status =
        retried_status(policy, kind, attempt.retry_after_ms.has_value());
    // The last attempt may end in any way: then with an error that is not retried.
    answer.status = status.value_or(500);
  }
  if (attempt.retry_after_ms) {
    answer.headers.push_back(retry_after_header(policy.retry_after, *attempt.retry_after_ms));
  }
  const Waits waits = waits_of(attempt, timeouts);
  const std::string_view body = attempt.way == Way::kRejected   ? kBlankAnswer
                                : attempt.way == Way::kUnusable ? "<html>"
                                : breaks                        ? "."
                                                                : "";
  deliver(waits, breaks, body, answer);
  return {.what = std::move(answer), .latency = waits.headers};
}

}  // namespace

scenarios::Server server_of(const Plan& plan, const core::RetryPolicy& policy, OperationKind kind) {
  scenarios::Phase phase;
  for (const PlanStep& step : plan.steps) {
    scenarios::Step next{.times = step.times,
                         .mix = {{.weight = 1, .respond = respond_of(step.attempt, policy, kind)}}};
    if (!phase.sequence.empty() && phase.sequence.back().mix == next.mix) {
      phase.sequence.back().times += next.times;
    } else {
      phase.sequence.push_back(std::move(next));
    }
  }
  SQUALL_CHECK(!phase.sequence.empty());
  phase.sequence.back().times = 1;  // The last step stays.
  return {.phases = {std::move(phase)}};
}

std::vector<std::uint64_t> jitter_words_of(const Plan& plan, const core::RetryPolicy& policy) {
  const std::vector<SlotGroup> groups = slot_groups(policy, core::sleeps_max(policy));
  std::vector<std::uint64_t> words;
  std::uint32_t slot = 0;
  const auto draw = [&](std::uint64_t sleep_ms) {
    const core::SleepInterval interval = group_of(groups, slot).jitter;
    SQUALL_CHECK(interval.contains(sleep_ms), sleep_ms, slot);
    words.push_back(sleep_ms - interval.min_ms);
  };
  for (const PlanStep& step : plan.steps) {
    for (std::uint32_t time = 0; time < step.times && step.attempt.sleep_ms; ++time) {
      if (!step.attempt.retry_after_ms) {
        draw(*step.attempt.sleep_ms);
      }
      ++slot;
    }
  }
  if (plan.refused_sleep_ms) {
    draw(*plan.refused_sleep_ms);
  }
  return words;
}

scenarios::Server endless_trickle(Duration gap, Duration horizon) {
  HttpAnswer answer;
  answer.body.assign(static_cast<std::size_t>(horizon / gap) + 2, '.');
  answer.delivery = scenarios::Trickle{.bytes = 1, .every = gap};
  scenarios::Phase phase;
  phase.sequence.push_back(
      {.times = 1, .mix = {{.weight = 1, .respond = {.what = std::move(answer), .latency = gap}}}});
  return {.phases = {std::move(phase)}};
}

}  // namespace squall::analysis
