// SPDX-License-Identifier: MIT
#include "core/tool/failure.hpp"

#include <gtest/gtest.h>

namespace squall::core::tool {
namespace {

class Report final : public RetryableReporter {
 public:
  explicit Report(bool retryable) : retryable_(retryable) {}
  [[nodiscard]] bool retryable() const noexcept override { return retryable_; }

 private:
  bool retryable_;
};

Cause saying(bool retryable) {
  return {"", std::make_shared<Report>(retryable)};
}
const Cause kAbsent{"", nullptr};

TEST(ToolCauseChain, AnAbsentLinkSaysNo) {
  EXPECT_FALSE(reports_retryable({}));
  EXPECT_FALSE(reports_retryable({kAbsent}));
  EXPECT_FALSE(reports_retryable({kAbsent, saying(false), kAbsent}));
}

TEST(ToolCauseChain, EveryLinkIsAsked) {
  EXPECT_TRUE(reports_retryable({saying(true)}));
  EXPECT_TRUE(reports_retryable({kAbsent, saying(false), kAbsent, saying(true)}));
  EXPECT_TRUE(reports_retryable({saying(true), saying(false)}));
}

TEST(ToolCauseChain, LengthCostsNoStack) {
  CauseChain chain(1'000'000, kAbsent);
  EXPECT_FALSE(reports_retryable(chain));
  chain.push_back(saying(true));
  EXPECT_TRUE(reports_retryable(chain));
}

TEST(ToolCode, IsWordsThatStay) {
  for (const std::string& good : {std::string("rate_limited"), std::string("a"),
                                  std::string("a_b_c"), std::string(kCodeBytesMax, 'x')}) {
    EXPECT_TRUE(check_code(good)) << good;
  }
  for (const std::string& bad :
       {std::string(), std::string("_a"), std::string("a_"), std::string("a__b"),
        std::string("Rate"), std::string("retry_in_30_s"), std::string("http429"),
        std::string("a-b"), std::string("a b"), std::string("a\n"), std::string("\xC3\xA4"),
        std::string(kCodeBytesMax + 1, 'x')}) {
    EXPECT_FALSE(check_code(bad)) << bad;
  }
  EXPECT_EQ(to_string(check_code("took_30_s").error()),
            "failure code \"took_30_s\" is not stable; allowed: 1 to 64 bytes, words of a-z joined "
            "by single \"_\"");
}

}  // namespace
}  // namespace squall::core::tool
