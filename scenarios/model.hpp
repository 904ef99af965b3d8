// SPDX-License-Identifier: MIT
//
// A scenario as a value: what a scenario file says, checked, with every time in nanoseconds and
// every body rendered. The loader makes it, the writer turns it back into a file, the simulator
// plays it. Nothing here knows files, clocks or sockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/chat_request.hpp"
#include "core/connector/tool_request.hpp"
#include "core/event.hpp"
#include "core/http_date.hpp"
#include "core/llm/synthesis_board.hpp"
#include "core/llm/validators.hpp"
#include "core/policy.hpp"
#include "core/telemetry.hpp"
#include "core/time.hpp"
#include "core/tool/failure.hpp"
#include "core/tool/guidance.hpp"
#include "scenarios/failure_class.hpp"

namespace squall::scenarios {

// ---- times that may be drawn ---------------------------------------------------------------

struct UniformTime {
  core::Duration min{0}, max{0};
  friend bool operator==(const UniformTime&, const UniformTime&) = default;
};
struct ExponentialTime {
  core::Duration mean{0};
  friend bool operator==(const ExponentialTime&, const ExponentialTime&) = default;
};
/// Half of the values lie below `median`, 99 % below `p99`. median > 0, p99 >= median.
struct LognormalTime {
  core::Duration median{0}, p99{0};
  friend bool operator==(const LognormalTime&, const LognormalTime&) = default;
};
/// One of the measured values, each equally likely. Never empty.
struct EmpiricalTime {
  std::vector<core::Duration> values;
  friend bool operator==(const EmpiricalTime&, const EmpiricalTime&) = default;
};
/// A fixed time or a distribution of times; all values are >= 0.
using Time =
    std::variant<core::Duration, UniformTime, ExponentialTime, LognormalTime, EmpiricalTime>;

// ---- what the provider answers -------------------------------------------------------------

/// A position in a body, in bytes; negative counts from the end (-1 is before the last byte).
struct BodyOffset {
  std::int64_t bytes = 0;
  friend bool operator==(const BodyOffset&, const BodyOffset&) = default;
};

/// An HTTP-date relative to the virtual wall clock at the moment the headers are sent.
struct RelativeDate {
  core::Duration offset{0};  ///< may be negative
  core::HttpDateForm form = core::HttpDateForm::kImfFixdate;
  friend bool operator==(const RelativeDate&, const RelativeDate&) = default;
};

struct Header {
  std::string name;
  std::variant<std::string, RelativeDate> value;
  friend bool operator==(const Header&, const Header&) = default;
};

/// How the length of the body is told to the client.
enum class Framing : std::uint8_t {
  kContentLength,  ///< Content-Length, then exactly as many bytes count
  kChunked,        ///< chunked transfer coding, ended by the last chunk
  kUntilClose,     ///< neither: the end of the connection ends the body
};

/// The whole body with the headers.
struct AtOnce {
  friend bool operator==(const AtOnce&, const AtOnce&) = default;
};
/// `bytes` every `every`; the first piece comes `every` after the headers.
struct Trickle {
  std::uint64_t bytes = 1;  ///< at least 1
  core::Duration every{0};
  friend bool operator==(const Trickle&, const Trickle&) = default;
};
/// One piece of a body: `bytes` bytes, `after` the piece before it (or the headers).
struct Chunk {
  std::uint64_t bytes = 1;  ///< at least 1
  core::Duration after{0};
  friend bool operator==(const Chunk&, const Chunk&) = default;
};
/// Pieces in order. What the pieces do not cover follows the last one at once; pieces beyond the
/// end of the body are not sent.
struct Chunks {
  std::vector<Chunk> pieces;
  friend bool operator==(const Chunks&, const Chunks&) = default;
};
using Delivery = std::variant<AtOnce, Trickle, Chunks>;

/// The body is sent to its end.
struct EndsComplete {
  friend bool operator==(const EndsComplete&, const EndsComplete&) = default;
};
/// Nothing more is sent after `after` bytes of the body, and the connection stays open.
struct Stalls {
  BodyOffset after;
  friend bool operator==(const Stalls&, const Stalls&) = default;
};
/// The connection ends after `after` bytes of the body.
struct Breaks {
  BodyOffset after;
  bool by_reset = false;  ///< reset instead of an orderly close
  friend bool operator==(const Breaks&, const Breaks&) = default;
};
using Ending = std::variant<EndsComplete, Stalls, Breaks>;

/// An HTTP answer.
struct HttpAnswer {
  int status = 200;             ///< 200 to 599
  std::vector<Header> headers;  ///< without framing headers: those follow from `framing`
  std::string body;
  Framing framing = Framing::kContentLength;
  /// Announced Content-Length minus the true length of the body; 0 tells the truth. Only with
  /// Framing::kContentLength.
  std::int64_t content_length_error = 0;
  Delivery delivery;
  Ending ending;
  friend bool operator==(const HttpAnswer&, const HttpAnswer&) = default;
};
/// The connection fails before any header. Only faults that precede headers.
struct ConnectionFailure {
  core::ConnectionFault fault = core::ConnectionFault::kRefused;
  friend bool operator==(const ConnectionFailure&, const ConnectionFailure&) = default;
};
/// The request is accepted and no header ever comes.
struct SilentHeaders {
  friend bool operator==(const SilentHeaders&, const SilentHeaders&) = default;
};

/// What one call meets.
struct Respond {
  std::variant<HttpAnswer, ConnectionFailure, SilentHeaders> what;
  /// From the start of the attempt to the headers (or to the failure). Meaningless for
  /// SilentHeaders.
  Time latency = core::Duration{0};
  friend bool operator==(const Respond&, const Respond&) = default;
};

struct WeightedRespond {
  std::uint32_t weight = 1;  ///< at least 1
  Respond respond;
  friend bool operator==(const WeightedRespond&, const WeightedRespond&) = default;
};
/// One of several answers, drawn by weight for each call. Never empty; one entry draws nothing.
using Mix = std::vector<WeightedRespond>;

/// `times` calls in a row meet `mix`; the last step of a sequence stays.
struct Step {
  std::uint32_t times = 1;  ///< at least 1
  Mix mix;
  friend bool operator==(const Step&, const Step&) = default;
};

/// A window of virtual time. A call belongs to the phase in which it starts; each phase counts its
/// own calls.
struct Phase {
  /// End of the window, exclusive, since the start of the run; absent only in the last phase.
  std::optional<core::Duration> until;
  std::vector<Step> sequence;  ///< never empty
  friend bool operator==(const Phase&, const Phase&) = default;
};

struct Server {
  std::vector<Phase> phases;  ///< never empty; `until` strictly increasing; last one open-ended
  friend bool operator==(const Server&, const Server&) = default;
};

// ---- what the client does ------------------------------------------------------------------

enum class OperationKind : std::uint8_t {
  kAgentChat,
  kExtraction,
  kComment,
  kSynthesis,
  kResearchSynthesis,
  kContinuation,
  kToolCall,
};
inline constexpr std::size_t kOperationKinds = 7;

/// Any complete chat answer is accepted.
struct AgentChatWork {
  friend bool operator==(const AgentChatWork&, const AgentChatWork&) = default;
};
/// JSON that has the target's shape and passes the validator. `falls_back` makes it a comment.
struct ExtractionWork {
  core::llm::ExtractionTarget target;
  core::llm::Validator validator;
  bool falls_back = false;
  friend bool operator==(const ExtractionWork&, const ExtractionWork&) = default;
};
/// The items of each agent, to be grouped.
struct SynthesisWork {
  core::llm::ItemsByAgent items;
  friend bool operator==(const SynthesisWork&, const SynthesisWork&) = default;
};
/// A text that is whole and not blank.
struct ResearchSynthesisWork {
  friend bool operator==(const ResearchSynthesisWork&, const ResearchSynthesisWork&) = default;
};
/// Going on after an answer that was this reasoning alone.
struct ContinuationWork {
  std::string reasoning;
  friend bool operator==(const ContinuationWork&, const ContinuationWork&) = default;
};
/// One call of a remote tool.
struct ToolCallWork {
  /// The connector's settings as deployed, checked by the call itself: wrong ones are a fault that
  /// a scenario can play.
  std::string connector_label;
  std::string resource_uri;
  std::string tool;
  /// A JSON object, compact.
  std::string arguments;
  core::tool::Idempotency idempotency = core::tool::Idempotency::kUnspecified;
  /// Built from tool and arguments, shared by all runs. Never null once loaded.
  std::shared_ptr<const core::connector::ToolRequest> request;
  friend bool operator==(const ToolCallWork& left, const ToolCallWork& right) {
    return left.connector_label == right.connector_label &&
           left.resource_uri == right.resource_uri && left.tool == right.tool &&
           left.arguments == right.arguments && left.idempotency == right.idempotency;
  }
};
/// What is wanted beyond the request.
using OperationWork = std::variant<AgentChatWork, ExtractionWork, SynthesisWork,
                                   ResearchSynthesisWork, ContinuationWork, ToolCallWork>;

struct OperationSpec {
  /// The chat request, serialized once and shared by all runs; null for a tool call.
  std::shared_ptr<const core::ChatRequest> request;
  /// Model the request names; empty for a tool call.
  std::string model;
  OperationWork work;
  /// Whether the request carries metadata, and hence telemetry rows are written.
  bool telemetry = true;
  core::RequestMetadata metadata;

