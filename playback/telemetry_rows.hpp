// SPDX-License-Identifier: MIT
//
// Fills the rows that a simulated host stores: facts of the operation, of its scenario and of the
// virtual wall clock, nothing else.
#pragma once

#include <string>

#include "core/event.hpp"
#include "core/telemetry.hpp"
#include "core/time.hpp"
#include "playback/operation.hpp"
#include "scenarios/model.hpp"

namespace squall::playback {

/// The row that `order` asks for; `failure` is the record it points at.
[[nodiscard]] core::FailureRow failure_row(const core::RecordFailure& order,
                                           const FailureView& failure,
                                           const std::string& operation_id,
                                           core::WallInstant recorded_at);

/// The row that `order` asks for: of the whole operation, or of an accepted round.
[[nodiscard]] core::RequestRow request_row(const core::RecordRequest& order,
                                           const scenarios::OperationSpec& spec,
                                           const Operation& operation,
                                           const std::string& operation_id,
                                           core::WallInstant recorded_at);

}  // namespace squall::playback
