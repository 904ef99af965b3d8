// SPDX-License-Identifier: MIT
//
// The machine of agent_chat holds its promises whatever a host tells it: facts in any order, about
// attempts that are over or never were, twice, early, late; only time never goes backwards.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/check.hpp"
#include "core/llm/agent_chat.hpp"
#include "property_tests/bodies.hpp"
#include "property_tests/generators.hpp"
#include "property_tests/played.hpp"
#include "scenarios/writer.hpp"

namespace squall::property_tests {
namespace {

using core::AttemptId;
using core::Duration;
using core::Instant;
using core::llm::AgentChat;

/// One fact, before it is known which attempt is under way and what time it is.
struct Fact {
  enum class Kind : std::uint8_t {
    kWakeup,
    kHeaders,
    kBytes,
    kBodyEnd,
    kFailed,
    kAttemptStarted,
    kStarted,
    kShutdown,
  };
  enum class About : std::uint8_t { kCurrent, kPrevious, kNext, kNone };
  enum class Later : std::uint8_t { kByOffset, kAtWakeup, kBeforeWakeup, kAfterWakeup };
  Kind kind = Kind::kWakeup;
  About about = About::kCurrent;
  Later later = Later::kByOffset;
  Duration offset{0};
  int status = 200;
  std::optional<std::string> retry_after;
  std::string bytes;
  std::uint64_t content_length = 0;

  // Found by RapidCheck under this name.
  // NOLINTNEXTLINE(readability-identifier-naming)
  friend void showValue(const Fact& fact, std::ostream& out) {
    static constexpr const char* kKinds[] = {
        "Wakeup",           "Headers",          "Bytes",
        "BodyEnd",          "AttemptFailed",    "AttemptStarted",
        "OperationStarted", "ShutdownRequested"};
    static constexpr const char* kAbout[] = {"current", "previous", "next", "no"};
    static constexpr const char* kLater[] = {"", " at the wakeup", " just before the wakeup",
                                             " just after the wakeup"};
    out << "\n  " << kKinds[static_cast<std::size_t>(fact.kind)] << " ("
        << kAbout[static_cast<std::size_t>(fact.about)] << " attempt)"
        << kLater[static_cast<std::size_t>(fact.later)];
    if (fact.later == Later::kByOffset) {
      out << " +" << fact.offset.count() << " ns";
    }
    if (fact.kind == Kind::kHeaders) {
      out << ", status " << fact.status << ", Retry-After " << fact.retry_after.value_or("none");
    } else if (fact.kind == Kind::kBytes) {
      out << ", " << fact.bytes.size() << " bytes";
    }
  }
};

rc::Gen<std::vector<Fact>> fact_lists() {
  using Kind = Fact::Kind;
  using About = Fact::About;
  using Later = Fact::Later;
  std::vector<std::string> bytes{std::string(kGoodBodies[0].bytes), "", "x"};
  for (const KnownBody& body : kErrorBodies) {
    bytes.emplace_back(body.bytes);
  }
  const auto fact = rc::gen::build<Fact>(
      rc::gen::set(&Fact::kind, weighted<Kind>({{48, Kind::kWakeup},
                                                {24, Kind::kHeaders},
                                                {16, Kind::kBytes},
                                                {12, Kind::kBodyEnd},
                                                {24, Kind::kFailed},
                                                {16, Kind::kAttemptStarted},
                                                {16, Kind::kStarted},
                                                {1, Kind::kShutdown}})),
      rc::gen::set(
          &Fact::about,
          weighted<About>(
              {{8, About::kCurrent}, {1, About::kPrevious}, {1, About::kNext}, {1, About::kNone}})),
      rc::gen::set(&Fact::later, weighted<Later>({{4, Later::kByOffset},
                                                  {2, Later::kAtWakeup},
                                                  {1, Later::kBeforeWakeup},
                                                  {1, Later::kAfterWakeup}})),
      rc::gen::set(&Fact::offset,
                   any_of<Duration>({Duration(0), Duration(1), std::chrono::milliseconds(120),
                                     std::chrono::seconds(30), std::chrono::seconds(601)})),
      rc::gen::set(
          &Fact::status,
          weighted<int>({{2, 200}, {6, 503}, {4, 429}, {1, 400}, {1, 100}, {1, 302}, {1, 999}})),
      rc::gen::set(&Fact::retry_after,
                   any_of<std::optional<std::string>>({std::nullopt, std::nullopt, "7", "0", "soon",
                                                       "Thu, 15 Jan 2026 08:00:20 GMT"})),
      rc::gen::set(&Fact::bytes, any_of<std::string>(bytes)),
      rc::gen::set(&Fact::content_length, any_of<std::uint64_t>({0, 7, 1'000'000})));
  static const rc::Gen<std::vector<Fact>> generator = list_of(fact, 120);
  return generator;
}

/// An action in words, to compare and to read.
std::string in_words(const core::Action& action) {
  if (const auto* send = std::get_if<core::SendAttempt>(&action)) {
    return fmt::format("send {}", send->attempt);
  }
  if (const auto* abandon = std::get_if<core::AbandonAttempt>(&action)) {
    return fmt::format("abandon {}", abandon->attempt);
  }
  if (const auto* row = std::get_if<core::RecordFailure>(&action)) {
    return fmt::format("record {} as {} after {} ns", row->trail_index, row->failure_index,
                       row->attempt_duration.value_or(Duration(-1)).count());
  }
  if (const auto* row = std::get_if<core::RecordRequest>(&action)) {
    return fmt::format("record request after {} ns", row->duration.count());
  }
  return "finish";
}

std::vector<std::string> in_words(const core::Actions& actions) {
  std::vector<std::string> words;
  for (const core::Action& action : actions) {
    words.push_back(in_words(action));
  }
  return words;
}

/// What the host is told about, printed as the policy's file.
struct Told {
  core::RetryPolicy policy;
  bool telemetry = true;
  std::uint64_t seed = 0;

