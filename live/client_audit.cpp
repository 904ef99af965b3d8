// SPDX-License-Identifier: MIT
#include "live/client_audit.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "core/check.hpp"
#include "core/retry_after.hpp"
#include "scenarios/quantities.hpp"

namespace squall::live {
namespace {

using core::Duration;
using core::Instant;

/// The sum of two waits, at most the longest there is.
Duration plus(Duration one, Duration other) {
  return other > Duration::max() - one ? Duration::max() : one + other;
}

/// To the microsecond: nanoseconds of a network mean nothing.
std::string text_of(Duration duration) {
  return scenarios::format_duration(
      std::chrono::duration_cast<std::chrono::microseconds>(duration));
}

std::string text_of(const core::SleepInterval& interval) {
  const std::string least = scenarios::format_milliseconds(interval.min_ms);
  return interval.min_ms == interval.max_ms
             ? least
             : least + " to " + scenarios::format_milliseconds(interval.max_ms);
}

/// One operation in the making.
struct Draft {
  ClientOperation operation;
  const LoggedExchange* request = nullptr;  ///< the first one that was read
  const LoggedExchange* last = nullptr;

  [[nodiscard]] const ClientAttempt& last_attempt() const { return operation.attempts.back(); }
  [[nodiscard]] Follow follow() const { return last_attempt().answer.follow; }
  [[nodiscard]] std::size_t size() const { return operation.attempts.size(); }
};

/// What is the same in all attempts of an operation: method, target, length and digest of the body.
using Request = std::tuple<std::string, std::string, std::uint64_t, std::uint64_t>;

Request request_of(const LoggedExchange& exchange) {
  return {exchange.method, exchange.target, exchange.body_bytes, exchange.body_digest};
}

/// All operations of one client.
class ClientLog {
 public:
  ClientLog(const core::RetryPolicy& policy, const ClientAuditOptions& options,
            std::array<std::uint64_t, kClientRules.size()>& checks)
      : policy_(policy),
        early_(scaled(kClockGranularity, options.time_scale)),
        late_(scaled(options.tolerance, options.time_scale)),
        is_whole_(options.is_whole),
        checks_(checks) {}

  void add(std::size_t index, const LoggedExchange& exchange);
  void close(std::optional<Instant> heard_until);

  [[nodiscard]] std::vector<Draft>& drafts() { return drafts_; }
  /// By operation of this client.
  [[nodiscard]] std::vector<ClientViolation>& violations() { return violations_; }

 private:
  [[nodiscard]] std::optional<std::size_t> operation_of(const LoggedExchange& exchange) const;
  void advance_to(Instant now);
  [[nodiscard]] bool is_over(const Draft& draft, const LoggedExchange& next) const;
  [[nodiscard]] bool waits(const Draft& draft, const LoggedExchange& next) const;
  [[nodiscard]] bool has_budget(const Draft& draft) const {
    return draft.size() < policy_.budgets.attempts_max;
  }
  [[nodiscard]] ClientGap gap_before(const Draft& draft, Instant arrived_at) const;
  [[nodiscard]] std::pair<bool, bool> bounds_kept(const ClientGap& gap) const;

  void check_attempt(std::size_t at, const LoggedExchange& previous,
                     const LoggedExchange& exchange);
  void check_gap(std::size_t at, ClientGap& gap);
  void check_request(std::size_t at, const LoggedExchange& previous,
                     const LoggedExchange& exchange);
  void check_left(std::size_t at, const LoggedExchange& previous);
  void check_length(std::size_t at, const LoggedExchange& exchange);
  void close(std::size_t at);

  template <class Words>
  void check(ClientRule rule, bool holds, std::size_t at, std::uint32_t attempt, Words words) {
    ++checks_[static_cast<std::size_t>(rule)];
    if (!holds) {
      violations_.push_back(
          {.rule = rule, .operation = at, .attempt = attempt, .message = words()});
    }
  }

