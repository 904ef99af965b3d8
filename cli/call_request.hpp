// SPDX-License-Identifier: MIT
//
// What `squall call` is asked to send, as an operation: one chat or one tool call.
#pragma once

#include <string>

#include "core/error.hpp"
#include "core/expected.hpp"
#include "live/endpoint.hpp"
#include "scenarios/model.hpp"

namespace squall::cli {

/// The words of the command line; what was not given is empty. Exactly one of `message`,
/// `request_file` and `tool` must be there.
struct CallWords {
  std::string message;
  std::string model;
  std::string request_file;
  std::string tool;
  std::string arguments;
};

/// @errors  none or several of the three; a message without a model, or a model without a message;
///          arguments without a tool; a request that is no JSON object with a model and messages,
///          or that wants its answer streamed; arguments that are no JSON object
[[nodiscard]] core::Expected<scenarios::OperationSpec, core::Error> make_operation(
    const CallWords& words, const live::Endpoint& endpoint);

}  // namespace squall::cli