  // NOLINTNEXTLINE(readability-identifier-naming)
  friend void showValue(const Told& told, std::ostream& out) {
    out << "telemetry " << (told.telemetry ? "on" : "off") << ", seed " << told.seed << ", "
        << scenarios::write_policy(told.policy, "drawn", "generated");
  }
};

rc::Gen<Told> tellings() {
  static const rc::Gen<Told> generator =
      rc::gen::build<Told>(rc::gen::set(&Told::policy, policies()),
                           rc::gen::set(&Told::telemetry, any_of<bool>({true, false})),
                           rc::gen::set(&Told::seed, seeds()));
  return generator;
}

/// A host that believes nothing: feeds facts and checks every order against what it knows.
class SuspiciousHost {
 public:
  explicit SuspiciousHost(const Told& told)
      : policy_(told.policy),
        telemetry_(told.telemetry),
        machine_(told.policy,
                 std::make_shared<const core::ChatRequest>(
                     "", std::vector<std::string>{R"({"role":"user"})"}),
                 core::RandomStream(told.seed), told.telemetry) {}

  /// Tells the fact and checks the answer. Returns it in words.
  std::vector<std::string> tell(const Fact& fact) {
    now_ = std::max(now_, instant_of(fact));
    const AttemptId about = attempt_of(fact);
    // Borrowed text must not be needed after the call.
    std::string bytes = fact.bytes;
    std::string retry_after = fact.retry_after.value_or("");
    const core::Event event = event_of(fact, about, bytes, retry_after);
    const bool is_current = in_flight_ && about == calls_;
    if (is_misuse(fact, is_current)) {
      AgentChat copy = machine_;
      RC_ASSERT_THROWS_AS((void)copy.handle(event, now_), core::CheckFailed);
      return {};
    }
    const std::optional<Instant> wakeup = machine_.next_wakeup();
    const bool was_finished = finished_;
    const bool slept = machine_.state() == AgentChat::State::kSleeping;
    const core::Actions actions = machine_.handle(event, now_);
    told_at_ = now_;
    bytes.assign(bytes.size(), '#');
    retry_after.assign(retry_after.size(), '#');

    if (was_finished) {
      RC_ASSERT(actions.empty());
    }
    if (fact.kind == Fact::Kind::kWakeup && (!wakeup || now_ < *wakeup)) {
      RC_ASSERT(actions.empty());  // Early, or nobody asked for it.
    }
    if (is_about_an_attempt(fact) && !is_current) {
      RC_ASSERT(actions.empty());  // About an attempt that is over or never was.
    }
    if (fact.kind == Fact::Kind::kShutdown && !was_finished) {
      shut_down_ = true;
    }
    if (is_current) {
      // After the headers a confirmation of the start says nothing any more.
      confirmed_ = confirmed_ || (fact.kind == Fact::Kind::kAttemptStarted && !headers_);
      headers_ = headers_ || fact.kind == Fact::Kind::kHeaders;
      in_flight_ = fact.kind != Fact::Kind::kBodyEnd && fact.kind != Fact::Kind::kFailed;
    }
    for (const core::Action& action : actions) {
      RC_ASSERT_FALSE(finished_);  // Finishing is the last order there is.
      check(action);
    }
    RC_ASSERT(finished_ || !shut_down_);
    check_state();
    if (!slept && machine_.state() == AgentChat::State::kSleeping) {
      RC_ASSERT(*machine_.next_wakeup() > now_);  // A sleep of no length is skipped.
    }
    return in_words(actions);
  }

