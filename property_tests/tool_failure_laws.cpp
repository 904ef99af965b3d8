// SPDX-License-Identifier: MIT
//
// Tool failures: what to do follows from class, idempotency and delay, and from nothing else. What
// the rules say of each class stands here once more, in short.
#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/llm/failure_class.hpp"
#include "core/tool/class_policy.hpp"
#include "core/tool/failure_mapping.hpp"
#include "core/tool/guidance.hpp"
#include "property_tests/generators.hpp"
#include "property_tests/played.hpp"
#include "property_tests/watched.hpp"
#include "property_tests/work_generators.hpp"

namespace squall::property_tests {
namespace {

using core::Duration;
using core::tool::CauseChain;
using core::tool::Failure;
using core::tool::FailureClass;
using core::tool::Idempotency;
using core::tool::Verdict;
using scenarios::OperationKind;

/// What decides.
struct Decisive {
  FailureClass failure_class = FailureClass::kTransient;
  Idempotency idempotency = Idempotency::kUnspecified;
  Duration retry_after{0};

  // NOLINTNEXTLINE(readability-identifier-naming)
  friend void showValue(const Decisive& decisive, std::ostream& out) {
    out << label(decisive.failure_class) << ", idempotency "
        << static_cast<int>(decisive.idempotency) << ", Retry-After "
        << decisive.retry_after.count() << " ns";
  }
};

rc::Gen<Decisive> decisive_parts() {
  return rc::gen::build<Decisive>(
      rc::gen::set(&Decisive::failure_class,
                   any_of<FailureClass>({core::tool::kAllFailureClasses.begin(),
                                         core::tool::kAllFailureClasses.end()})),
      rc::gen::set(&Decisive::idempotency,
                   any_of<Idempotency>({Idempotency::kUnspecified, Idempotency::kIdempotent,
                                        Idempotency::kNotIdempotent})),
      rc::gen::set(&Decisive::retry_after,
                   any_of<Duration>({Duration(0), Duration(1), std::chrono::milliseconds(2'500),
                                     std::chrono::seconds(60), Duration(-1), Duration::max()})));
}

/// A link of a cause chain: absent, silent, or with a word of its own.
enum class Link : std::uint8_t { kAbsent, kNo, kYes };

class Reporter final : public core::tool::RetryableReporter {
 public:
  explicit Reporter(bool word) : word_(word) {}
  [[nodiscard]] bool retryable() const noexcept override { return word_; }

 private:
  bool word_;
};

CauseChain chain_of(const std::vector<Link>& links) {
  CauseChain chain;
  for (const Link link : links) {
    chain.push_back({.message = "cause",
                     .reporter = link == Link::kAbsent
                                     ? nullptr
                                     : std::make_shared<const Reporter>(link == Link::kYes)});
  }
  return chain;
}

rc::Gen<std::vector<Link>> link_lists() {
  return list_of(weighted<Link>({{4, Link::kAbsent}, {3, Link::kNo}, {1, Link::kYes}}), 20);
}

Failure failure_of(const Decisive& decisive) {
  Failure failure;
  failure.failure_class = decisive.failure_class;
  failure.idempotency = decisive.idempotency;
  failure.retry_after = decisive.retry_after;
  return failure;
}

/// What the rules say of a class.
struct Rule {
  bool retryable = false;
  bool backoff = false;
  bool surfaces_delay = false;
  bool needs_operator = false;
  bool safe = false;
};

Rule rule_of(FailureClass failure_class) {
  switch (failure_class) {
    case FailureClass::kTransient:
    case FailureClass::kTimeout:
      return {.retryable = true, .backoff = true};
    case FailureClass::kRateLimited:
      return {.retryable = true, .backoff = true, .surfaces_delay = true, .safe = true};
    case FailureClass::kUnreachable:
      return {.retryable = true, .backoff = true, .safe = true};
    case FailureClass::kSelfReported:
      return {.retryable = true};
    case FailureClass::kAuth:
    case FailureClass::kPermission:
    case FailureClass::kInternal:
      return {.needs_operator = true};
    case FailureClass::kInvalidArgument:
    case FailureClass::kNotFound:
    case FailureClass::kConflict:
    case FailureClass::kCancelled:
      break;
  }
  return {};
}

Verdict verdict_by_the_rules(const Decisive& decisive) {
  const Rule rule = rule_of(decisive.failure_class);
  if (!rule.retryable) {
    return rule.needs_operator ? Verdict::kOperatorNeeded : Verdict::kDoNotSendAgain;
  }
  const bool safe = decisive.idempotency == Idempotency::kUnspecified
                        ? rule.safe
                        : decisive.idempotency == Idempotency::kIdempotent;
  if (!safe) {
    return Verdict::kConfirmFirst;
  }
  if (rule.surfaces_delay && decisive.retry_after > Duration(0)) {
    return Verdict::kSendAgainAfterDelay;
  }
  return rule.backoff ? Verdict::kSendAgainAfterBackoff : Verdict::kSendAgainNow;
}

RC_GTEST_PROP(ToolFailure, DecidesByClassIdempotencyAndDelayAlone, ()) {
  const Decisive decisive = *decisive_parts();
  Failure failure = failure_of(decisive);
  failure.code = *any_of<std::string>({"", "rate_limited", "busy"});
  failure.message = *any_of<std::string>({"", "do not retry", "retry after 5 s", "operator"});
  failure.remediation_override = *any_of<std::string>({"", "Look elsewhere."});
  failure.causes = chain_of(*link_lists());
  const core::tool::Guidance given = guidance(failure);
  RC_ASSERT(std::string(label(given.verdict)) == label(verdict_by_the_rules(decisive)));
  const bool surfaces = rule_of(decisive.failure_class).surfaces_delay;
  RC_ASSERT(given.delay == (surfaces ? std::max(decisive.retry_after, Duration(0)) : Duration(0)));
  // Advice comes from the class or from this failure, never from a message.
  RC_ASSERT(given.remediation == (failure.remediation_override.empty()
                                      ? std::string(policy_of(decisive.failure_class).remediation)
                                      : failure.remediation_override));
  const std::string text = to_text(given);
  RC_ASSERT(text.starts_with(given.remediation));
  RC_ASSERT(text.size() > given.remediation.size());
}

RC_GTEST_PROP(ToolFailure, TakesTheHostsWordOnIdempotencyBothWays, ()) {
  Decisive decisive = *decisive_parts();
  const auto verdict_with = [&](Idempotency idempotency) {
    decisive.idempotency = idempotency;
    return guidance(failure_of(decisive)).verdict;
  };
  const Verdict by_class = verdict_with(Idempotency::kUnspecified);
  const Verdict harmless = verdict_with(Idempotency::kIdempotent);
  const Verdict harmful = verdict_with(Idempotency::kNotIdempotent);
  RC_ASSERT(harmless != Verdict::kConfirmFirst);
  if (rule_of(decisive.failure_class).retryable) {
    RC_ASSERT(harmful == Verdict::kConfirmFirst);
    RC_ASSERT(harmless != harmful);
    RC_ASSERT((by_class == harmless || by_class == harmful));
  } else {  // Nothing makes it useful.
    RC_ASSERT(harmless == by_class);
    RC_ASSERT(harmful == by_class);
  }
}

RC_GTEST_PROP(ToolFailure, AdvisesWithoutAVerdict, ()) {
  std::string advice = guidance(failure_of(*decisive_parts())).remediation;
  RC_ASSERT_FALSE(advice.empty());
  RC_ASSERT(advice.find_first_of("0123456789") == std::string::npos);
  std::transform(advice.begin(), advice.end(), advice.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const char* word : {"retry", "retries", "wait", "second", "minute", "operator", "again"}) {
    RC_ASSERT(advice.find(word) == std::string::npos);
  }
}

RC_GTEST_PROP(ToolFailure, IsRetryableWhenAnyCauseSaysSo, ()) {
  const std::vector<Link> links = *link_lists();
  RC_ASSERT(reports_retryable(chain_of(links)) ==
            (std::find(links.begin(), links.end(), Link::kYes) != links.end()));
}

// One failed call from the wire to the words: nobody but the host may call a second one harmless
// once the first may have arrived.
RC_GTEST_PROP(ToolFailure, NeverCallsASecondEffectImpossibleOnceACallMayHaveArrived, ()) {
  const Watched run(*work_cases(OperationKind::kToolCall));
  const auto failure = run.result().operation->as_tool_failure();
  if (!failure) {
    return;
  }
  const auto& work = std::get<scenarios::ToolCallWork>(run.scenario().operation.work);
  RC_ASSERT(failure->idempotency == work.idempotency);
  RC_ASSERT(core::tool::check_code(failure->code).has_value());
  const bool turned_away =
      std::all_of(run.calls().begin(), run.calls().end(), [](const Call& call) {
        using Fault = core::ConnectionFault;
        return call.status == 429 ||
               (call.fault && !call.status &&
                (*call.fault == Fault::kRefused || *call.fault == Fault::kDns ||
                 *call.fault == Fault::kTls || *call.fault == Fault::kConnectTimeout));
      });
  Failure unspecified = *failure;
  unspecified.idempotency = Idempotency::kUnspecified;
  const Verdict verdict = guidance(unspecified).verdict;
  classify(turned_away, "turned away");
  if (verdict == Verdict::kSendAgainNow || verdict == Verdict::kSendAgainAfterBackoff ||
      verdict == Verdict::kSendAgainAfterDelay) {
    RC_ASSERT(turned_away);
  }
}

// Retryable for its own taxonomy and for the tool's mean the same, and the causes are the trail.
RC_GTEST_PROP(ToolFailure, CarriesOverWhatTheCallRecorded, ()) {
  const Watched run(*work_cases(OperationKind::kToolCall));
  const auto failure = run.result().operation->as_tool_failure();
  RC_ASSERT(failure.has_value() ==
            (run.finished() && run.result().outcome != scenarios::Outcome::kSuccess));
  if (!failure) {
    return;
  }
  const playback::TrailView trail = run.result().trail;
  RC_ASSERT(failure->causes.size() == trail.size());
  for (std::size_t i = 0; i < trail.size(); ++i) {
    RC_ASSERT(failure->causes[trail.size() - 1 - i].message == trail[i].error_chain);
  }
  const bool stopped = run.result().outcome == scenarios::Outcome::kShutdown;
  RC_ASSERT((failure->failure_class == FailureClass::kCancelled) == stopped);
  RC_ASSERT(rule_of(failure->failure_class).retryable ==
            (!stopped &&
             run.result().operation->tool_failure()->kind == core::connector::Kind::kTransport));
}

RC_GTEST_PROP(ToolFailure, CallsAnLlmFailureRetryableWhenItsOwnTaxonomyDoes, ()) {
  const auto failure_class = *any_of<core::llm::FailureClass>(
      {core::llm::kAllFailureClasses.begin(), core::llm::kAllFailureClasses.end()});
  core::llm::LlmTrail trail{{failure_class, "chain", std::nullopt, std::nullopt}};
  const core::llm::LlmExhausted exhausted(std::move(trail), failure_class);
  const Failure failure = failure_of(exhausted, *any_of<Idempotency>({Idempotency::kUnspecified}));
  RC_ASSERT(rule_of(failure.failure_class).retryable == is_retryable(failure_class));
  RC_ASSERT(failure.code == label(failure_class));
}

}  // namespace
}  // namespace squall::property_tests
