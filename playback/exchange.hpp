// SPDX-License-Identifier: MIT
//
// One call as the simulated provider plays it: a cursor over a prepared answer that says when the
// next thing reaches the client and what it is. Allocates nothing for fixed headers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/event.hpp"
#include "core/time.hpp"
#include "playback/playbook.hpp"

namespace squall::playback {

class Exchange {
 public:
  /// Begins attempt `attempt` at `now`. `prepared` must outlive the exchange.
  void open(core::AttemptId attempt, const PreparedRespond& prepared, core::Instant now,
            core::Duration latency);
  /// Forgets the exchange: nothing more reaches the client.
  void close() { stage_ = Stage::kOver; }

  /// When the next thing reaches the client; nothing when it never does.
  [[nodiscard]] std::optional<core::Instant> next() const {
    return stage_ == Stage::kOver ? std::nullopt : std::optional(next_);
  }

  /// What reaches the client at `*next()`, one event at a time. Text in it stays valid until the
  /// next call.
  ///
  /// @param wall_clock  calendar time of `*next()`; relative dates are rendered against it.
  [[nodiscard]] core::Event take(core::WallInstant wall_clock);

 private:
  enum class Stage : std::uint8_t { kFailure, kHeaders, kBody, kBodyEnd, kOver };

  void schedule_body(core::Instant now);
  [[nodiscard]] core::ResponseHead head(core::WallInstant wall_clock);

  const PreparedRespond* prepared_ = nullptr;
  core::Instant next_{};
  std::uint64_t sent_ = 0;
  std::size_t piece_ = 0;
  std::uint64_t piece_bytes_ = 0;
  core::AttemptId attempt_ = 0;
  Stage stage_ = Stage::kOver;
  std::string rendered_date_;
};

}  // namespace squall::playback