  [[nodiscard]] bool finished() const { return finished_; }
  [[nodiscard]] std::uint32_t calls() const { return calls_; }
  /// When the machine was told something last.
  [[nodiscard]] Instant told_at() const { return told_at_; }
  [[nodiscard]] const AgentChat& machine() const { return machine_; }

 private:
  static bool is_about_an_attempt(const Fact& fact) {
    return fact.kind != Fact::Kind::kWakeup && fact.kind != Fact::Kind::kStarted &&
           fact.kind != Fact::Kind::kShutdown;
  }

  /// What a host must never do: bring a body before its headers.
  [[nodiscard]] bool is_misuse(const Fact& fact, bool is_current) const {
    return is_current && !headers_ &&
           (fact.kind == Fact::Kind::kBytes || fact.kind == Fact::Kind::kBodyEnd);
  }

  [[nodiscard]] Instant instant_of(const Fact& fact) const {
    const std::optional<Instant> wakeup = machine_.next_wakeup();
    if (fact.later == Fact::Later::kByOffset || !wakeup || *wakeup == core::kEndOfTime) {
      return core::saturating_add(now_, fact.offset);
    }
    switch (fact.later) {
      case Fact::Later::kBeforeWakeup:
        return *wakeup - Duration(1);
      case Fact::Later::kAfterWakeup:
        return *wakeup + Duration(1);
      default:
        return *wakeup;
    }
  }

  [[nodiscard]] AttemptId attempt_of(const Fact& fact) const {
    switch (fact.about) {
      case Fact::About::kCurrent:
        return calls_;
      case Fact::About::kPrevious:
        return calls_ == 0 ? 0 : calls_ - 1;
      case Fact::About::kNext:
        return calls_ + 1;
      case Fact::About::kNone:
        break;
    }
    return 0;
  }

  [[nodiscard]] core::Event event_of(const Fact& fact, AttemptId about, std::string_view bytes,
                                     std::string_view retry_after) const {
    switch (fact.kind) {
      case Fact::Kind::kWakeup:
        return core::WakeupReached{};
      case Fact::Kind::kHeaders:
        return core::HeadersReceived{
            .attempt = about,
            .head = {.status = fact.status,
                     .content_length = fact.content_length != 0 ? std::optional(fact.content_length)
                                                                : std::nullopt,
                     .retry_after = fact.retry_after ? std::optional(retry_after) : std::nullopt,
                     .retry_after_ms = std::nullopt},
            .received_at =
                core::saturating_add(scenarios::ClientSpec{}.wall_clock, now_.time_since_epoch())};
      case Fact::Kind::kBytes:
        return core::BytesReceived{.attempt = about, .bytes = bytes};
      case Fact::Kind::kBodyEnd:
        return core::BodyEnded{about};
      case Fact::Kind::kFailed:
        return core::AttemptFailed{
            .attempt = about, .fault = core::ConnectionFault::kReset, .detail = bytes};
      case Fact::Kind::kAttemptStarted:
        return core::AttemptStarted{about};
      case Fact::Kind::kStarted:
        return core::OperationStarted{};
      case Fact::Kind::kShutdown:
        break;
    }
    return core::ShutdownRequested{};
  }

