// SPDX-License-Identifier: MIT
#include "core/tool/class_policy.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/tool/failure.hpp"
#include "core/tool/failure_mapping.hpp"

namespace squall::core::tool {
namespace {

TEST(ToolClassPolicy, EveryClassHasItsRow) {
  std::set<std::string_view> labels;
  for (const FailureClass failure_class : kAllFailureClasses) {
    EXPECT_EQ(policy_of(failure_class).failure_class, failure_class);
    EXPECT_FALSE(policy_of(failure_class).remediation.empty()) << label(failure_class);
    EXPECT_EQ(failure_class_from_label(label(failure_class)), failure_class);
    EXPECT_TRUE(check_code(label(failure_class))) << label(failure_class);
    labels.insert(label(failure_class));
  }
  EXPECT_EQ(labels.size(), 12U);
  EXPECT_EQ(failure_class_from_label("Transient"), std::nullopt);
}

/// A row in letters: r(etryable) b(ackoff) d(elay surfaced) o(perator) s(afe).
std::string letters(const ClassPolicy& policy) {
  std::string text;
  text += policy.retryable ? 'r' : '-';
  text += policy.backoff ? 'b' : '-';
  text += policy.surface_delay ? 'd' : '-';
  text += policy.needs_operator ? 'o' : '-';
  text += policy.safe_to_resubmit ? 's' : '-';
  return text;
}

TEST(ToolClassPolicy, TheRowsAreThose) {
  const std::vector<std::pair<FailureClass, std::string>> rows{
      {FailureClass::kTransient, "rb---"},
      {FailureClass::kRateLimited, "rbd-s"},
      {FailureClass::kTimeout, "rb---"},
      {FailureClass::kUnreachable, "rb--s"},
      {FailureClass::kAuth, "---o-"},
      {FailureClass::kPermission, "---o-"},
      {FailureClass::kInvalidArgument, "-----"},
      {FailureClass::kNotFound, "-----"},
      {FailureClass::kConflict, "-----"},
      {FailureClass::kSelfReported, "r----"},
      {FailureClass::kCancelled, "-----"},
      {FailureClass::kInternal, "---o-"},
  };
  ASSERT_EQ(rows.size(), kAllFailureClasses.size());
  for (const auto& [failure_class, row] : rows) {
    EXPECT_EQ(letters(policy_of(failure_class)), row) << label(failure_class);
  }
}

/// The words of `text` in lower case.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (std::isalnum(byte) != 0) {
      words.back() += static_cast<char>(std::tolower(byte));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  return words;
}

/// The first word of `text` that belongs to the verdict, is a number or somebody's business; "" if
/// there is none.
std::string impurity_of(std::string_view text) {
  static const std::set<std::string> kForbidden{
      // The verdict on sending again.
      "retry", "retries", "retried", "retrying", "retryable", "again", "resend", "resent",
      "resubmit", "repeat", "repeated", "redo", "wait", "waiting", "later", "soon", "shortly",
      "moment", "while", "delay", "pause", "backoff", "before", "after", "until", "now",
      "immediately", "confirm", "verify", "safe", "unsafe", "idempotent", "twice", "once",
      "operator", "operators", "administrator", "admin", "human", "person", "support", "escalate",
      // Times and numbers in words.
      "millisecond", "milliseconds", "second", "seconds", "minute", "minutes", "hour", "hours",
      "ms", "one", "two", "three", "four", "five", "ten",
      // Somebody's business.
      "customer", "order", "payment", "invoice", "account", "product", "ticket", "user", "users",
      "id", "uuid", "http", "url"};
  for (const std::string& word : words_of(text)) {
    const bool has_digit = std::any_of(word.begin(), word.end(), [](char character) {
      return character >= '0' && character <= '9';
    });
    if (has_digit || kForbidden.count(word) != 0) {
      return word;
    }
  }
  const auto is_placeholder = [](char character) {
    return std::string_view("{}%$<>\"'`\n").find(character) != std::string_view::npos &&
           character != '\'';
  };
  return std::any_of(text.begin(), text.end(), is_placeholder) ? "a placeholder or a quote" : "";
}

TEST(ToolClassPolicy, ThePurityCheckBites) {
  EXPECT_EQ(impurity_of("You may Retry."), "retry");
  EXPECT_EQ(impurity_of("Come back in 30s."), "30s");
  EXPECT_EQ(impurity_of("Ask an operator, please"), "operator");
  EXPECT_EQ(impurity_of("Wait-a bit"), "wait");
  EXPECT_EQ(impurity_of("Look at {name}."), "a placeholder or a quote");
  EXPECT_EQ(impurity_of("Change the arguments."), "");
}

TEST(ToolClassPolicy, RemediationCarriesNoVerdictNoNumberAndNoBusiness) {
  for (const ClassPolicy& policy : kClassPolicies) {
    EXPECT_EQ(impurity_of(policy.remediation), "") << label(policy.failure_class);
  }
}

TEST(ToolClassPolicy, TheAdviceOfTheMappingIsAsPure) {
  for (const connector::Kind kind : connector::kAllKinds) {
    connector::ToolCallFailure failure;
    failure.kind = kind;
    failure.may_have_taken_effect = true;
    EXPECT_EQ(impurity_of(failure_of(failure, Idempotency::kUnspecified).remediation_override), "")
        << token(kind);
  }
}

}  // namespace
}  // namespace squall::core::tool