  [[nodiscard]] OperationKind kind() const;
  /// Compares the requests themselves, not where they are kept.
  friend bool operator==(const OperationSpec& left, const OperationSpec& right) {
    return left.work == right.work && left.telemetry == right.telemetry &&
           left.metadata == right.metadata &&
           (left.request == right.request ||
            (left.request && right.request && *left.request == *right.request));
  }
};
[[nodiscard]] std::string_view label(OperationKind kind);

struct ClientSpec {
  std::optional<core::Duration> shutdown_at;
  /// Calendar time at the start of the run. Default 2026-01-15T08:00:00Z.
  core::WallInstant wall_clock{std::chrono::seconds(1'768'464'000)};
  /// The random words that the first jittered sleeps draw, in order; what follows is drawn from the
  /// seed. A sleep that a Retry-After decides draws none.
  std::vector<std::uint64_t> jitter_words;
  friend bool operator==(const ClientSpec&, const ClientSpec&) = default;
};

// ---- what must come out --------------------------------------------------------------------

/// How an operation ended.
enum class Outcome : std::uint8_t {
  kSuccess,       ///< the result that was wanted
  kExhausted,     ///< the budget was used up
  kNonRetryable,  ///< stopped at once by a failure that another attempt cannot mend
  kShutdown,      ///< stopped by a shutdown
  kUnfinished,    ///< still waiting when the horizon was reached: a hung operation
  kDegraded,      ///< no full result, and a caller that goes on without it
};
inline constexpr std::size_t kOutcomeCount = 6;
[[nodiscard]] std::string_view label(Outcome outcome);
[[nodiscard]] std::optional<Outcome> outcome_from_label(std::string_view label);

/// Inclusive bounds; an absent one does not bind.
template <class T>
struct Bounds {
  std::optional<T> min, max;
  friend bool operator==(const Bounds&, const Bounds&) = default;
};

/// Expectations on every run (outcome, attempts, ...) and on all runs together (success_rate).
struct Expectations {
  std::optional<Outcome> outcome;
  Bounds<std::uint64_t> attempts;
  Bounds<core::Duration> elapsed;
  Bounds<core::Duration> sleep_total;
  std::optional<FailureClass> final_class;
  /// Classes of the whole trail in order.
  std::optional<std::vector<FailureClass>> trail;
  /// Observed Retry-After of each failure in order, in milliseconds, absent included.
  std::optional<std::vector<std::optional<std::uint64_t>>> retry_after_ms;
  /// What the operation gave its caller: the text of a chat answer, the JSON of an extraction
  /// (compact, names sorted), the text of a degraded result, what the model reads of a tool call.
  std::optional<std::string> answer;
  /// Text of the last completed attempt of an operation that failed or degraded: that text, or
  /// that there is none.
  std::optional<std::optional<std::string>> last_raw;
  /// Groups a synthesis accepted.
  Bounds<std::uint64_t> groups;
  /// Ids a synthesis left in no group, ascending.
  std::optional<std::vector<std::size_t>> remainder;
  /// Share of all request bytes that the provider had seen before, in millionths.
  Bounds<std::uint32_t> prefix_reuse_ppm;
  /// What a failed tool call is to its caller, and what the caller should do.
  std::optional<core::tool::FailureClass> tool_class;
  std::optional<core::tool::Verdict> verdict;
  /// Share of successful runs, in millionths.
  Bounds<std::uint32_t> success_rate_ppm;
  /// Name of the invariant this run must break; only in must_fail scenarios.
  std::optional<std::string> breaks;
  friend bool operator==(const Expectations&, const Expectations&) = default;
};

/// A checked scenario.
struct Scenario {
  std::string name;     ///< equals the file's stem
  std::string summary;  ///< one sentence: what it shows
  std::string source;   ///< where the fault was seen or is described
  std::vector<std::string> tags;
  OperationSpec operation;
  /// Name of a shipped policy, path of a policy file, or "inline".
  std::string policy_name;
  core::RetryPolicy policy;
  Server server;
  ClientSpec client;
  /// The run stops here; an operation still under way is `unfinished`. Default 30 days.
  core::Duration horizon = std::chrono::hours(24 * 30);
  /// Policy the run is audited against, when it is not `policy` (must_fail scenarios).
  std::optional<core::RetryPolicy> audit_policy;
  /// Deliberately wrong part, known to test builds only (must_fail scenarios).
  std::optional<std::string> defect;
  Expectations expect;
  friend bool operator==(const Scenario&, const Scenario&) = default;
};

}  // namespace squall::scenarios