  void check(const core::Action& action) {
    if (const auto* send = std::get_if<core::SendAttempt>(&action)) {
      RC_ASSERT_FALSE(in_flight_);
      RC_ASSERT_FALSE(shut_down_);
      RC_ASSERT(send->attempt == calls_ + 1);
      ++calls_;
      RC_ASSERT(calls_ <= policy_.budgets.attempts_max);
      in_flight_ = true;
      headers_ = false;
      confirmed_ = false;
    } else if (const auto* abandon = std::get_if<core::AbandonAttempt>(&action)) {
      RC_ASSERT(abandon->attempt == calls_);
      in_flight_ = false;
    } else if (const auto* failure = std::get_if<core::RecordFailure>(&action)) {
      RC_ASSERT(telemetry_);
      RC_ASSERT(failure->trail_index == rows_);
      ++rows_;
      RC_ASSERT(failure->failure_index == rows_);
      RC_ASSERT(failure->attempt_duration.has_value() == confirmed_);
      RC_ASSERT(failure->attempt_duration.value_or(Duration(0)) >= Duration(0));
    } else if (std::holds_alternative<core::RecordRequest>(action)) {
      RC_ASSERT(telemetry_);
      ++request_rows_;
    } else {
      finished_ = true;
      RC_ASSERT_FALSE(in_flight_);
      RC_ASSERT(request_rows_ == (telemetry_ ? 1 : 0));
    }
  }

  void check_state() const {
    using State = AgentChat::State;
    RC_ASSERT(machine_.attempt() == calls_);
    RC_ASSERT((machine_.state() == State::kFinished) == finished_);
    RC_ASSERT((machine_.state() == State::kInFlight) == in_flight_);
    RC_ASSERT(std::holds_alternative<std::monostate>(machine_.result()) == !finished_);
    const std::optional<Instant> wakeup = machine_.next_wakeup();
    if (finished_ || machine_.state() == State::kIdle) {
      RC_ASSERT_FALSE(wakeup.has_value());
    } else if (machine_.state() == State::kSleeping) {
      RC_ASSERT(wakeup.has_value());
    }
    const bool answered = std::holds_alternative<core::llm::ChatAnswer>(machine_.result());
    const std::size_t failed = calls_ - (in_flight_ || answered ? 1U : 0U);
    RC_ASSERT(machine_.trail().size() == failed);
    RC_ASSERT(rows_ == (telemetry_ ? failed : 0));
  }

  core::RetryPolicy policy_;
  bool telemetry_;
  AgentChat machine_;
  Instant now_{};
  Instant told_at_{};
  std::uint32_t calls_ = 0;
  std::uint32_t rows_ = 0;
  int request_rows_ = 0;
  bool in_flight_ = false;
  bool headers_ = false;
  bool confirmed_ = false;
  bool shut_down_ = false;
  bool finished_ = false;
};

RC_GTEST_PROP(Machine, KeepsItsPromisesWhateverItIsTold, ()) {
  SuspiciousHost host(*tellings());
  for (const Fact& fact : *fact_lists()) {
    (void)host.tell(fact);
  }
  classify(host.finished(), "finished");
  classify(host.calls() > 1, "more than one call");
  classify(host.calls() > 5, "more than five calls");
}

RC_GTEST_PROP(Machine, ContinuesAsACopyOfItself, ()) {
  SuspiciousHost host(*tellings());
  const std::vector<Fact> facts = *fact_lists();
  const std::size_t copied_at = *index_below(facts.size() + 1);
  for (std::size_t i = 0; i < copied_at; ++i) {
    (void)host.tell(facts[i]);
  }
  SuspiciousHost copy = host;
  const std::vector<Fact> rest(facts.begin() + static_cast<std::ptrdiff_t>(copied_at), facts.end());
  std::vector<std::vector<std::string>> ours;
  for (const Fact& fact : rest) {
    ours.push_back(host.tell(fact));
  }
  for (std::size_t i = 0; i < rest.size(); ++i) {
    RC_ASSERT(copy.tell(rest[i]) == ours[i]);
  }
  RC_ASSERT((copy.machine().trail() == host.machine().trail()));
  RC_ASSERT((copy.machine().result() == host.machine().result()));
}

RC_GTEST_PROP(Machine, RefusesATimeThatGoesBackwards, ()) {
  SuspiciousHost host(*tellings());
  for (const Fact& fact : *fact_lists()) {
    (void)host.tell(fact);
  }
  RC_PRE(host.told_at() > Instant{});
  AgentChat copy = host.machine();
  RC_ASSERT_THROWS_AS((void)copy.handle(core::WakeupReached{}, host.told_at() - Duration(1)),
                      core::CheckFailed);
}

}  // namespace
}  // namespace squall::property_tests
