// SPDX-License-Identifier: MIT
//
// Any bytes through everything that the production client does with an answer: reading, then the
// operation that judges it, under the audit. Used by the fuzzer and by the test that replays its
// corpus.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "core/driver.hpp"
#include "core/event.hpp"
#include "core/random.hpp"
#include "live/answer_reader.hpp"
#include "live/secret.hpp"
#include "playback/prepared_scenario.hpp"
#include "playback/trace.hpp"
#include "playback/watched_operation.hpp"
#include "scenarios/loader.hpp"

namespace squall::live {

/// What an operation of a single call made of an answer.
struct TriedAnswer {
  scenarios::Outcome outcome = scenarios::Outcome::kUnfinished;
  std::vector<std::string> classes;
  std::optional<std::string> answer;
  /// What the operation was given of the body.
  std::string body;

  friend bool operator==(const TriedAnswer&, const TriedAnswer&) = default;
};

/// The key that must not come out again; its forms are not alike.
inline const Secret& tried_key() {
  static const Secret key = *Secret::make("sk-tried/01\"23\\4567", "TEST_KEY");
  return key;
}

/// Whether what is shown holds as much of the key as must not be shown.
inline bool shows_tried_key(std::string_view shown) {
  return shown.find(tried_key().reveal().substr(0, Secret::kBytesMin)) != std::string_view::npos;
}

/// The host of an operation whose one answer is at hand. No time passes.
class FedHost {
 public:
  using Watched = playback::WatchedOperation;

  explicit FedHost(const playback::PreparedScenario& prepared) {
    (void)watched_.begin(prepared, core::RandomStream(1), trace_, 0, {}, core::Instant{});
    deliver(core::OperationStarted{});
  }

  TriedAnswer take(std::string_view bytes, std::size_t piece, ConnectionEnd end) {
    AnswerReader reader;
    while (!bytes.empty() && !reader.is_over()) {
      pass_on(reader.take(bytes.substr(0, piece)));
      bytes.remove_prefix(std::min(piece, bytes.size()));
    }
    if (!reader.is_over()) {
      pass_on(reader.end(end, "the connection ended"));
    }
    SQUALL_CHECK(reader.is_over());
    SQUALL_CHECK(watched_.finished());
    for (const playback::Violation& violation : watched_.audit().violations()) {
      SQUALL_CHECK(violation.message.empty(), violation.message);
    }
    playback::RunResult result;
    watched_.describe(result);
    made_.outcome = result.outcome;
    made_.answer = result.operation->answer();
    for (const std::string& form : tried_key().forms()) {
      SQUALL_CHECK(made_.body.find(form) == std::string::npos);
    }
    // An answer may spell the key in escapes; what reading makes of them is masked on its way out.
    SQUALL_CHECK(!shows_tried_key(masked(tried_key(), made_.answer.value_or(""))));
    for (std::size_t i = 0; i < result.trail.size(); ++i) {
      SQUALL_CHECK(!shows_tried_key(masked(tried_key(), result.trail[i].error_chain)));
      made_.classes.emplace_back(label(result.trail[i].failure_class));
    }
    return made_;
  }

  // ---- the host's side of the driver ----
  [[nodiscard]] static core::Instant now() { return {}; }
  void observe(const core::Event&, const core::Actions&, const Watched&) {}
  void send_attempt(core::AttemptId attempt, const Watched&) { (void)watched_.send(attempt, {}); }
  void abandon_attempt(core::AttemptId attempt) { watched_.abandon(attempt, {}); }
  void record_failure(const core::RecordFailure& order, const Watched&) {
    watched_.record(order, {}, {});
  }
  void record_request(const core::RecordRequest& order, const Watched&) {
    watched_.record(order, {}, {});
  }
  void finish_operation(const Watched&) { watched_.finish({}); }
  void arm_wakeup(std::optional<core::Instant>) {}

