// SPDX-License-Identifier: MIT
#include "core/attempt.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace squall::core {

void Attempt::begin(AttemptId id, Instant now, const Timeouts& timeouts) {
  timeouts_ = timeouts;
  started_ = now;
  last_progress_ = now;
  body_.clear();
  fault_detail_.clear();
  content_length_.reset();
  id_ = id;
  status_ = 0;
  fault_ = ConnectionFault::kSend;
  has_started_ = false;
  has_headers_ = false;
}

std::optional<Instant> Attempt::deadline() const {
  std::optional<Instant> deadline;
  if (timeouts_.idle) {
    deadline = saturating_add(last_progress_, *timeouts_.idle);
  }
  if (timeouts_.attempt) {
    const Instant end = saturating_add(started_, *timeouts_.attempt);
    deadline = deadline ? std::min(*deadline, end) : end;
  }
  return deadline;
}

bool Attempt::whole_attempt_is_due_first() const {
  return timeouts_.attempt &&
         (!timeouts_.idle || saturating_add(started_, *timeouts_.attempt) <
                                 saturating_add(last_progress_, *timeouts_.idle));
}

std::optional<AttemptEnd> Attempt::handle(const Event& event, Instant now) {
  // Decided before looking at the event, so that the order in which a host reports a wake-up and
  // late bytes of the same instant cannot matter.
  const auto late = [&] {
    const std::optional<Instant> limit = deadline();
    return limit && now >= *limit;
  };

  if (const auto* started = std::get_if<AttemptStarted>(&event)) {
    // A second confirmation would lengthen the wait for headers beyond the idle timeout.
    if (started->attempt == id_ && !has_started_) {
      has_started_ = true;
      started_ = now;
      last_progress_ = now;
    }
    return std::nullopt;
  }
  if (const auto* headers = std::get_if<HeadersReceived>(&event)) {
    if (headers->attempt != id_ || has_headers_) {
      return std::nullopt;
    }
    if (late()) {
      return timed_out();
    }
    has_started_ = true;
    has_headers_ = true;
    status_ = headers->head.status;
    content_length_ = headers->head.content_length;
    last_progress_ = now;
    return std::nullopt;
  }
  if (const auto* arrived = std::get_if<BytesReceived>(&event)) {
    if (arrived->attempt != id_) {
      return std::nullopt;
    }
    SQUALL_CHECK(has_headers_, id_);
    if (late()) {
      return timed_out();
    }
    if (arrived->bytes.size() > kBodyBytesMax - body_.size()) {
      return AttemptEnd::kBodyTooLarge;
    }
    body_ += arrived->bytes;
    last_progress_ = now;
    return std::nullopt;
  }
  if (const auto* ended = std::get_if<BodyEnded>(&event)) {
    if (ended->attempt != id_) {
      return std::nullopt;
    }
    SQUALL_CHECK(has_headers_, id_);
    return late() ? timed_out() : AttemptEnd::kAnswered;
  }
  if (const auto* failed = std::get_if<AttemptFailed>(&event)) {
    if (failed->attempt != id_) {
      return std::nullopt;
    }
    if (late()) {
      return timed_out();
    }
    fault_ = failed->fault;
    fault_detail_ = failed->detail;
    return has_headers_ ? AttemptEnd::kBodyCut : AttemptEnd::kConnectionFailed;
  }
  if (std::holds_alternative<WakeupReached>(event) && late()) {
    return timed_out();
  }
  return std::nullopt;
}

}  // namespace squall::core