  const core::RetryPolicy& policy_;
  Duration early_, late_;
  bool is_whole_;
  std::array<std::uint64_t, kClientRules.size()>& checks_;
  std::vector<Draft> drafts_;
  /// The latest operation of each request.
  std::map<Request, std::size_t> by_request_;
  /// Operations that may have another attempt which is not late yet, oldest first.
  std::vector<std::size_t> unfinished_;
  /// Exchanges that have not ended at the arrival looked at last.
  std::vector<const LoggedExchange*> under_way_;
  std::vector<ClientViolation> violations_;
  Instant heard_until_{};
};

// Whether the last attempt had ended when `next` arrived. A client that gave up waiting may be back
// before the server has seen its old connection close.
bool ClientLog::is_over(const Draft& draft, const LoggedExchange& next) const {
  const Duration overlap = draft.last->end == ExchangeEnd::kClientLeft ? late_ : Duration{0};
  return draft.last->ended_at <= core::saturating_add(next.arrived_at, overlap);
}

// Whether `next` may be the attempt that follows.
bool ClientLog::waits(const Draft& draft, const LoggedExchange& next) const {
  const Follow follow = draft.follow();
  return (follow == Follow::kAttempt || follow == Follow::kMayFollow) && is_over(draft, next);
}

std::optional<std::size_t> ClientLog::operation_of(const LoggedExchange& exchange) const {
  // The latest operation with this request decides, whether it waits or is over.
  if (const auto same = by_request_.find(request_of(exchange)); same != by_request_.end()) {
    const Draft& draft = drafts_[same->second];
    if (waits(draft, exchange) ||
        (draft.follow() == Follow::kForbidden && is_over(draft, exchange))) {
      return same->second;
    }
  }
  std::vector<std::size_t> waiting;
  std::copy_if(unfinished_.begin(), unfinished_.end(), std::back_inserter(waiting),
               [&](std::size_t at) { return waits(drafts_[at], exchange); });
  const bool refused = exchange.end == ExchangeEnd::kRefused;
  const std::optional<std::string> key = idempotency_key(exchange);
  for (const std::size_t at : waiting) {
    const LoggedExchange* request = drafts_[at].request;
    if (refused || request == nullptr || (key && idempotency_key(*request) == key)) {
      return at;
    }
  }
  if (waiting.size() == 1 && under_way_.empty()) {
    const Draft& draft = drafts_[waiting.front()];
    const ClientGap gap = gap_before(draft, exchange.arrived_at);
    if (gap.allowed && bounds_kept(gap).first && draft.request->method == exchange.method &&
        draft.request->target == exchange.target) {
      return waiting.front();
    }
  }
  return std::nullopt;
}

// Forgets what can be no part of any decision from `now` on, so that long records stay cheap.
void ClientLog::advance_to(Instant now) {
  std::erase_if(unfinished_, [&](std::size_t at) {
    const Draft& draft = drafts_[at];
    return (draft.follow() != Follow::kAttempt && draft.follow() != Follow::kMayFollow) ||
           !has_budget(draft) || !bounds_kept(gap_before(draft, now)).second;
  });
  std::erase_if(under_way_, [&](const LoggedExchange* exchange) {
    return exchange->ended_at <= now || (exchange->end == ExchangeEnd::kClientLeft &&
                                         exchange->ended_at <= core::saturating_add(now, late_));
  });
}

ClientGap ClientLog::gap_before(const Draft& draft, Instant arrived_at) const {
  const LoggedAnswer& answer = draft.last_attempt().answer;
  ClientGap gap{.measured = std::max(Duration{0}, arrived_at - draft.last->ended_at),
                .allowed = std::nullopt,
                .retry_after_ms = answer.retry_after_ms};
  if (answer.retry_after_is_date || !has_budget(draft) || answer.follow == Follow::kForbidden) {
    return gap;
  }
  if (answer.retry_after_ms) {
    const std::uint64_t due = core::clamp_retry_after(policy_.retry_after, *answer.retry_after_ms);
    gap.allowed = core::SleepInterval{.min_ms = due, .max_ms = due};
  } else {
    gap.allowed = core::sleep_interval(policy_, static_cast<std::uint32_t>(draft.size() - 1));
  }
  return gap;
}

/// Whether the gap is not too short, and not too long.
std::pair<bool, bool> ClientLog::bounds_kept(const ClientGap& gap) const {
  if (!gap.allowed) {
    return {true, true};
  }
  return {plus(gap.measured, early_) >= core::from_milliseconds(gap.allowed->min_ms),
          gap.measured <= plus(core::from_milliseconds(gap.allowed->max_ms), late_)};
}

void ClientLog::add(std::size_t index, const LoggedExchange& exchange) {
  heard_until_ = std::max({heard_until_, exchange.arrived_at, exchange.ended_at});
  advance_to(exchange.arrived_at);
  const std::optional<std::size_t> found = operation_of(exchange);
  const std::size_t at = found.value_or(drafts_.size());
  if (!found) {
    drafts_.emplace_back().operation.client = exchange.client;
  }
  if (exchange.end != ExchangeEnd::kRefused) {
    by_request_.insert_or_assign(request_of(exchange), at);
  }
  under_way_.push_back(&exchange);
  if (std::find(unfinished_.begin(), unfinished_.end(), at) == unfinished_.end()) {
    unfinished_.push_back(at);
  }
  Draft& draft = drafts_[at];
  const LoggedExchange* previous = draft.last;
  ClientAttempt attempt{.exchange = index,
                        .number = static_cast<std::uint32_t>(draft.size() + 1),
                        .arrived_at = exchange.arrived_at,
                        .ended_at = exchange.ended_at,
                        .answer = judge_logged(exchange, policy_),
                        .gap = std::nullopt,
                        .body = std::nullopt,
                        .headers = {}};
  if (found) {
    attempt.gap = gap_before(draft, exchange.arrived_at);
  }
  draft.operation.attempts.push_back(std::move(attempt));
  draft.last = &exchange;
  if (previous != nullptr) {
    check_attempt(at, *previous, exchange);
  } else {
    check(ClientRule::kAttemptBudget, policy_.budgets.attempts_max > 0, at, 1,
          [] { return std::string("a call was made; the policy allows none"); });
  }
  if (draft.request == nullptr && exchange.end != ExchangeEnd::kRefused) {
    draft.request = &exchange;
    draft.operation.method = exchange.method;
    draft.operation.target = exchange.target;
  }
  check_length(at, exchange);
}

void ClientLog::check_attempt(std::size_t at, const LoggedExchange& previous,
                              const LoggedExchange& exchange) {
  Draft& draft = drafts_[at];
  ClientAttempt& attempt = draft.operation.attempts.back();
  const ClientAttempt& before = draft.operation.attempts[draft.size() - 2];
  const bool is_final = before.answer.follow == Follow::kForbidden;
  const bool is_within = attempt.number <= policy_.budgets.attempts_max;
  check(ClientRule::kNoCallAfterFinal, !is_final, at, attempt.number, [&] {
    return fmt::format("attempt {} came {} after attempt {} had ended with a final failure ({}{})",
                       attempt.number, text_of(attempt.gap->measured), before.number,
                       before.answer.failure_class,
                       before.answer.status ? fmt::format(", HTTP {}", *before.answer.status) : "");
  });
  check(ClientRule::kAttemptBudget, is_within, at, attempt.number, [&] {
    return fmt::format("attempt {} was made; the policy allows {}", attempt.number,
                       policy_.budgets.attempts_max);
  });
  const Duration since_start = exchange.arrived_at - draft.operation.attempts.front().arrived_at;
  if (const std::optional<Duration>& budget = policy_.budgets.time) {
    check(ClientRule::kAttemptBudget, since_start <= plus(*budget, late_), at, attempt.number, [&] {
      return fmt::format("attempt {} came {} after the first one; the time budget is {}",
                         attempt.number, text_of(since_start), text_of(*budget));
    });
  }
  if (is_final || !is_within) {
    attempt.gap->kept = false;
  } else {
    check_left(at, previous);
    check_gap(at, *attempt.gap);
  }
  if (draft.request != nullptr && exchange.end != ExchangeEnd::kRefused) {
    check_request(at, previous.end == ExchangeEnd::kRefused ? *draft.request : previous, exchange);
  }
}

void ClientLog::check_gap(std::size_t at, ClientGap& gap) {
  if (!gap.allowed) {
    return;
  }
  const auto [not_early, not_late] = bounds_kept(gap);
  gap.kept = not_early && not_late;
  const std::uint32_t number = drafts_[at].last_attempt().number;
  check(gap.retry_after_ms ? ClientRule::kRetryAfter : ClientRule::kSleepInterval, gap.kept, at,
        number, [&, late = !not_late] {
          std::string words = fmt::format("attempt {} came {} after attempt {} had ended; ", number,
                                          text_of(gap.measured), number - 1);
          words += gap.retry_after_ms
                       ? fmt::format("Retry-After {} makes it {}",
                                     scenarios::format_milliseconds(*gap.retry_after_ms),
                                     text_of(*gap.allowed))
                       : fmt::format("the policy waits {}", text_of(*gap.allowed));
          return words + (late ? fmt::format(", and {} are tolerated on top", text_of(late_)) : "");
        });
}

void ClientLog::check_request(std::size_t at, const LoggedExchange& previous,
                              const LoggedExchange& exchange) {
  ClientAttempt& attempt = drafts_[at].operation.attempts.back();
  attempt.body = body_difference(previous, exchange);
  attempt.headers = header_differences(previous, exchange);
  check(ClientRule::kRequestBytes, !attempt.body, at, attempt.number, [&] {
    std::string words =
        fmt::format("the body of attempt {} differs from the one before", attempt.number);
    if (attempt.body->byte) {
      words += fmt::format(" at byte {}", *attempt.body->byte);
    }
    if (attempt.body->pointer) {
      words += fmt::format(" (JSON pointer \"{}\")", *attempt.body->pointer);
    } else if (attempt.body->same_value) {
      words += " (the same JSON, written differently)";
    }
    return words;
  });
  const std::optional<std::string> was = idempotency_key(previous);
  const std::optional<std::string> is = idempotency_key(exchange);
  if (was || is) {
    check(ClientRule::kIdempotencyKey, was == is, at, attempt.number, [&] {
      return fmt::format("the idempotency key of attempt {} is {}; the one before had {}",
                         attempt.number, is ? '"' + *is + '"' : "missing",
                         was ? '"' + *was + '"' : "none");
    });
  }
}

// What a client closed and then asked for again was given up for its length. If it never comes back
// it may have been stopped, which is nobody's fault.
void ClientLog::check_left(std::size_t at, const LoggedExchange& previous) {
  const bool decided_by_status =
      previous.status && (*previous.status < 200 || *previous.status > 299);
  if (previous.end != ExchangeEnd::kClientLeft || decided_by_status) {
    return;
  }
  const Duration waited = previous.ended_at - previous.arrived_at;
  const core::Timeouts& timeouts = policy_.timeouts;
  const std::uint32_t number = drafts_[at].last_attempt().number - 1;
  if (!timeouts.idle && !timeouts.attempt) {
    check(ClientRule::kIdleTimeout, false, at, number, [&] {
      return fmt::format("attempt {} was left after {}; the policy has no timeout", number,
                         text_of(waited));
    });
    return;
  }
  const Duration least =
      std::min(timeouts.idle.value_or(Duration::max()), timeouts.attempt.value_or(Duration::max()));
  check(ClientRule::kIdleTimeout, plus(waited, early_) >= least, at, number, [&] {
    return fmt::format("attempt {} was left after {}; the policy waits {}", number, text_of(waited),
                       text_of(least));
  });
}

void ClientLog::check_length(std::size_t at, const LoggedExchange& exchange) {
  const Duration took = exchange.ended_at - exchange.arrived_at;
  const std::uint32_t number = drafts_[at].last_attempt().number;
  if (const std::optional<Duration>& limit = policy_.timeouts.attempt) {
    check(ClientRule::kIdleTimeout, took <= plus(*limit, late_), at, number, [&] {
      return fmt::format("attempt {} took {}; the policy leaves an attempt after {}", number,
                         text_of(took), text_of(*limit));
    });
  }
  // How the bytes of an answer were spread over time is not recorded.
  if (const std::optional<Duration>& idle = policy_.timeouts.idle; idle && !exchange.status) {
    check(ClientRule::kIdleTimeout, took <= plus(*idle, late_), at, number, [&] {
      return fmt::format("attempt {} waited {} without bytes; the idle timeout is {}", number,
                         text_of(took), text_of(*idle));
    });
  }
}

void ClientLog::close(std::optional<Instant> heard_until) {
  heard_until_ = std::max(heard_until_, heard_until.value_or(Instant{}));
  for (std::size_t at = 0; at < drafts_.size(); ++at) {
    close(at);
  }
  std::stable_sort(violations_.begin(), violations_.end(),
                   [](const ClientViolation& one, const ClientViolation& other) {
                     return std::pair(one.operation, one.attempt) <
                            std::pair(other.operation, other.attempt);
                   });
}

void ClientLog::close(std::size_t at) {
  Draft& draft = drafts_[at];
  switch (draft.follow()) {
    case Follow::kNothing:
      draft.operation.ending = ClientEnding::kAnswered;
      return;
    case Follow::kForbidden:
      draft.operation.ending = ClientEnding::kFinal;
      return;
    case Follow::kUnknown:
      draft.operation.ending = ClientEnding::kOpen;
      return;
    case Follow::kAttempt:
    case Follow::kMayFollow:
      break;
  }
  // The latest the next attempt may come, if it must come at all.
  const ClientGap gap = gap_before(draft, draft.last->ended_at);
  const Duration longest =
      gap.allowed ? core::from_milliseconds(gap.allowed->max_ms) : Duration::max();
  const Instant due = core::saturating_add(draft.last->ended_at, plus(longest, late_));
  const Instant started = draft.operation.attempts.front().arrived_at;
  const bool may_lack_time =
      policy_.budgets.time && due > core::saturating_add(started, *policy_.budgets.time);
  if (!has_budget(draft)) {
    draft.operation.ending = ClientEnding::kSpent;
  } else if (draft.follow() == Follow::kMayFollow) {
    draft.operation.ending = ClientEnding::kLeft;
  } else if (may_lack_time) {
    draft.operation.ending = ClientEnding::kSpent;
  } else if (!gap.allowed || heard_until_ <= due || !is_whole_) {
    draft.operation.ending = ClientEnding::kOpen;
  } else {
    draft.operation.ending = ClientEnding::kGivenUp;
  }
  const std::uint32_t number = draft.last_attempt().number;
  if (draft.operation.ending == ClientEnding::kGivenUp ||
      draft.operation.ending == ClientEnding::kSpent) {
    check(ClientRule::kGivenUp, draft.operation.ending == ClientEnding::kSpent, at, number, [&] {
      return fmt::format("nothing followed attempt {} ({}); the policy waits {} and allows {}",
                         number, draft.last_attempt().answer.failure_class, text_of(*gap.allowed),
                         policy_.budgets.attempts_max == 1
                             ? std::string("1 attempt")
                             : fmt::format("{} attempts", policy_.budgets.attempts_max));
    });
  }
}

}  // namespace

Duration scaled(Duration real, std::uint64_t time_scale) {
  constexpr auto kMax = static_cast<std::uint64_t>(Duration::max().count());
  const auto nanoseconds = static_cast<std::uint64_t>(real.count());
  return nanoseconds > kMax / time_scale
             ? Duration::max()
             : Duration{static_cast<Duration::rep>(nanoseconds * time_scale)};
}

ClientAudit audit_client(const core::RetryPolicy& policy, std::span<const LoggedExchange> exchanges,
                         const ClientAuditOptions& options) {
  SQUALL_CHECK(options.time_scale >= 1 && options.tolerance >= Duration{0}, options.time_scale,
               options.tolerance.count());
  ClientAudit audit;
  std::map<std::string, ClientLog> clients;
  for (std::size_t index = 0; index < exchanges.size(); ++index) {
    const LoggedExchange& exchange = exchanges[index];
    clients.try_emplace(exchange.client, policy, options, audit.checks)
        .first->second.add(index, exchange);
  }
  // Put back into the order in which the record has them.
  struct Place {
    std::size_t first;
    ClientLog* log;
    std::size_t at;
  };
  std::vector<Place> places;
  for (auto& [client, log] : clients) {
    const auto until =
        std::find_if(options.heard_until.begin(), options.heard_until.end(),
                     [&, &name = client](const auto& entry) { return entry.first == name; });
    log.close(until == options.heard_until.end() ? std::nullopt : std::optional(until->second));
    for (std::size_t at = 0; at < log.drafts().size(); ++at) {
      places.push_back({log.drafts()[at].operation.attempts.front().exchange, &log, at});
    }
  }
  std::sort(places.begin(), places.end(),
            [](const Place& one, const Place& other) { return one.first < other.first; });
  for (const Place& place : places) {
    struct ByOperation {
      bool operator()(const ClientViolation& one, std::size_t at) const {
        return one.operation < at;
      }
      bool operator()(std::size_t at, const ClientViolation& one) const {
        return at < one.operation;
      }
    };
    const auto [first, last] = std::equal_range(
        place.log->violations().begin(), place.log->violations().end(), place.at, ByOperation{});
    for (auto violation = first; violation != last; ++violation) {
      audit.violations.push_back(*violation);
      audit.violations.back().operation = audit.operations.size();
    }
    audit.operations.push_back(std::move(place.log->drafts()[place.at].operation));
  }
  return audit;
}

}  // namespace squall::live
