// SPDX-License-Identifier: MIT
//
// A run of which every call is kept: the bytes sent and what came back, as the host saw them. The
// witness stands where a saboteur stands and changes nothing but the stream that jitter is drawn
// from, so that a watched run may sleep otherwise than the same case unwatched.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/telemetry.hpp"
#include "playback/run_result.hpp"
#include "property_tests/generators.hpp"
#include "simulator/simulation.hpp"

namespace squall::property_tests {

/// A chat completion, read here and not by the code under test.
struct Reply {
  std::string text;
  std::string reasoning;
  bool calls_tool = false;
  std::optional<std::string> finish_reason;

  [[nodiscard]] bool is_blank() const;
  /// Cut off at the provider's output limit.
  [[nodiscard]] bool is_cut_off() const { return finish_reason == "length"; }
};

/// One call and what became of it.
struct Call {
  std::string head;      ///< of the request: what stands before the messages
  std::string messages;  ///< comma separated
  std::string tail;
  core::Duration sent{0};  ///< since the start of the operation
  /// When it was over: the body complete, the connection broken, or given up.
  std::optional<core::Duration> ended;
  std::optional<int> status;
  std::string body;
  bool complete = false;  ///< the body arrived to its end
  std::optional<core::ConnectionFault> fault;
  /// The chat completion that arrived as a whole with a 2xx.
  std::optional<Reply> reply;

  [[nodiscard]] std::string request() const { return head + messages + tail; }
  [[nodiscard]] bool is_success_status() const {
    return status && *status >= 200 && *status <= 299;
  }
  /// The messages as JSON.
  [[nodiscard]] nlohmann::json list_messages() const {
    return nlohmann::json::parse("[" + messages + "]");
  }
};

/// Run 0 of a case, watched.
class Watched {
 public:
  explicit Watched(const Case& drawn);

  [[nodiscard]] const core::RetryPolicy& policy() const { return prepared_.scenario.policy; }
  [[nodiscard]] const scenarios::Scenario& scenario() const { return prepared_.scenario; }
  [[nodiscard]] const playback::RunResult& result() const { return result_; }
  [[nodiscard]] const std::vector<Call>& calls() const { return calls_; }
  [[nodiscard]] bool finished() const { return result_.outcome != scenarios::Outcome::kUnfinished; }
  /// The chat completion of the last call, if it brought one.
  [[nodiscard]] std::optional<Reply> last_reply() const {
    return calls_.empty() ? std::nullopt : calls_.back().reply;
  }

 private:
  playback::PreparedScenario prepared_;
  simulator::Simulation simulation_;
  std::vector<Call> calls_;
  const playback::RunResult& result_;
};

/// All rows of a run in the order in which they were stored.
class Rows final : public core::TelemetrySink {
 public:
  struct Row {
    std::optional<core::FailureRow> failure;
    std::optional<core::RequestRow> request;
  };
  void record(const core::FailureRow& row) override { rows.push_back({row, std::nullopt}); }
  void record(const core::RequestRow& row) override { rows.push_back({std::nullopt, row}); }

  std::vector<Row> rows;
};

}  // namespace squall::property_tests
