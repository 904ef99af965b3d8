// SPDX-License-Identifier: MIT
#include "playback/audit.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/llm/chat_answer.hpp"
#include "core/retry_after.hpp"
#include "scenarios/quantities.hpp"

namespace squall::playback {

using core::Duration;
using core::Instant;
using scenarios::format_duration;
using scenarios::format_milliseconds;

std::optional<Invariant> invariant_from_label(std::string_view name) {
  const auto* found = std::find_if(kInvariants.begin(), kInvariants.end(),
                                   [name](const InvariantInfo& info) { return info.name == name; });
  return found == kInvariants.end() ? std::nullopt : std::optional(found->invariant);
}

AuditRules rules_of(scenarios::OperationKind kind) {
  using Requests = AuditRules::Requests;
  using Sleeps = AuditRules::Sleeps;
  switch (kind) {
    case scenarios::OperationKind::kAgentChat:
      return {};
    case scenarios::OperationKind::kToolCall:
      return {.requests = Requests::kSame,
              .sleeps = Sleeps::kEveryAttempt,
              .has_rounds = false,
              .may_add_to_trail = true};
    case scenarios::OperationKind::kExtraction:
    case scenarios::OperationKind::kComment:
      return {.requests = Requests::kAppended,
              .sleeps = Sleeps::kEveryAttempt,
              .has_rounds = false,
              .may_add_to_trail = false};
    case scenarios::OperationKind::kContinuation:
      return {.requests = Requests::kAppended,
              .sleeps = Sleeps::kNever,
              .has_rounds = false,
              .may_add_to_trail = false};
    case scenarios::OperationKind::kSynthesis:
      return {.requests = Requests::kAppended,
              .sleeps = Sleeps::kFailedExchange,
              .has_rounds = true,
              .may_add_to_trail = true};
    case scenarios::OperationKind::kResearchSynthesis:
      return {.requests = Requests::kFeedback,
              .sleeps = Sleeps::kFailedExchange,
              .has_rounds = false,
              .may_add_to_trail = false};
  }
  return {};
}

template <class Message>
void Audit::check(Invariant invariant, bool holds, Instant now, Message&& message) {
  ++checks_[static_cast<std::size_t>(invariant)];
  if (!holds) [[unlikely]] {
    violations_.push_back({invariant, now, std::forward<Message>(message)()});
  }
}

void Audit::begin(const core::RetryPolicy& policy, const AuditRules& rules, bool telemetry,
                  Instant now) {
  started_at_ = now;
  policy_ = &policy;
  rules_ = rules;
  telemetry_ = telemetry;
  calls_ = 0;
  attempts_ = 0;
  failures_ = 0;
  rows_ = 0;
  request_rows_ = 0;
  accepted_rounds_ = 0;
  added_to_trail_ = 0;
  failed_exchanges_ = 0;
  succeeded_ = false;
  final_seen_ = false;
  shutdown_at_.reset();
  shutdown_judged_ = false;
  first_request_.clear();
  previous_request_.clear();
  body_.clear();
  answered_ = false;
  ended_ = false;
  complete_ = false;
  announced_bytes_.reset();
  open_ = false;
  attempt_started_ = {};
  last_progress_ = {};
  ended_at_ = {};
  status_ = 0;
  retry_after_ms_.reset();
  violations_.clear();
  checks_ = {};
}

void Audit::on_event(const core::Event& event, Instant now) {
  if (std::holds_alternative<core::ShutdownRequested>(event)) {
    if (!shutdown_at_) {
      shutdown_at_ = now;
    }
    return;
  }
  if (shutdown_at_) {
    return;  // What reaches an operation that should be over is judged by its orders.
  }
  if (!open_) {
    return;
  }
  if (const auto* headers = std::get_if<core::HeadersReceived>(&event)) {
    if (headers->attempt == attempts_) {
      check_wait(now, true);
      status_ = headers->head.status;
      announced_bytes_ = headers->head.content_length;
      retry_after_ms_ =
          status_ >= 200 && status_ <= 299
              ? std::nullopt
              : core::read_retry_after({.retry_after = headers->head.retry_after,
                                        .retry_after_ms = headers->head.retry_after_ms},
                                       policy_->retry_after, headers->received_at);
    }
  } else if (const auto* arrived = std::get_if<core::BytesReceived>(&event)) {
    if (arrived->attempt == attempts_) {
      check_wait(now, true);
      body_bytes_ += arrived->bytes.size();
      if (rules_.requests != AuditRules::Requests::kSame) {
        body_ += arrived->bytes;
      }
    }
  } else if (const auto* ended = std::get_if<core::BodyEnded>(&event)) {
    if (ended->attempt == attempts_) {
      check_wait(now, false);
      ended_ = true;
      complete_ = true;
      note_answer(now);
    }
  } else if (const auto* failed = std::get_if<core::AttemptFailed>(&event)) {
    if (failed->attempt == attempts_) {
      check_wait(now, false);
      ended_ = true;
    }
  } else if (std::holds_alternative<core::WakeupReached>(event)) {
    check_wait(now, false);
  }
}

// An answer ends the attempt here, whatever the operation makes of it.
void Audit::note_answer(Instant now) {
  ended_at_ = now;
  answered_ = rules_.requests != AuditRules::Requests::kSame && status_ >= 200 && status_ <= 299 &&
              core::llm::parse_chat_answer(body_).has_value();
}

// Called at every sign of life of the attempt, at its end, at every wake-up and at the end of the
// run: the wait that ends (or goes on) now must not have exceeded the idle timeout.
void Audit::check_wait(Instant now, bool progress) {
  if (const std::optional<Duration>& whole = policy_->timeouts.attempt) {
    check(Invariant::kIdleTimeout, now - attempt_started_ <= *whole, now, [&] {
      return fmt::format("attempt {} has taken {}; the whole of it may take {}", attempts_,
                         format_duration(now - attempt_started_), format_duration(*whole));
    });
  }
  if (!policy_->timeouts.idle) {
    return;
  }
  const Duration idle = *policy_->timeouts.idle;
  check(Invariant::kIdleTimeout, now - last_progress_ <= idle, now, [&] {
    return fmt::format("attempt {} waited {} without bytes; the idle timeout is {}", attempts_,
                       format_duration(now - last_progress_), format_duration(idle));
  });
  // Bytes at exactly the timeout are too late: they must not restart the wait.
  if (progress && now - last_progress_ < idle) {
    last_progress_ = now;
  }
}

void Audit::on_actions(const core::Actions& actions, const TrailView& trail, Instant now) {
  bool finishes = false;
  for (const core::Action& action : actions) {
    if (const auto* row = std::get_if<core::RecordRequest>(&action);
        row != nullptr && row->accepted_round != 0) {
      on_accepted_round(*row, now);  // It closes the attempt before anything is added to the trail.
    }
    finishes = finishes || std::holds_alternative<core::FinishOperation>(action);
  }
  for (; failures_ < trail.size(); ++failures_) {
    on_failure(trail[failures_], finishes, now);
  }
  for (const core::Action& action : actions) {
    if (std::holds_alternative<core::AbandonAttempt>(action)) {
      on_abandon(now);
    } else if (const auto* row = std::get_if<core::RecordFailure>(&action)) {
      on_row(*row, now);
    } else if (const auto* request = std::get_if<core::RecordRequest>(&action)) {
      on_request_row(*request, now);
    }
  }
  if (shutdown_at_ && !shutdown_judged_) {
    shutdown_judged_ = true;
    check(Invariant::kPromptShutdown, finishes && now == *shutdown_at_, now, [&] {
      return fmt::format("a shutdown was requested at {} and the operation went on at {}",
                         format_duration(shutdown_at_->time_since_epoch()),
                         format_duration(now.time_since_epoch()));
    });
  }
}

void Audit::note_end_of_attempt(Instant now) {
  open_ = false;
  ended_at_ = now;
  if (!answered_) {
    ++failed_exchanges_;
  }
}

void Audit::on_accepted_round(const core::RecordRequest& row, Instant now) {
  check(Invariant::kTelemetry, telemetry_ && rules_.has_rounds && open_ && answered_, now, [&] {
    return fmt::format("a row says that round {} was accepted, and no answer arrived in it",
                       row.accepted_round);
  });
  check(Invariant::kTelemetry,
        row.accepted_round == attempts_ && row.duration == now - attempt_started_, now, [&] {
          return fmt::format("the row of round {} says it took {}; round {} took {}",
                             row.accepted_round, format_duration(row.duration), attempts_,
                             format_duration(now - attempt_started_));
        });
  ++accepted_rounds_;
  note_end_of_attempt(now);
}

void Audit::on_failure(const FailureView& failure, bool finishes, Instant now) {
  // Only into a trail that would be empty.
  if (!open_ && finishes && rules_.may_add_to_trail && failures_ == 0) {
    ++added_to_trail_;
    return;
  }
  check(Invariant::kTrailComplete, open_, now, [&] {
    return fmt::format("failure {} ({}) was recorded without an attempt under way", failures_ + 1,
                       label(failure.failure_class));
  });
  if (open_) {
    check_cut(now);
  }
  note_end_of_attempt(now);
  if (!is_retryable(failure.failure_class) || is_left_out()) {
    final_seen_ = true;
  }
}

// Whether the policy holds the failure of the attempt that ended for final, by what was seen of it
// alone, whatever class the operation gave it. In doubt it does not.
bool Audit::is_left_out() const {
  const core::RetryOn& retry_on = policy_->retry_on;
  if (status_ == 0) {
    return !retry_on.connection_failures;
  }
  if (status_ < 200 || status_ > 299) {
    return !retry_on.statuses.contains(status_);
  }
  if (!complete_) {
    return !retry_on.cut_bodies;
  }
  if (answered_) {
    return false;  // The operation looked at the answer and wants another one.
  }
  // A whole body of the wrong length may pass for a cut one.
  const bool length_is_wrong = announced_bytes_ && *announced_bytes_ != body_bytes_;
  return !retry_on.unusable_answers && (!length_is_wrong || !retry_on.cut_bodies);
}

void Audit::on_row(const core::RecordFailure& row, Instant now) {
  check(Invariant::kTelemetry, telemetry_, now,
        [] { return std::string("a failure row was written for an operation without metadata"); });
  check(Invariant::kTrailComplete,
        row.trail_index == rows_ && row.failure_index == rows_ + 1 && rows_ < failures_, now, [&] {
          return fmt::format("row {} carries index {} and points at trail entry {}", rows_ + 1,
                             row.failure_index, row.trail_index);
        });
  check(Invariant::kTelemetry, row.attempt_duration == now - attempt_started_, now, [&] {
    return fmt::format("row {} says the attempt took {}; it took {}", rows_ + 1,
                       row.attempt_duration ? format_duration(*row.attempt_duration) : "NULL",
                       format_duration(now - attempt_started_));
  });
  ++rows_;
}

void Audit::on_request_row(const core::RecordRequest& row, Instant now) {
  if (row.accepted_round != 0) {
    return;  // The row of a round, not of the operation.
  }
  ++request_rows_;
  check(Invariant::kTelemetry, row.duration == now - started_at_, now, [&] {
    return fmt::format("the request row says the operation took {}; it took {}",
                       format_duration(row.duration), format_duration(now - started_at_));
  });
}

void Audit::on_stored(const core::FailureRow& row, const core::RecordFailure& order,
                      const FailureView& failure, Instant now) {
  check(Invariant::kTelemetry,
        row.attempt == order.failure_index && row.attempt_duration == order.attempt_duration &&
            row.failure_class == label(failure.failure_class) &&
            row.error_chain == failure.error_chain && row.finish_reason == failure.finish_reason &&
            row.retry_after_ms == failure.retry_after_ms,
        now, [&] {
          return fmt::format("stored row {} ({}) differs from record {} of the trail ({})",
                             row.attempt, row.failure_class, order.failure_index,
                             label(failure.failure_class));
        });
}

void Audit::on_stored(const core::RequestRow& row, const core::RecordRequest& order,
                      const Operation& operation, Instant now) {
  using scenarios::Outcome;
  const bool is_round = order.accepted_round != 0;
  const std::optional<ShortfallView> shortfall = is_round ? std::nullopt : operation.shortfall();
  const Outcome outcome = operation.outcome();
  const bool succeeded = is_round || outcome == Outcome::kSuccess || outcome == Outcome::kDegraded;
  check(Invariant::kTelemetry,
        row.retry_attempts == attempts_ && row.duration == order.duration &&
            row.success == succeeded && row.failure_class.has_value() == shortfall.has_value() &&
            (!shortfall || *row.failure_class == label(shortfall->final_class)) &&
            (!shortfall || row.answer == core::AnswerFacts{}),
        now, [&] {
          return fmt::format(
              "the stored request row says {} attempt(s), {}, class {}; it was {} attempt(s), {}",
              row.retry_attempts, row.success ? "success" : "failure",
              row.failure_class.value_or("none"), attempts_, label(outcome));
        });
}

void Audit::on_abandon(Instant now) {
  if (open_) {
    check_cut(now);  // Otherwise the failure was recorded with it, and judged.
  }
}

// An attempt may end before its exchange does when a timeout or the limit of the body says so.
void Audit::check_cut(Instant now) {
  if (shutdown_at_ || ended_) {
    return;
  }
  const auto reached = [now](Instant since, const std::optional<Duration>& limit) {
    return limit && now - since >= *limit;
  };
  check(Invariant::kIdleTimeout,
        reached(last_progress_, policy_->timeouts.idle) ||
            reached(attempt_started_, policy_->timeouts.attempt) ||
            body_bytes_ > core::Attempt::kBodyBytesMax,
        now, [&] {
          return fmt::format("attempt {} was cut {} after its last bytes", attempts_,
                             format_duration(now - last_progress_));
        });
}

void Audit::on_send(core::AttemptId attempt, const RequestView& request, Instant now) {
  ++calls_;
  // A second call of one attempt is no attempt of its own; a call of the next one while this one
  // has no record is a hole in the trail.
  const bool again = open_ && attempt != attempts_ + 1;
  // Without metadata nothing tells that a round was accepted.
  const bool unseen_round = open_ && !again && rules_.has_rounds && !telemetry_ && answered_;
  check(Invariant::kTrailComplete, !open_ || again || unseen_round, now, [&] {
    return fmt::format("attempt {} was sent and attempt {} has left no record", attempt, attempts_);
  });
  if (unseen_round) {
    ++accepted_rounds_;
    open_ = false;
  }
  if (!again) {
    ++attempts_;
  }
  check(Invariant::kAttemptBudget,
        calls_ <= policy_->budgets.attempts_max && attempt == attempts_ && !again, now, [&] {
          return fmt::format("call {} as attempt {}{}; the policy allows {} attempt(s)", calls_,
                             attempt, again ? ", which has made its call already" : "",
                             policy_->budgets.attempts_max);
        });
  if (const std::optional<Duration>& budget = policy_->budgets.time) {
    check(Invariant::kAttemptBudget, now - started_at_ <= *budget, now, [&] {
      return fmt::format("call {} was made {} after the start; the time budget is {}", calls_,
                         format_duration(now - started_at_), format_duration(*budget));
    });
  }
  check(Invariant::kNoCallAfterFinal, !final_seen_ && !shutdown_at_, now, [&] {
    return fmt::format("call {} after {}", calls_,
                       final_seen_ ? "a failure that is final" : "a shutdown");
  });
  if (calls_ == 1) {
    first_request_ = request.body;
  } else {
    check_request(request, now);
    if (!final_seen_ && !again) {
      check_gap(now);
    }
  }
  if (rules_.requests != AuditRules::Requests::kSame) {
    previous_request_ = request.body;
  }
  open_ = true;
  attempt_started_ = now;
  last_progress_ = now;
  body_bytes_ = 0;
  body_.clear();
  answered_ = false;
  ended_ = false;
  complete_ = false;
  announced_bytes_.reset();
  status_ = 0;
  retry_after_ms_.reset();
}

// Requests end with the same few bytes after their messages, which no message can be taken for.
void Audit::check_request(const RequestView& request, Instant now) {
  const bool same_only = rules_.requests == AuditRules::Requests::kSame || !answered_;
  const std::string& kept = rules_.requests == AuditRules::Requests::kAppended ||
                                    (rules_.requests != AuditRules::Requests::kSame && !answered_)
                                ? previous_request_
                                : first_request_;
  bool holds = request.body == kept;
  if (!holds && !same_only) {
    const std::size_t until = kept.size() - request.tail().size();
    const std::string_view expected_start = std::string_view(kept).substr(0, until);
    holds = request.tail().size() <= kept.size() && kept.ends_with(request.tail()) &&
            request.body.size() > kept.size() && request.body.starts_with(expected_start) &&
            request.body[until] == ',' && request.messages_begin < until;
  }
  check(Invariant::kRequestBytes, holds, now, [&] {
    const auto [ours, theirs] =
        std::mismatch(request.body.begin(), request.body.end(), kept.begin(), kept.end());
    return fmt::format("call {} differs at byte {} from {}, which {}", calls_,
                       ours - request.body.begin(),
                       &kept == &first_request_ ? "the first one" : "the one before",
                       same_only ? "it must repeat" : "it may only add messages to");
  });
}

void Audit::check_gap(Instant now) {
  using Sleeps = AuditRules::Sleeps;
  const Duration gap = now - ended_at_;
  if (rules_.sleeps == Sleeps::kNever || (rules_.sleeps == Sleeps::kFailedExchange && answered_)) {
    check(Invariant::kSleepInterval, gap == Duration{0}, now, [&] {
      return fmt::format("the sleep before call {} took {}; none is allowed there", calls_,
                         format_duration(gap));
    });
    return;
  }
  if (retry_after_ms_) {
    const Duration due =
        core::from_milliseconds(core::clamp_retry_after(policy_->retry_after, *retry_after_ms_));
    check(Invariant::kSleepInterval, gap == due, now, [&] {
      return fmt::format("the sleep before call {} took {}; Retry-After {} makes it {}", calls_,
                         format_duration(gap), format_milliseconds(*retry_after_ms_),
                         format_duration(due));
    });
    return;
  }
  const std::uint32_t slot =
      rules_.sleeps == Sleeps::kFailedExchange ? failed_exchanges_ - 1 : attempts_ - 2;
  const core::SleepInterval allowed = core::sleep_interval(*policy_, slot);
  const bool whole = gap.count() % 1'000'000 == 0 || gap == Duration::max();
  check(Invariant::kSleepInterval,
        whole && gap >= core::from_milliseconds(allowed.min_ms) &&
            gap <= core::from_milliseconds(allowed.max_ms),
        now, [&] {
          return fmt::format("the sleep before call {} took {}; allowed are {} to {}", calls_,
                             format_duration(gap), format_milliseconds(allowed.min_ms),
                             format_milliseconds(allowed.max_ms));
        });
}

void Audit::on_end(const TrailView& trail, bool finished, bool succeeded, Instant now) {
  succeeded_ = succeeded;
  if (!finished && open_) {
    check_wait(now, false);
  }
  const std::uint32_t under_way = finished || !open_ ? 0 : 1;
  const std::uint64_t recorded = trail.size() - added_to_trail_;
  if (finished && open_ && answered_ && rules_.has_rounds && !telemetry_) {
    ++accepted_rounds_;  // Without metadata nothing tells that the last round was accepted.
  }
  const std::uint32_t fruitful =
      rules_.has_rounds ? accepted_rounds_ : static_cast<std::uint32_t>(succeeded);
  const std::uint32_t failed = attempts_ - under_way - fruitful;
  check(Invariant::kTrailComplete, recorded == failed, now, [&] {
    return fmt::format("{} attempt(s) failed and the trail holds {} record(s)", failed, recorded);
  });
  check(Invariant::kTelemetry,
        rows_ == (telemetry_ ? recorded : 0) && request_rows_ == (telemetry_ && finished ? 1U : 0U),
        now, [&] {
          return fmt::format("{} failure row(s) and {} request row(s) for a trail of {} record(s)",
                             rows_, request_rows_, recorded);
        });
}

std::uint32_t Audit::calls_wasted() const {
  const std::uint32_t fruitful =
      rules_.has_rounds ? accepted_rounds_ : static_cast<std::uint32_t>(succeeded_);
  return calls_ - fruitful;
}

}  // namespace squall::playback