 private:
  void deliver(const core::Event& event) {
    if (!watched_.finished()) {
      core::Driver<Watched, FedHost>(watched_, *this).deliver(event);
    }
  }

  void pass_on(const AnswerNews& news) {
    if (news.head) {
      SQUALL_CHECK(news.head->status >= 200 && news.head->status <= 999, news.head->status);
      core::ResponseHead head{.status = news.head->status,
                              .content_length = news.head->content_length,
                              .retry_after = {},
                              .retry_after_ms = {}};
      if (news.head->retry_after) {
        head.retry_after = *news.head->retry_after;
      }
      if (news.head->retry_after_ms) {
        head.retry_after_ms = *news.head->retry_after_ms;
      }
      deliver(core::HeadersReceived{1, head, {}});
    }
    std::string shown = masking_.take(news.body);
    if (news.complete || news.failure) {
      shown += masking_.finish();
    }
    if (!shown.empty() || !news.body.empty()) {
      made_.body += shown;
      deliver(core::BytesReceived{1, shown});
    }
    SQUALL_CHECK(!(news.complete && news.failure));
    if (news.failure) {
      // Of a body that ended too early the fault says it all.
      SQUALL_CHECK(!news.failure->detail.empty() ||
                   news.failure->fault == core::ConnectionFault::kBodyClosed);
      const std::string words = masked(tried_key(), news.failure->detail);
      deliver(core::AttemptFailed{1, news.failure->fault, words});
    } else if (news.complete) {
      deliver(core::BodyEnded{1});
    }
  }

  playback::Trace trace_;
  Watched watched_;
  Masking masking_{tried_key()};
  TriedAnswer made_;
};

/// A chat and a tool call that make a single call each.
inline const std::vector<playback::PreparedScenario>& single_calls() {
  static const std::vector<playback::PreparedScenario> made = [] {
    std::vector<playback::PreparedScenario> calls;
    for (
        const std::string_view operation :
        {R"("kind":"agent_chat","request":{"model":"m","messages":[{"role":"user","content":"x"}]})",
         R"("kind":"tool_call","connector":{"label":"x","uri":"https://tools.example/rpc"},"tool":{"name":"t","arguments":{},"idempotency":"idempotent"})"}) {
      const bool is_tool_call = operation.find("tool_call") != std::string_view::npos;
      auto scenario = scenarios::load_scenario(
          R"({"name":"one","summary":"s","source":"synthetic","operation":{)" +
              std::string(operation) + R"(},"policy":")" +
              (is_tool_call ? "connector" : "default") +
              R"(","server":{"respond":{"status":500}},"expect":{"outcome":"exhausted"}})",
          "one");
      SQUALL_CHECK(scenario.has_value(), scenario ? "" : to_string(scenario.error()));
      scenario->policy.budgets.attempts_max = 1;
      calls.emplace_back(std::move(*scenario));
    }
    return calls;
  }();
  return made;
}

/// Checks what must hold whatever the bytes are; throws core::CheckFailed when it does not.
/// @returns what a chat and a tool call made of them when they came at once.
inline std::vector<TriedAnswer> try_answer(std::string_view bytes,
                                           ConnectionEnd end = ConnectionEnd::kClosed) {
  std::vector<TriedAnswer> tried;
  for (const playback::PreparedScenario& call : single_calls()) {
    const TriedAnswer whole =
        FedHost(call).take(bytes, std::max<std::size_t>(bytes.size(), 1), end);
    SQUALL_CHECK(whole.outcome != scenarios::Outcome::kUnfinished);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}}) {
      const TriedAnswer pieces = FedHost(call).take(bytes, piece, end);
      SQUALL_CHECK(pieces.outcome == whole.outcome, piece);
      SQUALL_CHECK(pieces.classes == whole.classes, piece);
      SQUALL_CHECK(pieces.answer == whole.answer, piece);
      SQUALL_CHECK(pieces.body == whole.body, piece);
    }
    tried.push_back(whole);
  }
  return tried;
}

}  // namespace squall::live
