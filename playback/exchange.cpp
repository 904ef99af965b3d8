// SPDX-License-Identifier: MIT
#include "playback/exchange.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace squall::playback {

void Exchange::open(core::AttemptId attempt, const PreparedRespond& prepared, core::Instant now,
                    core::Duration latency) {
  prepared_ = &prepared;
  attempt_ = attempt;
  next_ = core::saturating_add(now, latency);
  sent_ = 0;
  piece_ = 0;
  if (std::holds_alternative<scenarios::HttpAnswer>(prepared.respond.what)) {
    stage_ = Stage::kHeaders;
  } else if (std::holds_alternative<scenarios::ConnectionFailure>(prepared.respond.what)) {
    stage_ = Stage::kFailure;
  } else {
    stage_ = Stage::kOver;
  }
}

core::Event Exchange::take(core::WallInstant wall_clock) {
  switch (stage_) {
    case Stage::kFailure:
      stage_ = Stage::kOver;
      return core::AttemptFailed{
          .attempt = attempt_,
          .fault = std::get<scenarios::ConnectionFailure>(prepared_->respond.what).fault,
          .detail = {}};
    case Stage::kHeaders:
      schedule_body(next_);
      return core::HeadersReceived{
          .attempt = attempt_, .head = head(wall_clock), .received_at = wall_clock};
    case Stage::kBody: {
      const std::string& body = std::get<scenarios::HttpAnswer>(prepared_->respond.what).body;
      const std::string_view bytes = std::string_view(body).substr(sent_, piece_bytes_);
      sent_ += piece_bytes_;
      schedule_body(next_);
      return core::BytesReceived{.attempt = attempt_, .bytes = bytes};
    }
    case Stage::kBodyEnd:
      stage_ = Stage::kOver;
      if (prepared_->body_end == BodyEnd::kComplete) {
        return core::BodyEnded{attempt_};
      }
      return core::AttemptFailed{.attempt = attempt_,
                                 .fault = prepared_->body_end == BodyEnd::kReset
                                              ? core::ConnectionFault::kBodyReset
                                              : core::ConnectionFault::kBodyClosed,
                                 .detail = {}};
    case Stage::kOver:
      break;
  }
  SQUALL_CHECK(stage_ != Stage::kOver, attempt_);
  return core::WakeupReached{};
}

// Decides what follows at or after `now`: the next piece of the body, its end, or nothing.
void Exchange::schedule_body(core::Instant now) {
  const std::uint64_t left = prepared_->visible_bytes - sent_;
  if (left == 0) {
    stage_ = prepared_->body_end == BodyEnd::kNever ? Stage::kOver : Stage::kBodyEnd;
    next_ = now;
    return;
  }
  stage_ = Stage::kBody;
  core::Duration wait{0};
  piece_bytes_ = left;
  const auto& delivery = std::get<scenarios::HttpAnswer>(prepared_->respond.what).delivery;
  if (const auto* trickle = std::get_if<scenarios::Trickle>(&delivery)) {
    piece_bytes_ = std::min(left, trickle->bytes);
    wait = trickle->every;
  } else if (const auto* chunks = std::get_if<scenarios::Chunks>(&delivery);
             chunks != nullptr && piece_ < chunks->pieces.size()) {
    const scenarios::Chunk& piece = chunks->pieces[piece_++];
    piece_bytes_ = std::min(left, piece.bytes);
    wait = piece.after;
  }
  next_ = core::saturating_add(now, wait);
}

core::ResponseHead Exchange::head(core::WallInstant wall_clock) {
  core::ResponseHead head{.status = std::get<scenarios::HttpAnswer>(prepared_->respond.what).status,
                          .content_length = prepared_->announced_length,
                          .retry_after = std::nullopt,
                          .retry_after_ms = std::nullopt};
  if (const scenarios::Header* header = prepared_->retry_after) {
    if (const auto* date = std::get_if<scenarios::RelativeDate>(&header->value)) {
      rendered_date_ =
          core::format_http_date(core::saturating_add(wall_clock, date->offset), date->form);
      head.retry_after = rendered_date_;
    } else {
      head.retry_after = std::get<std::string>(header->value);
    }
  }
  if (const scenarios::Header* header = prepared_->retry_after_ms) {
    if (const auto* literal = std::get_if<std::string>(&header->value)) {
      head.retry_after_ms = *literal;
    }
  }
  return head;
}

}  // namespace squall::playback
