// SPDX-License-Identifier: MIT
#include "core/tool/guidance.hpp"

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/tool/class_policy.hpp"

namespace squall::core::tool {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

char letter(Verdict verdict) {
  switch (verdict) {
    case Verdict::kSendAgainNow:
      return 'N';
    case Verdict::kSendAgainAfterBackoff:
      return 'B';
    case Verdict::kSendAgainAfterDelay:
      return 'D';
    case Verdict::kConfirmFirst:
      return 'C';
    case Verdict::kDoNotSendAgain:
      return 'X';
    case Verdict::kOperatorNeeded:
      return 'O';
  }
  return '?';
}

/// Every combination, thought out case by case and not from the flags.
struct Expectation {
  FailureClass failure_class;
  std::string_view no_delay;    ///< unspecified, idempotent, not idempotent; server named no delay
  std::string_view with_delay;  ///< the same with a delay of 7 s
  bool passes_delay_on;
};
constexpr Expectation kExpectations[] = {
    {FailureClass::kTransient, "CBC", "CBC", false},
    {FailureClass::kRateLimited, "BBC", "DDC", true},
    {FailureClass::kTimeout, "CBC", "CBC", false},
    {FailureClass::kUnreachable, "BBC", "BBC", false},
    {FailureClass::kAuth, "OOO", "OOO", false},
    {FailureClass::kPermission, "OOO", "OOO", false},
    {FailureClass::kInvalidArgument, "XXX", "XXX", false},
    {FailureClass::kNotFound, "XXX", "XXX", false},
    {FailureClass::kConflict, "XXX", "XXX", false},
    {FailureClass::kSelfReported, "CNC", "CNC", false},
    {FailureClass::kCancelled, "XXX", "XXX", false},
    {FailureClass::kInternal, "OOO", "OOO", false},
};

constexpr Idempotency kWords[] = {Idempotency::kUnspecified, Idempotency::kIdempotent,
                                  Idempotency::kNotIdempotent};

Failure failure(FailureClass failure_class, Idempotency idempotency = Idempotency::kUnspecified,
                Duration retry_after = Duration{0}) {
  Failure made;
  made.failure_class = failure_class;
  made.idempotency = idempotency;
  made.retry_after = retry_after;
  return made;
}

TEST(ToolGuidance, EveryCombination) {
  std::set<FailureClass> covered;
  std::set<char> verdicts;
  for (const Expectation& row : kExpectations) {
    covered.insert(row.failure_class);
    for (std::size_t word = 0; word < 3; ++word) {
      for (const Duration delay : {Duration{0}, Duration(seconds(7))}) {
        const Guidance given = guidance(failure(row.failure_class, kWords[word], delay));
        const char expected = (delay > Duration{0} ? row.with_delay : row.no_delay)[word];
        EXPECT_EQ(letter(given.verdict), expected)
            << label(row.failure_class) << ", word " << word << ", delay " << delay.count();
        EXPECT_EQ(given.delay, row.passes_delay_on ? delay : Duration{0});
        EXPECT_EQ(given.remediation, policy_of(row.failure_class).remediation);
        verdicts.insert(letter(given.verdict));
      }
    }
  }
  EXPECT_EQ(covered.size(), kAllFailureClasses.size());
  EXPECT_EQ(verdicts.size(), kAllVerdicts.size()) << "every verdict is reached";
}

TEST(ToolGuidance, OnlyClassIdempotencyAndDelayDecide) {
  Failure told = failure(FailureClass::kTimeout);
  const Guidance plain = guidance(told);
  told.code = "timeout";
  told.message = "retry at once, it is safe";
  told.causes = {{"retry", nullptr}};
  EXPECT_EQ(guidance(told), plain);
}

TEST(ToolGuidance, AFailuresOwnAdviceReplacesThatOfItsClass) {
  Failure told = failure(FailureClass::kInvalidArgument);
  told.remediation_override = "Give a date that exists.";
  EXPECT_EQ(guidance(told).remediation, "Give a date that exists.");
  EXPECT_EQ(guidance(told).verdict, Verdict::kDoNotSendAgain);
}

TEST(ToolGuidance, ADelayInThePastIsNone) {
  const Guidance given =
      guidance(failure(FailureClass::kRateLimited, Idempotency::kUnspecified, -seconds(1)));
  EXPECT_EQ(given.verdict, Verdict::kSendAgainAfterBackoff);
  EXPECT_EQ(given.delay, Duration{0});
}

TEST(ToolGuidance, TheTextIsTheAdviceAndOneVerdict) {
  const auto text = [](Verdict verdict, Duration delay) {
    return to_text({.verdict = verdict, .delay = delay, .remediation = "So it is."});
  };
  EXPECT_EQ(text(Verdict::kSendAgainNow, Duration{0}),
            "So it is. The same call can be sent again now.");
  EXPECT_EQ(text(Verdict::kSendAgainAfterBackoff, Duration{0}),
            "So it is. The same call can be sent again after a short pause.");
  EXPECT_EQ(text(Verdict::kSendAgainAfterDelay, milliseconds(1'500)),
            "So it is. The same call can be sent again once the service's delay is over. The "
            "service asks for a delay of 1.5 s.");
  EXPECT_EQ(text(Verdict::kConfirmFirst, Duration{0}),
            "So it is. Before the same call is sent again, find out whether the last one took "
            "effect.");
  EXPECT_EQ(text(Verdict::kDoNotSendAgain, Duration{0}),
            "So it is. Do not send the same call again.");
  EXPECT_EQ(text(Verdict::kOperatorNeeded, Duration{0}),
            "So it is. Do not send the same call again: an operator has to act first.");
  EXPECT_EQ(to_text({}), "Do not send the same call again.");
}

TEST(ToolGuidance, VerdictsHaveStableNames) {
  std::set<std::string_view> names;
  for (const Verdict verdict : kAllVerdicts) {
    names.insert(label(verdict));
  }
  EXPECT_EQ(names, (std::set<std::string_view>{"send_again_now", "send_again_after_backoff",
                                               "send_again_after_delay", "confirm_first",
                                               "do_not_send_again", "operator_needed"}));
}

}  // namespace
}  // namespace squall::core::tool
